"""Experiments of P3."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.laws.slope import GRAVITY
from grouser.laws.track_forces import magic_formula
from grouser.log import Column, Log
from grouser.models.planar.constants import Constants
from grouser.papers.p3.behaviour import clips, describe_maps, follow_maps
from grouser.papers.p3.figures import manoeuvre_panels, motion_panels, utilisation_panels
from grouser.papers.p3.hills import find_limits, score_hills
from grouser.papers.p3.identification import MASS, PRINTED, Identification, identify_tankbot
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_manoeuvre, tankbot_constants
from grouser.papers.p3.motor_maps import varied_tankbot
from grouser.papers.p3.population_figures import (
    draw_errors,
    draw_hills,
    draw_maps,
    draw_shares,
    draw_worst,
)
from grouser.papers.p3.response import measure_response
from grouser.papers.p3.shares import Estimates, find_intervals, find_values
from grouser.papers.p3.table4 import (
    NAMES,
    ROWS,
    Population,
    draw_populations,
    draw_with_usual_map,
    score,
)
from grouser.papers.paper import Experiment, Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel

EVERY = 5
"""Of how many samples one is drawn: 20 a second are left."""
MANY, FEW = 60, 12
"""Motor maps, and robots of each hypothesis; few of them in quick runs [1]."""


def follow_manoeuvres(variation: Variation = AS_STATED) -> Findings:
    """Return responses of the seven manoeuvres with the usual motor map, and P3's figures."""
    constants = varied_tankbot(variation)
    logs = {
        name: run_manoeuvre(manoeuvre, None, constants) for name, manoeuvre in MANOEUVRES.items()
    }
    responses = {
        name: measure_response(log, MANOEUVRES[name], float(constants.shift))
        for name, log in logs.items()
    }
    values = {
        f"{key} of {name}": float(value)
        for name, response in responses.items()
        for key, value in response.items()
        if value is not None
    }
    values["largest overshoot"] = max(v for k, v in values.items() if "overshoot" in k)
    values["frequency after a step along"] = values["x_f_from_successive_peaks_Hz of step-x"]
    values["frequency after a step across"] = values["y_f_from_first_peak_Hz of step-y"]
    straight = max(values["y_peak_to_peak of sine-x"], values["psi_max_deg of sine-x"])
    values["sine along the belt moves neither y nor heading"] = float(straight < 1e-3)
    alone = PoseGains().without("yaw_p", "yaw_d")
    turned = run_manoeuvre(MANOEUVRES["step-y"], alone, constants)["yaw"]
    values["without control of the heading it is lost"] = float(np.abs(turned).max() > 0.5 * np.pi)
    return Findings(values=values | _forces(tankbot_constants()), panels=_draw(logs, constants))


def _forces(c: Constants) -> dict[str, float]:
    force = magic_formula(1.0, c.track_stiffness, c.track_shape, c.track_limit, c.track_curvature)
    return {
        "force at full slip": float(force),
        "sliding force of a track": 0.5 * PRINTED["mu"] * MASS * GRAVITY,
    }


def _draw(logs: Mapping[str, Log], constants: Constants) -> tuple[Panel, ...]:
    drawn = {name: _thin(log) for name, log in logs.items()}
    across = {name: log for name, log in drawn.items() if name.startswith("step-y")}
    panels = [p for name in MANOEUVRES for p in motion_panels(name, drawn[name])]
    panels += [
        replace(panel, title=f"step-y: {panel.title.lower()}")
        for panel in manoeuvre_panels({"step-y": drawn["step-y"]}, constants)[3:6]
    ]
    return (*panels, *utilisation_panels(across, constants))


def _thin(log: Log) -> Log:
    return Log({name: Column(log[name][::EVERY], log.unit(name)) for name in log.names})


def identify_again(variation: Variation = AS_STATED) -> Findings:
    """Return the parameters that noisy experiments on the virtual treadmill give."""
    found = identify_tankbot(variation.seed).parameters
    return Findings(values={name: estimate.value for name, estimate in found.items()})


def _found(estimates: Estimates, *panels: Panel, **more: float) -> Findings:
    return Findings(
        values=find_values(estimates) | more, panels=panels, intervals=find_intervals(estimates)
    )


def _error_values(population: Population) -> dict[str, float]:
    """Return the median error of each state, statistic and manoeuvre, by keys of claims."""
    middle = np.median(population.errors, axis=0)
    return {
        f"{statistic} error of {state}, {name}": float(middle[row, column])
        for row, (state, statistic) in enumerate(ROWS)
        for column, name in enumerate(NAMES)
    }


def compare_stand_ins(variation: Variation = AS_STATED) -> Findings:
    """Return for which share of robots the largest errors are where P3 has them."""
    populations = draw_populations(MANY, variation)
    found = score(populations)
    title = f"Rows of Table 4 with P3's order, for {MANY} motor maps"
    return _found(
        found, draw_shares(found, "orders", title), draw_worst(populations["all"]),
        draw_errors(populations["all"]), **_error_values(populations["all"]),
    )  # fmt: skip


def compare_few_stand_ins(variation: Variation = AS_STATED) -> Findings:
    """Return the same for few robots."""
    populations = draw_populations(FEW, variation)
    return _found(score(populations), **_error_values(populations["all"]))


def compare_with_usual_map(variation: Variation = AS_STATED) -> Findings:
    """Return the same for robots with the motor map of the Tankbot's file."""
    found = score(draw_with_usual_map(MANY, variation), "usual map")
    title = "Rows of Table 4 with P3's order, for the motor map of tankbot.toml"
    return _found(found, draw_shares(found, "orders-usual-map", title, "usual map, "))


def describe_many_maps(variation: Variation = AS_STATED) -> Findings:
    """Return what P3 says of motions, slips and forces, as shares of motor maps."""
    maps, runs = follow_maps(MANY, variation)
    return _found(describe_maps(maps, runs), draw_maps(maps, clips(runs["step-y-rolled"])))


def describe_few_maps(variation: Variation = AS_STATED) -> Findings:
    """Return the same for few motor maps."""
    return _found(describe_maps(*follow_maps(FEW, variation)))


def climb_hills(variation: Variation = AS_STATED) -> Findings:
    """Return the steepest slopes that robots climb directly and indirectly."""
    limits = find_limits(MANY, variation)
    return _found(score_hills(limits), draw_hills(limits))


def climb_few_hills(variation: Variation = AS_STATED) -> Findings:
    """Return the same for few robots."""
    return _found(score_hills(find_limits(FEW, variation)))


def _experiment(
    name: str, title: str, run: Callable[[Variation], Findings], seconds: float, quick: bool
) -> Experiment:
    return Experiment(
        paper="P3", name=name, title=title, run=run, seconds=seconds, is_quick=quick,
        depends_on=("friction", "mass", "seed"),
    )  # fmt: skip


EXPERIMENTS = (
    Experiment(
        paper="P3", name="manoeuvres", title="seven manoeuvres", run=follow_manoeuvres,
        depends_on=("friction", "mass"), seconds=6.0,
    ),
    Experiment(
        paper="P3", name="identification", title="identification", run=identify_again,
        depends_on=("seed",), seconds=3.0,
    ),
    # Those of many robots come later, and their numbers replace those of few.
    _experiment("few-stand-ins", "Table 4, few robots", compare_few_stand_ins, 12.0, True),
    _experiment("few-maps", "motions, few motor maps", describe_few_maps, 8.0, True),
    _experiment("few-hills", "hills, few robots", climb_few_hills, 8.0, True),
    _experiment("stand-ins", "Table 4 by hypothesis", compare_stand_ins, 55.0, False),
    _experiment("usual-map", "Table 4, usual motor map", compare_with_usual_map, 45.0, False),
    _experiment("maps", "motions over motor maps", describe_many_maps, 30.0, False),
    _experiment("hills", "hills, direct and indirect", climb_hills, 35.0, False),
)  # fmt: skip
"""The experiments of P3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TankbotResults:
    """The results of `grouser paper p3`."""

    logs: Mapping[str, Log]
    """The manoeuvres by name."""
    responses: Mapping[str, Mapping[str, float | None]]
    """Overshoots, frequencies and the rest of each manoeuvre [unit as the names spell]."""
    errors: NDArray[np.float64]
    """Table 4 of the model against robots that differ in all, their median [unit as printed]."""
    orders: Estimates
    """Shares of rows of Table 4 with P3's order, by hypothesis [1]."""
    identification: Identification
    """Results of the identification experiments."""


def reproduce_tankbot(
    seed: int = 0, on_progress: Callable[[str], None] = lambda words: None
) -> TankbotResults:
    """Run the manoeuvres, few stand-ins and the identification with the usual motor map."""
    shift = float(tankbot_constants().shift)
    logs: dict[str, Log] = {}
    for name, manoeuvre in MANOEUVRES.items():
        on_progress(name)
        logs[name] = run_manoeuvre(manoeuvre)
    on_progress("stand-ins")
    populations = draw_with_usual_map(FEW, Variation(seed=seed))
    on_progress("identification")
    return TankbotResults(
        logs=logs,
        responses={n: measure_response(log, MANOEUVRES[n], shift) for n, log in logs.items()},
        errors=np.median(populations["all"].errors, axis=0),
        orders=score(populations),
        identification=identify_tankbot(seed),
    )
