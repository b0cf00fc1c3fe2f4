"""Points to drive to, from a file or a word."""

import csv
import math
from pathlib import Path

from grouser.errors import InvalidLog, InvalidValue

Points = tuple[tuple[float, float], ...]
COLUMNS = ("x_m", "y_m")


def read_points(file: str | None = None, points: str | None = None) -> Points:
    """Return points to drive to [m].

    Args:
        file: A CSV file with the columns x_m and y_m.
        points: Instead of a file, points such as `0/0;1/0;1/1`.

    Raises:
        InvalidLog: There is no such file, it lacks a column, or a cell is no number.
        InvalidValue: The points are not written like that, or both or neither was given.
    """
    if file is not None and points is None:
        return _read_file(Path(file))
    if points is not None and file is None:
        return _parse(points)
    given = "neither" if file is None else "both"
    raise InvalidValue("waypoints", given, "have either file=points.csv or points=0/0;1/0;1/1")


def _read_file(path: Path) -> Points:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        problem = f"cannot be read as a CSV file with the columns x_m and y_m ({reason})"
        raise InvalidLog(path, problem) from error
    if not rows or any(column not in rows[0] for column in COLUMNS):
        raise InvalidLog(path, "must have the columns x_m and y_m and at least one row")
    points = [_point([str(row[column]) for column in COLUMNS]) for row in rows]
    if None in points:
        line = points.index(None) + 2
        raise InvalidLog(path, f"line {line}: x_m and y_m must be finite numbers")
    return tuple(point for point in points if point is not None)


def _parse(text: str) -> Points:
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
