"""Conversion of foreign numbers: quaternions, geographic positions, frames and counters."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.log.foreign_column import NED_SIGNS, ForeignColumn

EQUATOR_RADIUS = 6_378_137.0
"""Semi-major axis of the WGS 84 ellipsoid [m]."""
ECCENTRICITY_SQUARED = 6.694379990141316e-3
"""Square of the first eccentricity of the WGS 84 ellipsoid [1]."""
ANGLES = ("yaw", "pitch", "roll")
"""Angles of an attitude, in the order of `attitudes`."""
MIN_NORM, MAX_NORM = 0.5, 2.0
"""Range of the norm of a quaternion; farther from 1 it is none [1]."""


def convert_columns(
    columns: Mapping[str, ForeignColumn],
    numbers: Callable[[str], Array],
    starts: list[int],
    fail: Callable[[int, str], InvalidLog],
) -> dict[str, Array]:
    """Return the columns of a log in SI units, by name.

    `numbers` returns a foreign column by heading, `starts` are the first rows of pieces, `fail`
    makes the error for a row and a sentence.
    """
    values: dict[str, Array] = {}
    for name, column in columns.items():
        if column.quaternion:
            found = _angle(name, column, numbers, starts, fail)
        elif column.latitude:
            found = _position(name, column, numbers, fail)
        else:
            theirs = numbers(column.column.strip())
            if column.wraps_at is not None:
                theirs = unwrap_counts(theirs, column.wraps_at, starts)
            found = column.convert(theirs)
        if column.frame == "ned":
            found = np.pi / 2.0 - found if name == "yaw" else NED_SIGNS[name] * found
        if column.where:
            is_valid = np.nan_to_num(numbers(column.where.strip())) != 0.0
            found = np.where(is_valid, found, np.nan)
        values[name] = found
    if {"x", "y"} <= set(values) and columns["x"].frame == "ned":
        values["x"], values["y"] = values["y"], values["x"]
    return values


def are_attitudes(parts: Sequence[Array]) -> bool:
    """Return whether numbers x, y, z and w are quaternions of norm 1, where they are known."""
    with np.errstate(over="ignore", invalid="ignore"):
        norm = np.linalg.norm(np.stack(parts), axis=0)
    norm = norm[~np.isnan(norm)]
    return bool(norm.size and np.all(np.abs(norm - 1.0) < 0.05))


def attitudes(quaternions: Array, starts: list[int]) -> Array:
    """Return yaw, pitch and roll of quaternions (row, xyzw), without jumps within a piece [rad].

    NaN where a quaternion is not finite or nearly 0.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.linalg.norm(quaternions, axis=1)
    known = np.isfinite(length) & (length > 1e-6)  # a zero quaternion was not filled in
    angles = np.full((len(quaternions), 3), np.nan)
    if known.any():
        x, y, z, w = (quaternions[known] / length[known, np.newaxis]).T
        angles[known, 0] = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        angles[known, 1] = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
        angles[known, 2] = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        for piece in _pieces(starts, len(angles)):
            part = angles[piece]
            part[known[piece]] = np.unwrap(part[known[piece]], axis=0)
    return angles


def unwrap_counts(counts: Array, wraps_at: float, starts: list[int]) -> Array:
    """Return a counter without its jumps back to 0; NaN stays NaN, pieces are separate [1]."""
    unwrapped = counts.copy()
    for piece in _pieces(starts, len(counts)):
        part = unwrapped[piece]
        known = np.isfinite(part)
        part[known] = np.unwrap(part[known], period=wraps_at)
    return unwrapped


def local_position(latitude: Array, longitude: Array) -> tuple[Array, Array]:
    """Return east and north of the first known fix, on the WGS 84 ellipsoid's tangent plane [m].

    Args:
        latitude: Geodetic latitude [deg].
        longitude: Longitude, eastward positive [deg].
    """
    known = np.flatnonzero(np.isfinite(latitude) & np.isfinite(longitude))
    if not known.size:
        return np.full(latitude.size, np.nan), np.full(latitude.size, np.nan)
    first = int(known[0])
    at = np.radians(latitude[first])
    root = np.sqrt(1.0 - ECCENTRICITY_SQUARED * np.sin(at) ** 2)
    across = EQUATOR_RADIUS / root
    along = EQUATOR_RADIUS * (1.0 - ECCENTRICITY_SQUARED) / root**3
    turned = np.mod(longitude - longitude[first] + 180.0, 360.0) - 180.0
    east = np.radians(turned) * across * np.cos(at)
    return east, np.radians(latitude - latitude[first]) * along


def _angle(
    name: str,
    column: ForeignColumn,
    numbers: Callable[[str], Array],
    starts: list[int],
    fail: Callable[[int, str], InvalidLog],
) -> Array:
    parts = np.column_stack([numbers(heading.strip()) for heading in column.quaternion])
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.linalg.norm(parts, axis=1)
        wrong = np.flatnonzero(~np.isnan(length) & ~((length > MIN_NORM) & (length < MAX_NORM)))
    if wrong.size:
        row, headings = int(wrong[0]), ", ".join(repr(h) for h in column.quaternion)
        problem = f"the quaternion in columns {headings} has the norm {length[row]:.3g}, not 1"
        raise fail(row, f"{problem}; write nan where nothing was measured, or correct the map")
    return attitudes(parts, starts)[:, ANGLES.index(name)]


def _position(
    name: str,
    column: ForeignColumn,
    numbers: Callable[[str], Array],
    fail: Callable[[int, str], InvalidLog],
) -> Array:
    latitude, longitude = numbers(column.latitude.strip()), numbers(column.longitude.strip())
    for heading, values, most in (
        (column.latitude, latitude, 90.0),
        (column.longitude, longitude, 360.0),
    ):
        wrong = np.flatnonzero(np.abs(values) > most)
        if wrong.size:
            row = int(wrong[0])
            problem = f"column {heading!r} holds {values[row]:.9g}, beyond ±{most:g} degrees"
            hint = "if these are metres, map them with column and unit"
            raise fail(row, f"{problem}; {hint}")
    return local_position(latitude, longitude)[0 if name == "x" else 1]


def _pieces(starts: list[int], rows: int) -> Iterator[slice]:
    """Yield the rows of each piece."""
    for start, end in zip(starts, [*starts[1:], rows], strict=True):
        yield slice(start, end)


def piece_starts(pieces: Array | None, rows: int) -> list[int]:
    """Return the first row of each piece, of rows with the number of their piece."""
    if pieces is None or not rows:
        return [0]
    return [0, *(np.flatnonzero(np.diff(pieces) != 0.0) + 1).tolist()]


def fail_at(path: str | Path, name_row: Callable[[int], str]) -> Callable[[int, str], InvalidLog]:
    """Return what makes the error for a row of a file and a sentence."""
    return lambda row, sentence: InvalidLog(path, f"{name_row(row)}: {sentence}")
