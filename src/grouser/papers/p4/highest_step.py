"""The highest step that Quince climbs, found by halving, beside the bracket of Table IV."""

import math

import numpy as np

from grouser.datasheet.climbing import HIGHEST, LOWEST, PHASES, WITHIN
from grouser.datasheet.search import find_largest
from grouser.papers.p4.step_climbing import STEP, attempt_loaded
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation

ANGLES = (0.0, 45.0)
"""Angles of the front sub-tracks in Table IV [deg]."""
SMOOTH = "segments:grousers=0"
"""Quince without grousers."""


def highest_step(
    model: str, angle: float, *, phase: float = 0.0, variation: Variation = AS_STATED
) -> float:
    """Return the highest step that Quince climbs with front sub-tracks raised [rad], [m].

    0 if it climbs not even the lowest.
    """

    def passes(height: float) -> bool:
        scenario = STEP.vary(model=model).vary("course.height_m", height)
        loaded = variation.vary_loaded(scenario.load())
        return attempt_loaded(loaded, angle, phase=phase).climbed

    return find_largest(passes, LOWEST, HIGHEST, WITHIN, top=False).passed or 0.0


def name_highest(angle_deg: float, *, grousers: bool = True) -> str:
    """Return what the highest step is called."""
    return f"highest step at {angle_deg:g}°" + ("" if grousers else " without grousers")


def find_highest(variation: Variation = AS_STATED) -> Findings:
    """Return the highest steps at P4's angles, their median and interval over phases."""
    values, intervals = {}, {}
    for angle in ANGLES:
        found = [
            highest_step("segments", math.radians(angle), phase=phase, variation=variation)
            for phase in PHASES
        ]
        key = name_highest(angle)
        values[key] = float(np.median(found))
        intervals[key] = float(np.quantile(found, 0.05)), float(np.quantile(found, 0.95))
        smooth = highest_step(SMOOTH, math.radians(angle), variation=variation)
        values[name_highest(angle, grousers=False)] = smooth
    return Findings(values=values, intervals=intervals)
