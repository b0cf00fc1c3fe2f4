"""A log at other times."""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.errors import InvalidValue
from grouser.log.column import Column
from grouser.log.log import Log

_ANGLE_WORDS = {"roll", "pitch", "yaw"}


def resample(log: Log, times: ArrayLike, outside: Literal["refuse", "hold"] = "refuse") -> Log:
    """Return the log at other times of its `time` line, interpolated linearly.

    Attitudes (a column in rad with roll, pitch or yaw in its name) are unwrapped first: from
    row to row a robot is taken to turn the shorter way. `phase` keeps its value until the next
    row. `tick` counts the rows of the original, so it is left out.

    Args:
        log: What to resample; its time must increase.
        times: When to look at it, increasing [s].
        outside: What to do with times before the first or after the last row: `refuse` them,
            or `hold` the value of that row.

    Raises:
        InvalidValue: Times do not increase, or lie outside the log and `outside` is `refuse`.
    """
    if outside not in ("refuse", "hold"):
        raise InvalidValue("outside", outside, "be 'refuse' or 'hold'")
    wanted = np.asarray(times, dtype=np.float64)
    _check_increasing("time of the log", log.time)
    _check_increasing("times", wanted)
    if not len(log):
        raise InvalidValue("a log to resample", "an empty one", "have at least one row")
    if outside == "refuse":
        _check_inside(wanted, log.time)
    columns = {
        name: Column(_interpolate(name, column, log.time, wanted), column.unit)
        for name, column in log.columns.items()
        if name not in ("tick", "time")
    }
    notes = {**log.provenance.notes, "resampled": "linearly in time"}
    return Log({"time": Column(wanted, "s"), **columns}, replace(log.provenance, notes=notes))


def _interpolate(
    name: str, column: Column, time: NDArray[np.float64], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    if name == "phase":
        row = np.searchsorted(time, wanted, side="right") - 1
        return column.values[np.maximum(row, 0)]
    is_attitude = column.unit == "rad" and _ANGLE_WORDS & set(name.replace(".", "_").split("_"))
    values = _unwrap(column.values) if is_attitude else column.values
    return np.interp(wanted, time, values)


def _unwrap(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the angles without jumps; a missing one does not spoil those after it."""
    unwrapped, known = angles.copy(), np.isfinite(angles)
    unwrapped[known] = np.unwrap(angles[known])
    return unwrapped


def _check_increasing(name: str, times: NDArray[np.float64]) -> None:
    if times.ndim != 1:
        raise InvalidValue(name, times.shape, "be a list of numbers")
    if not np.all(np.isfinite(times)):
        raise InvalidValue(name, float(times[~np.isfinite(times)][0]), "be finite")
    stalls = np.flatnonzero(np.diff(times) <= 0.0)
    if stalls.size:
        i = int(stalls[0])
        found = f"{times[i]:.9g} s and then {times[i + 1]:.9g} s"
        raise InvalidValue(name, found, "increase from row to row")


def _check_inside(wanted: NDArray[np.float64], time: NDArray[np.float64]) -> None:
    if wanted.size and (wanted[0] < time[0] or wanted[-1] > time[-1]):
        found = f"{wanted[0]:.9g} to {wanted[-1]:.9g} s"
        required = (
            f"lie within the log, {time[0]:.9g} to {time[-1]:.9g} s "
            "(outside='hold' keeps the value at its ends)"
        )
        raise InvalidValue("times", found, required)
