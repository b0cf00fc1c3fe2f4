"""P4's two tests: Quince in front of six steps, and how fast PackBot's models are."""

from collections.abc import Mapping
from math import radians

import numpy as np

from grouser.models import make_model
from grouser.papers.experiment import Findings
from grouser.papers.p4.measure_speed import MODELS, measure_speed
from grouser.papers.p4.printed import read_factors, read_steps
from grouser.papers.p4.step_climbing import attempt_step
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour

WITHOUT = ((0.0, 120.0), (45.0, 240.0))
"""Angles [deg] and heights [mm] that need grousers, by the balance of two contacts."""


def name_step(angle_deg: float, height_mm: float, *, grousers: bool = True) -> str:
    """Return what a climb is called."""
    worn = "" if grousers else " without grousers"
    return f"climbs {height_mm:g} mm at {angle_deg:g}°{worn}"


def climb_step(angle_deg: float, height_mm: float, *, grousers: bool = True) -> Findings:
    """Return whether Quince climbs a step, its front sub-tracks raised [deg], [mm]."""
    model = make_model("segments" if grousers else "segments:grousers=0")
    attempt = attempt_step(model, height_mm / 1e3, radians(angle_deg))
    key = name_step(angle_deg, height_mm, grousers=grousers)
    return Findings(values={key: float(attempt.climbed)})


def compare_speed() -> Findings:
    """Return real-time factors of Table II's models, and which of them is faster."""
    factors = measure_speed(MODELS.values(), drives=5)
    ours = {name: factors[reference] for name, reference in MODELS.items()}
    values = {f"factor of {name}": factor for name, factor in ours.items()}
    values |= {
        f"{faster} faster than {slower}": float(ours[faster] > ours[slower])
        for faster, slower in ranks()
    }
    theirs = read_factors()
    places = np.arange(len(ours), dtype=float)
    panel = Panel(
        key="factors", title="Real-time factors: " + ", ".join(ours),
        x_label="model, in the order of the title [1]", y_label="real-time factor [1]",
        series=(
            Series(name="ours", x=places, y=np.array(list(ours.values())),
                   colour=line_colour(0), dots=True),
            Series(name="P4", x=places, y=np.array([theirs[name] for name in ours]),
                   colour=REFERENCE, dots=True),
        ),
    )  # fmt: skip
    return Findings(values=values, panels=(panel,))


def ranks() -> list[tuple[str, str]]:
    """Return the models of Table II in pairs: each, and the next slower one."""
    ordered = sorted(read_factors().items(), key=lambda item: -item[1])
    names = [name for name, _ in ordered]
    return list(zip(names, names[1:], strict=False))


def draw_outcomes(values: Mapping[str, float]) -> tuple[Panel, ...]:
    """Return which steps of Table IV were climbed, of those that were tried."""
    series = []
    for name, outcome, colour in (("climbs", 1.0, 1), ("fails", 0.0, 3)):
        of = [s for s in read_steps() if values.get(name_step(s[0], s[1])) == outcome]
        angles, heights = np.array([s.angle_deg for s in of]), np.array([s.height_mm for s in of])
        series.append(Series(name=name, x=angles, y=heights, colour=line_colour(colour), dots=True))
    panel = Panel(
        key="steps", title="Quince on the steps of Table IV", series=tuple(series),
        x_label="front sub-tracks raised by [deg]", y_label="height of the step [mm]",
    )  # fmt: skip
    return (panel,)
