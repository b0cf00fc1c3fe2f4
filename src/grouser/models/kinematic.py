"""Kinematic plants: drive train limits, flipper servo, rest on terrain, batches."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.description.terrain import Terrain
from grouser.geometry import (
    Pose,
    Scalar,
    Twist,
    arc_displacement,
    carry_over_ground,
    clamp,
    euler_displacement,
    rotate,
    tilt_rates,
)
from grouser.laws.settling import profile_offsets, settle
from grouser.models.model import Command, Motion, SideMeans, add_travels
from grouser.models.state import (
    RobotStates,
    as_number,
    as_rows,
    check_parts,
    count_robots,
    fit_state,
    keep_parts,
    map_leaves,
    merge_states,
)


class RestOnTerrain:
    """Moves a robot along a terrain, on which it rests; exact on planes, quasi-static elsewhere.

    Each side settles on the profile under its own centre line. Pitch is the mean of both
    sides, roll follows from their difference in height. Left out: suspension, and that a hull
    may touch the ground between its tracks. Where a side reaches beyond the ground, the height of
    its border continues; a robot that is wholly beyond it stands level at height 0.
    """

    def __init__(self, robot: Robot, terrain: Terrain) -> None:
        self._terrain = terrain
        self._is_one_plane = len(terrain.solids) == len(terrain.planes) == 1
        self._radius = robot.wheel_radius
        self._distance = robot.wheel_distance
        self._half_gauge = robot.gauge / 2.0
        self._com_x = robot.centre_of_mass[0]
        self._offsets = profile_offsets(self._radius, self._distance)

    def __call__(self, pose: Pose) -> Pose:
        """Return `pose` with the height, roll and pitch at which the robot rests there."""
        if self._is_one_plane:  # exact, and a tenth of the time
            return self._terrain.pose_at(pose.x, pose.y, pose.yaw)
        heights, noses_up = self._rest_sides(pose)
        nose_up = 0.5 * (noses_up[0] + noses_up[1])
        # The roll of a body that is pitched already: ZYX angles of the plane through both sides.
        cross_slope = (heights[0] - heights[1]) / (2.0 * self._half_gauge)
        roll = np.arctan(cross_slope * np.cos(nose_up))
        # Straight below the settled point; the body's origin is one radius below it, at a slant.
        z = 0.5 * (heights[0] + heights[1]) - self._radius / np.cos(nose_up)
        return Pose(x=pose.x, y=pose.y, z=z, roll=roll, pitch=-nose_up, yaw=pose.yaw)

    def follow(self, pose: Pose, ahead: Scalar, left: Scalar, turn: Scalar) -> Pose:
        """Return where a motion along the ground takes a robot, turning about its normal.

        Args:
            pose: Where it rests before.
            ahead: Way along its x axis [m].
            left: Way along its y axis [m].
            turn: Turn about its z axis [rad].
        """
        dx, dy, turned = carry_over_ground(pose, ahead, left, turn)
        return self(Pose(x=pose.x + dx, y=pose.y + dy, yaw=pose.yaw + turned))

    def tilt_rates(self, before: Pose, after: Pose, duration: float) -> tuple[Scalar, Scalar]:
        """Return roll and pitch rate in the body frame between two poses at rest [rad/s]."""
        return (0.0, 0.0) if self._is_one_plane else tilt_rates(before, after, duration)

    def _rest_sides(self, pose: Pose) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return height [m] and nose-up angle [rad] of the settled left and right side."""
        x, y, yaw = np.broadcast_arrays(pose.x, pose.y, pose.yaw)
        shape = (2,) + (1,) * (x.ndim + 1)
        y_in_body = np.array((self._half_gauge, -self._half_gauge)).reshape(shape)
        dx, dy = rotate(self._offsets, y_in_body, yaw[..., None])
        heights = self._terrain.height(x[..., None] + dx, y[..., None] + dy)
        settled = settle(
            self._offsets,
            continue_border(np.asarray(heights)),
            self._radius,
            self._distance,
            self._com_x,
        )
        return np.asarray(settled[0]), np.asarray(settled[1])


def continue_border(heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return profiles (2, ..., K) without NaN: nearest known heights, or the other side's [m]."""
    unknown = np.isnan(heights)
    if not unknown.any():
        return heights
    place = np.arange(heights.shape[-1])
    distance = np.abs(place[:, None] - place)  # from each point to each
    nearest = np.where(unknown[..., None, :], len(place), distance).argmin(axis=-1)
    continued = np.take_along_axis(heights, nearest, axis=-1)
    continued = np.where(np.isnan(continued), continued[::-1], continued)
    return np.nan_to_num(continued)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drivetrain:
    """Limits of every drive of a robot. Left out: load, voltage, gear play."""

    speed_limit: float
    """Largest belt speed, forward and backward [m/s]."""
    acceleration_limit: float
    """Largest change of belt speed per second [m/s^2]."""

    @classmethod
    def of(cls, robot: Robot) -> "Drivetrain":
        """Return the drive train that the robot's file describes."""
        drive = robot.drive
        return cls(speed_limit=drive.speed_limit, acceleration_limit=drive.acceleration_limit)

    def reach(
        self, now: tuple[Scalar, ...], commanded: tuple[Scalar, ...], duration: float
    ) -> tuple[Scalar, ...]:
        """Return the belt speeds that are reached after `duration` [m/s]."""
        change = self.acceleration_limit * duration
        limit = self.speed_limit
        return tuple(
            [
                clamp(clamp(goal, -limit, limit), speed - change, speed + change)
                for speed, goal in zip(now, commanded, strict=True)
            ]
        )


def reach_angles(
    robot: Robot, now: tuple[Scalar, ...], commanded: tuple[Scalar, ...], duration: float
) -> tuple[Scalar, ...]:
    """Return the flippers' angles after `duration` [s]; none `commanded` to stay [rad]."""
    if not commanded:
        return now
    reached = []
    for flipper, angle, goal in zip(robot.flippers, now, commanded, strict=True):
        step = flipper.speed_limit * duration
        within = clamp(goal, *flipper.limits)
        reached.append(clamp(within, angle - step, angle + step))
    return tuple(reached)


def reset_robots(
    plant: Any,
    which: NDArray[np.bool_],
    pose: Pose,
    friction: Scalar | None = None,
    mass: Scalar | None = None,
) -> None:
    """Reset the robots of a mask to their poses at rest; friction and mass have no effect."""
    before = plant.now
    plant.reset(pose)
    plant.now = merge_states(which, plant.now, before)


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
class KinematicState(RobotStates):
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

    reset_some = reset_robots

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
        self._settle = (
            None if course.terrain.is_flat else RestOnTerrain(robot, course.terrain.smooth)
        )
        self._euler = integration == "euler"
        self.sides = SideMeans.of(robot)
        """Means over the drives of each side."""
        self._y = tuple(drive.y for drive in robot.drives)
        self._shown: tuple[KinematicState, Motion] | None = None
        self.now: KinematicState
        """The state as the plant holds it: numbers for one robot; not checked when it is set."""
        self.reset(pose)

    def reset(self, pose: Pose | None = None) -> None:
        """Reset to rest at `pose`, or at the start of the course."""
        pose = self._start if pose is None else pose
        self._many = pose.is_many
        stand = tuple(0.0 for _ in self._y)
        self.now = KinematicState(
            pose=pose if self._settle is None else self._settle(pose),
            twist=Twist(),
            belt_speeds_commanded=stand,
            belt_speeds=stand,
            belt_travels=stand,
            flipper_angles=tuple(flipper.rest_angle for flipper in self._robot.flippers),
        )

    def advance(self, command: Command, duration: float) -> None:
        """Apply `command` for `duration` seconds."""
        before = self.now
        belts = self._drivetrain.reach(before.belt_speeds, command.belt_speeds, duration)
        vx, vy, yaw_rate = self._law(*self.sides(belts), before.pose)
        pose = self._displace(before.pose, vx, vy, yaw_rate, duration)
        twist = Twist(vx=vx, vy=vy, yaw_rate=yaw_rate)
        if self._settle is not None:
            roll_rate, pitch_rate = self._settle.tilt_rates(before.pose, pose, duration)
            twist = replace(twist, roll_rate=roll_rate, pitch_rate=pitch_rate)
        self.now = KinematicState(
            pose=pose,
            twist=twist,
            belt_speeds_commanded=command.belt_speeds,
            belt_speeds=belts,
            belt_travels=add_travels(before.belt_travels, belts, duration),
            flipper_angles=reach_angles(
                self._robot, before.flipper_angles, command.flipper_angles, duration
            ),
        )

    def move(self, pose: Pose) -> None:
        """Put the robot at a pose, at rest; its flippers and the travel of its belts stay."""
        before = self.now
        self.reset(pose)
        self.now = keep_parts(self.now, before)

    def turn(self, yaw: Scalar) -> None:
        """Turn the robot about its origin instantly, as a disturbance [rad]."""
        pose = replace(self.now.pose, yaw=self.now.pose.yaw + yaw)
        self.now = replace(self.now, pose=pose if self._settle is None else self._settle(pose))

    @property
    def state(self) -> KinematicState:
        """All that `advance` depends on; one robot's state can be given to many."""
        return as_rows(self.now, count_robots(self.now))

    @state.setter
    def state(self, state: Any) -> None:
        count = count_robots(self.now)
        rows = fit_state(state, KinematicState, count)
        check_parts(rows, len(self._y), len(self._robot.flippers))
        self.now = rows if self._many or count > 1 else map_leaves(as_number, rows)

    @property
    def motion(self) -> Motion:
        """Current motion of the robot."""
        state = self.now
        if self._shown is None or self._shown[0] is not state:  # once for each state
            self._shown = state, self._motion_of(state)
        return self._shown[1]

    def _motion_of(self, state: KinematicState) -> Motion:
        vx, yaw_rate = state.twist.vx, state.twist.yaw_rate
        return Motion(
            pose=state.pose,
            twist=state.twist,
            belt_speeds_commanded=state.belt_speeds_commanded,
            belt_speeds=state.belt_speeds,
            belt_travels=state.belt_travels,
            flipper_angles=state.flipper_angles,
            slips=tuple(
                [
                    slip_ratio(belt, vx - yaw_rate * y)
                    for belt, y in zip(state.belt_speeds, self._y, strict=True)
                ]
            ),
        )

    def _displace(
        self, pose: Pose, vx: Scalar, vy: Scalar, yaw_rate: Scalar, duration: float
    ) -> Pose:
        # On a slope in the plane that the robot lies in, ahead and to its left.
        yaw = pose.yaw if self._settle is None else 0.0
        if self._euler:
            dx, dy = euler_displacement(vx, vy, yaw, duration)
        else:
            dx, dy = arc_displacement(vx, vy, yaw_rate, yaw, duration)
        turn = yaw_rate * duration
        if self._settle is not None:
            return self._settle.follow(pose, dx, dy, turn)
        return Pose(x=pose.x + dx, y=pose.y + dy, z=pose.z, yaw=pose.yaw + turn)


def slip_ratio(belt_speed: Scalar, ground_speed: Scalar) -> Scalar:
    """Return 1 - ground speed / belt speed; 0 at standstill [1]."""
    if isinstance(belt_speed, float) and isinstance(ground_speed, float):
        # The same numbers, ten times as fast for one robot.
        return 0.0 if abs(belt_speed) < STANDING_BELT else 1.0 - ground_speed / belt_speed
    standing = np.abs(belt_speed) < STANDING_BELT
    ratio = 1.0 - ground_speed / np.where(standing, 1.0, belt_speed)
    return np.where(standing, 0.0, ratio)[()]  # [()] turns a lone result back into a number


class SurfaceSlip:
    """The surface's slip factor under the body origin; one number where all surfaces agree."""

    def __init__(self, terrain: Terrain) -> None:
        factors = {surface.slip_factor for surface in terrain.surfaces.values()}
        self._terrain = terrain
        self._everywhere = factors.pop() if len(factors) == 1 else None

    def at(self, pose: Pose) -> Scalar:
        """Return by how much the surface multiplies the robot's slip [1]."""
        if self._everywhere is not None:
            return self._everywhere
        return self._terrain.slip_factor(pose.x, pose.y)
