"""Many robots of one kind, advanced together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import GrouserError, InvalidValue, NotFinite, TickFailed
from grouser.geometry import Pose, Scalar
from grouser.models import Command, Model, Motion, Plants, start_model, vary_model
from grouser.simulation.checks import check_tick, count_ticks
from grouser.simulation.events import YawKick
from grouser.simulation.simulation import DEFAULT_DT


class Fleet:
    """Many robots of one kind on one course; like `Simulation`, without sensors and records.

    Robots do not interact. Each moves bit for bit as in a simulation of its own.
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
            model: Model of motion.
            robot: The robot.
            course: The course.
            poses: Start poses: at least one field is an array.
            dt: Length of a tick [s].
            friction: Factor on all friction, for all robots or for each [1].
            mass: Factor on all masses and inertias, for all robots or for each [1].
        """
        check_tick(dt)
        if not poses.is_many:
            raise InvalidValue("poses", poses, "have an array, with one number for each robot")
        self.model, self.robot, self.course, self.dt = model, robot, course, dt
        varied = vary_model(model, friction=friction, mass=mass)
        # A plant started with a pose of arrays holds many robots.
        self._plant = cast("Plants", start_model(varied, robot, course, poses))
        self.count = np.broadcast(poses.x, poses.y, poses.yaw).size
        self._kick = YawKick.of(course)
        self._kicked = np.zeros(self.count, dtype=bool)
        self.ticks = np.zeros(self.count, dtype=np.int64)
        """Ticks of each robot since its start [1]."""

    @property
    def motion(self) -> Motion:
        """Current motion of the robots; fields are arrays."""
        return self._plant.motion

    def advance(self, command: Command, ticks: int = 1) -> Motion:
        """Apply `command`, numbers or arrays of one number per robot, for some ticks.

        Raises:
            NotFinite: The motion of a robot is no longer finite.
            TickFailed: Something else raised; the state of the robots is not known then.
        """
        try:
            motion = self._advance(command, ticks)
        except GrouserError:
            raise
        except Exception as error:  # a model may be anybody's
            what = f"a tick of robots 0 to {self.count - 1}"
            raise TickFailed(float(self.ticks.max()) * self.dt, error, what) from error
        pose = motion.pose
        if not np.isfinite(pose.x + pose.y + pose.z + pose.roll + pose.pitch + pose.yaw).all():
            self._tell_not_finite(pose)
        return motion

    def _advance(self, command: Command, ticks: int) -> Motion:
        with np.errstate(all="ignore"):  # overflow is detected by the caller
            for _ in range(ticks):
                self._plant.advance(command, self.dt)
                if self._kick is not None and not self._kicked.all():
                    self._apply_kick(self._kick)
            self.ticks += ticks
            return self._plant.motion

    def restart(
        self, which: NDArray[np.bool_], poses: Pose, *, friction: Scalar = 1.0, mass: Scalar = 1.0
    ) -> Motion:
        """Restart some robots and leave the others as they are; return all motions.

        Args:
            which: Mask of the robots to restart.
            poses: Start poses; entries of other robots are ignored.
            friction: Factor on all friction, for each restarted robot [1].
            mass: Factor on all masses and inertias, for each restarted robot [1].
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

    def _tell_not_finite(self, pose: Pose) -> None:
        for name in ("x", "y", "z", "roll", "pitch", "yaw"):
            finite = np.isfinite(getattr(pose, name))
            if not np.all(finite):
                number = int(np.argmin(np.broadcast_to(finite, self.count)))
                time = self.ticks[number] * self.dt
                raise NotFinite(f"pose.{name} of robot {number}", time, None)

    def _apply_kick(self, kick: YawKick) -> None:
        pose = self._plant.motion.pose
        due = (kick.path.nearest(pose.x, pose.y) >= kick.at_path) & ~self._kicked
        if due.any():
            self._plant.turn(np.where(due, kick.yaw, 0.0))
            self._kicked |= due


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRun:
    """Paths of many robots; axis 0 counts samples, axis 1 robots."""

    time: NDArray[np.float64]
    """Time of each sample [s]."""
    x: NDArray[np.float64]
    """World x of each robot [m]."""
    y: NDArray[np.float64]
    """World y of each robot [m]."""
    yaw: NDArray[np.float64]
    """Heading of each robot [rad]."""
    motion: Motion
    """Motion at the end; fields are arrays."""


def run_batch(
    model: Model,
    robot: Robot,
    course: Course,
    poses: Pose,
    program: Callable[[float, Motion], Command],
    *,
    duration: float,
    dt: float = 0.01,
    every: int = 10,
) -> BatchRun:
    """Drive as many robots as `poses` has; return their sampled paths.

    Args:
        model: Model of motion; its parameters may be arrays, too.
        robot: The robot.
        course: The course.
        poses: Start poses: at least one field is an array.
        program: Returns the command of a tick; its speeds may be arrays.
        duration: Simulated time [s].
        dt: Length of a tick [s].
        every: Number of ticks between two samples [1].
    """
    if every < 1:
        raise InvalidValue("every", every, "be at least 1")
    check_tick(dt)
    ticks = count_ticks(duration, dt)
    plant = start_model(model, robot, course, poses)
    samples: list[Motion] = [plant.motion]
    times = [0.0]
    for tick in range(ticks):
        plant.advance(program(tick * dt, plant.motion), dt)
        if (tick + 1) % every == 0:
            samples.append(plant.motion)
            times.append((tick + 1) * dt)
    count = np.broadcast_shapes(*(np.shape(s.pose.x) + () for s in samples), np.shape(poses.yaw))
    x, y, yaw = (
        np.stack([np.broadcast_to(getattr(s.pose, name), count) for s in samples])
        for name in ("x", "y", "yaw")
    )
    return BatchRun(time=np.array(times), x=x, y=y, yaw=yaw, motion=plant.motion)
