"""The plant of the planar model `tankbot`: state, steps and motion of robots."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar, Twist, heading_on_ground, rotate
from grouser.laws.slope import add_push, grade_forces
from grouser.models.kinematic import (
    Drivetrain,
    RestOnTerrain,
    reach_angles,
    slip_ratio,
)
from grouser.models.model import Command, Motion, SideMeans, add_travels
from grouser.models.planar.advance import advance_all
from grouser.models.planar.constants import (
    Constants,
    measured_traction,
    pack_constants,
)
from grouser.models.planar.integrate import too_stiff
from grouser.models.state import (
    RobotStates,
    as_number,
    as_rows,
    check_parts,
    fit_state,
    keep_parts,
    map_leaves,
    merge_states,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanarState(RobotStates):
    """All that the next step of a planar plant depends on; arrays count the robots."""

    numbers: NDArray[np.float64]
    """x, y [m], heading [rad], velocity [m/s], yaw rate and sprocket speeds [rad/s]; a row each.
    Heading and velocity are those in the plane of the ground, from its line above world x."""
    pose: Pose
    """Body frame in the world frame."""
    tilt_rates: tuple[Scalar, Scalar]
    """Roll and pitch rate during the last step [rad/s]."""
    belt_speeds_asked: tuple[Scalar, Scalar]
    """Speeds that the inner loop works towards, left and right [m/s]."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Commanded speed of each drive [m/s]."""
    belt_travels: tuple[Scalar, ...]
    """Distance that each drive's belt has run since the start [m]."""
    flipper_angles: tuple[Scalar, ...]
    """Angle of each flipper [rad]."""


class PlanarPlant:
    """Slip, motors and inertia in the plane; height, roll and pitch from the terrain."""

    def __init__(
        self,
        constants: Constants,
        robot: Robot,
        course: Course,
        pose: Pose | None = None,
        *,
        friction_factor: Scalar = 1.0,
        longest_step: float = 0.00125,
    ) -> None:
        self._constants, self._robot, self._terrain = constants, robot, course.terrain
        self._start, self._longest = course.start_pose, longest_step
        self._measured_friction = measured_traction(robot).friction
        self._friction = friction_factor / self._measured_friction
        self._drivetrain = Drivetrain.of(robot)
        self._settle = (
            None if course.terrain.is_flat else RestOnTerrain(robot, course.terrain.smooth)
        )
        self._sides = SideMeans.of(robot)
        surfaces = {(s.friction, s.friction_across) for s in course.terrain.surfaces.values()}
        self._one_surface = len(surfaces) == 1
        self._shown: tuple[PlanarState, Motion] | None = None
        self._outside: tuple[float, ...] | None = None
        self.reset(pose)

    def reset(self, pose: Pose | None = None) -> None:
        """Stand still at `pose`, or at the start of the course, with belts that roll along."""
        pose = self._start if pose is None else pose
        self._many = pose.is_many
        x, y, yaw = np.broadcast_arrays(*(np.atleast_1d(p) for p in (pose.x, pose.y, pose.yaw)))
        count = max(x.size, *(np.size(getattr(pose, n)) for n in ("z", "roll", "pitch")))
        self._packed = pack_constants(self._constants, count)
        self._limits = [
            self._packed.records[f"{kind}_limit"].copy() for kind in ("track", "lateral")
        ]
        c, numbers = self._packed.records, np.zeros((count, 8))
        numbers[:, 0], numbers[:, 1], numbers[:, 2] = x, y, yaw
        rest = self._rest(self._place(numbers))
        numbers[:, 2] = self._heading(rest)
        rolling = c["ground_speed"] * (1.0 - c["shift"]) * np.cos(numbers[:, 2])
        numbers[:, 6] = numbers[:, 7] = rolling / c["sprocket_radius"]
        belt = self._tell(rolling)
        self._now = PlanarState(
            numbers=numbers,
            pose=rest,
            tilt_rates=(0.0, 0.0),
            belt_speeds_asked=(belt, belt),
            belt_speeds_commanded=tuple(belt for _ in self._robot.drives),
            belt_travels=tuple(0.0 for _ in self._robot.drives),
            flipper_angles=tuple(flipper.rest_angle for flipper in self._robot.flippers),
        )
        self._meet_surface(numbers)

    def reset_some(
        self,
        which: NDArray[np.bool_],
        pose: Pose,
        friction: Scalar | None = None,
        mass: Scalar | None = None,
    ) -> None:
        """Let some of many robots stand at their pose, with other friction if given, not mass."""
        before = self._now
        if friction is not None:
            commanded = friction / self._measured_friction
            self._friction = np.where(which, commanded, self._friction)
        self.reset(pose)
        self._now = merge_states(which, self._now, before)
        self._meet_surface(self._now.numbers)

    def advance(self, command: Command, duration: float) -> None:
        """Apply `command` for `duration` seconds: its voltages, or else its belt speeds."""
        before = self._now
        numbers = before.numbers.copy()
        if not self._one_surface:
            self._meet_surface(numbers)
        by_voltage = bool(command.motor_voltages)
        left, right = before.belt_speeds_asked
        if by_voltage:
            commanded = self._voltages(command)
        else:
            goals = self._sides(command.belt_speeds)
            left, right = self._drivetrain.reach((left, right), goals, duration)
            radius = self._packed.records["sprocket_radius"][:, None]
            commanded = self._columns((left, right)) / radius
        grades = self._grades(before.pose, numbers)
        stiff = advance_all(
            numbers, by_voltage, commanded, grades, self._packed, duration, self._longest
        )
        if stiff is not None:
            raise too_stiff(self._packed.records[stiff], duration, self._robot.name)
        pose = self._follow(before, numbers)
        self._now = PlanarState(
            numbers=numbers,
            pose=pose,
            tilt_rates=self._tilt_rates(before.pose, pose, duration),
            belt_speeds_asked=self._belts(numbers) if by_voltage else (left, right),
            belt_speeds_commanded=command.belt_speeds,
            belt_travels=add_travels(before.belt_travels, self._drive_belts(numbers), duration),
            flipper_angles=reach_angles(
                self._robot, before.flipper_angles, command.flipper_angles, duration
            ),
        )

    def move(self, pose: Pose) -> None:
        """Put the robot at a pose, at rest; its flippers and the travel of its belts stay."""
        before = self._now
        self.reset(pose)
        self._now = keep_parts(self._now, before)

    def turn(self, yaw: Scalar) -> None:
        """Turn the robot about its origin, at once: a disturbance from outside [rad]."""
        numbers, pose = self._now.numbers.copy(), self._now.pose
        pose = self._rest(replace(pose, yaw=pose.yaw + yaw))
        numbers[:, 2] = self._heading(pose)
        self._now = replace(self._now, numbers=numbers, pose=pose)

    def push(self, force: Sequence[float], moment: Sequence[float]) -> None:
        """Let a force act on the only robot until the next call, from outside.

        The moment has no effect: the published equations have none from outside.
        """
        self._outside = tuple(force) if any(force) else None

    @property
    def state(self) -> PlanarState:
        """All that `advance` depends on; one robot's state can be given to many."""
        return as_rows(self._now, len(self._now.numbers))

    @state.setter
    def state(self, state: Any) -> None:
        rows = fit_state(state, PlanarState, len(self._now.numbers))
        check_parts(rows, len(self._robot.drives), len(self._robot.flippers))
        self._now = rows if self._many else map_leaves(as_number, rows)

    @property
    def motion(self) -> Motion:
        """Where the robot is and how it moves now."""
        state = self._now
        if self._shown is None or self._shown[0] is not state:  # once for each state
            self._shown = state, self._motion_of(state)
        return self._shown[1]

    def _motion_of(self, state: PlanarState) -> Motion:
        numbers = state.numbers
        vx, vy = rotate(numbers[:, 3], numbers[:, 4], -numbers[:, 2])
        yaw_rate = self._tell(numbers[:, 5])
        over_ground = self._tell(vx + self._packed.records["ground_speed"] * np.cos(numbers[:, 2]))
        belts = self._drive_belts(numbers)
        return Motion(
            pose=state.pose,
            twist=Twist(
                vx=self._tell(vx),
                vy=self._tell(vy),
                yaw_rate=yaw_rate,
                roll_rate=state.tilt_rates[0],
                pitch_rate=state.tilt_rates[1],
            ),
            belt_speeds_commanded=state.belt_speeds_commanded,
            belt_speeds=belts,
            belt_travels=state.belt_travels,
            flipper_angles=state.flipper_angles,
            slips=tuple(
                slip_ratio(belt, over_ground - yaw_rate * drive.y)
                for belt, drive in zip(belts, self._robot.drives, strict=True)
            ),
        )

    def _tell(self, column: Any) -> Scalar:
        return column.copy() if self._many else float(column[0])

    def _belts(self, numbers: NDArray[np.float64]) -> tuple[Scalar, Scalar]:
        radius = self._packed.records["sprocket_radius"]
        return self._tell(numbers[:, 6] * radius), self._tell(numbers[:, 7] * radius)

    def _drive_belts(self, numbers: NDArray[np.float64]) -> tuple[Scalar, ...]:
        """Return the belt speed of each drive, in the robot's order [m/s]."""
        by_side = dict(zip(("left", "right"), self._belts(numbers), strict=True))
        return tuple(by_side[drive.side] for drive in self._robot.drives)

    def _columns(self, sides: tuple[Scalar, Scalar]) -> NDArray[np.float64]:
        columns = np.empty((len(self._packed.records), 2))
        columns[:, 0], columns[:, 1] = sides
        return columns

    def _voltages(self, command: Command) -> NDArray[np.float64]:
        motor = self._robot.drive.motor
        if motor is None:
            required = f"be left out: robot {self._robot.name!r} has no [drive.motor]"
            raise InvalidValue("motor_voltages", command.motor_voltages, required)
        limit = motor.voltage_limit
        return np.clip(self._columns(self._sides(command.motor_voltages)), -limit, limit)

    def _meet_surface(self, numbers: NDArray[np.float64]) -> None:
        """Scale the largest forces to the friction of the ground under each robot."""
        x, y = numbers[:, 0], numbers[:, 1]
        terrain, (track, lateral) = self._terrain, self._limits
        self._packed.records["track_limit"] = track * (terrain.friction(x, y) * self._friction)
        across = terrain.friction_across(x, y) * self._friction
        self._packed.records["lateral_limit"] = lateral * across

    def _grades(self, pose: Pose, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight along x, along y and into the ground under each robot [N]."""
        grades = np.empty((len(numbers), 3))
        weight = grade_forces(
            self._packed.records["mass"], np.atleast_1d(pose.pitch), np.atleast_1d(pose.roll)
        )
        if self._outside is not None:
            weight = add_push(weight, self._outside, pose)
        ahead, left, grades[:, 2] = weight
        grades[:, 0], grades[:, 1] = rotate(ahead, left, numbers[:, 2])
        return grades

    def _follow(self, before: PlanarState, numbers: NDArray[np.float64]) -> Pose:
        """Return the pose after a step; on slopes, put the numbers into the ground there."""
        if self._settle is None:
            return self._place(numbers)
        old = before.numbers
        dx, dy, turn = (numbers[:, :3] - old[:, :3]).T
        ahead, left = rotate(dx, dy, -old[:, 2])
        pose = self._settle.follow(before.pose, *(self._tell(p) for p in (ahead, left, turn)))
        heading = self._heading(pose)
        numbers[:, 3], numbers[:, 4] = rotate(numbers[:, 3], numbers[:, 4], heading - numbers[:, 2])
        numbers[:, 0], numbers[:, 1], numbers[:, 2] = pose.x, pose.y, heading
        return pose

    def _tilt_rates(self, before: Pose, pose: Pose, duration: float) -> tuple[Scalar, Scalar]:
        if self._settle is None:
            return 0.0, 0.0
        return self._settle.tilt_rates(before, pose, duration)

    def _place(self, numbers: NDArray[np.float64]) -> Pose:
        x, y, yaw = (self._tell(numbers[:, k]) for k in range(3))
        return Pose(x=x, y=y, yaw=yaw)

    def _heading(self, pose: Pose) -> Scalar:
        return pose.yaw if self._settle is None else heading_on_ground(pose)

    def _rest(self, pose: Pose) -> Pose:
        return pose if self._settle is None else self._settle(pose)
