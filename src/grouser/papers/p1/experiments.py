"""Experiments of P1: eight models in eight scenarios, on pallet and stairs, and in MuJoCo."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from grouser.errors import NotFinite
from grouser.papers.p1.cells import describe_model, measure_cells
from grouser.papers.p1.comparison import P1Result, draw_scenario, drive_model
from grouser.papers.p1.obstacles import (
    COARSE_FRICTIONS,
    Sweep,
    draw_sweeps,
    sweep_pallet,
    sweep_stairs,
)
from grouser.papers.p1.scenarios import (
    EFFICIENCY,
    GRIPPING,
    P1_MODELS,
    SCENARIOS,
    STEP,
    P1Model,
    P1Scenario,
    tuned_values,
)
from grouser.papers.p1.steering import draw_turnings, find_turning
from grouser.papers.p1.tables import CPU_TIME, name_cell
from grouser.papers.paper import Findings
from grouser.papers.variation import Variation
from grouser.report import Panel

FAST = ("csm", "4wheels", "8wheels", "no_friction")
"""Models on our own engine."""
SHORT_PLATES, LONG_PLATES = ("plates2", "plates2g"), ("plates10", "plates10g")
REPEATS = 3
"""Drives of a fast model, of whose processor times the least counts [1]."""
LOST = 1000.0
"""Every metric of a drive whose numbers are no longer finite [m], [rad]."""
FEW_STARTS = 3
"""Starts for each friction, of models that take seconds for a drive [1]."""
MUJOCO = {
    "csm": "csm", "4wheels": "wheels:count=4", "8wheels": "wheels:count=8",
    "no_friction": "frictionless",
}  # fmt: skip
"""Models that MuJoCo computes for a second opinion, at the step of plates."""


def searched_values(name: str) -> dict[str, float]:
    """Return the values that a model drives with [1]."""
    return P1_MODELS[name].start | tuned_values().get(name, {})


def drive_column(name: str, variation: Variation) -> Findings:
    """Return Table I's column of a model, and how it turns on the circle."""
    model, values = P1_MODELS[name], searched_values(name)
    results: list[P1Result] = []
    panels: list[Panel] = []
    for scenario in SCENARIOS:
        try:
            drives = [
                drive_model(model, scenario, values, variation=variation)
                for _ in range(REPEATS if name in FAST else 1)
            ]
        except NotFinite:
            results.append(_lose(name, scenario))
            continue
        result, drive, reference = min(drives, key=lambda found: found[0].seconds)
        results.append(result)
        panels.append(draw_scenario(scenario, name, drive, reference))
    found = measure_cells(name, results) | describe_model(name)
    (straight,) = (r for r in results if r.scenario == "straight")
    found[name_bump(name)] = straight.metrics["bump"]
    found[name_flat(name)] = _time_on_flat(results)
    turning = find_turning(model, values, variation)
    if turning is not None:
        found[name_turn(name)] = turning.ratio
    return Findings(values=found, panels=tuple(panels))


def _lose(name: str, scenario: P1Scenario) -> P1Result:
    """Return the result of a drive whose numbers are no longer finite: as bad as can be."""
    names: list[str] = [*scenario.metrics, "d_yaw", "reach", "bump"]
    metrics: dict[str, float] = {key: LOST for key in names}
    return P1Result(
        model=name, scenario=scenario.name, run=0, metrics=metrics, seconds=0.0, reference=""
    )


def name_bump(name: str) -> str:
    """Return what the unevenness of a model on flat ground is called."""
    return f"vertical speed on flat ground, {name}"


def name_flat(name: str) -> str:
    """Return what the processor time on flat ground, where all plates have one step, is called."""
    return f"processor time on flat ground, {name}"


def _time_on_flat(results: Iterable[P1Result]) -> float:
    """Return the processor time of the four scenarios on flat ground [s]."""
    flat = {s.name for s in SCENARIOS if s.scenario.course.name == "flat"}
    return math.fsum(result.seconds for result in results if result.scenario in flat)


def name_turn(name: str) -> str:
    """Return what the angle on the circle of a model is called."""
    return f"turn on the circle over its command, {name}"


def draw_vectors(variation: Variation) -> Findings:
    """Return how `csm` turns on the circle with random parameters, and without P1's law."""
    ratios = [turning.ratio for turning in draw_turnings(P1_MODELS["csm"], variation)]
    key, exact = name_turn("csm, random parameters"), name_turn("csm, Coulomb friction")
    low, middle, high = (float(q) for q in np.quantile(ratios, (0.05, 0.5, 0.95)))
    values = searched_values("csm")
    values.pop(EFFICIENCY.name)
    coulomb = find_turning(replace(P1_MODELS["csm"], parameters=GRIPPING), values, variation)
    found = {key: middle} | ({} if coulomb is None else {exact: coulomb.ratio})
    return Findings(values=found, intervals={key: (low, high)})


def name_share(what: str, name: str) -> str:
    """Return what the share of good outcomes on an obstacle is called."""
    return f"share that {what}, {name}"


def name_least(name: str) -> str:
    """Return what the least friction that stands on the stairs is called."""
    return f"least friction that stands, {name}"


def cross_pallet(variation: Variation) -> Findings:
    """Return how often the models on our own engine cross the pallet."""
    sweeps = {
        name: sweep_pallet(P1_MODELS[name], searched_values(name), variation=variation)
        for name in FAST
    }
    found = _compare_shares("crosses the pallet", sweeps, "")
    last = {name_crossing(name): float(sweeps[name].shares[-1]) for name in ("csm", "no_friction")}
    return _merge(found, Findings(values=last))


def name_crossing(name: str) -> str:
    """Return what the share of starts is called that crosses with the authors' friction, 2.0."""
    return f"share that crosses the pallet at friction 2.0, {name}"


def stand_on_stairs(variation: Variation) -> Findings:
    """Return with which friction the models on our own engine stand on the stairs."""
    sweeps = {
        name: sweep_stairs(P1_MODELS[name], searched_values(name), variation=variation)
        for name in FAST
    }
    return _compare_least(sweeps, "")


def compare_grousers(variation: Variation) -> Findings:
    """Return how often plates cross the pallet, with and without grousers; 10 cm ones stand, too.

    Plates of 2 cm, of which a drive takes 20 s, have one start for each friction.
    """
    parts = []
    for (plain, ribbed), starts in ((LONG_PLATES, FEW_STARTS), (SHORT_PLATES, 1)):
        crossed = {
            name: sweep_pallet(
                P1_MODELS[name], searched_values(name), COARSE_FRICTIONS, starts, variation
            )
            for name in (plain, ribbed)
        }
        parts.append(_compare_shares("crosses the pallet", crossed, "", than=ribbed))
    stood = {
        name: sweep_stairs(
            P1_MODELS[name], searched_values(name), COARSE_FRICTIONS, FEW_STARTS, variation
        )
        for name in LONG_PLATES
    }
    return _merge(*parts, _compare_least(stood, "", than="plates10g"))


def ask_mujoco(variation: Variation) -> Findings:
    """Return what the models on our own engine do in MuJoCo, with its friction."""
    found = Findings(values={})
    crossed: dict[str, Sweep] = {}
    stood: dict[str, Sweep] = {}
    for name, reference in MUJOCO.items():
        engine = f"engine=mujoco,{STEP}"
        joined = f"{reference}{',' if ':' in reference else ':'}{engine}"
        model = replace(P1_MODELS[name], reference=joined)
        values = {k: v for k, v in searched_values(name).items() if k != EFFICIENCY.name}
        column = _drive_absolute(model, values, variation)
        found = _merge(found, Findings(values=column))
        if name != "no_friction":
            settings = COARSE_FRICTIONS, FEW_STARTS, variation
            crossed[name] = sweep_pallet(model, values, *settings)
            stood[name] = sweep_stairs(model, values, *settings)
    shares = _compare_shares("crosses the pallet", crossed, ", MuJoCo")
    return _merge(found, shares, _compare_least(stood, ", MuJoCo"))


def _drive_absolute(
    model: P1Model, values: dict[str, float], variation: Variation
) -> dict[str, float]:
    results = [drive_model(model, s, values, variation=variation)[0] for s in SCENARIOS]
    cells = measure_cells(model.name, results)
    cells[name_flat(model.name)] = _time_on_flat(results)
    turning = find_turning(model, values, variation)
    if turning is not None:
        cells[name_turn(model.name)] = turning.ratio
    return {f"{key}, MuJoCo": number for key, number in cells.items() if " sum_" not in key}


def _compare_shares(
    what: str, sweeps: Mapping[str, Sweep], suffix: str, than: str = "csm"
) -> Findings:
    """Return shares over all frictions, and which models have less than another one."""
    values, intervals = {}, {}
    for name, sweep in sweeps.items():
        key = name_share(what, name) + suffix
        if math.isfinite(sweep.share):
            values[key], intervals[key] = sweep.share, sweep.interval
        if name != than:
            less = float(sweep.does_worse_than(sweeps[than]))
            values[f"{name} {what} less often than {than}{suffix}"] = less
    title = f"Who {what}? Shares of starts{suffix}"
    panel = draw_sweeps(f"pallet{'-mujoco' if suffix else ''}", title, "share [1]", sweeps)
    return Findings(values=values, intervals=intervals, panels=(panel,))


def _compare_least(sweeps: Mapping[str, Sweep], suffix: str, than: str = "csm") -> Findings:
    """Return the least friction that stands, and which models need more than another one."""
    values = {}
    for name, sweep in sweeps.items():
        if math.isfinite(sweep.least):
            values[name_least(name) + suffix] = sweep.least
        if name != than:
            more = float(sweep.least > sweeps[than].least)
            values[f"{name} needs more friction to stand than {than}{suffix}"] = more
    title = f"Who stands on the stairs? Shares of starts{suffix}"
    panel = draw_sweeps(f"stairs{'-mujoco' if suffix else ''}", title, "share [1]", sweeps)
    return Findings(values=values, panels=(panel,))


def _merge(*parts: Findings) -> Findings:
    return Findings(
        values={k: v for part in parts for k, v in part.values.items()},
        intervals={k: v for part in parts for k, v in part.intervals.items()},
        panels=tuple(panel for part in parts for panel in part.panels),
    )


BUMPY = 2.0
"""How many times the vertical speed of 2 cm plates those of 10 cm have if they are bumpy [1]."""


def name_cost(name: str) -> str:
    """Return what the cost of a model of plates is called."""
    return f"log10 of processor time over that of csm, {name}, both in MuJoCo"


def compare_models(values: Mapping[str, float]) -> dict[str, float]:
    """Return which models are faster, and how uneven plates are, of those that were driven."""
    found = {}
    times = {name: values.get(name_cell(*CPU_TIME, name)) for name in P1_MODELS}
    fast = {name: times[name] for name in FAST}
    for faster, slower in FASTER:
        one, other = fast[faster], fast[slower]
        if one is not None and other is not None:
            found[f"{faster} is faster than {slower}"] = float(one < other)
    base = values.get(f"{name_flat('csm')}, MuJoCo")
    for name in (*LONG_PLATES, *SHORT_PLATES):
        time = values.get(name_flat(name))
        if time is not None and base is not None:
            found[name_cost(name)] = math.log10(time / base)
    bumps = [values.get(name_bump(name)) for name in ("plates10", "plates2")]
    if bumps[0] is not None and bumps[1] is not None:
        found["10 cm plates are bumpy, 2 cm plates are not"] = float(bumps[0] > BUMPY * bumps[1])
    return found


FASTER = (("no_friction", "csm"), ("csm", "4wheels"), ("csm", "8wheels"))
"""Pairs of models on our own engine whose first one is faster in Table I: `csm` is second."""
