"""Points to drive to, from a file or a word."""

import csv
from io import StringIO
from pathlib import Path

from grouser import limits
from grouser.errors import InvalidLog, InvalidValue, show_value
from grouser.storage import read_file
from grouser.units import describe_range, parse_number

Points = tuple[tuple[float, float], ...]
COLUMNS = ("x_m", "y_m")
_ALLOWED = f"finite numbers {describe_range('m')}"


def read_points(file: str | None = None, points: str | None = None) -> Points:
    """Return points to drive to [m].

    Args:
        file: A CSV file with the columns x_m and y_m.
        points: Instead of a file, points such as `0/0;1/0;1/1`.

    Raises:
        Unreadable: There is no such file, it lacks a column, or a cell is no number.
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
        text = read_file(path, limits.WAYPOINT_BYTES).decode("utf-8-sig")
        reader = csv.reader(StringIO(text, newline=""))
        heading = next(reader, [])
        rows = [(reader.line_num, row) for row in reader if row]
    except (UnicodeDecodeError, csv.Error) as error:
        problem = f"cannot be read as a CSV file with the columns x_m and y_m ({error})"
        raise InvalidLog(path, problem) from error
    places = [heading.index(column) for column in COLUMNS if heading.count(column) == 1]
    if len(places) < 2 or not rows:
        raise InvalidLog(path, "must have the columns x_m and y_m, once, and at least one row")
    if len(rows) > limits.WAYPOINTS:
        problem = f"must have at most {limits.WAYPOINTS:,} points, not {len(rows):,}"
        raise InvalidLog(path, problem)
    points: list[tuple[float, float]] = []
    for line, row in rows:
        cells = [row[place] if place < len(row) else "" for place in places]
        point = _point(cells)
        if point is None:
            problem = f"line {line}: x_m and y_m must be {_ALLOWED}, not {show_value(cells)}"
            raise InvalidLog(path, problem)
        points.append(point)
    return tuple(points)


def _parse(text: str) -> Points:
    points = [_point(part.split("/")) for part in text.split(";") if part.strip()]
    known = tuple(point for point in points if point is not None)
    if not known or len(known) < len(points) or len(known) > limits.WAYPOINTS:
        required = (
            f"be 1 to {limits.WAYPOINTS:,} points x/y in metres, as in 0/0;1/0;1/1, each {_ALLOWED}"
        )
        raise InvalidValue("waypoints:points", text, required)
    return known


def _point(words: list[str]) -> tuple[float, float] | None:
    numbers = [number for word in words if (number := parse_number(word)) is not None]
    if len(words) != 2 or len(numbers) != 2 or max(map(abs, numbers)) > limits.LENGTH:
        return None
    return numbers[0], numbers[1]
