"""Where the models agree and differ: the same belt speeds for each, on six robots.

Every manoeuvre gives a robot the same commands in all models, sized by its gauge and its speed, so
that robots of 1 and of 330 kg compare. How far two models end apart is said as a share of the way
that the belts ran.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median

from grouser.description import Course, Robot, load_course, load_robot
from grouser.description.load import parse_course
from grouser.errors import GrouserError
from grouser.geometry import Pose
from grouser.models import Command, command_sides, make_model, start_model

ROBOTS = ("absolem", "packbot510", "quince", "tankbot", "tp100", "zhou-ugv")
"""Robots of the zoo."""
REFERENCE = "csm"
"""Model that the others are compared with: the most detailed that drives every manoeuvre."""
MODELS = ("ideal", "slip", "icr", "turning", "tankbot", "tracks-planar", "csm", "wheels",
          "frictionless", "segments", "plates:pitch=0.1")  # fmt: skip
"""The catalogue without `icr-slip`, `icr-drift` and `smooth`, whose numbers come from a log of the
robot; plates as P1's coarse ones."""
BY_MUJOCO = ("csm:engine=mujoco", "wheels:engine=mujoco", "frictionless:engine=mujoco")
"""Models that MuJoCo can compute, too, by its own contacts and friction."""
SLOW = {"plates:pitch=0.1": ("straight", "pivot")}
"""Manoeuvres of models that take minutes."""

TICK = 0.01
"""Length of a tick [s]."""
SHARE_OF_LIMIT, FROUDE = 0.4, 0.1
"""Speed over the robot's limit, and the largest v²/(g B): none of them lifts a side [1]."""
WAY = 10.0
"""Way of the belts in gauges [1]."""
SLOPE_DEG, LOW_FRICTION, STEP = 15.0, 0.2, 0.25
"""Angle of slopes [deg], friction of the slippery floor [1], step over a drive's height [1]."""
STOPPED = 1.0
"""How long a robot that brakes is watched after its command to stop [s]."""

_FLOOR = """
name = "floor"
[[terrain]]
kind = "plane"
[surfaces.ground]
friction = {friction}
"""
_STEP = (
    _FLOOR
    + """
[[terrain]]
kind = "step"
x_m = {x}
height_m = {height}
depth_m = 50.0
width_m = 20.0
"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manoeuvre:
    """What is driven: shares of the speed for shares of the way, on a course."""

    name: str
    """Name in tables."""
    legs: tuple[tuple[float, float, float], ...]
    """Left and right belt over the robot's speed, and the way over `WAY` gauges [1]."""
    course: Callable[[Robot], Course] = field(default=lambda robot: load_course("flat"))
    """Returns the course for a robot."""
    yaw: float = 0.0
    """Heading at the start [rad]."""


def _slope(robot: Robot) -> Course:
    return load_course(f"slope:angle_deg={SLOPE_DEG}")


def _slippery(robot: Robot) -> Course:
    return parse_course(_FLOOR.format(friction=LOW_FRICTION), "floor")


def _sand(robot: Robot) -> Course:
    return load_course("sand-slope:angle_deg=0")


def _step(robot: Robot) -> Course:
    height = STEP * min(drive_height(robot, drive) for drive in range(len(robot.drives)))
    x = 4.0 * robot.gauge
    return parse_course(_STEP.format(friction=0.8, x=x, height=height), "step")


def drive_height(robot: Robot, number: int) -> float:
    """Return how high a track or wheel is [m]."""
    if number < len(robot.tracks):
        return robot.tracks[number].loop.bounds[3]
    return 2.0 * robot.wheels[number - len(robot.tracks)].radius


MANOEUVRES = (
    Manoeuvre(name="straight", legs=((1.0, 1.0, 1.0),)),
    Manoeuvre(name="braking", legs=((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))),
    Manoeuvre(name="wide arc", legs=((0.9, 1.1, 1.0),)),
    Manoeuvre(name="tight arc", legs=((0.5, 1.5, 1.0),)),
    Manoeuvre(name="S-curve", legs=((0.7, 1.3, 0.5), (1.3, 0.7, 0.5))),
    Manoeuvre(name="pivot", legs=((-1.0, 1.0, math.pi / 10.0),)),
    Manoeuvre(name="arc, friction 0.2", legs=((0.5, 1.5, 1.0),), course=_slippery),
    Manoeuvre(name="up 15°", legs=((1.0, 1.0, 1.0),), course=_slope),
    Manoeuvre(name="across 15°", legs=((1.0, 1.0, 1.0),), course=_slope, yaw=math.pi / 2),
    Manoeuvre(name="step", legs=((1.0, 1.0, 1.0),), course=_step),
    Manoeuvre(name="dry sand", legs=((1.0, 1.0, 1.0),), course=_sand),
    Manoeuvre(name="arc, dry sand", legs=((0.5, 1.5, 1.0),), course=_sand),
)
"""What is driven."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a robot came to."""

    x: float
    """World x [m]."""
    y: float
    """World y [m]."""
    z: float
    """World z [m]."""
    yaw: float
    """Heading, not wrapped [rad]."""

    def apart(self, other: "End", gauge: float) -> float:
        """Return how far two robots are apart: their middles, and their sides by heading [m]."""
        turned = 0.5 * gauge * (self.yaw - other.yaw)
        return math.hypot(self.x - other.x, self.y - other.y, self.z - other.z, turned)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """One manoeuvre of one robot by one model."""

    manoeuvre: str
    """What was driven."""
    robot: str
    """Name of the robot."""
    model: str
    """Reference of the model."""
    deviation: float | None
    """How far from the reference it ended, over the way of the belts; None of the reference [1]."""
    spread: float
    """The largest distance of any two models there, over the way of the belts [1]."""
    end: End
    """Where it ended."""


def speed_of(robot: Robot) -> float:
    """Return the speed that a robot is driven at [m/s]."""
    return min(SHARE_OF_LIMIT * robot.drive.speed_limit, math.sqrt(FROUDE * 9.81 * robot.gauge))


def drive(model: str, robot: Robot, manoeuvre: Manoeuvre) -> End:
    """Drive a manoeuvre; return where it ends.

    Raises:
        GrouserError: The model does not describe the robot or the course.
    """
    course, speed = manoeuvre.course(robot), speed_of(robot)
    start = Pose(yaw=manoeuvre.yaw) if manoeuvre.yaw else None
    legs = [
        (command_sides(robot, left * speed, right * speed), _duration(robot, left, right, way))
        for left, right, way in manoeuvre.legs
    ]
    return follow(model, robot, course, legs, start)


def follow(
    model: str,
    robot: Robot,
    course: Course,
    legs: Iterable[tuple[Command, float]],
    start: Pose | None = None,
) -> End:
    """Drive commands for their durations [s] from rest; return where that ends, from the start."""
    plant = start_model(make_model(model), robot, course, start)
    begun = plant.motion.pose
    last = yaw = float(begun.yaw)
    for command, duration in legs:
        for _ in range(round(duration / TICK)):
            plant.advance(command, TICK)
            now = float(plant.motion.pose.yaw)
            yaw += math.remainder(now - last, 2.0 * math.pi)
            last = now
    pose = plant.motion.pose
    return End(
        x=float(pose.x) - float(begun.x),
        y=float(pose.y) - float(begun.y),
        z=float(pose.z) - float(begun.z),
        yaw=yaw - float(begun.yaw),
    )


def _duration(robot: Robot, left: float, right: float, way: float) -> float:
    mean = 0.5 * (abs(left) + abs(right))
    return way * WAY * robot.gauge / (mean * speed_of(robot)) if mean else STOPPED


def way_of(robot: Robot, manoeuvre: Manoeuvre) -> float:
    """Return the way that belts are commanded to run, as a mean of both sides [m]."""
    return sum(way for *_, way in manoeuvre.legs) * WAY * robot.gauge


def try_drive(model: str, robot: Robot, manoeuvre: Manoeuvre) -> End | None:
    """Return where a manoeuvre ends; None if the model does not describe it."""
    is_slow = manoeuvre.name not in SLOW.get(model, (manoeuvre.name,))
    if is_slow or (model in SLOW and not robot.tracks):  # without tracks there are no plates
        return None
    try:
        return drive(model, robot, manoeuvre)
    except GrouserError:
        return None


def measure_agreement(
    tell: Callable[[str], None] = lambda text: None,
    models: Iterable[str] = (*MODELS, *BY_MUJOCO),
    robots: Iterable[str] = ROBOTS,
    manoeuvres: Iterable[Manoeuvre] = MANOEUVRES,
) -> list[AgreementRow]:
    """Return a row for each model, robot and manoeuvre that the model describes."""
    rows, models, manoeuvres = [], tuple(models), tuple(manoeuvres)
    for name in robots:
        robot = load_robot(name)
        for manoeuvre in manoeuvres:
            tell(f"{name}, {manoeuvre.name}")
            found = {model: try_drive(model, robot, manoeuvre) for model in models}
            ends = {model: end for model, end in found.items() if end is not None}
            rows += _compare(manoeuvre, robot, ends)
    return rows


def _compare(manoeuvre: Manoeuvre, robot: Robot, ends: Mapping[str, End]) -> list[AgreementRow]:
    way, gauge = way_of(robot, manoeuvre), robot.gauge
    pairs = combinations(ends.values(), 2)
    spread = max((a.apart(b, gauge) for a, b in pairs), default=0.0) / way
    reference = ends.get(REFERENCE)
    return [
        AgreementRow(
            manoeuvre=manoeuvre.name,
            robot=robot.name,
            model=model,
            deviation=(
                None if reference is None or model == REFERENCE
                else end.apart(reference, gauge) / way
            ),
            spread=spread,
            end=end,
        )
        for model, end in ends.items()
    ]  # fmt: skip


def deviations(rows: Iterable[AgreementRow]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the deviations by manoeuvre and model, then by robot [1]."""
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row.deviation is not None:
            cells.setdefault((row.manoeuvre, row.model), {})[row.robot] = row.deviation
    return cells


def median_spreads(rows: Iterable[AgreementRow]) -> dict[str, float]:
    """Return the median over robots of the largest distance of two models, by manoeuvre [1]."""
    cells: dict[str, dict[str, float]] = {}
    for row in rows:
        cells.setdefault(row.manoeuvre, {})[row.robot] = row.spread
    return {name: median(by_robot.values()) for name, by_robot in cells.items()}
