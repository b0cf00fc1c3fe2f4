"""Courses that data sheets need, made to the size of a robot."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grouser.datasheet.attempt import BELOW, LEVEL, Pace, reach_of
from grouser.description import Course, Robot, load_course, parse_course
from grouser.geometry import Pose

FRICTION = 0.6
"""Friction of all ground unless another is given: that of P4's steps [1]."""
ROOM = 0.05
"""Room between the robot and what it is put in front of, in lengths of the robot [1]."""
FLIGHT = 6
"""Risers of a flight of stairs, as those of P1 [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """A course, and when a robot has it behind."""

    course: Course
    """The course."""
    beyond: float
    """Where the rear of the robot must have passed [m]."""
    behind: float
    """How far the robot reaches behind its origin [m]."""
    height: float
    """Height of the ground there [m]."""
    is_down: bool = False
    """Whether that is lower than the start."""
    stands: float = 0.0
    """How far grousers lift the robot [m]."""

    def is_done(self, pose: Pose) -> bool:
        """Return whether the whole robot stands beyond the obstacle, level."""
        gap = float(pose.z) - self.height
        arrived = gap < BELOW + self.stands if self.is_down else gap > -BELOW
        is_level = abs(float(pose.pitch)) < LEVEL
        return arrived and is_level and float(pose.x) > self.beyond + self.behind

    def pace(self, robot: Robot) -> Pace:
        """Return how fast and how long it is tried."""
        start = float(self.course.start_pose.x)
        return Pace.of(robot, self.beyond + self.behind - start)


def _course(name: str, pieces: list[Mapping[str, object]], friction: float) -> Course:
    lines = [f'name = "{name}"', "speed_m_s = 0.1"]
    for piece in pieces:
        lines += ["[[terrain]]"]
        lines += [f"{key} = {_toml(value)}" for key, value in piece.items()]
    lines += ["[surfaces.ground]", f"friction = {friction!r}"]
    return parse_course("\n".join(lines) + "\n", name)


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _widths(robot: Robot) -> tuple[float, float, float]:
    """Return reach ahead and behind, and a width that no robot drives past [m]."""
    ahead, behind = reach_of(robot)
    return ahead, behind, 4.0 * max(robot.gauge, robot.body.size[1], 0.5)


def _lift(robot: Robot) -> float:
    """Return how far the highest grousers stand out of the belts [m]."""
    return max((belt.grousers.height for belt in robot.belts if belt.grousers), default=0.0)


def step_up(robot: Robot, height: float, friction: float = FRICTION) -> Obstacle:
    """Return a step up [m]: the course `step` of P4 where the robot fits on it."""
    ahead, behind, width = _widths(robot)
    course = load_course("step", height_m=min(max(height, 0.005), 0.5))
    edge = course.terrain.slabs[0].footprint
    near = edge.x - 0.5 * edge.length
    if ahead > near - 0.01 or ahead + behind > 0.9 * edge.length or height > 0.5:
        near = ahead * (1.0 + ROOM) + 0.02
        step = {"kind": "step", "x_m": near, "height_m": height, "width_m": width}
        step["depth_m"] = 2.0 * (ahead + behind)
        course = _course("step", [{"kind": "plane"}, step], friction)
    elif course.terrain.surfaces["ground"].friction != friction:
        course = course.with_friction(friction, friction)
    return Obstacle(course=course, beyond=near, behind=behind, height=height)


def step_down(robot: Robot, height: float, friction: float = FRICTION) -> Obstacle:
    """Return a step down [m], from a platform on which the robot starts."""
    ahead, behind, width = _widths(robot)
    edge = ahead * (1.0 + ROOM) + 0.02
    top = {"kind": "step", "x_m": -2.0 * behind - 1.0, "height_m": height, "width_m": width}
    top["depth_m"] = edge + 2.0 * behind + 1.0
    course = _course("step down", [{"kind": "plane"}, top], friction)
    return Obstacle(
        course=course, beyond=edge, behind=behind, height=0.0, is_down=True, stands=_lift(robot)
    )


def gap(robot: Robot, wide: float, friction: float = FRICTION) -> Obstacle:
    """Return a gap [m] between two platforms, as deep as the robot is long."""
    ahead, behind, width = _widths(robot)
    length = ahead + behind
    edge = ahead * (1.0 + ROOM) + 0.02
    first = {"kind": "step", "x_m": -2.0 * behind - 1.0, "height_m": length, "width_m": width}
    second = {**first, "x_m": edge + wide, "depth_m": 3.0 * length}
    first["depth_m"] = edge + 2.0 * behind + 1.0
    course = _course("gap", [{"kind": "plane"}, first, second], friction)
    return Obstacle(course=course, beyond=edge + wide, behind=behind, height=length)


def stairs(
    robot: Robot, rise: float, angle: float, friction: float = FRICTION, *, down: bool = False
) -> Obstacle:
    """Return a flight of stairs with some rise [m] and pitch [rad], up or down."""
    ahead, behind, width = _widths(robot)
    tread, length = rise / math.tan(angle), ahead + behind
    near = ahead * (1.0 + ROOM) + 0.02
    run = (FLIGHT - 1) * tread
    flight: dict[str, object] = {
        "kind": "stairs", "count": FLIGHT, "tread_m": tread, "rise_m": rise, "width_m": width,
        "landing_m": 2.5 * length + 1.0, "x_m": near + run if down else near,
    }  # fmt: skip
    if down:
        flight["yaw_deg"] = 180.0
    course = _course("stairs", [{"kind": "plane"}, flight], friction)
    return Obstacle(
        course=course, beyond=near + run, behind=behind, is_down=down, stands=_lift(robot),
        height=0.0 if down else FLIGHT * rise,
    )  # fmt: skip


def slope(angle: float, friction: float, *, across: bool = False) -> Course:
    """Return a plane that rises along x, or along y, by an angle [rad]."""
    key = "cross_slope_deg" if across else "slope_deg"
    return _course("slope", [{"kind": "plane", key: math.degrees(angle)}], friction)


def level(friction: float) -> Course:
    """Return level ground without end."""
    return _course("level", [{"kind": "plane"}], friction)
