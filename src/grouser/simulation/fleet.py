"""Time passes for many robots at once, each of which may begin anew by itself."""

from typing import cast

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue, NotFinite
from grouser.geometry import Pose, Scalar
from grouser.models import Command, Model, Motion, Plants, start_model, vary_model
from grouser.simulation.disturbance import YawKick
from grouser.simulation.guard import check_tick
from grouser.simulation.simulation import DEFAULT_DT


class Fleet:
    """Many robots of one kind on one course: what `Simulation` is to one, without its memory.

    Robots do not see each other. Each moves bit for bit as it would in a simulation of its own.
    """

    def __init__(
        self,
        model: Model,
        robot: Robot,
        course: Course,
        poses: Pose,
        *,
        dt: float = DEFAULT_DT,
        friction: Scalar = 1.0,
        mass: Scalar = 1.0,
    ) -> None:
        """Put the robots on the course.

        Args:
            model: How they move.
            robot: What moves.
            course: Where they move.
            poses: Where each starts: at least one field is an array.
            dt: Length of one tick [s].
            friction: Factor on all friction, for all robots or for each [1].
            mass: Factor on all masses and inertias, for all robots or for each [1].
        """
        check_tick(dt)
        if not poses.is_many:
            raise InvalidValue("poses", poses, "have an array, with one number for each robot")
        self.model, self.robot, self.course, self.dt = model, robot, course, dt
        varied = vary_model(model, friction=friction, mass=mass)
        # A plant that was started with a pose of arrays is one of many robots.
        self._plant = cast("Plants", start_model(varied, robot, course, poses))
        self.count = np.broadcast(poses.x, poses.y, poses.yaw).size
        self._kick = YawKick.of(course)
        self._kicked = np.zeros(self.count, dtype=bool)
        self.ticks = np.zeros(self.count, dtype=np.int64)
        """How many ticks each robot has driven since it began."""

    @property
    def motion(self) -> Motion:
        """Where the robots are and how they move now."""
        return self._plant.motion

    def advance(self, command: Command) -> Motion:
        """Obey `command`, numbers or arrays of one number per robot, for one tick.

        Raises:
            NotFinite: The motion of a robot is no longer finite.
        """
        with np.errstate(all="ignore"):  # what overflows is seen below
            self._plant.advance(command, self.dt)
            self.ticks += 1
            if self._kick is not None:
                self._kick_those_due(self._kick)
            motion = self._plant.motion
        for name in ("x", "y", "z", "roll", "pitch", "yaw"):
            finite = np.isfinite(getattr(motion.pose, name))
            if not np.all(finite):
                number = int(np.argmin(np.broadcast_to(finite, self.count)))
                raise NotFinite(
                    f"pose.{name} of robot {number}", self.ticks[number] * self.dt, None
                )
        return motion

    def restart(
        self, which: NDArray[np.bool_], poses: Pose, *, friction: Scalar = 1.0, mass: Scalar = 1.0
    ) -> Motion:
        """Let some robots begin anew, while the others stay as they are; return all motions.

        Args:
            which: Whether each robot is meant.
            poses: Where each starts; what it says of the others does not count.
            friction: Factor on all friction, for each of those that begin anew [1].
            mass: Factor on all masses and inertias, for each of those that begin anew [1].
        """
        varied = vary_model(self.model, friction=friction, mass=mass)
        self._plant.reset_some(
            which,
            poses,
            friction=getattr(varied, "friction_factor", None),
            mass=getattr(varied, "mass_factor", None),
        )
        self._kicked &= ~which
        self.ticks[which] = 0
        return self._plant.motion

    def _kick_those_due(self, kick: YawKick) -> None:
        pose = self._plant.motion.pose
        due = (kick.path.nearest(pose.x, pose.y) >= kick.at_path) & ~self._kicked
        if due.any():
            self._plant.turn(np.where(due, kick.yaw, 0.0))
            self._kicked |= due
