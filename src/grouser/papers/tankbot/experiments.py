"""P3's experiments: seven manoeuvres, and the identification on the treadmill."""

from grouser.laws.magic_formula import magic_formula
from grouser.papers.experiment import Findings
from grouser.papers.tankbot.error_statistics import error_statistics
from grouser.papers.tankbot.identify_tankbot import identify_tankbot
from grouser.papers.tankbot.manoeuvre import MANOEUVRES
from grouser.papers.tankbot.measure_response import measure_response
from grouser.papers.tankbot.panels import manoeuvre_panels, utilisation_panels
from grouser.papers.tankbot.run_manoeuvre import run_manoeuvre, tankbot_constants
from grouser.papers.tankbot.twin import run_twin

DRAWN = ("step-y", "step-x")
"""Manoeuvres of which all figures are drawn."""


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
    values["force at full slip"] = float(
        magic_formula(
            1.0, constants.track_stiffness, constants.track_shape, constants.track_limit,
            constants.track_curvature,
        )
    )  # fmt: skip
    across = {name: log for name, log in logs.items() if name.startswith("step-y")}
    panels = [p for name in DRAWN for p in manoeuvre_panels({name: logs[name]}, constants)]
    return Findings(values=values, panels=(*panels, *utilisation_panels(across, constants)))


def identify_again() -> Findings:
    """Return the parameters that noisy experiments on the virtual treadmill give."""
    found = identify_tankbot().parameters
    return Findings(values={name: estimate.value for name, estimate in found.items()})
