"""Recorded runs of a page, and their player."""

import math
import threading
from collections.abc import Mapping
from datetime import datetime
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from grouser.drawing.playback import Frame, Playback
from grouser.errors import InvalidValue, UnknownName
from grouser.geometry import Twist
from grouser.log import Log, Spool, name_file, name_spool, read_log, write_log
from grouser.models import Motion
from grouser.models.ground.ruts import RutGrid
from grouser.simulation import Simulation
from grouser.storage import write_new
from grouser.viewer.session import Snapshot

AUTOMATIC = "auto-"
"""Prefix of the names of recordings that were saved automatically."""
KEPT = 20
"""Number of automatic recordings that are kept; older ones are deleted."""
SUFFIXES = (".parquet", ".csv")
"""File name extensions of recordings."""


class Recordings:
    """Saves, lists and loads the recordings of one folder; thread-safe."""

    def __init__(self, folder: str | Path) -> None:
        """Use a folder, which is created by the first recording."""
        self.folder = Path(folder)
        """Folder of the files."""
        self._lock = threading.Lock()
        self._streamed: set[str] = set()

    def save(self, log: Log, name: str | None = None, *, automatic: bool = False) -> Path:
        """Write a log to a new file; return its path.

        The name is date, time, robot, course and model if not given. Only the newest `KEPT`
        automatic recordings are kept.
        """
        if name is None:
            origin = log.provenance
            name = _name(origin.robot, origin.course, origin.model)
        if not any(letter.isalnum() for letter in name):
            raise InvalidValue("name of a recording", name, "have a letter or digit")
        suffix = SUFFIXES[0] if find_spec("pyarrow") else SUFFIXES[1]
        wanted = self.folder / name_file(f"{AUTOMATIC if automatic else ''}{name}", suffix)
        with self._lock:
            path = write_new(wanted, lambda temporary: write_log(log, temporary))
            if automatic:
                for old in [one for one in self._files() if one.name.startswith(AUTOMATIC)][KEPT:]:
                    old.unlink(missing_ok=True)
        return path

    def stream(self, simulation: Simulation) -> Spool:
        """Write the rows of a run as it continues, so that they survive a killed process."""
        parts = simulation.robot.name, simulation.course.name, simulation.model.name
        path = self.folder / name_file(f"{AUTOMATIC}{_name(*parts)}", ".csv")
        spool = simulation.stream(name_spool(path))
        self._streamed.add(spool.path.name)
        return spool

    def names(self) -> tuple[str, ...]:
        """Return the names of the recordings, newest first, without reading them."""
        return tuple(path.name for path in self._files())

    def load(self, name: str) -> Log:
        """Return the log of a recording."""
        for path in self._files():
            if path.name == name:
                return read_log(path)
        raise UnknownName("recording", name, self.names())

    def _files(self) -> tuple[Path, ...]:
        found: list[tuple[float, str, Path]] = []
        for path in self.folder.glob("*") if self.folder.is_dir() else ():
            is_open = path.name in self._streamed or path.name.startswith(".")
            if path.suffix.lower() in SUFFIXES and not is_open:
                try:
                    found.append((path.stat().st_mtime, path.name, path))
                except OSError:
                    continue  # deleted in the meantime
        return tuple(path for _, _, path in sorted(found, reverse=True))


def _name(*parts: str) -> str:
    now = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    return "-".join(part for part in (now, *parts) if part)


AHEAD = 20.0
"""Time of a log for which ruts are computed before they are shown [s]."""
_NUMBERS = count(-1, -1)  # negative, so that they differ from those of sessions


class Player:
    """Plays a log: keeps the time up to which it was played."""

    def __init__(self, playback: Playback, title: str) -> None:
        self.playback, self.title = playback, title
        self.robot, self.course = playback.robot, playback.course
        self.elapsed = 0.0
        """Time since the start of the log [s]."""
        self._number = next(_NUMBERS)
        self._run = self._number
        self._ahead: threading.Thread | None = None

    def advance(self, duration: float) -> None:
        """Play on for `duration` seconds, at most to the end."""
        self.elapsed = min(self.elapsed + duration, self.playback.duration)

    def seek(self, elapsed: float) -> None:
        """Go to a time since the start of the log [s]."""
        if not math.isfinite(elapsed):
            raise InvalidValue("time of a replay", elapsed, "be a finite number of seconds")
        self.elapsed = min(max(elapsed, 0.0), self.playback.duration)
        self._run = next(_NUMBERS)

    @property
    def is_over(self) -> bool:
        """Whether the end of the log is reached."""
        return self.elapsed >= self.playback.duration

    def snapshot(self) -> Snapshot:
        """Return the snapshot at the current time."""
        time = self.playback.start + self.elapsed
        frame, columns = self.playback.frame(time), self.playback.values(time)
        return Snapshot(
            scene=self._number,
            run=self._run,
            time=self.elapsed,
            mode="replay",
            motion=_motion(self.playback, columns, frame),
            columns=columns,
            frames=(frame,),
            duration=self.playback.duration,
            ruts=self._ruts(time),
        )

    def _ruts(self, time: float) -> RutGrid | None:
        """Return the ruts so far; those of the next seconds are computed in another thread."""
        history = self.playback.ruts
        if history is None:
            return None
        is_busy = self._ahead is not None and self._ahead.is_alive()
        if history.reached < time + 0.5 * AHEAD and not is_busy:
            until = (time + AHEAD,)
            self._ahead = threading.Thread(target=history.compute, args=until, daemon=True)
            self._ahead.start()
        return history.at(time)


def _motion(playback: Playback, values: Mapping[str, tuple[float, str]], frame: Frame) -> Motion:
    """Return the motion by the columns at a time of a log; NaN where it has no column."""

    def value(name: str) -> float:
        return values.get(name, (float("nan"), ""))[0]

    names = [drive.name for drive in playback.robot.drives]
    rates = ("vx", "vy", "vz", "roll_rate", "pitch_rate", "yaw_rate")
    return Motion(
        pose=frame.pose,
        twist=Twist(**{name: value(name) for name in rates}),
        belt_speeds_commanded=tuple(value(f"belt_speed_commanded.{name}") for name in names),
        belt_speeds=tuple(value(f"belt_speed.{name}") for name in names),
        belt_travels=frame.belt_travels,
        flipper_angles=frame.flipper_angles,
        slips=tuple(value(f"slip.{name}") for name in names),
    )
