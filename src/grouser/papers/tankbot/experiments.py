"""P3's experiments: seven manoeuvres, and the identification on the treadmill."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from grouser.control import PoseGains
from grouser.laws.magic_formula import magic_formula
from grouser.log import Column, Log
from grouser.models.planar.constants import Constants
from grouser.papers.experiment import Findings
from grouser.papers.tankbot.error_statistics import error_statistics
from grouser.papers.tankbot.identify_tankbot import MASS, PRINTED, identify_tankbot
from grouser.papers.tankbot.manoeuvre import MANOEUVRES
from grouser.papers.tankbot.measure_response import measure_response
from grouser.papers.tankbot.panels import manoeuvre_panels, motion_panels, utilisation_panels
from grouser.papers.tankbot.run_manoeuvre import run_manoeuvre, tankbot_constants
from grouser.papers.tankbot.twin import run_twin
from grouser.report import Panel

EVERY = 5
"""Of how many samples one is drawn: 20 a second are left."""
GRAVITY = 9.81
"""P3, text [m/s^2]."""


def follow_manoeuvres() -> Findings:
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


def identify_again() -> Findings:
    """Return the parameters that noisy experiments on the virtual treadmill give."""
    found = identify_tankbot().parameters
    return Findings(values={name: estimate.value for name, estimate in found.items()})
