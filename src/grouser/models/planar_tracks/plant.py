"""The plant of the planar model `tracks-planar`: state, steps and motion of robots."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar, Twist, rotate
from grouser.laws.slope import add_push, grade_forces
from grouser.limits import SUBSTEPS
from grouser.models.kinematic import Drivetrain, RestOnTerrain, reach_angles, slip_ratio
from grouser.models.model import Command, Motion, add_travels
from grouser.models.planar_tracks.advance import Machine, Numbers, Scratch, advance_all
from grouser.models.planar_tracks.ground import (
    ACROSS,
    COHESION,
    COHESION_2,
    FRICTION,
    FRICTION_2,
    SOFT,
)
from grouser.models.planar_tracks.settle import settle_robots, start_trim
from grouser.models.planar_tracks.shear import HELD
from grouser.models.standing import footprint
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
class TracksState(RobotStates):
    """All that the next step of a plant depends on; arrays count the robots."""

    twists: NDArray[np.float64]
    """Speed forward and left of the centre of mass [m/s], yaw rate [rad/s]; a row each."""
    trims: NDArray[np.float64]
    """Sinkage at the centre of mass [m], pitch and roll into the ground [rad]; a row each."""
    shear: NDArray[np.float64]
    """Mobilised share of strength [1], or shear displacement [m], of each patch; then of the
    resistance of the soil [1]."""
    forces: NDArray[np.float64]
    """Force of the ground of the last step [N]; a row each."""
    thrusts: NDArray[np.float64]
    """Force of the ground on each drive, along and across [N]."""
    works: NDArray[np.float64]
    """Work of each drive since the start [J]."""
    rest: Pose
    """Body frame in the world frame, on ground that does not give."""
    tilt_rates: tuple[Scalar, Scalar]
    """Roll and pitch rate during the last tick [rad/s]."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Commanded speed of each drive [m/s]."""
    belt_speeds: tuple[Scalar, ...]
    """Speed of each drive [m/s]."""
    belt_travels: tuple[Scalar, ...]
    """Distance that each drive's belt has run since the start [m]."""
    flipper_angles: tuple[Scalar, ...]
    """Angle of each flipper [rad]."""


class TracksPlant:
    """Shear, pressure and inertia in the plane; height, roll and pitch from terrain and sinkage."""

    def __init__(
        self,
        machine: Machine,
        patches: int,
        robot: Robot,
        course: Course,
        pose: Pose | None = None,
        friction_factor: Scalar = 1.0,
    ) -> None:
        self._machine, self._patches = machine, patches
        self._robot, self._terrain, self._start = robot, course.terrain, course.start_pose
        self._friction = friction_factor
        self._drivetrain = Drivetrain.of(robot)
        self._settle = (
            None if course.terrain.is_flat else RestOnTerrain(robot, course.terrain.smooth)
        )
        self._sinks = bool(machine.grounds[..., SOFT].any())
        self._one_surface = bool((machine.grounds == machine.grounds[:1]).all())
        feet = [footprint(drive) for drive in robot.drives]
        self._feet = np.array([(foot.x, foot.y) for foot in feet])
        self._y = tuple(drive.y for drive in robot.drives)
        self._shown: tuple[TracksState, Motion] | None = None
        self._outside: tuple[tuple[float, ...], float] | None = None
        self.reset(pose)

    def reset(self, pose: Pose | None = None) -> None:
        """Reset to rest at `pose`, or at the start of the course, settled and held by the ground.

        Raises:
            InvalidValue: The robot sinks in over its hull.
        """
        pose = self._start if pose is None else pose
        self._many = pose.is_many
        names = ("x", "y", "z", "roll", "pitch", "yaw")
        count = max(np.size(getattr(pose, name)) for name in names)
        lines, drives = len(self._machine.lines.front), len(self._robot.drives)
        self._scratch = Scratch(
            pressures=np.zeros((count, lines, self._patches)),
            held=np.zeros((count, lines, self._patches, HELD)),
            moved=np.zeros((count, 3)),
        )
        stand = tuple(0.0 for _ in self._robot.drives)
        rest = self._rest(*(np.broadcast_to(p, count) for p in (pose.x, pose.y, pose.yaw)))
        self._now = TracksState(
            twists=np.zeros((count, 3)),
            trims=start_trim(count),
            shear=np.zeros((count, lines, self._patches + 1, 2)),
            forces=np.zeros((count, 2)),
            thrusts=np.zeros((count, drives, 2)),
            works=np.zeros((count, drives)),
            rest=rest,
            tilt_rates=(0.0, 0.0),
            belt_speeds_commanded=stand,
            belt_speeds=stand,
            belt_travels=stand,
            flipper_angles=tuple(flipper.rest_angle for flipper in self._robot.flippers),
        )
        loads = self._loads(rest, count)
        settle_robots(
            self._machine.body, self._machine.lines, self._machine.grounds, self._under(rest),
            loads[:, 2].copy(), self._now.trims, self._scratch.pressures, -loads[:, :2],
        )  # fmt: skip
        self._check_depth()
        if not self._machine.wong:
            self._hold(self._under(rest), loads)

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
            self._friction = np.where(which, friction, self._friction)
        self.reset(pose)
        self._now = merge_states(which, self._now, before)

    def advance(self, command: Command, duration: float) -> None:
        """Apply `command` for `duration` seconds."""
        before, count = self._now, len(self._now.twists)
        belts = self._drivetrain.reach(before.belt_speeds, command.belt_speeds, duration)
        columns = np.empty((count, len(belts)))
        for k, speed in enumerate(belts):
            columns[:, k] = speed
        numbers = Numbers(*(getattr(before, name).copy() for name in Numbers._fields))
        loads = self._loads(before.rest, count)
        failed = advance_all(
            self._machine,
            numbers,
            self._scratch,
            self._under(before.rest),
            loads,
            columns,
            duration,
        )
        if failed is not None:
            fastest = float(np.abs(columns[failed]).max())
            required = (
                f"let a tick of {duration:g} s be done in {SUBSTEPS:,} steps at {fastest:g} m/s"
            )
            raise InvalidValue("tracks-planar:patches", self._patches, required)
        rest = self._follow(before.rest)
        self._now = TracksState(
            **numbers._asdict(),
            rest=rest,
            tilt_rates=self._tilt_rates(before.rest, rest, duration),
            belt_speeds_commanded=command.belt_speeds,
            belt_speeds=belts,
            belt_travels=add_travels(before.belt_travels, belts, duration),
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
        rest = self._now.rest
        turned = self._rest(*np.atleast_1d(rest.x, rest.y, rest.yaw + yaw))
        self._now = replace(self._now, rest=turned)

    def push(self, force: Sequence[float], moment: Sequence[float]) -> None:
        """Let a force and a moment act on the only robot until the next call, from outside."""
        acts = any(force) or any(moment)
        self._outside = (tuple(force), float(moment[2])) if acts else None

    @property
    def state(self) -> TracksState:
        """All that `advance` depends on; one robot's state can be given to many."""
        return as_rows(self._now, len(self._now.twists))

    @state.setter
    def state(self, state: Any) -> None:
        rows = fit_state(state, TracksState, len(self._now.twists))
        check_parts(rows, len(self._robot.drives), len(self._robot.flippers))
        if rows.shear.shape != self._now.shear.shape:
            given, wanted = (s.shape[1] * (s.shape[2] - 1) for s in (rows.shear, self._now.shear))
            raise InvalidValue("state", f"of {given} patches", f"be of {wanted} patches")
        self._now = rows if self._many else map_leaves(as_number, rows)

    @property
    def thrusts(self) -> NDArray[np.float64]:
        """Force of the ground on each drive of each robot, along and across, of the last step [N].

        A belt's force along is what its sprocket pulls, without the resistance ahead of it.
        """
        return self._now.thrusts.copy()

    @property
    def motion(self) -> Motion:
        """Where the robot is and how it moves now."""
        state = self._now
        if self._shown is None or self._shown[0] is not state:  # once for each state
            self._shown = state, self._motion_of(state)
        return self._shown[1]

    def _motion_of(self, state: TracksState) -> Motion:
        u, v, omega = (self._tell(state.twists[:, k]) for k in range(3))
        body = self._machine.body
        vx, vy = u + omega * body.com_y, v - omega * body.com_x
        return Motion(
            pose=self._sunk(state),
            twist=Twist(
                vx=vx,
                vy=vy,
                yaw_rate=omega,
                roll_rate=state.tilt_rates[0],
                pitch_rate=state.tilt_rates[1],
            ),
            belt_speeds_commanded=state.belt_speeds_commanded,
            belt_speeds=state.belt_speeds,
            belt_travels=state.belt_travels,
            flipper_angles=state.flipper_angles,
            slips=tuple(
                slip_ratio(belt, vx - omega * y)
                for belt, y in zip(state.belt_speeds, self._y, strict=True)
            ),
            works=tuple(self._tell(state.works[:, k]) for k in range(len(self._y))),
        )

    def _sunk(self, state: TracksState) -> Pose:
        """Return the pose with sinkage and trim; on firm ground that of rest."""
        if not self._sinks:
            return state.rest
        body, rest = self._machine.body, state.rest
        z, pitch, roll = (self._tell(state.trims[:, k]) for k in range(3))
        depth = z + pitch * body.com_x - roll * body.com_y
        steep = np.cos(rest.pitch) * np.cos(rest.roll)
        return replace(
            rest, z=rest.z - depth / steep, pitch=rest.pitch - pitch, roll=rest.roll - roll
        )

    def _check_depth(self) -> None:
        """Raise InvalidValue if a robot sinks in over its hull, where no belt drives it."""
        deepest = float(self._now.trims[:, 0].max())
        body, name = self._robot.body, self._robot.name
        top = body.centre[2] + 0.5 * body.size[2]
        if not deepest < top:
            required = f"be less than the height of its hull, {top:.3g} m: the soil is too soft"
            raise InvalidValue(f"sinkage of robot {name!r} [m]", round(deepest, 3), required)

    def _hold(self, under: NDArray[np.int64], loads: NDArray[np.float64]) -> None:
        """Let the ground hold robots that are put down on a slope, as far as it can."""
        lines = self._machine.lines
        rows = self._machine.grounds[under[:, lines.drive], lines.drive]
        area = (lines.pitch * lines.width)[:, None] * loads[:, 3, None, None]
        pressures = self._scratch.pressures
        grip = np.minimum(
            rows[..., COHESION, None] + rows[..., FRICTION, None] * pressures,
            rows[..., COHESION_2, None] + rows[..., FRICTION_2, None] * pressures,
        )
        strength = np.where(pressures > 0.0, area * grip, 0.0)
        along = np.maximum(strength.sum((1, 2)), 1e-12)
        across = np.maximum((strength * rows[..., ACROSS, None]).sum((1, 2)), 1e-12)
        share = np.stack([loads[:, 0] / along, loads[:, 1] / across], -1)
        share /= np.maximum(np.hypot(*share.T), 1.0)[:, None]
        self._now.shear[:, :, :-1] = np.where(strength[..., None] > 0.0, share[:, None, None], 0.0)

    def _tell(self, column: Any) -> Scalar:
        return column.copy() if self._many else float(column[0])

    def _under(self, rest: Pose) -> NDArray[np.int64]:
        """Return the number of the surface under the middle of each drive."""
        count = len(self._now.twists)
        if self._one_surface:
            return np.zeros((count, len(self._feet)), np.int64)
        x, y, yaw = (np.atleast_1d(p)[:, None] for p in (rest.x, rest.y, rest.yaw))
        dx, dy = rotate(self._feet[:, 0], self._feet[:, 1], yaw)
        found = np.asarray(self._terrain.surface(x + dx, y + dy), np.int64)
        return np.ascontiguousarray(np.broadcast_to(found, (count, len(self._feet))))

    def _loads(self, rest: Pose, count: int) -> NDArray[np.float64]:
        """Return weight and push along x, y and into the ground [N], factor on friction, moment."""
        loads = np.empty((count, 5))
        body = self._machine.body
        weight = grade_forces(body.mass, rest.pitch, rest.roll)
        loads[:, 3], loads[:, 4] = self._friction, 0.0
        if self._outside is not None:
            (force, moment), alone = self._outside, weight
            weight = add_push(weight, force, rest)
            ahead, left = weight[0] - alone[0], weight[1] - alone[1]
            loads[:, 4] = moment - (body.com_x * left - body.com_y * ahead)
        loads[:, 0], loads[:, 1], loads[:, 2] = weight
        return loads

    def _follow(self, rest: Pose) -> Pose:
        """Return the pose after a tick."""
        ahead, left, turned = (self._tell(column) for column in self._scratch.moved.T)
        if self._settle is not None:
            return self._settle.follow(rest, ahead, left, turned)
        dx, dy = rotate(ahead, left, rest.yaw)
        return Pose(x=rest.x + dx, y=rest.y + dy, yaw=rest.yaw + turned)

    def _tilt_rates(self, before: Pose, rest: Pose, duration: float) -> tuple[Scalar, Scalar]:
        if self._settle is None:
            return 0.0, 0.0
        return self._settle.tilt_rates(before, rest, duration)

    def _rest(self, x: Any, y: Any, yaw: Any) -> Pose:
        pose = Pose(x=self._tell(x), y=self._tell(y), yaw=self._tell(yaw))
        return pose if self._settle is None else self._settle(pose)
