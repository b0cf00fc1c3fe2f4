"""The highest step that Quince climbs, by the angle of its front sub-tracks (P4 Table IV)."""

from collections.abc import Callable
from dataclasses import dataclass
from math import radians

from grouser.description import load_robot
from grouser.papers.p4.highest_step import SMOOTH, highest_step
from grouser.papers.p4.step_climbing import hook_height

ANGLES = (0.0, 15.0, 30.0, 45.0, 60.0)
"""Angles of the front sub-tracks [deg]."""
MODELS = ("segments", SMOOTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    angle_deg: float
    """How far the front sub-tracks are raised [deg]."""
    heights: tuple[float, ...]
    """Highest step that is climbed, by each model [m]."""
    hooking: float
    """Highest edge on which rigid grousers of the front pulley can hook [m]."""


def measure_steps(tell: Callable[[str], None] = lambda text: None) -> list[Row]:
    """Return all lines; takes minutes, and tells how far it is."""
    flipper = load_robot("quince").flippers[0]
    rows = []
    for angle in ANGLES:
        heights = []
        for reference in MODELS:
            tell(f"front sub-tracks at {angle:g} deg, {reference}")
            found = highest_step(reference, radians(angle))
            heights.append(found)
        hooking = hook_height(flipper, radians(angle))
        rows.append(Row(angle_deg=angle, heights=tuple(heights), hooking=hooking))
    return rows
