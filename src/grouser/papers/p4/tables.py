"""P4's printed tables."""

import csv
from importlib.resources import files
from typing import NamedTuple


class Step(NamedTuple):
    """A line of Table IV."""

    angle_deg: float
    """How far the front sub-tracks are raised [deg]."""
    height_mm: float
    """Height of the step [mm]."""
    is_climbed: bool
    """Whether it is climbed, in P4's simulation and by the real robot alike."""


def read_factors() -> dict[str, float]:
    """Return the real-time factors of Table II by P4's names [1]."""
    return {row["method"]: float(row["rtf_mean"]) for row in _rows("table2_realtime_factor.csv")}


def read_steps() -> list[Step]:
    """Return Table IV, where simulation and reality agree."""
    return [
        Step(
            float(row["front_subtrack_angle_deg"]),
            float(row["step_height_mm"]),
            row["simulation"] == "S",
        )
        for row in _rows("table4_step_climbing.csv")
    ]


def read_brackets() -> dict[float, tuple[float, float]]:
    """Return the highest step climbed and the lowest not climbed of Table IV, by angle, [mm]."""
    brackets = {}
    for angle in dict.fromkeys(step.angle_deg for step in read_steps()):
        own = [step for step in read_steps() if step.angle_deg == angle]
        brackets[angle] = (
            max(step.height_mm for step in own if step.is_climbed),
            min(step.height_mm for step in own if not step.is_climbed),
        )
    return brackets


def _rows(name: str) -> list[dict[str, str]]:
    text = (files("grouser.papers.p4") / "data" / name).read_text()
    return list(csv.DictReader(text.splitlines()))
