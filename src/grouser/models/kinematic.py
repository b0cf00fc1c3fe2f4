"""Plant of all kinematic models: planar twist from belt speeds, the rest from the terrain."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar, Twist, arc_displacement, euler_displacement
from grouser.models.command import Command, SideMeans
from grouser.models.drape import Drape
from grouser.models.drivetrain import Drivetrain
from grouser.models.flipper_servo import reach_angles
from grouser.models.merge_states import merge_states
from grouser.models.motion import Motion, add_travels

PlanarTwist: TypeAlias = tuple[Scalar, Scalar, Scalar]
"""Forward speed [m/s], leftward speed [m/s], yaw rate [rad/s]."""
TwistLaw: TypeAlias = Callable[[Scalar, Scalar, Pose], PlanarTwist]
"""Maps left and right belt speed, at a pose, to the planar twist they impose."""
Integration: TypeAlias = Literal["arc", "euler"]
"""Exact arcs, or the plain step of a game engine."""

ENGINE = f"numpy {np.__version__}"
"""Name of the engine of kinematic models."""
STANDING_BELT = 1e-3
"""Belt speed below which the slip ratio is undefined and reported as 0 [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KinematicState:
    """Complete state of a kinematic plant."""

    pose: Pose
    """Body frame in the world frame."""
    twist: Twist
    """Velocity during the last step, in the body frame."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Commanded belt speeds [m/s]."""
    belt_speeds: tuple[Scalar, ...]
    """Actual belt speeds [m/s]."""
    belt_travels: tuple[Scalar, ...]
    """Distance that each belt has run since the start [m]."""
    flipper_angles: tuple[Scalar, ...]
    """Angle of each flipper [rad]."""


class KinematicPlant:
    """A robot that moves at the twist of its belts, without inertia."""

    def __init__(
        self,
        law: TwistLaw,
        robot: Robot,
        course: Course,
        pose: Pose | None = None,
        integration: Integration = "arc",
    ) -> None:
        self._law = law
        self._robot = robot
        self._start = course.start_pose
        self._drivetrain = Drivetrain.of(robot)
        self._drape = None if course.terrain.is_flat else Drape(robot, course.terrain.smooth)
        self._euler = integration == "euler"
        self.sides = SideMeans.of(robot)
        """Means over the drives of each side."""
        self._y = tuple(drive.y for drive in robot.drives)
        self.reset(pose)

    def reset(self, pose: Pose | None = None) -> None:
        """Stand still at `pose`, or at the start of the course."""
        pose = self._start if pose is None else pose
        stand = tuple(0.0 for _ in self._y)
        self.state = KinematicState(
            pose=pose if self._drape is None else self._drape.rest(pose),
            twist=Twist(),
            belt_speeds_commanded=stand,
            belt_speeds=stand,
            belt_travels=stand,
            flipper_angles=tuple(flipper.rest_angle for flipper in self._robot.flippers),
        )

    def reset_some(
        self,
        which: NDArray[np.bool_],
        pose: Pose,
        friction: Scalar | None = None,
        mass: Scalar | None = None,
    ) -> None:
        """Reset some of many robots to a pose at rest; friction and mass have no effect.

        Args:
            which: Mask of the robots to reset.
            pose: Their poses; entries of other robots are ignored.
            friction: Not used [1].
            mass: Not used [1].
        """
        before = self.state
        self.reset(pose)
        self.state = merge_states(which, self.state, before)

    def advance(self, command: Command, duration: float) -> None:
        """Apply `command` for `duration` seconds."""
        before = self.state
        belts = self._drivetrain.reach(before.belt_speeds, command.belt_speeds, duration)
        vx, vy, yaw_rate = self._law(*self.sides(belts), before.pose)
        pose = self._displace(before.pose, vx, vy, yaw_rate, duration)
        twist = Twist(vx=vx, vy=vy, yaw_rate=yaw_rate)
        if self._drape is not None:
            pose = self._drape.rest(pose)
            twist = replace(
                twist,
                roll_rate=(pose.roll - before.pose.roll) / duration,
                pitch_rate=(pose.pitch - before.pose.pitch) / duration,
            )
        self.state = KinematicState(
            pose=pose,
            twist=twist,
            belt_speeds_commanded=command.belt_speeds,
            belt_speeds=belts,
            belt_travels=add_travels(before.belt_travels, belts, duration),
            flipper_angles=reach_angles(
                self._robot, before.flipper_angles, command.flipper_angles, duration
            ),
        )

    def turn(self, yaw: Scalar) -> None:
        """Turn the robot about its origin instantly, as a disturbance [rad]."""
        pose = replace(self.state.pose, yaw=self.state.pose.yaw + yaw)
        self.state = replace(
            self.state, pose=pose if self._drape is None else self._drape.rest(pose)
        )

    @property
    def motion(self) -> Motion:
        """Current motion of the robot."""
        state = self.state
        return Motion(
            pose=state.pose,
            twist=state.twist,
            belt_speeds_commanded=state.belt_speeds_commanded,
            belt_speeds=state.belt_speeds,
            belt_travels=state.belt_travels,
            flipper_angles=state.flipper_angles,
            slips=tuple(
                slip_ratio(belt, state.twist.vx - state.twist.yaw_rate * y)
                for belt, y in zip(state.belt_speeds, self._y, strict=True)
            ),
        )

    def _displace(
        self, pose: Pose, vx: Scalar, vy: Scalar, yaw_rate: Scalar, duration: float
    ) -> Pose:
        if self._drape is not None:
            vx, vy = vx * np.cos(pose.pitch), vy * np.cos(pose.roll)
        if self._euler:
            dx, dy = euler_displacement(vx, vy, pose.yaw, duration)
        else:
            dx, dy = arc_displacement(vx, vy, yaw_rate, pose.yaw, duration)
        return Pose(x=pose.x + dx, y=pose.y + dy, z=pose.z, yaw=pose.yaw + yaw_rate * duration)


def slip_ratio(belt_speed: Scalar, ground_speed: Scalar) -> Scalar:
    """Return 1 - ground speed / belt speed; 0 at standstill [1]."""
    standing = np.abs(belt_speed) < STANDING_BELT
    ratio = 1.0 - ground_speed / np.where(standing, 1.0, belt_speed)
    return np.where(standing, 0.0, ratio)[()]  # [()] turns a lone result back into a number
