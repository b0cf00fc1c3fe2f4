"""The highest step that Quince climbs, by the angle of its front sub-tracks (P4 Table IV)."""

from collections.abc import Callable
from dataclasses import dataclass
from math import radians

from grouser.description import load_robot
from grouser.papers.p4.step_climbing import STEP, attempt_step, hooking_height

ANGLES = (0.0, 15.0, 30.0, 45.0, 60.0)
"""Angles of the front sub-tracks [deg]."""
MODELS = ("segments", "segments:grousers=0")
LOWEST, HIGHEST = 0.005, 0.5
"""Between these the highest step is sought: the range of the course [m]."""
WITHIN = 0.004
"""How exactly heights are found [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    angle_deg: float
    """How far the front sub-tracks are raised [deg]."""
    heights: tuple[float, ...]
    """Highest step that is climbed, by each model [m]."""
    hooking: float
    """Highest edge on which rigid grousers of the front pulley can hook [m]."""


def largest_step(model: str, angle: float) -> float:
    """Return the highest step that Quince climbs with front sub-tracks raised, by halving [m]."""
    low, high = LOWEST, HIGHEST
    while high - low > WITHIN:
        middle = 0.5 * (low + high)
        scenario = STEP.vary(model=model, course=f"step:height_m={middle!r}")
        climbed = attempt_step(scenario, angle, tilt=0.0).climbed
        low, high = (middle, high) if climbed else (low, middle)
    return low


def measure_steps(tell: Callable[[str], None] = lambda text: None) -> list[Row]:
    """Return all lines; takes minutes, and tells how far it is."""
    flipper = load_robot("quince").flippers[0]
    rows = []
    for angle in ANGLES:
        heights = []
        for reference in MODELS:
            tell(f"front sub-tracks at {angle:g} deg, {reference}")
            found = largest_step(reference, radians(angle))
            heights.append(found)
        x, _, z = flipper.centre_at(radians(-angle))
        pulley = flipper.hinge[2] + 2.0 * (z - flipper.hinge[2]) + 0.016
        hooking = hooking_height(flipper.track, pulley)
        rows.append(Row(angle_deg=angle, heights=tuple(heights), hooking=hooking))
    return rows
