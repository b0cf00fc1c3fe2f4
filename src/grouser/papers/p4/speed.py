"""PackBot's speed benchmark: P4 section IV.A and Table II."""

from collections.abc import Iterable, Mapping

import numpy as np

from grouser.bench import time_drive
from grouser.description import load_course, load_robot
from grouser.models import command_sides, make_model, start_model
from grouser.papers.p1.tables import CPU_TIME, table_1
from grouser.papers.p4.tables import read_factors
from grouser.papers.paper import Findings, draw_stems
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel
from grouser.report.colours import REFERENCE, line_colour

PACKBOT_SPEED, PACKBOT_TICK = 0.3, 0.1
"""Speed of the belts, P4 section IV.A [m/s], and how long one command holds [s]."""
PACKBOT_DURATION, DRIVES = 1.0, 10
"""How long each drive takes [s], and number of drives: 10 s in all, as in P4 [1]."""
MODELS = {
    "proposed": "segments",
    "proposed_no_grousers": "segments:grousers=0",
    "4_wheels": "wheels:count=4",
    "13_wheels": "wheels:count=13",
    "constraint_to_ground": "csm",
}
"""Our models by P4's names in Table II."""

SHORT = {
    "proposed": "grousers",
    "proposed_no_grousers": "no\ngrousers",
    "4_wheels": "4 wheels",
    "13_wheels": "13 wheels",
    "constraint_to_ground": "constraint\nto ground",
}
"""Names of Table II in figures."""


def measure_factors(
    references: Iterable[str], variation: Variation = AS_STATED, drives: int = DRIVES
) -> dict[str, list[float]]:
    """Return the real-time factors of each model in turn: simulated over processor time [1]."""
    robot = variation.vary_robot(load_robot("packbot510"))
    course = variation.vary_course(load_course("flat"))
    plants = {ref: start_model(make_model(ref), robot, course) for ref in references}
    command = command_sides(robot, PACKBOT_SPEED, PACKBOT_SPEED)
    factors: dict[str, list[float]] = {reference: [] for reference in plants}
    for _ in range(drives):
        for reference, plant in plants.items():
            taken = time_drive(plant, command, PACKBOT_DURATION, tick=PACKBOT_TICK)
            factors[reference].append(PACKBOT_DURATION / taken)
    return factors


GROUSERS = ("proposed_no_grousers", "proposed")
"""The pair of Table II that differs in grousers only: its ratio is `COST`."""


def ranks() -> list[tuple[str, str]]:
    """Return the models of Table II in pairs: each, and the next slower one; without `GROUSERS`."""
    ordered = sorted(read_factors().items(), key=lambda item: -item[1])
    names = [name for name, _ in ordered]
    return [pair for pair in zip(names, names[1:], strict=False) if pair != GROUSERS]


def name_ratio(faster: str, slower: str) -> str:
    """Return what a ratio of two speeds is called."""
    return f"speed of {faster} over {slower}"


COST = "cost of grousers: speed without over with"


def compare_speed(variation: Variation = AS_STATED) -> Findings:
    """Return real-time factors of Table II's models, and their ratios drive by drive."""
    found = measure_factors(MODELS.values(), variation)
    ours = {name: np.array(found[reference]) for name, reference in MODELS.items()}
    ratios = {name_ratio(*pair): ours[pair[0]] / ours[pair[1]] for pair in ranks()}
    ratios[COST] = ours[GROUSERS[0]] / ours[GROUSERS[1]]
    theirs, times = read_factors(), table_1()[CPU_TIME]
    medians = {name: float(np.median(factors)) for name, factors in ours.items()}
    values = {f"factor of {name}": factor for name, factor in medians.items()}
    values |= {key: float(np.median(ratio)) for key, ratio in ratios.items()}
    values["factor of segments with grousers, at least 1"] = medians["proposed"]
    values["factor of constraint_to_ground by P1's times"] = (
        theirs["4_wheels"] * times["4wheels"].mean / times["csm"].mean
    )
    intervals = {
        key: (float(np.quantile(ratio, 0.05)), float(np.quantile(ratio, 0.95)))
        for key, ratio in ratios.items()
    }
    panels = (_draw_factors(medians, theirs), _draw_ratios(values))
    return Findings(values=values, intervals=intervals, panels=panels)


def _draw_factors(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Panel:
    """Return each model's speed over that of segments with grousers."""
    names = [SHORT[name] for name in ours]
    groups = {
        "ours": ([factor / ours["proposed"] for factor in ours.values()], line_colour(0)),
        "P4": ([theirs[name] / theirs["proposed"] for name in ours], REFERENCE),
    }
    title = "PackBot, Table II: speed over that of P4's method"
    return draw_stems("factors", title, "ratio of real-time factors [1]", names, groups)


def _draw_ratios(values: Mapping[str, float]) -> Panel:
    theirs = read_factors()
    names = [f"{SHORT[faster]}\n/ {SHORT[slower]}" for faster, slower in ranks()]
    groups = {
        "ours": ([values[name_ratio(*pair)] for pair in ranks()], line_colour(0)),
        "P4": ([theirs[faster] / theirs[slower] for faster, slower in ranks()], REFERENCE),
    }
    title = "Order of Table II: faster over slower; 1 is a tie"
    return draw_stems("order", title, "ratio of real-time factors [1]", names, groups)
