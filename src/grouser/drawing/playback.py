"""A log as a moving robot: its pose at any time."""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot, load_course
from grouser.drawing.rut_history import RutHistory
from grouser.errors import InvalidLog
from grouser.geometry import Pose, running_length
from grouser.log import Column, Log, resample
from grouser.models import Contact
from grouser.models.kinematic import RestOnTerrain
from grouser.scenario import course_of_log, robot_of_log


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """State of a robot at one time, as far as a picture shows it."""

    pose: Pose
    """Body frame in the world frame."""
    belt_travels: tuple[float, ...]
    """How far each drive's belt or rim has run since the start, in the robot's order [m]."""
    flipper_angles: tuple[float, ...] = ()
    """Angle of each flipper about body y, positive lowers its front end [rad]."""
    contacts: tuple[Contact, ...] = ()
    """Contacts with the ground; empty for models without contacts."""


_NEEDED = ("time", "x", "y", "yaw")
_TILT = ("z", "roll", "pitch")
_WORDS = "time, x, y and yaw"


class Playback:
    """Interpolates a log at any time; outside of its time span, its first or last row is used.

    Angles are interpolated the shorter way round; rows with NaN are skipped. Without height, roll
    and pitch, the robot rests on the terrain. Belt travels are those of `Log.belt_travel`; without
    belt columns, they follow from the robot's motion over the ground.
    """

    def __init__(
        self,
        log: Log,
        robot: Robot | None = None,
        course: Course | None = None,
        *,
        origin: str = "log",
    ) -> None:
        """Prepare a log; robot and course are by default those in it, the course else a flat floor.

        InvalidLog if a robot or a column is missing, the log is empty, or its time does not
        increase.
        """
        self.log, self.origin = log, origin
        found = robot or robot_of_log(log)
        if found is None:
            raise InvalidLog(origin, "the log does not contain its robot; name one (--robot NAME)")
        self.robot = found
        self.course = course or course_of_log(log) or load_course("flat")
        known = _known_rows(log, origin)
        self._time = np.ascontiguousarray(log.time[known])
        self._settle: RestOnTerrain | None = None
        names = ("x", "y", "yaw")
        if all(name in log and np.isfinite(log[name][known]).all() for name in _TILT):
            names += _TILT
        else:
            self._settle = RestOnTerrain(self.robot, self.course.terrain)
        self._pose = {name: _unwrap(name, log[name][known]) for name in names}
        self._travels = [_travel(log, known, drive.name, drive.y) for drive in self.robot.drives]
        self._angles = [
            _column(log, f"flipper_angle.{flipper.name}", known, flipper.rest_angle)
            for flipper in self.robot.flippers
        ]

    @cached_property
    def ruts(self) -> RutHistory | None:
        """Ruts of the log; None on a course where none are left, or on another one than its own."""
        return RutHistory.of(self.log, self.course, self.origin)

    @property
    def start(self) -> float:
        """Time of the first known pose [s]."""
        return float(self._time[0])

    @property
    def end(self) -> float:
        """Time of the last known pose [s]."""
        return float(self._time[-1])

    @property
    def duration(self) -> float:
        """Time from the first known pose to the last [s]."""
        return self.end - self.start

    def frame(self, time: float) -> Frame:
        """Return the state of the robot at a time of the log [s]."""
        poses = self.poses(np.array([time]))
        return Frame(
            pose=Pose(**{f.name: float(getattr(poses, f.name)[0]) for f in fields(Pose)}),
            belt_travels=tuple(self._at(time, travel) for travel in self._travels),
            flipper_angles=tuple(self._at(time, angle) for angle in self._angles),
        )

    def poses(self, times: NDArray[np.float64]) -> Pose:
        """Return the poses of the body at many times of the log [s], as one pose of arrays."""
        found = {name: np.interp(times, self._time, row) for name, row in self._pose.items()}
        if self._settle is None:
            return Pose(**found)
        rested = self._settle(Pose(**found))
        # Level where there is no ground.
        tilt = np.stack([np.broadcast_to(getattr(rested, name), times.shape) for name in _TILT])
        tilt = np.where(np.isfinite(tilt).all(axis=0), tilt, 0.0)
        return Pose(**found, **dict(zip(_TILT, tilt, strict=True)))

    def values(self, time: float) -> dict[str, tuple[float, str]]:
        """Return the value of each column at a time of the log [s], with its SI unit."""
        last = len(self.log) - 1
        row = int(np.searchsorted(self.log.time, time, side="right")) - 1
        row = min(max(row, 0), max(last - 1, 0))
        columns = self.log.columns.items()
        near = Log({name: Column(c.values[row : row + 2], c.unit) for name, c in columns})
        there = resample(near, [min(max(time, near.time[0]), near.time[-1])])
        return {name: (float(there[name][0]), there.unit(name)) for name in there}

    def _at(self, time: float, values: NDArray[np.float64]) -> float:
        return float(np.interp(time, self._time, values))


def _known_rows(log: Log, origin: str) -> NDArray[np.intp]:
    missing = [name for name in _NEEDED if name not in log]
    if missing:
        words = ", ".join(missing)
        raise InvalidLog(origin, f"the log has no column {words}; a moving robot needs {_WORDS}")
    known = np.flatnonzero(np.all([np.isfinite(log[name]) for name in _NEEDED], axis=0))
    if not known.size:
        raise InvalidLog(origin, f"the log has no row in which {_WORDS} are all known")
    if np.any(np.diff(log.time[known]) <= 0.0):
        raise InvalidLog(origin, "time must increase from row to row; sort the rows by time")
    return known


def _unwrap(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.unwrap(values) if name in ("roll", "pitch", "yaw") else np.ascontiguousarray(values)


def _column(log: Log, name: str, known: NDArray[np.intp], otherwise: float) -> NDArray[np.float64]:
    """Return a column; `otherwise` where it is missing or not finite."""
    if name not in log:
        return np.full(len(known), otherwise)
    return np.nan_to_num(log[name][known], nan=otherwise, posinf=otherwise, neginf=otherwise)


def _travel(log: Log, known: NDArray[np.intp], drive: str, y: float) -> NDArray[np.float64]:
    """Return how far a belt has run at each row; as the ground passes if no column says so [m]."""
    travel = log.belt_travel(drive, known)
    if travel is not None:
        return travel
    x, ahead = log["x"][known], np.unwrap(log["yaw"][known])
    middle = 0.5 * (ahead[1:] + ahead[:-1])
    along = np.diff(x) * np.cos(middle) + np.diff(log["y"][known]) * np.sin(middle)
    return running_length(along - y * np.diff(ahead))
