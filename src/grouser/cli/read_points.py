"""Points to drive to, from a file or a word."""

import csv
import math
from pathlib import Path

from grouser.errors import InvalidLog, InvalidValue

Points = tuple[tuple[float, float], ...]
HEADINGS = ("x_m", "y_m")


def read_points(path: Path) -> Points:
    """Return the points of a CSV file with the columns x_m and y_m [m].

    Raises:
        InvalidLog: There is no such file, it lacks a column, or a cell is no number.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidLog(path, f"cannot be read as a CSV file ({error})") from error
    if not rows or any(heading not in rows[0] for heading in HEADINGS):
        raise InvalidLog(path, "must have the columns x_m and y_m and at least one row")
    points: list[tuple[float, float]] = []
    for number, row in enumerate(rows, start=2):
        point = _point([str(row[heading]) for heading in HEADINGS])
        if point is None:
            raise InvalidLog(path, f"line {number}: x_m and y_m must be finite numbers")
        points.append(point)
    return tuple(points)


def parse_points(text: str) -> Points:
    """Return the points of a word such as `0/0;1/0;1/1` [m].

    Raises:
        InvalidValue: It is not written like that.
    """
    points = [_point(part.split("/")) for part in text.split(";") if part.strip()]
    known = tuple(point for point in points if point is not None)
    if not known or len(known) < len(points):
        raise InvalidValue("waypoints:points", text, "be points x/y in metres, as in 0/0;1/0;1/1")
    return known


def _point(words: list[str]) -> tuple[float, float] | None:
    try:
        x, y = (float(word) for word in words)
    except ValueError:
        return None
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None
