"""Rows on obstacles: steps up and down, gaps, stairs."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grouser.datasheet.attempt import attempt_course, raise_flippers, reach_of
from grouser.datasheet.limits import Verdict, Witness
from grouser.datasheet.places import Obstacle, gap, stairs, step_down, step_up
from grouser.datasheet.row import Cell, Row, Settings
from grouser.datasheet.search import Found, Span, climb_up, find_largest, find_span
from grouser.description import Robot
from grouser.models import Model

LOWEST, HIGHEST = 0.005, 0.5
"""Between these the highest step is sought; higher for robots that are longer [m]."""
WITHIN = 0.002
"""How exactly heights are found [m]."""
SHORT, SHORT_WITHIN = 0.4, 0.0005
"""Robots that are shorter than that [m] are measured more exactly [m]."""
PHASES = (0.0, 0.25, 0.5, 0.75)
"""Shares of a pitch by which the start is moved, of which the median counts [1]."""
RAISED = math.radians(45.0)
"""How far front flippers are raised, as in P4's Table IV [rad]."""
RISE = 0.17
"""Rise of stairs, as those of P1 [m]."""
FLATTEST, STEEPEST = math.radians(15.0), math.radians(60.0)
"""Between these stairs are tried [rad]."""
FLATTEST_UP = math.radians(25.0)
"""Where stairs upwards begin: treads of flatter ones are as long as a robot, which has to climb
each of them as a single step [rad]."""
STAIR_PITCH = math.radians(30.0)
"""Pitch of the stairs whose rise is sought, and of those whose friction is [rad]."""
GRIPS = (0.1, 2.0, 0.05)
"""Least and largest friction that is tried on stairs, and how exactly [1]."""
GRIP_STEPS = 10
"""Steps downwards to the first friction that climbs stairs [1]."""
OBSTACLES = "Obstacles"

Build = Callable[[float], Obstacle]
"""Returns an obstacle of some size [unit of the search]."""
Posture = tuple[str, tuple[float, ...]]
"""Words, and the angle of each flipper [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """A search over the size of an obstacle."""

    build: Build
    """Makes the obstacle."""
    least: float
    """Least size [unit of the search]."""
    most: float
    """Largest size [unit of the search]."""
    within: float
    """How exactly it is sought [unit of the search]."""
    steps: int = 0
    """Steps upwards before halving; 0 to halve at once, as for P4's steps [1]."""

    def find(
        self, model: Model, robot: Robot, angles: Sequence[float], phase: float = 0.0
    ) -> Found:
        """Return the largest size that a robot gets over."""
        passes = partial(self._passes, model, robot, angles, phase)
        if self.steps:
            return climb_up(passes, self.least, self.most, self.within, self.steps)
        return find_largest(passes, self.least, self.most, self.within)

    def find_span(self, model: Model, robot: Robot, angles: Sequence[float]) -> Span | None:
        """Return between which sizes a robot gets over, from the largest down; None if nowhere."""
        passes = partial(self._passes, model, robot, angles, 0.0)
        return find_span(passes, self.least, self.most, self.within, self.steps)

    def _passes(
        self, model: Model, robot: Robot, angles: Sequence[float], phase: float, size: float
    ) -> bool:
        found = self.build(size)
        return attempt_course(
            model, robot, found.course, found.is_done, angles=angles,
            pace=found.pace(robot), phase=phase,
        ).climbed  # fmt: skip

    def judge(self, model: Model, robot: Robot, angles: Sequence[float], size: float) -> Verdict:
        """Return what stops a robot at an obstacle of some size."""
        found = self.build(size)
        pace = found.pace(robot)
        witness = Witness(robot, pace.speed)
        attempt = attempt_course(
            with_contacts(model), robot, found.course, found.is_done, angles=angles, pace=pace,
            watch=witness.watch,
        )  # fmt: skip
        if attempt.climbed:
            words = "from the first start it gets over; from others it fails"
            return Verdict(limit="shape", evidence=words)
        return witness.judge(attempt.ending)


def with_contacts(model: Model) -> Model:
    """Return a model whose motions have contacts, if it has any."""
    return replace(model, contacts=True) if hasattr(model, "contacts") else model  # pyright: ignore


def rest_posture(robot: Robot) -> Posture:
    """Return the flippers at rest."""
    words = "flippers at rest" if robot.flippers else ""
    return words, tuple(flipper.rest_angle for flipper in robot.flippers)


def raised_posture(robot: Robot) -> Posture:
    """Return front flippers raised, rear ones level: that of P4's Table IV."""
    return "front flippers raised by 45°", raise_flippers(robot, RAISED)


def climb_cell(
    climb: Climb, robot: Robot, model: Model, postures: Sequence[Posture],
    phases: Sequence[float],
) -> Cell:  # fmt: skip
    """Return the largest obstacle with the best posture, and what limits it."""
    best: tuple[float, Posture, list[Found]] | None = None
    for posture in postures:
        found = [climb.find(model, robot, posture[1], phase) for phase in phases]
        value = float(np.median([one.passed or 0.0 for one in found]))
        if best is None or value > best[0]:
            best = value, posture, found
    assert best is not None, "there is a posture"
    value, (words, angles), found = best
    failures = [one.failed for one in found if one.failed is not None]
    verdict = Verdict(limit="none found", evidence="the largest that was tried is passed")
    if failures:
        verdict = climb.judge(model, robot, angles, max(failures))
    cell = Cell(limit=verdict.limit, evidence=verdict.evidence, words=words)
    if value <= 0.0:
        return replace(cell, reason="not possible: fails at the least that is tried")
    several = {} if len(found) < 2 else _range(found)
    return replace(cell, value=value, sign=found[0].sign if not failures else "", **several)


def _range(found: Sequence[Found]) -> Mapping[str, Any]:
    values = [one.passed or 0.0 for one in found]
    return {"low": min(values), "high": max(values)}


def height_range(robot: Robot, settings: Settings) -> tuple[float, float, float]:
    """Return between which heights, and how exactly, steps of a robot are sought [m]."""
    length = sum(reach_of(robot))
    within = WITHIN if length >= SHORT else SHORT_WITHIN
    return LOWEST, max(HIGHEST, length), settings.coarser(within)


def phases_for(robot: Robot, model: Model, settings: Settings) -> tuple[float, ...]:
    """Return from which starts a step is tried: several where grousers meet its edge."""
    has_grousers = any(b.grousers for b in robot.belts) and getattr(model, "grousers", False)
    return PHASES if has_grousers and not settings.is_quick else PHASES[:1]


def _step_up(robot: Robot, model: Model, settings: Settings, *, raised: bool) -> Cell:
    if raised and not robot.flippers:
        return Cell(reason="no flippers")
    least, most, within = height_range(robot, settings)
    if most > HIGHEST and sum(reach_of(robot)) <= 1.5:
        most = HIGHEST
    climb = Climb(
        build=partial(step_up, robot, friction=settings.friction),
        least=least, most=most, within=within,
    )  # fmt: skip
    postures = [raised_posture(robot) if raised else rest_posture(robot)]
    return climb_cell(climb, robot, model, postures, phases_for(robot, model, settings))


def _step_down(robot: Robot, model: Model, settings: Settings) -> Cell:
    least, most, within = height_range(robot, settings)
    climb = Climb(
        build=partial(step_down, robot, friction=settings.friction),
        least=least, most=most, within=settings.coarser(0.005) if most >= 0.5 else within, steps=8,
    )  # fmt: skip
    return climb_cell(climb, robot, model, [rest_posture(robot)], PHASES[:1])


def _gap(robot: Robot, model: Model, settings: Settings) -> Cell:
    length = sum(reach_of(robot))
    climb = Climb(
        build=partial(gap, robot, friction=settings.friction), least=0.02 * length,
        most=1.2 * length, within=settings.coarser(0.01 * length), steps=8,
    )  # fmt: skip
    postures = [rest_posture(robot)]
    if robot.flippers:
        postures.append(("flippers level", raise_flippers(robot, 0.0)))
    return climb_cell(climb, robot, model, postures, PHASES[:1])


def _postures(robot: Robot) -> list[Posture]:
    rest = rest_posture(robot)
    return [rest, raised_posture(robot)] if robot.flippers else [rest]


def _stairs(robot: Robot, model: Model, settings: Settings, *, down: bool) -> Cell:
    climb = Climb(
        build=lambda angle: stairs(robot, RISE, angle, settings.friction, down=down),
        least=FLATTEST if down else FLATTEST_UP, most=STEEPEST,
        within=settings.coarser(math.radians(1.0)), steps=9 if down else 7,
    )  # fmt: skip
    postures = [rest_posture(robot)] if down else _postures(robot)
    return climb_cell(climb, robot, model, postures, PHASES[:1])


def _riser(robot: Robot, model: Model, settings: Settings) -> Cell:
    least, _, within = height_range(robot, settings)
    climb = Climb(
        build=lambda rise: stairs(robot, rise, STAIR_PITCH, settings.friction),
        least=least, most=0.4, within=2.0 * within, steps=8,
    )  # fmt: skip
    return climb_cell(climb, robot, model, _postures(robot), PHASES[:1])


def _stairs_friction(robot: Robot, model: Model, settings: Settings) -> Cell:
    """Return the least friction that climbs stairs, and what stops the robot below and above."""
    least, most, within = GRIPS
    climb = Climb(
        build=lambda friction: stairs(robot, RISE, STAIR_PITCH, friction),
        least=least, most=most, within=settings.coarser(within), steps=GRIP_STEPS,
    )  # fmt: skip
    best: tuple[Posture, Span] | None = None
    for posture in _postures(robot):
        span = climb.find_span(model, robot, posture[1])
        if span is not None and (best is None or span.passed < best[1].passed):
            best = posture, span
    if best is None:
        verdict = climb.judge(model, robot, rest_posture(robot)[1], most)
        reason = f"not possible: fails at every friction that is tried, {least:g} to {most:g}"
        return Cell(limit=verdict.limit, evidence=verdict.evidence, reason=reason)
    (words, angles), span = best
    verdict = Verdict(limit="none found", evidence="the least that was tried is enough")
    if span.failed_below is not None:
        verdict = climb.judge(model, robot, angles, span.failed_below)
    evidence = verdict.evidence
    if span.failed_above is not None:
        above = climb.judge(model, robot, angles, span.failed_above)
        ends = f"it climbs up to friction {span.highest:.2f}; from {span.failed_above:.2f} on it"
        evidence += f"; {ends} fails by {above.limit}: {above.evidence}"
    return Cell(
        value=span.passed, sign="" if span.failed_below is not None else "≤ ",
        limit=verdict.limit, evidence=evidence, words=words,
    )  # fmt: skip


_AT, _UP = "at 0.1 m/s, by halving", "at 0.1 m/s, in steps up to the first failure, then by halving"
ROWS = (
    Row(
        key="step_up", group=OBSTACLES, title="highest step up", unit="m",
        measure=partial(_step_up, raised=False),
        method=f"P4's attempt {_AT} within 2 mm (0.5 mm for robots under 0.4 m): the whole robot "
        "stands on the step, level; with grousers the median of four starts in one pitch",
    ),
    Row(
        key="step_up_raised", group=OBSTACLES, unit="m",
        title="highest step up, front flippers raised by 45°",
        measure=partial(_step_up, raised=True),
        method="as before, rear flippers level: the lower half of P4's Table IV",
    ),
    Row(
        key="step_down", group=OBSTACLES, title="highest step down", unit="m", measure=_step_down,
        method=f"driven off a ledge {_UP} within 5 mm (0.5 mm for robots under 0.4 m), "
        "flippers at rest: stands level below and has "
        "not rolled over",
    ),
    Row(
        key="gap", group=OBSTACLES, title="widest gap", unit="m", measure=_gap,
        method=f"between two level platforms {_UP} within 1 % of the robot's length; the better of "
        "flippers at rest and level",
    ),
    Row(
        key="stairs_up", group=OBSTACLES, title="steepest stairs up, rise 0.17 m", unit="°",
        factor=math.degrees(1.0), digits=0, measure=partial(_stairs, down=False),
        method=f"six risers of 0.17 m {_UP} within 1° between 25° and 60°; the better of flippers "
        "at rest and front ones raised by 45°",
    ),
    Row(
        key="riser", group=OBSTACLES, title="highest riser of stairs at 30°", unit="m",
        measure=_riser,
        method=f"six risers {_AT} within 4 mm (1 mm for robots under 0.4 m), up to 0.4 m; "
        "the better of both postures",
    ),
    Row(
        key="stairs_friction", group=OBSTACLES, unit="1", digits=2,
        title="least friction for stairs of 0.17 m at 30°", measure=_stairs_friction,
        method="six risers at 0.1 m/s, from friction 2.0 down in steps of 0.19 to the first that "
        "climbs, then by halving within 0.05 down to 0.1, and up to where it fails; the better of "
        "both postures; P1's demonstration world has 2.0",
    ),
    Row(
        key="stairs_down", group=OBSTACLES, title="steepest stairs down, rise 0.17 m", unit="°",
        factor=math.degrees(1.0), digits=0, measure=partial(_stairs, down=True),
        method=f"six risers of 0.17 m {_UP} within 1° between 15° and 60°, flippers at rest",
    ),
)  # fmt: skip
"""Rows on obstacles."""
