"""The figures of a data sheet: slopes and turning over friction."""

import math

from grouser.datasheet.figures import Points, draw_lines
from grouser.datasheet.sheet import Sheet

_SLOPE = "slope [°] over friction"
_RATE = "yaw rate over ideal [1] over friction"
_TORQUE = "torque of each drive [N m] over friction"


def draw_sheet(sheet: Sheet) -> list[str]:
    """Return the figures as SVG; those without points are left out."""
    slopes = {way: _first(sheet, f"slope_{way}", _SLOPE) for way in ("up", "down", "across")}
    # Lines that are the same are drawn once.
    merged: dict[str, Points] = {}
    for way, line in slopes.items():
        same = [name for name, other in merged.items() if other == line]
        if same:
            merged[f"{same[0]}, {way}"] = merged.pop(same[0])
        elif line:
            merged[way] = line
    expected = {
        "arctan of friction": [
            [mu, math.degrees(math.atan(mu))] for mu in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        ]
    }
    found = [draw_lines("steepest slope [°]", "friction", merged, expected)]
    for key, title in (
        (_RATE, "turning: yaw rate over ideal"),
        (_TORQUE, "torque of a drive [N m]"),
    ):
        lines = {model: _curve(sheet, "turning", model, key) for model in sheet.models}
        found.append(draw_lines(title, "friction", {m: line for m, line in lines.items() if line}))
    return [figure for figure in found if figure]


def _curve(sheet: Sheet, row: str, model: str, name: str) -> Points:
    cell = sheet.cells.get((row, model))
    points = cell.curves.get(name, []) if cell else []
    return [point for point in points if all(math.isfinite(number) for number in point)]


def _first(sheet: Sheet, row: str, name: str) -> Points:
    """Return the curve of the first model that has one."""
    return next((c for m in sheet.models if (c := _curve(sheet, row, m, name))), [])
