"""What is measured on a robot outside, in its order, and a log that is played as such a robot."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.errors import InvalidLog, InvalidValue, UnknownName
from grouser.geometry import Pose
from grouser.limits import BELT_SPEED, LENGTH, TURN
from grouser.log import Log
from grouser.models.measured_belts import MEASURED_FIRST, BeltColumns

WAITING = 2000
"""Measurements that wait to be taken; older ones are lost [1]."""
PAUSE = 1.0
"""Time between two pieces of a log that is played [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What is known of a robot at one time, by its own clock."""

    time: float
    """Time stamp [s]."""
    belts: tuple[float, float] | None = None
    """Belt speed of the left and the right side [m/s]; None if it is as before."""
    travels: tuple[float, float] | None = None
    """How far the belts of each side have run [m]; None if that is not measured."""
    pose: Pose | None = None
    """Pose of the body in the world; None if it was not measured at this time."""
    flippers: Mapping[str, float] = field(default_factory=dict)
    """Angles of flippers that were measured, by name [rad]."""
    begins: bool = False
    """Whether another drive begins, with a pose in a frame of its own."""


@dataclass(slots=True)
class MeasuredCounts:
    """What came from a robot so far."""

    accepted: int = 0
    """Measurements that were valid."""
    rejected: int = 0
    """Measurements that were not."""
    lost: int = 0
    """Measurements that nobody took in time."""


class MeasuredRobot:
    """A robot outside, of which something is measured. It is read only: nothing commands it.

    Its source offers measurements in any thread; another thread takes them, in their order.
    """

    name = "the robot"
    """What it is, in sentences."""
    is_planar = True
    """Whether only x, y and yaw of its poses are measured; the rest follows from the terrain."""

    def __init__(self, robot: Robot, now: Callable[[], float] = time.monotonic) -> None:
        """Take measurements of a robot; `now` is the clock by which it is silent."""
        self._now, self._known = now, {flipper.name for flipper in robot.flippers}
        self._waiting: deque[Measurement] = deque()
        self._lock = threading.Lock()
        self._came = -math.inf
        self.counts = MeasuredCounts()
        """What came so far."""
        self.problem = ""
        """Sentence about the last measurement that was not valid; empty if all were."""

    def offer(self, measurement: Measurement) -> None:
        """Add a measurement; one that is not valid is counted, and nothing else."""
        try:
            self._check(measurement)
        except (InvalidValue, UnknownName) as error:
            self.counts.rejected += 1
            self.problem = str(error)
            return
        with self._lock:
            self.counts.accepted += 1
            self._came = self._now()
            self._waiting.append(measurement)
            if len(self._waiting) > WAITING:
                self._waiting.popleft()
                self.counts.lost += 1

    def take(self) -> Measurement | None:
        """Return the next measurement; None if there is no new one."""
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    @property
    def silence(self) -> float:
        """Time since the last valid measurement, by the clock here; infinite before it [s]."""
        return self._now() - self._came

    @property
    def is_over(self) -> bool:
        """Whether nothing will come any more."""
        return False

    def close(self) -> None:
        """End the source."""
        return

    def _check(self, measurement: Measurement) -> None:
        if not math.isfinite(measurement.time):
            raise InvalidValue("time stamp", measurement.time, "be finite")
        for kind, pair, most in (
            ("belt speed", measurement.belts, BELT_SPEED),
            ("belt travel", measurement.travels, math.inf),
        ):
            for number in pair or ():
                if not (math.isfinite(number) and abs(number) <= most):
                    raise InvalidValue(f"measured {kind}", number, f"be finite, at most {most:g}")
        if measurement.pose is not None:
            pose = measurement.pose
            for name in pose.__dataclass_fields__:
                most = LENGTH if name in "xyz" else TURN
                if not abs(getattr(pose, name)) <= most:
                    raise InvalidValue(
                        f"measured {name}", getattr(pose, name), f"be finite, at most {most:g}"
                    )
        for name, angle in measurement.flippers.items():
            if name not in self._known:
                raise UnknownName("flipper", name, self._known)
            if not abs(angle) <= TURN:
                raise InvalidValue(f"measured angle of {name!r}", angle, "be finite")


class LogRobot(MeasuredRobot):
    """A log that is played in real time, as if its robot drove now."""

    def __init__(
        self,
        log: Log,
        robot: Robot,
        *,
        origin: str = "log",
        factor: float = 1.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Play a log from the first `take` on.

        Args:
            log: It needs time, and belts as `grouser identify` takes them; gaps need x, y and yaw.
                Pieces are played one after the other.
            robot: The robot of the log.
            origin: Name of the log in sentences.
            factor: Time of the log per time of the clock [1].
            now: The clock [s].

        Raises:
            InvalidLog: Time, belt speeds or rows are missing.
        """
        super().__init__(robot, now)
        self.name, self._factor = origin, factor
        if not len(log):
            raise InvalidLog(origin, "has no rows")
        if "time" not in log:
            raise InvalidLog(
                origin, "is a table of steady states, without time: it cannot be played"
            )
        self._time, self._begins = _play_times(log)
        columns = BeltColumns.of_robot(log, robot, origin)
        self._belts = columns.side_means(columns.measured(MEASURED_FIRST)).T
        has_pose = all(name in log for name in ("x", "y", "yaw"))
        fields = [name for name in Pose.__dataclass_fields__ if name in log] if has_pose else []
        self._pose = {name: log[name] for name in fields}
        self.is_planar = any(name not in fields for name in ("z", "roll", "pitch"))
        self._flippers = {
            flipper.name: log[f"flipper_angle.{flipper.name}"]
            for flipper in robot.flippers
            if f"flipper_angle.{flipper.name}" in log
        }
        self._next, self._began = 0, -math.inf

    def take(self) -> Measurement | None:
        """Return the next row, if its time has come."""
        if self._next == 0:
            self._began = self._now()
        until = float(self._time[0]) + self._factor * (self._now() - self._began)
        while not self.is_over and self._time[self._next] <= until:
            self.offer(self._row(self._next))
            self._next += 1
        return super().take()

    @property
    def is_over(self) -> bool:
        """Whether all rows were played."""
        return self._next >= len(self._time)

    def _row(self, k: int) -> Measurement:
        left, right = (float(speed) for speed in self._belts[k])
        pose = {name: float(column[k]) for name, column in self._pose.items()}
        angles = {name: float(column[k]) for name, column in self._flippers.items()}
        # A cell without a number is not known, as the pose between two pictures of a camera.
        return Measurement(
            time=float(self._time[k]),
            begins=bool(self._begins[k]),
            belts=(left, right) if math.isfinite(left + right) else None,
            pose=Pose(**pose) if pose and all(map(math.isfinite, pose.values())) else None,
            flippers={name: angle for name, angle in angles.items() if math.isfinite(angle)},
        )


def _play_times(log: Log) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return times of rows with all pieces one after the other [s], and where a piece begins."""
    begins = np.zeros(len(log), dtype=bool)
    if "piece" in log:
        begins[1:] = np.diff(log["piece"]) != 0.0
    steps = np.diff(log.time, prepend=log.time[0])
    return log.time + np.cumsum(np.where(begins, PAUSE - steps, 0.0)), begins
