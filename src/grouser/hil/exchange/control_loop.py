"""In the place of the robot and its controller: poses come in, belt speeds go out."""

from array import array
from datetime import UTC, datetime

import numpy as np

from grouser.description import Course, Robot
from grouser.geometry import Pose, Twist
from grouser.hil.exchange.controller_side import ControllerSide
from grouser.hil.exchange.sights import Sights
from grouser.log import Column, Log, Provenance
from grouser.models import Motion, SideMeans, add_travels, command_sides
from grouser.models.drivetrain import Drivetrain
from grouser.simulation import Driver
from grouser.version import VERSION

LOOP_PERIOD = 0.05
"""Time between two lines, as assumed for P0 [s]."""
_POSE = ("x", "y", "z", "roll", "pitch", "yaw")


class ControlLoop:
    """Drives the virtual robot of another program over a course.

    Time begins with the first pose. The belts are those of an unloaded robot: within its limits,
    they do what the driver asks. A pose that is stale stops them.
    """

    def __init__(
        self,
        robot: Robot,
        course: Course,
        driver: Driver,
        side: ControllerSide,
        period: float = LOOP_PERIOD,
    ) -> None:
        """Let `driver` drive `robot`, which `side` tells about, every `period` [s]."""
        self._robot, self._course, self._driver, self._side = robot, course, driver, side
        self._drivetrain = Drivetrain.of(robot)
        self._stand = command_sides(robot, 0.0, 0.0).belt_speeds
        self._speeds = self._travels = self._stand
        self._rows, self._sights = array("d"), Sights()
        self._created = datetime.now(UTC).isoformat(timespec="seconds")
        self.period, self.ticks = period, 0
        self.silence = 0.0
        """Age of what the other side said last; infinite before it said anything [s]."""

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        return self.ticks * self.period

    @property
    def stale_ticks(self) -> int:
        """How many ticks had to stop because nothing fresh had come."""
        return self._sights.stale_ticks

    def tick(self) -> bool:
        """Do one tick; return False when the driver is done."""
        sight = self._side.look()
        self.silence = sight.age
        if sight.line is None:
            self._send()
            return True
        asked = self._stand
        if not sight.is_stale:
            command = self._driver(self.time, self._motion(sight.line.pose))
            if command is None:
                self.stop()
                return False
            asked = command.belt_speeds
        self._speeds = self._drivetrain.reach(self._speeds, asked, self.period)
        if sight.is_stale:
            self._speeds = self._stand  # the failsafe does not ramp
        self._travels = add_travels(self._travels, self._speeds, self.period)
        self._send()
        self.ticks += 1
        pose = [float(getattr(sight.line.pose, name)) for name in _POSE]
        self._rows.extend((self.ticks, self.time, *pose, *asked, *self._speeds))  # type: ignore[arg-type]
        self._sights.add(sight)
        return True

    def stop(self) -> None:
        """Tell the other side that the belts stand."""
        self._speeds = self._stand
        self._send()

    def log(self, status: str) -> Log:
        """Return what happened, with what was seen of the other side."""
        drives = self._robot.belt_order
        names = ("tick", "time", *_POSE)
        units = ("1", "s", "m", "m", "m", "rad", "rad", "rad")
        families = ("belt_speed_commanded", "belt_speed")
        names += tuple(f"{family}.{drive}" for family in families for drive in drives)
        units += ("m/s",) * (2 * len(drives))
        values = np.array(self._rows[:]).reshape(-1, len(names)).T
        columns = {n: Column(v, u) for n, u, v in zip(names, units, values, strict=True)}
        return Log({**columns, **self._sights.columns()}, self._provenance(status))

    def _provenance(self, status: str) -> Provenance:
        robot, course = self._robot, self._course
        return Provenance(
            grouser_version=VERSION,
            robot=robot.name,
            robot_hash=robot.content_hash,
            robot_text=robot.text,
            course=course.name,
            course_hash=course.content_hash,
            course_text=course.text,
            course_parameters=course.parameters,
            dt=self.period,
            driver="exchange",
            status=status,
            created=self._created,
            notes={"exchange": {**self._side.counts, "stale_ticks": self.stale_ticks}},
        )

    def _motion(self, pose: Pose) -> Motion:
        return Motion(
            pose=pose,
            twist=Twist(),
            belt_speeds_commanded=self._speeds,
            belt_speeds=self._speeds,
            belt_travels=self._travels,
            flipper_angles=tuple(flipper.rest_angle for flipper in self._robot.flippers),
            slips=(0.0,) * len(self._speeds),
        )

    def _send(self) -> None:
        left, right = SideMeans.of(self._robot)(self._speeds)
        self._side.send(float(left), float(right))
