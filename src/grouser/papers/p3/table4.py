"""P3's Table 4 against populations of robots: for whom the largest errors are where P3 has them.

Statistics are over the whole record of 45 s [A]. A robot that leaves the treadmill in any
manoeuvre is left out: P3's finished all seven.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.models.planar.constants import Constants
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_many
from grouser.papers.p3.motor_maps import find_maps, stays, varied_tankbot
from grouser.papers.p3.response import STATES, STATISTICS
from grouser.papers.p3.shares import Estimates, mean_of, middle_of, share_of
from grouser.papers.p3.stand_ins import HYPOTHESES, Hypothesis
from grouser.papers.variation import Variation

ROWS = tuple((state, statistic) for state in STATES for statistic in STATISTICS)
"""Rows of Table 4: state and statistic."""
FACTORS = np.array([factor for _, _, factor in STATES.values()])
"""From SI units to those of Table 4, by state."""
STATE_COLUMNS = (0, 3, 1, 4, 2, 5)
"""Columns of a history that hold x, dx/dt, y, dy/dt, psi and omega."""
NAMES = tuple(MANOEUVRES)
"""Manoeuvres, in the order of the table."""
HARD = (NAMES.index("step-x"), NAMES.index("step-y-pitched"))
"""Manoeuvres with large longitudinal forces: those that P3 names as worst."""


def printed_statistics() -> dict[tuple[str, str], dict[str, float]]:
    """Return P3's Table 4: numbers by manoeuvre, for each state and statistic."""
    text = (files("grouser.papers.p3") / "data" / "table4.csv").read_text()
    return {
        (row["state"], row["statistic"]): {
            name: float(row[name.replace("-", "_")]) for name in MANOEUVRES
        }
        for row in csv.DictReader(text.splitlines())
    }


@cache
def printed_table() -> NDArray[np.float64]:
    """Return Table 4 as numbers by row and manoeuvre [unit as printed]."""
    return np.array([list(row.values()) for row in printed_statistics().values()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Errors of a model against robots of one hypothesis."""

    hypothesis: str
    """What the robots have different."""
    errors: NDArray[np.float64]
    """Table 4 of each robot, by robot, row and manoeuvre [unit as printed]."""
    stayed: NDArray[np.bool_]
    """Which robots stayed on the treadmill, of all that were drawn; the others have no errors."""

    @property
    def worst(self) -> NDArray[np.intp]:
        """Manoeuvre with the largest error, by robot and row."""
        return self.errors.argmax(axis=2)

    @property
    def as_printed(self) -> NDArray[np.bool_]:
        """Whether it is P3's, by robot and row."""
        return self.worst == printed_table().argmax(axis=1)

    @property
    def is_hard(self) -> NDArray[np.bool_]:
        """Whether it is one of `HARD`, by robot and row."""
        return np.isin(self.worst, HARD)

    @property
    def along(self) -> NDArray[np.float64]:
        """Share of the squared error of the place that lies along the belt, by robot [1]."""
        return share_along(self.errors)


def share_along(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share along the belt of a table's squared errors of x and y, all manoeuvres."""
    along, across = (
        np.sum(errors[..., ROWS.index((axis, "rms")), :] ** 2, axis=-1) for axis in ("x", "y")
    )
    return along / (along + across)


def follow_all(constants: Constants, count: int, delay: int = 0) -> list[NDArray[np.float64]]:
    """Return the histories of robots in each manoeuvre, in the order of Table 4."""
    gains = replace(PoseGains(), delay=delay)
    return [
        run_many(manoeuvre, gains, constants, count=count)[1] for manoeuvre in MANOEUVRES.values()
    ]


def compare(
    models: list[NDArray[np.float64]], robots: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return Table 4 of each pair of model and robot, by pair, row and manoeuvre."""
    tables = []
    for model, robot in zip(models, robots, strict=True):
        error = np.abs(model - robot)[:, :, STATE_COLUMNS] * FACTORS
        found = error.max(axis=1), error.mean(axis=1), np.sqrt(np.mean(error**2, axis=1))
        tables.append(np.stack(found, axis=2).reshape(len(error), len(ROWS)))
    return np.stack(tables, axis=2)


def draw_population(
    hypothesis: Hypothesis,
    model: Constants,
    histories: list[NDArray[np.float64]],
    count: int,
    seed: int,
) -> Population:
    """Return the errors of models, whose histories are given, against one robot each."""
    number = list(HYPOTHESES).index(hypothesis.name)
    robots = hypothesis.draw(model, count, np.random.default_rng((seed, 4, number)))
    driven = follow_all(robots, count, hypothesis.delay)
    kept = np.all([stays(history) for history in driven], axis=0)
    errors = compare(histories, driven)[kept]
    return Population(hypothesis=hypothesis.name, errors=errors, stayed=kept)


def draw_populations(count: int, variation: Variation) -> dict[str, Population]:
    """Return a population for each hypothesis, each robot with a motor map of its own."""
    maps, _ = find_maps(count, variation)
    count = int(np.size(maps.inertia))
    histories = follow_all(maps, count)
    return {
        name: draw_population(hypothesis, maps, histories, count, variation.seed)
        for name, hypothesis in HYPOTHESES.items()
    }


def draw_with_usual_map(count: int, variation: Variation) -> dict[str, Population]:
    """Return a population for each hypothesis, all with the motor map of the Tankbot's file."""
    usual = varied_tankbot(variation)
    one = follow_all(usual, 1)
    histories = [np.broadcast_to(history, (count, *history.shape[1:])) for history in one]
    return {
        name: draw_population(hypothesis, usual, histories, count, variation.seed)
        for name, hypothesis in HYPOTHESES.items()
    }


ALONG_ROWS = [k for k, row in enumerate(ROWS) if row[0] in ("x", "dx/dt") and row != ("x", "mean")]
"""Rows whose largest error P3 has in steps along: all of x and dx/dt but the mean of x."""
ACROSS_ROWS = [k for k, row in enumerate(ROWS) if row[0] not in ("x", "dx/dt")]
"""Rows whose largest error P3 has in steps across uphill: all of y, dy/dt, psi and omega."""


def score(populations: Mapping[str, Population], where: str = "") -> Estimates:
    """Return shares and their intervals, by what differs."""
    found: Estimates = {}
    for name, population in populations.items():
        of = f"{where}, robots differ in {name}" if where else f"robots differ in {name}"
        right = population.as_printed
        found |= {
            f"step-x is worst along, {of}": mean_of(right[:, ALONG_ROWS].mean(axis=1)),
            f"pitched is worst across, {of}": mean_of(right[:, ACROSS_ROWS].mean(axis=1)),
            f"rows with P3's worst, {of}": mean_of(right.mean(axis=1)),
            f"rows with step-x or pitched worst, {of}": mean_of(population.is_hard.mean(axis=1)),
            f"most rows with step-x or pitched worst, {of}": share_of(
                population.is_hard.mean(axis=1) > 0.5
            ),
            f"share of the error along the belt, {of}": middle_of(population.along),
            f"robots that stay on the treadmill, {of}": share_of(population.stayed),
        }
    suspected = populations["longitudinal curve"]
    single = [p for name, p in populations.items() if name != "all" and p is not suspected]
    suffix = f", {where}" if where else ""
    found |= {
        f"more by the longitudinal curve than by the lateral{suffix}": share_of(
            compare_hypotheses(suspected, populations["lateral curve"])
        ),
        f"more by the longitudinal curve than by any other{suffix}": share_of(
            compare_hypotheses(suspected, *single)
        ),
    }
    return found


def compare_hypotheses(one: Population, *others: Population) -> NDArray[np.bool_]:
    """Return for which models one robot has more rows of `HARD` than each of the other robots."""
    everyone = np.all([population.stayed for population in (one, *others)], axis=0)
    first, *rest = (
        population.is_hard.sum(axis=1)[everyone[population.stayed]] for population in (one, *others)
    )
    return np.all([first > hard for hard in rest], axis=0)
