"""An attempt at an obstacle: drive straight on until it is behind, or the robot is stuck.

The definition that data sheets share with the papers: time and progress count from when flippers
are raised, and an attempt that gets no farther for a while is given up.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from grouser.description import Course, Robot
from grouser.geometry import Pose
from grouser.models import Command, Model, Motion, Plant, start_model

SPEED = 0.1
"""Speed of the belts at obstacles, that of P4 section IV.B [m/s]."""
PATIENCE, LONGEST = 5.0, 40.0
"""Time without progress that ends an attempt, and longest attempt, assumed [s]."""
PROGRESS = 1e-3
"""Least way that counts as progress [m]."""
RAISING = 2.0
"""Time before the belts start, in which flippers are raised, assumed [s]."""
TICK = 0.02
"""Length of a tick [s]."""
LEVEL, BELOW = 0.05, 0.01
"""Largest pitch [rad] and largest depth of the origin below the ground there [m] of a robot that
stands on it, assumed."""
TIPPED = math.radians(80.0)
"""Tilt from which a robot has tipped over [rad]."""

Drive: TypeAlias = Callable[[float], Motion]
"""Drives for one tick at a belt speed [m/s]; returns the motion after it."""
Ending: TypeAlias = Literal["done", "stuck", "late", "tipped", "diverged"]
"""What ended it: behind the obstacle, no progress, no time left, tipped over, not finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """How an attempt ended."""

    climbed: bool
    """Whether the obstacle is behind: whoever tries a step stands on it."""
    duration: float
    """Time until then, or until the attempt was given up [s]."""
    ending: Ending = "done"
    """What ended it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long an attempt is made, and how fast."""

    speed: float = SPEED
    """Speed of the belts [m/s]."""
    patience: float = PATIENCE
    """Time without progress that ends it [s]."""
    longest: float = LONGEST
    """Longest time [s]."""

    @classmethod
    def of(cls, robot: Robot, way: float) -> "Pace":
        """Return the pace of P4; slower robots and longer ways [m] have more time."""
        speed = min(SPEED, robot.drive.speed_limit)
        return cls(
            speed=speed,
            patience=PATIENCE * SPEED / speed,
            longest=max(LONGEST, 2.0 * way / speed),
        )


def make_attempt(
    drive: Drive, is_done: Callable[[Pose], bool], pace: Pace, raising: float = RAISING
) -> Attempt:
    """Drive straight on until `is_done`, or until there is no progress along x.

    Args:
        drive: Drives for one tick of `TICK`.
        is_done: Returns whether the obstacle is behind.
        pace: How fast and how long.
        raising: Time before the belts start [s].
    """
    motion = drive(0.0)
    for _ in range(round(raising / TICK) - 1):
        motion = drive(0.0)
    farthest, since, time = float(motion.pose.x), 0.0, 0.0
    while time < pace.longest and time - since < pace.patience:
        pose = drive(pace.speed).pose
        time += TICK
        if float(pose.x) > farthest + PROGRESS:
            farthest, since = float(pose.x), time
        tilt = tilt_of(pose)
        if tilt > TIPPED or math.isnan(tilt):
            ending = "tipped" if tilt > TIPPED else "diverged"
            return Attempt(climbed=False, duration=time, ending=ending)
        if is_done(pose):
            return Attempt(climbed=True, duration=time)
    ending = "late" if time >= pace.longest else "stuck"
    return Attempt(climbed=False, duration=time, ending=ending)


def tilt_of(pose: Pose) -> float:
    """Return the angle of the body's z axis to the vertical; NaN if it is not finite [rad]."""
    cosine = math.cos(float(pose.roll)) * math.cos(float(pose.pitch)) if _is_finite(pose) else 0.0
    return math.acos(max(-1.0, min(1.0, cosine))) if _is_finite(pose) else math.nan


def _is_finite(pose: Pose) -> bool:
    return math.isfinite(float(pose.x) + float(pose.z) + float(pose.roll) + float(pose.pitch))


def straight_drive(
    plant: Plant, robot: Robot, angles: Sequence[float], watch: Callable[[Motion], None] | None
) -> Drive:
    """Return what drives all belts alike with flippers at some angles [rad].

    Args:
        plant: The robot on its course.
        robot: The robot.
        angles: Angle of each flipper [rad].
        watch: Called with the motion after each tick; None for nothing.
    """

    def drive(speed: float) -> Motion:
        speeds = (speed,) * len(robot.drives)
        plant.advance(Command(belt_speeds=speeds, flipper_angles=tuple(angles)), TICK)
        if watch is not None:
            watch(plant.motion)
        return plant.motion

    return drive


def raise_flippers(robot: Robot, front: float, rear: float = 0.0) -> tuple[float, ...]:
    """Return angles of flippers whose tips are raised above level, before and behind [rad]."""
    return tuple(
        flipper.raising_sign * (front if flipper.hinge[0] >= 0.0 else rear)
        for flipper in robot.flippers
    )


def reach_of(robot: Robot) -> tuple[float, float]:
    """Return how far a robot reaches ahead of and behind its origin, flippers level [m]."""
    ahead = [f.hinge[0] + f.track.loop.bounds[1] for f in robot.flippers]
    behind = [-f.hinge[0] - f.track.loop.bounds[0] for f in robot.flippers]
    return max(robot.front, *ahead, 0.0), max(-robot.rear, *behind, 0.0)


def start_ahead(robot: Robot, course: Course, share: float) -> Pose:
    """Return the start of a course, moved ahead by a share of the front belts' pitch [1]."""
    belts = [f.track for f in robot.flippers[:1]] or list(robot.tracks[:1])
    pitch = belts[0].pitch if belts else None
    start = course.start_pose
    return replace(start, x=start.x + share * (pitch or 0.0))


def attempt_course(
    model: Model,
    robot: Robot,
    course: Course,
    is_done: Callable[[Pose], bool],
    *,
    angles: Sequence[float],
    pace: Pace,
    phase: float = 0.0,
    watch: Callable[[Motion], None] | None = None,
) -> Attempt:
    """Put a robot on a course and make an attempt; see `make_attempt`."""
    plant = start_model(model, robot, course, start_ahead(robot, course, phase))
    return make_attempt(straight_drive(plant, robot, angles, watch), is_done, pace)
