"""A folder of recorded drives."""

import threading
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from grouser.errors import GrouserError, InvalidValue, UnknownName
from grouser.log import Log, Spool, name_file, name_spool, read_head, read_log, write_log
from grouser.simulation import Simulation
from grouser.storage import write_new

AUTOMATIC = "auto-"
"""How names begin of what was kept without being asked for."""
KEPT = 20
"""How many of those are kept; older ones are taken away."""
SUFFIXES = (".parquet", ".csv")
"""How names of recordings end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One file of the folder."""

    name: str
    """Name of the file, by which it is loaded."""
    robot: str = ""
    """Name of the robot; empty if it is not known."""
    course: str = ""
    """Name of the course; empty if it is not known."""
    model: str = ""
    """Name of the model; empty for a real robot."""
    duration: float | None = None
    """How long it lasted; None if the file does not tell [s]."""
    problem: str = ""
    """Why it cannot be loaded, in one sentence; empty if it can."""


class Recordings:
    """Saves, lists and loads the drives of one folder; threads may share it."""

    def __init__(self, folder: str | Path) -> None:
        """Use a folder, which is made when something is saved."""
        self.folder = Path(folder)
        """Where the files are."""
        self._lock = threading.Lock()
        self._streamed: set[str] = set()

    def save(self, log: Log, name: str | None = None, *, automatic: bool = False) -> Path:
        """Write a log under a name that no other file has; return its path.

        Args:
            log: What was driven.
            name: What to call it; date, time, robot, course and model if not given.
            automatic: Whether nobody asked for it: only the newest of these are kept.

        Raises:
            InvalidValue: The folder is not writable, or the name is none.
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
                self._prune()
        return path

    def stream(self, simulation: Simulation) -> Spool:
        """Write a drive as it goes on, so that it is there even if this process is killed.

        Raises:
            Unwritable: The folder is not writable.
        """
        parts = simulation.robot.name, simulation.course.name, simulation.model.name
        path = self.folder / name_file(f"{AUTOMATIC}{_name(*parts)}", ".csv")
        spool = simulation.stream(name_spool(path), keep=True)
        self._streamed.add(spool.path.name)
        return spool

    def list(self) -> list[Recording]:
        """Return what is in the folder, the newest first; a damaged file says so."""
        return [_describe(path) for path in self._files()]

    def names(self) -> tuple[str, ...]:
        """Return the names of what is in the folder, the newest first, without looking inside."""
        return tuple(path.name for path in self._files())

    def load(self, name: str) -> Log:
        """Return a log of the folder.

        Raises:
            UnknownName: There is no such file.
            InvalidLog: It is damaged, or was not written by grouser.
            MissingExtra: The file is Parquet and pyarrow is not installed.
        """
        for path in self._files():
            if path.name == name:
                return read_log(path)
        raise UnknownName("recording", name, self.names())

    def prune(self) -> None:
        """Take away all but the newest of what was kept without being asked for."""
        with self._lock:
            self._prune()

    def _prune(self) -> None:
        automatic = [path for path in self._files() if path.name.startswith(AUTOMATIC)]
        for path in automatic[KEPT:]:
            path.unlink(missing_ok=True)

    def _files(self) -> tuple[Path, ...]:
        """Return all recordings, the newest first."""
        found: list[tuple[float, str, Path]] = []
        for path in self.folder.glob("*") if self.folder.is_dir() else ():
            is_open = path.name in self._streamed or path.name.startswith(".")
            if path.suffix.lower() in SUFFIXES and not is_open:
                try:
                    found.append((path.stat().st_mtime, path.name, path))
                except OSError:
                    continue  # taken away in the meantime
        return tuple(path for _, _, path in sorted(found, reverse=True))


def _name(*parts: str) -> str:
    now = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    return "-".join(part for part in (now, *parts) if part)


def _describe(path: Path) -> Recording:
    try:
        head = read_head(path)
    except GrouserError as error:
        return Recording(name=path.name, problem=str(error))
    origin = head.provenance
    return Recording(
        name=path.name,
        robot=origin.robot,
        course=origin.course,
        model=origin.model,
        duration=head.duration,
    )
