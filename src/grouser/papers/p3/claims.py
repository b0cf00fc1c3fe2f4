"""Claims and experiments of P3."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files

import numpy as np

from grouser.control import PoseGains
from grouser.laws.track_forces import magic_formula
from grouser.log import Column, Log
from grouser.models.planar.constants import Constants
from grouser.papers.p3.figures import manoeuvre_panels, motion_panels, utilisation_panels
from grouser.papers.p3.identification import (
    MASS,
    PRINTED,
    Identification,
    identify_tankbot,
    run_twin,
)
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_manoeuvre, tankbot_constants
from grouser.papers.p3.response import StatisticsRow, error_statistics, measure_response
from grouser.papers.paper import Claim, Experiment, Findings, Kind, Paper, Sense
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel

EVERY = 5
"""Of how many samples one is drawn: 20 a second are left."""
GRAVITY = 9.81
"""P3, text [m/s^2]."""


def follow_manoeuvres(variation: Variation = AS_STATED) -> Findings:
    """Return responses and errors of the seven manoeuvres, and P3's figures."""
    constants = tankbot_constants()
    logs = {name: run_manoeuvre(manoeuvre) for name, manoeuvre in MANOEUVRES.items()}
    twins = {
        name: run_twin(manoeuvre, seed=number)
        for number, (name, manoeuvre) in enumerate(MANOEUVRES.items())
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
    values |= {
        f"{row.statistic} error of {row.state}, {name}": value
        for row in error_statistics(logs, twins)
        for name, value in row.values.items()
    }
    values["largest overshoot"] = max(v for k, v in values.items() if "overshoot" in k)
    values["frequency after a step along"] = values["x_f_from_successive_peaks_Hz of step-x"]
    values["frequency after a step across"] = values["y_f_from_first_peak_Hz of step-y"]
    values |= _describe(values) | _forces(constants)
    return Findings(values=values, panels=_draw(logs, constants))


def _describe(values: Mapping[str, float]) -> dict[str, float]:
    """Return whether the manoeuvres look as P3 describes them: 1 and 0 for yes and no."""
    across = ("step-y", "step-y-pitched", "step-y-rolled")
    straight = max(values["y_peak_to_peak of sine-x"], values["psi_max_deg of sine-x"])
    shift = values["mean_slip_offset of step-y-pitched"] - values["mean_slip_offset of step-y"]
    alone = run_manoeuvre(MANOEUVRES["step-y"], replace(PoseGains(), yaw_p=0.0, yaw_d=0.0))
    found = {
        "sine along the belt moves neither y nor heading": straight < 1e-3,
        "steps along are less damped than steps across": values["x_peaks_over_3pct of step-x"]
        > values["y_peaks_over_3pct of step-y"],
        "steps uphill overshoot most of those across": max(
            across, key=lambda name: values[f"y_overshoot_pct of {name}"]
        )
        == "step-y-pitched",
        "uphill, mean slip is nearer to the peak": shift > 0.0,
        "the friction ellipse clips forces": any(
            values[f"fraction_clipped of {name}"] > 0.0 for name in MANOEUVRES
        ),
        "without control of the heading it is lost": np.abs(alone["yaw"]).max() > 0.5 * np.pi,
    }
    return {words: float(answer) for words, answer in found.items()}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """The results of all experiments of P3."""

    logs: Mapping[str, Log]
    """The manoeuvres by name."""
    responses: Mapping[str, Mapping[str, float | None]]
    """Overshoots, frequencies and the rest of each manoeuvre [unit as the names spell]."""
    statistics: tuple[StatisticsRow, ...]
    """Table 4's layout, of the model against a stand-in for the robot."""
    identification: Identification
    """Results of the identification experiments."""


def reproduce_tankbot(
    seed: int = 0, on_progress: Callable[[str], None] = lambda words: None
) -> Reproduction:
    """Run everything."""
    shift = float(tankbot_constants().shift)
    logs: dict[str, Log] = {}
    twins: dict[str, Log] = {}
    for number, (name, manoeuvre) in enumerate(MANOEUVRES.items()):
        on_progress(name)
        logs[name] = run_manoeuvre(manoeuvre)
        twins[name] = run_twin(manoeuvre, seed=seed + number)
    on_progress("identification")
    return Reproduction(
        logs=logs,
        responses={n: measure_response(log, MANOEUVRES[n], shift) for n, log in logs.items()},
        statistics=error_statistics(logs, twins),
        identification=identify_tankbot(seed),
    )


def printed_statistics() -> dict[tuple[str, str], dict[str, float]]:
    """Return P3's Table 4: numbers by manoeuvre, for each state and statistic."""
    text = (files("grouser.papers.p3") / "data" / "table4.csv").read_text()
    return {
        (row["state"], row["statistic"]): {
            name: float(row[name.replace("-", "_")]) for name in MANOEUVRES
        }
        for row in csv.DictReader(text.splitlines())
    }


EXPERIMENTS = (
    Experiment(paper="P3", name="manoeuvres", title="seven manoeuvres", run=follow_manoeuvres,
               seconds=8.0),
    Experiment(paper="P3", name="identification", title="identification", run=identify_again,
               depends_on=("seed",),
               seconds=3.0),
)  # fmt: skip
"""The experiments of P3."""
SPREAD = {
    "C_alpha": 200.0, "D": 2.0, "E": 0.3, "B": 2.5, "C_lambda": 100.0, "S_h": 0.002, "D_l": 1.0,
    "B_l": 1.5, "mu": 0.005, "J": 0.005,
}  # fmt: skip
"""How near an identification from noisy data should come, about two standard deviations."""
_UNITS = {
    "C_alpha": "N/rad", "D": "N", "B": "1/rad", "C_lambda": "N", "D_l": "N", "J": "kg m²",
}  # fmt: skip
_NO_ROBOT = "the robot's trajectories are not printed; ours are errors against a stand-in"
_ROUNDED = "Table 2 rounds D_l, and the text g"
_LOST = "periods of the references and the inertia are lost: assumed values"


_CLIPPED = "motor maps are lost, and ours stops just short of the ellipse; one of 20 N m clips"
DESCRIBED = {
    "sine along the belt moves neither y nor heading": "text on Fig 12",
    "steps along are less damped than steps across": "text on Figs 13 and 14",
    "steps uphill overshoot most of those across": "text on Fig 16",
    "uphill, mean slip is nearer to the peak": "text on Fig 18",
    "the friction ellipse clips forces": "Fig 7 and its text",
    "without control of the heading it is lost": "section on control",
}
"""Statements of P3 in words, and where they stand."""


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P3."""
    return (*_responses(), *_described(), *_parameters(), *_errors())


def _responses() -> list[Claim]:
    def claim(key: str, published: float, unit: str, tolerance: float, where: str,
              sense: Sense = "near", remark: str = _LOST) -> Claim:  # fmt: skip
        return Claim(
            paper="P3", experiment="manoeuvres", key=key, published=published, unit=unit,
            tolerance=tolerance, where=where, mark="R", sense=sense, remark=remark,
            kind=Kind.CALIBRATED,
        )  # fmt: skip

    return [
        claim("frequency after a step along", 1.0, "Hz", 0.25, "text on Fig 14"),
        claim("frequency after a step across", 0.3, "Hz", 0.1, "text on Fig 13"),
        claim("largest overshoot", 100.0, "%", 0.0, "text on Table 3", "at most"),
        claim("force at full slip", 34.42, "N", 0.35, "text, µ m g / 2", "near", _ROUNDED),
        claim("sliding force of a track", 34.42, "N", 0.02, "text, µ m g / 2", "near", _ROUNDED),
    ]


def _described() -> list[Claim]:
    return [
        Claim(
            paper="P3", experiment="manoeuvres", key=words, published=1.0, unit="yes/no",
            tolerance=0.0, where=where, mark="R", remark=_CLIPPED if "clips" in words else _LOST,
            kind=Kind.CALIBRATED,
        )
        for words, where in DESCRIBED.items()
    ]  # fmt: skip


def _parameters() -> list[Claim]:
    return [
        Claim(
            paper="P3", experiment="identification", key=name, published=value,
            unit=_UNITS.get(name, "1"), tolerance=SPREAD[name], where="Tables 1 and 2, text",
            remark="recovered from synthetic, noisy experiments", kind=Kind.ROUND_TRIP,
        )
        for name, value in PRINTED.items()
    ]  # fmt: skip


def _errors() -> list[Claim]:
    units = {"x": "m", "y": "m", "dx/dt": "m/s", "dy/dt": "m/s", "psi": "deg", "omega": "rad/s"}
    return [
        Claim(
            paper="P3", experiment="manoeuvres", key=f"{statistic} error of {state}, {name}",
            published=value, unit=units[state], tolerance=0.0, where="Table 4",
            incomparable=_NO_ROBOT, kind=Kind.INCOMPARABLE,
        )
        for (state, statistic), row in printed_statistics().items()
        for name, value in row.items()
    ]  # fmt: skip


P3 = Paper(
    name="P3", title="Dean & Brennan 2008, planar dynamics of the Tankbot",
    experiments=EXPERIMENTS, make_claims=make_claims,
)  # fmt: skip
"""The paper."""
