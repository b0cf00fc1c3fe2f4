"""Step climbing on a kinematic plant.

The inner plant drives; where a wheel meets a riser, the side view of the step takes over: the
belt's travel moves the robot along the path of `StepClimb`, forward or back, and the robot tips
where its centre of mass passes the edge. A descent is the mirrored climb run backwards, so one
state serves climbing and descending, nose first and tail first. Heading is held meanwhile.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar, Twist
from grouser.laws.step_climb import StepClimb
from grouser.models.kinematic import KinematicPlant, KinematicState, reset_robots
from grouser.models.model import Command, Motion
from grouser.models.riser_approaches import RiserApproach, RiserApproaches, place_at_edge
from grouser.models.state import RobotStates, as_rows, count_robots, fit_state, map_leaves

STUCK = 6
"""Phase of a robot that a riser stops; 0 is driving, 1 to 5 are those of `StepPhase` [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCrossing:
    """State of each robot on the riser that it crosses; entries of other robots are unused."""

    approach: NDArray[np.int64]
    """Index of the approach, -1 for a robot on level ground."""
    grounded: NDArray[np.bool_]
    """Whether the lower wheel is on the ground; else the body rests on the edge alone."""
    travel: NDArray[np.float64]
    """Belt travel since first contact, while grounded [m]."""
    run: NDArray[np.float64]
    """Run between the lower tangent point and the edge, while not grounded [m]."""
    nose_up: NDArray[np.float64]
    """Angle of the upper end above level, while not grounded [rad]."""
    edge_x: NDArray[np.float64]
    """World x of the point of the riser that the robot crosses [m]."""
    edge_y: NDArray[np.float64]
    """World y of that point [m]."""
    phase: NDArray[np.float64]
    """What the robot does: 0 drives, 1 to 5 as in `StepPhase`, 6 is stuck [1]."""


def advance_crossing(
    climb: StepClimb, crossing: StepCrossing, belt_travel: Scalar, duration: float
) -> StepCrossing:
    """Return the crossing after some belt travel towards the high side.

    While the lower wheel is grounded the belt's travel alone moves the robot. On the edge the
    belt moves the run, and gravity turns the body, to whichever side its centre of mass is.
    """
    was_grounded = crossing.grounded
    travel = np.minimum(crossing.travel + belt_travel, climb.end_travel if climb.stalls else np.inf)
    lifts = was_grounded & (travel >= climb.tip_travel)
    run = np.where(was_grounded, climb.run_of_travel(travel), crossing.run - belt_travel)

    resting = climb.nose_up_of_run(np.maximum(run, 1e-9))
    com_x = climb.com_x_in_world(climb.on_edge(crossing.run, crossing.nose_up))
    turn = np.where(com_x >= -1e-12, -1.0, 1.0) * climb.tip_rate * duration
    tipped = np.minimum(np.maximum(crossing.nose_up + turn, 0.0), resting)
    nose_up = np.where(was_grounded, climb.tip_nose_up, tipped)
    falls_back = ~was_grounded & (turn > 0.0) & (tipped >= resting)

    grounded = (was_grounded & ~lifts) | falls_back
    travel = np.where(falls_back, climb.travel_of_run(run), travel)
    level = ~grounded & (nose_up <= 0.0)
    done = (grounded & (travel < 0.0)) | (level & (run < 0.0))
    stuck = grounded & climb.stalls & (travel >= climb.end_travel)
    climbing_phase = np.where(
        grounded, np.asarray(climb.grounded(travel).phase), np.where(level, 5.0, 4.0)
    )
    phase = np.where(done, 0.0, np.where(stuck, STUCK, climbing_phase))
    return replace(
        crossing,
        approach=np.where(done, -1, crossing.approach),
        grounded=grounded,
        travel=travel,
        run=run,
        nose_up=nose_up,
        phase=phase,
    )


Chosen = TypeVar("Chosen", "StepCrossing", Pose, Twist)


def choose(chosen: NDArray[np.bool_], new: Chosen, old: Chosen) -> Chosen:
    """Return `new` for the chosen robots and `old` for the rest, field by field."""
    kind = type(old)
    merged = {
        name: np.where(chosen, getattr(new, name), getattr(old, name))[()]
        for name in kind.__dataclass_fields__
    }
    return kind(**merged)


LEVEL_TOLERANCE = 2e-3
"""Largest difference of height at which a robot counts as standing on a level [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClimbingState(RobotStates):
    """State of the inner plant, and of the crossings."""

    driven: KinematicState
    """State of the inner plant, with the pose and twist of all robots."""
    crossing: StepCrossing
    """The crossings."""


class ClimbingPlant:
    """A kinematic plant whose robots climb, cross and descend the risers of the course."""

    reset_some = reset_robots

    def __init__(
        self, plant: KinematicPlant, robot: Robot, course: Course, mode: Literal["exact", "paper"]
    ) -> None:
        self._plant = plant
        self._terrain = course.terrain
        self._radius = robot.wheel_radius
        self._half_distance = robot.wheel_distance / 2.0
        self._com_x = robot.centre_of_mass[0]
        self._approaches = RiserApproaches(robot, course.terrain.risers, mode)
        self._settle_start()

    @property
    def now(self) -> ClimbingState:
        """The state as the plant holds it, not checked when it is set."""
        return ClimbingState(driven=self._plant.now, crossing=self._crossing)

    @now.setter
    def now(self, state: ClimbingState) -> None:
        self._plant.now, self._crossing = state.driven, state.crossing

    @property
    def state(self) -> ClimbingState:
        """All that `advance` depends on; one robot's state can be given to many."""
        return as_rows(self.now, count_robots(self.now))

    @state.setter
    def state(self, state: Any) -> None:
        rows = fit_state(state, ClimbingState, count_robots(self.now))
        self._plant.state = rows.driven
        alone = np.ndim(self._plant.now.pose.x) == 0 and rows.count == 1
        crossing = rows.crossing
        self._crossing = map_leaves(lambda leaf: leaf[0, ...], crossing) if alone else crossing

    @property
    def motion(self) -> Motion:
        """Current motion of the robot."""
        return replace(self._plant.motion, phase=self._crossing.phase[()])

    def reset(self, pose: Pose | None = None) -> None:
        """Reset to rest at `pose`, or at the start of the course."""
        self._plant.reset(pose)
        self._settle_start()

    def move(self, pose: Pose) -> None:
        """Put the robot at a pose, at rest; its flippers and the travel of its belts stay."""
        self._plant.move(pose)
        self._settle_start()

    def advance(self, command: Command, duration: float) -> None:
        """Apply `command` for `duration` seconds."""
        before = self._plant.now
        self._plant.advance(command, duration)
        driven = self._plant.now
        left, right = self._plant.sides(driven.belt_speeds)
        travel = 0.5 * (left + right) * duration
        driving = self._on_slabs(driven.pose)
        pose, crossing = driving, self._crossing
        climbing = crossing.approach >= 0
        if climbing.any():
            pose, crossing = self._continue(before.pose, driving, crossing, travel, duration)
        near = self._approaches.near(pose)
        if near.size and not climbing.all():
            pose, crossing = self._meet(before.pose, pose, crossing, climbing, travel, near)
        self._crossing = crossing
        touched = climbing | (crossing.phase > 0)
        if touched.any():
            twist = choose(touched, _twist(before.pose, pose, duration), driven.twist)
            driven = replace(driven, twist=twist)
        self._plant.now = replace(driven, pose=pose)

    def turn(self, yaw: Scalar) -> None:
        """Turn the robots that do not climb, at once: a disturbance from outside [rad]."""
        free = self._crossing.approach < 0
        state = self._plant.now
        turned = self._on_slabs(replace(state.pose, yaw=state.pose.yaw + yaw))
        self._plant.now = replace(state, pose=choose(free, turned, state.pose))

    def _settle_start(self) -> None:
        state = self._plant.now
        pose = self._on_slabs(state.pose)
        self._plant.now = replace(state, pose=pose)
        zero = np.zeros(np.broadcast_shapes(np.shape(pose.x), np.shape(pose.yaw)))
        none, off = np.full(zero.shape, -1), np.zeros(zero.shape, dtype=bool)
        self._crossing = StepCrossing(
            approach=none, grounded=off, travel=zero, run=zero, nose_up=zero, edge_x=zero,
            edge_y=zero, phase=zero,
        )  # fmt: skip

    def _on_slabs(self, pose: Pose) -> Pose:
        """Return `pose`, lifted to the level slab that the body's origin is above, if any."""
        top = self._terrain.height(pose.x, pose.y)
        above = top > self._terrain.smooth.height(pose.x, pose.y) + 1e-6
        level = {name: np.where(above, 0.0, getattr(pose, name))[()] for name in ("roll", "pitch")}
        return replace(pose, z=np.where(above, top, pose.z)[()], **level)

    def _continue(
        self, before: Pose, pose: Pose, crossing: StepCrossing, travel: Scalar, duration: float
    ) -> tuple[Pose, StepCrossing]:
        """Move the robots that climb."""
        for index in np.unique(crossing.approach[crossing.approach >= 0]):
            approach = self._approaches[int(index)]
            mine = crossing.approach == index
            assert approach.climb is not None  # walls are never entered
            moved = advance_crossing(approach.climb, crossing, approach.facing * travel, duration)
            crossing = choose(mine, moved, crossing)
            pose = choose(mine, self._place(approach, moved, before.yaw), pose)
        return pose, crossing

    def _meet(
        self,
        before: Pose,
        pose: Pose,
        crossing: StepCrossing,
        busy: NDArray[np.bool_],
        travel: Scalar,
        near: NDArray[np.intp],
    ) -> tuple[Pose, StepCrossing]:
        """Start the crossings of robots that drive and now touch a riser or leave an edge."""
        geometry = self._approaches.geometry(pose, near)
        free = ~busy
        for index, number in enumerate(near.tolist()):
            approach = self._approaches[number]
            x, ahead = geometry.x[index], geometry.ahead[index] & free
            push = approach.facing * travel
            reach = -self._radius if approach.climb is None else approach.climb.front_x_at_contact
            below = np.abs(before.z - approach.low) < LEVEL_TOLERANCE
            above = np.abs(before.z - approach.high) < LEVEL_TOLERANCE
            touches = ahead & below & (push > 0.0) & (x < 0.0) & (x + self._half_distance > reach)
            com_x = x + approach.facing * self._com_x
            leaves = ahead & above & (push < 0.0) & (com_x < 0.0) & (x > -self._half_distance)
            if not (touches | leaves).any():
                continue
            stopped = touches & (geometry.oblique[index] | (approach.climb is None))
            pose = choose(stopped, before, pose)
            crossing = choose(
                stopped, replace(crossing, phase=np.full(free.shape, STUCK)), crossing
            )
            entered = (touches | leaves) & ~stopped & ~geometry.oblique[index]
            if entered.any():
                started = StepCrossing(
                    approach=np.full(free.shape, number),
                    grounded=touches,
                    travel=np.maximum(x + self._half_distance - reach, 0.0),
                    run=self._half_distance - x,
                    nose_up=np.zeros(free.shape),
                    edge_x=geometry.edge_x[index],
                    edge_y=geometry.edge_y[index],
                    phase=np.where(touches, 1.0, 5.0),
                )
                crossing = choose(entered, started, crossing)
                pose = choose(entered, self._place(approach, started, pose.yaw), pose)
            free = free & ~(touches | leaves)
        phase = np.where(free, 0.0, crossing.phase)
        return pose, replace(crossing, phase=phase)

    def _place(self, approach: RiserApproach, crossing: StepCrossing, yaw: Scalar) -> Pose:
        assert approach.climb is not None  # walls are never entered
        grounded = approach.climb.grounded(crossing.travel)
        on_edge = approach.climb.on_edge(crossing.run, crossing.nose_up)
        x, z, nose_up = (
            np.where(crossing.grounded, getattr(grounded, name), getattr(on_edge, name))[()]
            for name in ("x", "z", "nose_up")
        )
        edge = (crossing.edge_x[()], crossing.edge_y[()])
        return place_at_edge(approach, edge, x, z, nose_up, yaw, self._radius)


def _twist(before: Pose, after: Pose, duration: float) -> Twist:
    """Return the mean velocity between two poses of the same heading, in the body frame."""
    along = (after.x - before.x) * np.cos(after.yaw) + (after.y - before.y) * np.sin(after.yaw)
    cos, sin = np.cos(after.pitch), np.sin(after.pitch)
    up = after.z - before.z
    return Twist(
        vx=(along * cos - up * sin) / duration,
        vz=(along * sin + up * cos) / duration,
        pitch_rate=(after.pitch - before.pitch) / duration,
    )
