"""Planned drives: widths of intervals predicted and reached, and those of random drives.

`python -m benchmarks plan` takes three minutes.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from grouser.description import load_robot
from grouser.geometry import Array
from grouser.identify import FAMILIES, Family, KnownRobot, fit_family
from grouser.identify.manoeuvres import ACCELERATION_SHARE, BELT_PERIOD, Area, free_space
from grouser.identify.plan import Plan, PlanRequest, make_plan
from grouser.identify.plan_design import observe
from grouser.identify.record import Record
from grouser.identify.recovery import MAX_MANOEUVRE_TIME

CASES = (
    ("tp100", "5x5", "icr-drift"),
    ("absolem", "5x5", "icr-drift"),
    ("packbot510", "5x5", "icr-drift"),
    ("zhou-ugv", "15x15", "icr-drift"),
    ("absolem", "5x5", "slip"),
)
"""Robots, areas [m] and families."""
DURATION = 60.0
"""Time of each drive [s]."""
SEEDS = 20
LARGEST_OFFSET = 0.2
"""Largest offset of clocks [s]."""
TRIES = 40
"""Random manoeuvres that are tried, until one stays inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One parameter of one case."""

    robot: str
    area: str
    family: str
    parameter: str
    unit: str
    predicted: float
    """Width of the 95 % interval that the plan states [`unit`]."""
    reached: float
    """Mean width over all seeds [`unit`]."""
    random: float
    """The same for random drives in the same area, mean over the seeds that identified it
    [`unit`]."""
    covered: float
    """Share of planned drives whose interval holds the true value [1]."""
    random_identified: float
    """Share of random drives that identified the parameter [1]."""


def measure_plans(seeds: int = SEEDS) -> list[PlanRow]:
    """Return one line for each parameter of each case."""
    rows: list[PlanRow] = []
    for case in CASES:
        rows += measure_plan(*case, seeds)
    return rows


def measure_plan(robot: str, area: str, family: str, seeds: int) -> list[PlanRow]:
    """Plan a drive, drive it and random ones with random robots, and identify them."""
    known = load_robot(robot)
    request = PlanRequest(
        robot=known, area=Area.parse(area), duration=DURATION, families=(family,)
    )  # fmt: skip
    plan = make_plan(request)
    chosen, known_robot = FAMILIES[family], KnownRobot(gauge=known.gauge, robot=known)
    reached: dict[str, list[float]] = {one.name: [] for one in plan.expected[family]}
    at_random = {name: list[float]() for name in reached}
    covered = {name: list[bool]() for name in reached}
    for seed in range(seeds):
        generator = np.random.default_rng((1, seed))
        values = np.array(chosen.draw(known_robot, generator))
        offset = float(generator.uniform(-LARGEST_OFFSET, LARGEST_OFFSET))
        names = [p.name for p in chosen.parameters(known_robot, (plan.belts,))]
        truth = dict(zip(names, values.tolist(), strict=True)) | {"time_offset": offset}
        other = random_belts(plan, chosen, values, known_robot, generator)
        for belts, widths in ((plan.belts, reached), (other, at_random)):
            record = observe(chosen, values, known_robot, belts, plan.noise, generator, offset)
            fit = fit_family(chosen, (record,), known_robot, holds_out=False)
            for name, one in fit.parameters.items():
                widths[name].append(one.high - one.low)
                if widths is reached:
                    covered[name].append(one.low <= truth[name] <= one.high)
    return [
        PlanRow(
            robot=robot, area=area, family=family, parameter=one.name, unit=one.unit,
            predicted=one.width, reached=_mean(reached[one.name]),
            random=_mean(at_random[one.name]), covered=_mean(covered[one.name]),
            random_identified=len(at_random[one.name]) / seeds,
        )
        for one in plan.expected[family]
    ]  # fmt: skip


def _mean(numbers: list[float] | list[bool]) -> float:
    return float(np.mean(numbers)) if numbers else float("nan")


def random_belts(
    plan: Plan, family: Family, values: Array, known_robot: KnownRobot, generator: Generator
) -> Record:
    """Return random straights, arcs and turns, as in the recovery test, in the area of a plan.

    The robot that drives them is known, and stays as far from the border as in the plan. Its start
    is the middle of the area, and its belts have the same limits.
    """
    robot = plan.request.robot
    space = free_space(robot, plan.request.area)
    size = np.array([space.x[1] - space.x[0], space.y[1] - space.y[0]])
    steps: list[tuple[int, float, float]] = []
    total, whole = 0, plan.belts.time.size
    rate = ACCELERATION_SHARE * robot.drive.acceleration_limit
    stop = (int(np.ceil(plan.fastest / rate / BELT_PERIOD)), 0.0, 0.0)
    while total < whole:
        for _ in range(TRIES):
            step = _random_step(generator, plan.fastest)
            belts = _join(plan.belts, [*steps, step, stop], rate, whole)  # it can still stop
            path = family.predict(values[None], belts, known_robot)
            if np.all(np.abs([path.x, path.y]).max(axis=(1, 2)) <= 0.5 * size):
                break
        else:
            step = stop
        steps.append(step)
        total += step[0]
    return _join(plan.belts, steps, rate, whole)


def _random_step(generator: Generator, fastest: float) -> tuple[int, float, float]:
    """Return number of periods and belt speeds of one random manoeuvre."""
    each = min(DURATION / 45, MAX_MANOEUVRE_TIME)
    count = round(generator.uniform(0.5, 1.5) * each / BELT_PERIOD)
    speed = generator.uniform(0.3, 1.0) * fastest * generator.choice([1.0, 1.0, 1.0, -1.0])
    slower = speed * generator.uniform(0.1, 0.85)
    pairs = ((speed, speed), (-speed, speed), (slower, speed), (speed, slower))
    return count, *pairs[int(generator.integers(4))]


def _join(like: Record, steps: list[tuple[int, float, float]], rate: float, whole: int) -> Record:
    """Return belts that follow the steps as fast as a rate allows [m/s^2]."""
    sides, at = np.zeros((2, whole)), 1
    for count, *goals in steps:
        end = min(at + count, whole)
        change = BELT_PERIOD * rate * np.arange(1, end - at + 1)
        for side, goal in zip(sides, goals, strict=True):
            gap = goal - side[at - 1]
            side[at:end] = side[at - 1] + np.sign(gap) * np.minimum(change, abs(gap))
        at = end
    return replace(like, left=sides[0], right=sides[1])
