"""Rows on slopes: how steep it drives up, down and across, and at which angle it tips over."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from grouser.datasheet.attempt import SPEED, TICK, Ending, tilt_of
from grouser.datasheet.climbing import rest_posture, with_contacts
from grouser.datasheet.limits import Verdict, Witness, format_share
from grouser.datasheet.places import slope
from grouser.datasheet.row import Cell, Row, Settings
from grouser.datasheet.search import Found, climb_up
from grouser.description import Course, Robot
from grouser.geometry import Pose
from grouser.models import Command, Model, Motion, start_model
from grouser.models.tip_over import TipOverMeter

Way: TypeAlias = Literal["up", "down", "across"]
"""In which direction a slope is driven."""
Edge: TypeAlias = Literal["forward", "back", "side"]
"""Over which edge of its support a robot tips."""
FRICTIONS = (0.3, 0.6, 1.0)
"""Frictions of the curve of slopes over friction [1]."""
SETTLING, DRIVING, JUDGED = 1.0, 3.0, 2.0
"""Time at rest, time of driving, and last part of it that is judged [s]."""
STEEPEST = math.radians(75.0)
"""Steepest slope that is tried [rad]."""
WITHIN = math.radians(0.25)
"""How exactly slopes are found [rad]."""
KEEPS, OVERRUNS, DRIFTS = 0.5, 1.5, 0.1
"""Least speed over that of the belts uphill and across, largest downhill, largest way downwards
over that ahead across; assumed [1]."""
FALLEN = math.radians(5.0)
"""Angle against the slope from which a robot has tipped over [rad]."""
STICKY, STANDING = 10.0, 3.0
"""Friction with which nothing slides [1], and time that a robot must stand [s]."""
SLOPES, TIPPING = "Slopes", "Tipping"
EDGES: dict[Edge, str] = {
    "forward": "tips forward, nose down the slope",
    "back": "tips back, nose up the slope",
    "side": "tips to the side, the worse of both",
}
"""What tipping over each edge is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What a robot did in the judged part of a drive."""

    ahead: float
    """Way along x of the slope's surface, over that of the belts [1]."""
    down: float
    """Way along negative y of the surface, over that along x [1]."""
    ending: Ending
    """`tipped` or `diverged`, else `done`."""


def drive_slope(
    model: Model, robot: Robot, course: Course, angle: float, speed: float,
    watch: Callable[[Motion], None] | None = None,
) -> Drift:  # fmt: skip
    """Drive straight on for some seconds; return how it went."""
    plant = start_model(model, robot, course, Pose())
    angles = rest_posture(robot)[1]

    def drive(now: float, ticks: int) -> Pose:
        command = Command(belt_speeds=(now,) * len(robot.drives), flipper_angles=angles)
        for _ in range(ticks):
            plant.advance(command, TICK)
            if watch is not None:
                watch(plant.motion)
        return plant.motion.pose

    drive(0.0, round(SETTLING / TICK))
    first = drive(speed, round((DRIVING - JUDGED) / TICK))
    last = drive(speed, round(JUDGED / TICK))
    way = math.hypot(
        float(last.x - first.x), float(last.z - first.z) if course_rises(course) else 0
    )
    way = math.copysign(way, float(last.x - first.x))
    tilt = tilt_of(last)
    ending: Ending = "done" if abs(tilt - abs(angle)) < FALLEN else "tipped"
    if math.isnan(tilt):
        ending = "diverged"
    run = speed * JUDGED
    return Drift(
        ahead=way / run, down=abs(float(last.y - first.y)) / max(abs(way), 1e-9), ending=ending
    )


def course_rises(course: Course) -> bool:
    """Return whether the plane of a course rises along x."""
    return bool(course.terrain.planes[0].slope)


def passes_slope(
    way: Way, model: Model, robot: Robot, friction: float, angle: float,
    watch: Callable[[Motion], None] | None = None,
) -> tuple[bool, Drift]:  # fmt: skip
    """Return whether a robot drives on a slope [rad], and what it did."""
    signed = -angle if way == "down" else angle
    course = slope(signed, friction, across=way == "across")
    speed = min(SPEED, robot.drive.speed_limit)
    found = drive_slope(model, robot, course, angle, speed, watch)
    keeps = found.ahead >= KEEPS and found.ending == "done"
    if way == "down":
        return keeps and found.ahead <= OVERRUNS, found
    return keeps and (way == "up" or found.down <= DRIFTS), found


def find_slope(way: Way, robot: Robot, model: Model, friction: float, within: float) -> Found:
    """Return the steepest slope that a robot drives [rad]."""
    return climb_up(
        lambda angle: passes_slope(way, model, robot, friction, angle)[0],
        0.0, STEEPEST, within, steps=5,
    )  # fmt: skip


def _slope(robot: Robot, model: Model, settings: Settings, *, way: Way) -> Cell:
    within = settings.coarser(WITHIN)
    found = find_slope(way, robot, model, settings.friction, within)
    curve = []
    for friction in () if settings.is_quick else FRICTIONS:
        is_same = friction == settings.friction
        other = found if is_same else find_slope(way, robot, model, friction, within)
        if other.passed is not None:
            curve.append([friction, math.degrees(other.passed)])
    verdict = Verdict(limit="none found", evidence="the steepest that was tried is driven")
    if found.failed is not None:
        witness = Witness(robot, min(SPEED, robot.drive.speed_limit))
        _, drift = passes_slope(
            way, with_contacts(model), robot, settings.friction, found.failed, witness.watch
        )
        verdict = witness.judge("stuck" if drift.ending == "done" else drift.ending)
        if verdict.limit == "shape":
            verdict = Verdict(limit="friction", evidence=_describe(drift))
    if found.passed is None:
        return Cell(
            limit=verdict.limit, evidence=verdict.evidence,
            reason="not possible: fails on level ground",
        )  # fmt: skip
    return Cell(
        value=found.passed, sign=found.sign, limit=verdict.limit, evidence=verdict.evidence,
        curves={"slope [°] over friction": curve} if curve else {},
    )  # fmt: skip


def _describe(drift: Drift) -> str:
    """Return how a robot slid, in one sentence."""
    words = f"it moves at {format_share(drift.ahead)} of its belts' speed"
    return f"{words} and slides down by {format_share(drift.down)} of its way ahead"


def tipping_angle(robot: Robot, edge: Edge) -> float:
    """Return the slope at which the centre of mass is above an edge of the support [rad].

    Of both sides, the one that comes first.
    """
    x, y, z = robot.centre_of_mass
    corners = TipOverMeter(robot).support(np.array((x, y, z)), rest_posture(robot)[1])
    (rear, right, _), (front, left, _) = corners.min(axis=0), corners.max(axis=0)
    arms = {"forward": front - x, "back": x - rear, "side": min(left - y, y - right)}
    return math.atan2(max(arms[edge], 0.0), z)


def _stands(model: Model, robot: Robot, edge: Edge, angle: float) -> bool:
    """Return whether a robot stands on a slope [rad] without sliding."""
    signed = -angle if edge == "forward" else angle
    sides = (angle, -angle) if edge == "side" else (signed,)
    for one in sides:
        course = slope(one, STICKY, across=edge == "side")
        plant = start_model(model, robot, course, Pose())
        command = Command(
            belt_speeds=(0.0,) * len(robot.drives), flipper_angles=rest_posture(robot)[1]
        )
        for _ in range(round(STANDING / TICK)):
            plant.advance(command, TICK)
        if not abs(tilt_of(plant.motion.pose) - angle) < FALLEN:
            return False
    return True


def _tipping(robot: Robot, model: Model, settings: Settings, *, edge: Edge) -> Cell:
    found = climb_up(
        lambda angle: _stands(model, robot, edge, angle), 0.0, math.radians(85.0),
        settings.coarser(WITHIN), steps=17,
    )  # fmt: skip
    static = math.degrees(tipping_angle(robot, edge))
    if found.passed is None:
        return Cell(reason="not possible: falls over on level ground")
    evidence = f"static: {static:.1f}°, where its centre of mass is above the edge of its support"
    return Cell(
        value=found.passed, sign=found.sign, limit="tipping" if found.failed else "none found",
        evidence=evidence,
    )  # fmt: skip


_DRIVE = (
    "0.1 m/s for 3 s after 1 s at rest, flippers at rest, up to 75° in steps of 15° to the first "
    "failure, then by halving within 0.25°"
)
_DEGREES = math.degrees(1.0)
ROWS = (
    Row(
        key="slope_up", group=SLOPES, title="steepest slope up", unit="°", factor=_DEGREES,
        digits=1, measure=partial(_slope, way="up"), need="forces",
        method=f"{_DRIVE}: moves at half of its belts' speed or more",
    ),
    Row(
        key="slope_down", group=SLOPES, title="steepest slope down", unit="°", factor=_DEGREES,
        digits=1, measure=partial(_slope, way="down"), need="forces",
        method=f"{_DRIVE}: moves at 0.5 to 1.5 times its belts' speed",
    ),
    Row(
        key="slope_across", group=SLOPES, title="steepest slope across", unit="°",
        factor=_DEGREES, digits=1, measure=partial(_slope, way="across"), need="forces",
        method=f"{_DRIVE}: sinks by at most a tenth of the way ahead",
    ),
    *(
        Row(
            key=f"tip_{edge}", group=TIPPING, title=title, unit="°", factor=_DEGREES, digits=1,
            measure=partial(_tipping, edge=edge),
            method="stands for 3 s on a slope with friction 10, flippers at rest, up to 85° in "
            "steps of 5° to the first failure, then by halving within 0.25°",
        )
        for edge, title in EDGES.items()
    ),
)  # fmt: skip
"""Rows on slopes."""
