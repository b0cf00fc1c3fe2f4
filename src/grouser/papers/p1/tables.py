"""Tables I and II of P1: as printed, and ours."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from grouser.papers.p1.comparison import P1Result
from grouser.papers.p1.reference import SYNTHETIC
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS


class Printed(NamedTuple):
    """A cell of Table I: mean and standard deviation over ten runs."""

    mean: float
    spread: float


@cache
def table_1() -> dict[tuple[str, str], dict[str, Printed]]:
    """Return Table I: by scenario and metric, as printed, the cell of each model."""
    table: dict[tuple[str, str], dict[str, Printed]] = {}
    for row in _read("table1.csv"):
        names = [key.removesuffix("_mean") for key in row if key.endswith("_mean")]
        table[row["scenario"], row["metric"]] = {
            name: Printed(float(row[f"{name}_mean"]), float(row[f"{name}_std"])) for name in names
        }
    return table


@cache
def table_2() -> dict[str, dict[str, bool]]:
    """Return Table II: by property, whether each family of models has it."""
    return {
        row["property"]: {name: row[name] == "1" for name in row if name != "property"}
        for row in _read("table2.csv")
    }


def _read(name: str) -> list[dict[str, str]]:
    text = (files("grouser.papers.p1") / "data" / name).read_text()
    return list(csv.DictReader(text.splitlines()))


CPU_TIME = ("CPU time", "time")
ABSOLUTE_ROWS = (
    ("Straight", "d_t"), ("Rotate", "d_omega"), ("Back&forth", "d_st"), ("Stand on st.", "d_st"),
    ("Stand on st.", "d_omega"),
)  # fmt: skip
"""Rows that have targets, so that no recording of the real robot is needed; the first two are of
the scenarios that the search sees."""
PRINTED_ORDER = ("Straight", "Rotate", "Circular", "Back&forth", "Ramp", "Staircase",
                 "Stand on st.", "Pallet")  # fmt: skip
UNITS = {"d_t": "m", "d_st": "m", "sum_d_t": "m", "d_omega": "rad", "sum_d_omega": "rad",
         "time": "s"}  # fmt: skip


def name_cell(scenario: str, metric: str, name: str) -> str:
    """Return what a cell of Table I is called, by its row and P1's name of the model."""
    row = "processor time" if (scenario, metric) == CPU_TIME else f"{scenario} {metric}"
    return f"{row}, {name}"


FLAT_ERROR, STAND_ERROR, ROUGH_ERROR = 0.2, 0.05, 0.5
"""What Table II calls plausible is not printed. Here: on flat ground, `straight` and `back and
forth` end within the first of their targets; on rough terrain, the robot stands on the stairs
within the second, and is on average within the third of the reference on ramp, stairs and
pallet [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of Table I."""

    scenario: str
    """As P1 prints it."""
    metric: str
    """Name of the metric."""
    unit: str
    """Its unit."""
    ours: dict[str, Printed]
    """Mean and spread by model."""
    theirs: dict[str, Printed]
    """As printed."""


def make_table_1(results: Iterable[P1Result]) -> list[Row]:
    """Return Table I over the scenarios and models that were driven."""
    kept = list(results)
    titles = {scenario.title: scenario for scenario in SCENARIOS}
    rows = []
    for (title, metric), theirs in table_1().items():
        if (title, metric) == CPU_TIME:
            continue
        found = [o for o in kept if o.scenario == titles[title].name]
        ours = _summarise({name: [o.metrics[metric] for o in found if o.model == name]
                           for name in P1_MODELS})  # fmt: skip
        if ours:
            row = Row(scenario=title, metric=metric, unit=UNITS[metric], ours=ours, theirs=theirs)
            rows.append(row)
    rows.sort(key=lambda row: PRINTED_ORDER.index(row.scenario))
    times = _times(kept)
    if times:
        theirs = table_1()[CPU_TIME]
        scenario, metric = CPU_TIME
        rows.append(Row(scenario=scenario, metric=metric, unit="s", ours=times, theirs=theirs))
    return rows


def make_table_2(results: Iterable[P1Result]) -> list[tuple[str, dict[str, bool], dict[str, bool]]]:
    """Return Table II for models that drove all scenarios: property, ours, and P1's by family.

    Speed is real time or more. The last three rows are what the models describe, not measured.
    """
    kept = list(results)
    whole = _times(kept)
    judged = {name: _judge(name, kept, whole[name].mean) for name in whole}
    return [
        (words, {name: judged[name][words] for name in judged}, theirs)
        for words, theirs in table_2().items()
    ]


def is_synthetic(results: Iterable[P1Result]) -> bool:
    """Return whether any result was measured against a stand-in."""
    return any(result.reference == SYNTHETIC for result in results)


def format_markdown(rows: Sequence[Row], *, synthetic: bool) -> str:
    """Return Table I as a page: ours, and P1's in brackets."""
    names = list(rows[0].ours) if rows else []
    lines = ["| scenario | metric | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for row in rows:
        cells = [
            f"{_cell(row.ours[n])} ({_cell(row.theirs[n])})" if n in row.ours else "" for n in names
        ]
        lines.append(f"| {row.scenario} | {row.metric} [{row.unit}] | " + " | ".join(cells) + " |")
    note = "Ours: mean ± standard deviation; in brackets P1, Table I."
    if synthetic:
        note += f" Sums are against a {SYNTHETIC}."
    return "\n".join([*lines, "", note, ""])


def format_properties(
    properties: Sequence[tuple[str, dict[str, bool], dict[str, bool]]],
) -> str:
    """Return Table II as a page: ours, and P1's in brackets."""
    names = list(properties[0][1]) if properties else []
    lines = ["| property | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for words, ours, theirs in properties:
        cells = [f"{_yes(ours[n])} ({_yes(theirs[P1_MODELS[n].family])})" for n in names]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    note = (
        f"Ours, and in brackets P1, Table II. Speed: real time or more. Flat: straight and back "
        f"and forth end within {FLAT_ERROR:g} m. Rough: stands on stairs within {STAND_ERROR:g} "
        f"m, and is within {ROUGH_ERROR:g} m of the reference on average on ramp, stairs and "
        "pallet. The other rows are what models describe. Models that drove all scenarios."
    )
    return "\n".join([*lines, "", note, ""])


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _cell(cell: Printed) -> str:
    digits = 1 if cell.mean >= 10.0 else 2
    return f"{cell.mean:.{digits}f} ± {cell.spread:.{digits}f}"


def _summarise(samples: dict[str, list[float]]) -> dict[str, Printed]:
    return {
        name: Printed(float(np.mean(values)), float(np.std(values)))
        for name, values in samples.items()
        if values
    }


def _times(results: list[P1Result]) -> dict[str, Printed]:
    """Return the processor time of whole runs, of models that drove all scenarios [s]."""
    sums: dict[str, dict[int, list[float]]] = {}
    for result in results:
        sums.setdefault(result.model, {}).setdefault(result.run, []).append(result.seconds)
    whole = {
        name: [sum(times) for times in runs.values() if len(times) == len(SCENARIOS)]
        for name, runs in sums.items()
    }
    return _summarise(whole)


def _judge(name: str, results: list[P1Result], seconds: float) -> dict[str, bool]:
    def mean(scenario: str, metric: str) -> float:
        own = (o for o in results if (o.model, o.scenario) == (name, scenario))
        return float(np.mean([o.metrics[metric] for o in own]))

    family = P1_MODELS[name].family
    flat = max(mean("straight", "d_t"), mean("back-and-forth", "d_st"))
    rough = [mean(scenario, "mean_d_t") for scenario in ("ramp", "staircase", "pallet")]
    return {
        "Computation speed": seconds <= sum(scenario.duration for scenario in SCENARIOS),
        "Plausibility on flat surfaces": flat <= FLAT_ERROR,
        "Plausibility on rough terrain": max(rough) <= ROUGH_ERROR
        and mean("stand", "d_st") <= STAND_ERROR,
        "Non-deformable tracks": True,
        "Deformable tracks": False,
        "Grousers": family == "plates",
    }
