"""What P0 printed of its behaviour tests, and what this project wants to reach."""

import csv
from dataclasses import dataclass
from importlib.resources import files

FINAL_COURSE_3 = 0.341
"""Largest position deviation on course 3, at its end [m] (P0, text)."""
SECTIONS = {
    "behaviour-1-straight": "straight line",
    "behaviour-1-radius": "radius curve",
    "behaviour-1-sharp": "sharp curve",
}
"""Sections of course 1 as they are called here, and as P0 calls them."""
COURSES = (*SECTIONS, "behaviour-2", "behaviour-3")
"""All behaviour tests."""
TARGETS_COURSE_1 = {
    "behaviour-1-straight": 0.016,
    "behaviour-1-radius": 0.013,
    "behaviour-1-sharp": 0.086,
}
"""Largest position error that is aimed for on course 1 with nominal parameters [m]."""
TARGET_FINAL_COURSE_3 = 0.34
"""Final position error that is aimed for on course 3 with perturbed parameters [m]."""
TARGET_YAW_DEG = 5.0
"""Root mean square of the yaw error that is aimed for [deg]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedMse:
    """A row of P0's Table 5. The unit is not recoverable: m2 and rad2 contradict the text."""

    x: float
    """Printed with the unit m [unknown]."""
    y: float
    """Printed with the unit m [unknown]."""
    yaw: float
    """Printed with the unit rad [unknown]."""


def printed_largest_errors() -> dict[str, float]:
    """Return the largest position error of each section of course 1 [m]."""
    printed = {row["section"]: float(row["max_position_error_cm"]) for row in _read("course1_max")}
    return {name: 0.01 * printed[section] for name, section in SECTIONS.items()}


def printed_table_5() -> dict[str, PrintedMse]:
    """Return Table 5 as printed, by course."""
    return {
        f"behaviour-{row['course']}": PrintedMse(
            x=float(row["mse_x_printed_m"]),
            y=float(row["mse_y_printed_m"]),
            yaw=float(row["mse_yaw_printed_rad"]),
        )
        for row in _read("table5")
    }


def _read(beginning: str) -> list[dict[str, str]]:
    folder = files("grouser") / "papers" / "p0" / "data"
    (file,) = (file for file in folder.iterdir() if file.name.startswith(beginning))
    return list(csv.DictReader(file.read_text("utf-8").splitlines()))
