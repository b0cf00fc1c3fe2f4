"""Plays a log on the page, as if it happened now."""

import math
from itertools import count

from grouser.errors import InvalidValue
from grouser.geometry import Twist
from grouser.models import Motion
from grouser.viewer.frame import Frame
from grouser.viewer.playback import Playback
from grouser.viewer.snapshot import Snapshot

_NUMBERS = count(-1, -1)  # negative, so that no run or scene of a session has the same


class Player:
    """A log with a playing time that runs, rests or is moved by hand."""

    def __init__(self, playback: Playback, title: str) -> None:
        self.playback, self.title = playback, title
        self.robot, self.course = playback.robot, playback.course
        self.elapsed = 0.0
        """How much of the log was played [s]."""
        self._number = next(_NUMBERS)
        self._run = self._number

    def advance(self, duration: float) -> None:
        """Play on for `duration` seconds; the last moment stays."""
        self.elapsed = min(self.elapsed + duration, self.playback.duration)

    def seek(self, elapsed: float) -> None:
        """Go to a moment of the log [s].

        Raises:
            InvalidValue: The moment is not finite.
        """
        if not math.isfinite(elapsed):
            raise InvalidValue("moment", elapsed, "be a finite number of seconds")
        self.elapsed = min(max(elapsed, 0.0), self.playback.duration)
        self._run = next(_NUMBERS)

    @property
    def is_over(self) -> bool:
        """Whether all of the log was played."""
        return self.elapsed >= self.playback.duration

    def snapshot(self) -> Snapshot:
        """Return this moment of the log."""
        time = self.playback.start + self.elapsed
        frame = self.playback.frame(time)
        return Snapshot(
            scene=self._number,
            run=self._run,
            time=self.elapsed,
            mode="replay",
            motion=_motion(self.playback, time, frame),
            frames=(frame,),
            duration=self.playback.duration,
        )


def _motion(playback: Playback, time: float, frame: Frame) -> Motion:
    """Return a log's motion at a time [s]; NaN where it has no column."""
    values = playback.values(time)

    def look(name: str) -> float:
        return values.get(name, (float("nan"), ""))[0]

    names = [drive.name for drive in playback.robot.drives]
    rates = ("vx", "vy", "vz", "roll_rate", "pitch_rate", "yaw_rate")
    return Motion(
        pose=frame.pose,
        twist=Twist(**{name: look(name) for name in rates}),
        belt_speeds_commanded=tuple(look(f"belt_speed_commanded.{name}") for name in names),
        belt_speeds=tuple(look(f"belt_speed.{name}") for name in names),
        belt_travels=frame.belt_travels,
        flipper_angles=frame.flipper_angles,
        slips=tuple(look(f"slip.{name}") for name in names),
    )
