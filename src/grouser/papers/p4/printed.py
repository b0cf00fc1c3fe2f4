"""What P4 printed: Tables II and IV."""

import csv
from importlib.resources import files
from typing import NamedTuple


class Step(NamedTuple):
    """A line of Table IV."""

    angle_deg: float
    height_mm: float
    is_climbed: bool


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


def _rows(name: str) -> list[dict[str, str]]:
    text = (files("grouser.papers.p4") / "data" / name).read_text()
    return list(csv.DictReader(text.splitlines()))
