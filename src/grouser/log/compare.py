"""Resampling of a log, and differences between two logs at equal times."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from grouser.errors import InvalidValue
from grouser.geometry import Array, wrap_angle
from grouser.log.log import Column, Log

_ANGLE_WORDS = {"roll", "pitch", "yaw"}


def resample(log: Log, times: ArrayLike, outside: Literal["refuse", "hold"] = "refuse") -> Log:
    """Return the log at other times, interpolated linearly.

    Attitudes (columns in rad with roll, pitch or yaw in the name) are unwrapped first. `phase`
    keeps its value until the next row. `tick`, an index of the original rows, is left out. Times
    outside the log raise InvalidValue, or `hold` the first or last row.
    """
    if outside not in ("refuse", "hold"):
        raise InvalidValue("outside", outside, "be 'refuse' or 'hold'")
    wanted = np.asarray(times, dtype=np.float64)
    _check_increasing("time of the log", log.time)
    _check_increasing("times", wanted)
    if not len(log):
        raise InvalidValue("a log to resample", "an empty one", "have at least one row")
    first, last = log.time[0], log.time[-1]
    if outside == "refuse" and wanted.size and (wanted[0] < first or wanted[-1] > last):
        found = f"{wanted[0]:.9g} to {wanted[-1]:.9g} s"
        hint = "(outside='hold' keeps the value at its ends)"
        required = f"lie within the log, {first:.9g} to {last:.9g} s {hint}"
        raise InvalidValue("times", found, required)
    columns = {
        name: Column(_interpolate(name, column, log.time, wanted), column.unit)
        for name, column in log.columns.items()
        if name not in ("tick", "time")
    }
    notes = {**log.provenance.notes, "resampled": "linearly in time"}
    return Log({"time": Column(wanted, "s"), **columns}, replace(log.provenance, notes=notes))


def _interpolate(name: str, column: Column, time: Array, wanted: Array) -> Array:
    if name == "phase":
        row = np.searchsorted(time, wanted, side="right") - 1
        return column.values[np.maximum(row, 0)]
    is_attitude = column.unit == "rad" and _ANGLE_WORDS & set(name.replace(".", "_").split("_"))
    values = unwrap_angles(column.values) if is_attitude else column.values
    return np.interp(wanted, time, values)


def unwrap_angles(angles: Array) -> Array:
    """Return angles without jumps by a full turn; NaN stays NaN [rad]."""
    unwrapped, known = angles.copy(), np.isfinite(angles)
    unwrapped[known] = np.unwrap(angles[known])
    return unwrapped


def _check_increasing(name: str, times: Array) -> None:
    if times.ndim != 1:
        raise InvalidValue(name, times.shape, "be a list of numbers")
    if not np.all(np.isfinite(times)):
        raise InvalidValue(name, float(times[~np.isfinite(times)][0]), "be finite")
    stalls = np.flatnonzero(np.diff(times) <= 0.0)
    if stalls.size:
        i = int(stalls[0])
        found = f"{times[i]:.9g} s and then {times[i + 1]:.9g} s"
        raise InvalidValue(name, found, "increase from row to row")


NEEDED = ("time", "x", "y", "yaw")
"""Columns that a comparison needs."""
COMMANDED = "belt_speed_commanded."
"""How the names of columns with commands begin."""
CLOCKS = frozenset({"wall_time"})
"""Columns that differ between two runs of the same scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSummary:
    """Statistics of the absolute value of an error over time."""

    max: float
    """Largest absolute value [unit of the error]."""
    mean: float
    """Mean absolute value [unit of the error]."""
    rms: float
    """Root mean square [unit of the error]."""
    final: float
    """Absolute value at the last sample [unit of the error]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """Errors of a log against a reference: log minus reference, at the times of the log."""

    time: Array
    """Times at which both were known [s]."""
    x_error: Array
    """Error along world x [m]."""
    y_error: Array
    """Error along world y [m]."""
    yaw_error: Array
    """Error of the heading, wrapped to -pi..pi [rad]."""
    left_out: int
    """Number of samples left out because the reference is NaN there."""

    def __post_init__(self) -> None:
        for errors in (self.time, self.x_error, self.y_error, self.yaw_error):
            errors.setflags(write=False)

    @property
    def duration(self) -> float:
        """Time from the first compared sample to the last [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def position_error(self) -> Array:
        """Distance between the two positions [m].

        e = sqrt((x - x_c)^2 + (y - y_c)^2)

        Reference:
            P0 eq 8, there called an average although it is taken at one sample.
        """
        return np.hypot(self.x_error, self.y_error)

    @property
    def position(self) -> ErrorSummary:
        """Statistics of the position error [m]."""
        return _summarise(self.position_error)

    @property
    def yaw(self) -> ErrorSummary:
        """Statistics of the heading error [rad]."""
        return _summarise(self.yaw_error)

    @property
    def mse_x(self) -> float:
        """Mean square error along world x [m^2]."""
        return _mean_square(self.x_error)

    @property
    def mse_y(self) -> float:
        """Mean square error along world y [m^2]."""
        return _mean_square(self.y_error)

    @property
    def mse_yaw(self) -> float:
        """Mean square error of the wrapped heading [rad^2]."""
        return _mean_square(self.yaw_error)

    def to_dict(self) -> dict[str, float | int]:
        """Return the numbers for JSON, with the unit in each key."""
        position, yaw = asdict(self.position), asdict(self.yaw)
        return {
            **{f"position_error_{kind}_m": size for kind, size in position.items()},
            **{f"yaw_error_{kind}_rad": size for kind, size in yaw.items()},
            "mse_x_m2": self.mse_x,
            "mse_y_m2": self.mse_y,
            "mse_yaw_rad2": self.mse_yaw,
            "rmse_x_m": self.mse_x**0.5,
            "rmse_y_m": self.mse_y**0.5,
            "rmse_yaw_rad": self.mse_yaw**0.5,
            "common_duration_s": self.duration,
            "samples": len(self.time),
            "samples_left_out": self.left_out,
        }


def compare(log: Log, reference: Log) -> Comparison:
    """Return the errors of a log against a reference, in their common time.

    The reference is interpolated to the times of the log, as by `resample`. Samples where it is NaN
    (for example where a camera lost a marker) are left out and counted. UnknownName if a log lacks
    a column; InvalidValue if they do not overlap in time, or a number of the log is not finite.
    """
    mine, theirs = _reduce(log), _reduce(reference)
    for name in NEEDED:
        _check_finite(mine, name)
    start, end = max(mine.time[0], theirs.time[0]), min(mine.time[-1], theirs.time[-1])
    if start > end:
        found = f"{theirs.time[0]:.9g} to {theirs.time[-1]:.9g} s"
        required = f"overlap with that of the log, {mine.time[0]:.9g} to {mine.time[-1]:.9g} s"
        raise InvalidValue("time of the reference", found, required)
    common = (mine.time >= start) & (mine.time <= end)
    if not np.any(common):
        raise InvalidValue("logs to compare", "none", f"have a row from {start:.9g} to {end:.9g} s")
    truth = resample(theirs, mine.time[common])
    errors = {name: mine[name][common] - truth[name] for name in ("x", "y", "yaw")}
    known = np.all([np.isfinite(error) for error in errors.values()], axis=0)
    if not np.any(known):
        raise InvalidValue("reference", "nan", "be known at some time of the log")
    return Comparison(
        time=truth.time[known],
        x_error=errors["x"][known],
        y_error=errors["y"][known],
        yaw_error=np.asarray(wrap_angle(errors["yaw"][known])),
        left_out=int(np.count_nonzero(~known)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDifference:
    """How far the commands of two logs are apart."""

    difference: float
    """Mean absolute difference of the commanded belt speeds, over time and belts [m/s]."""
    size: float
    """Mean absolute commanded belt speed of the reference [m/s]."""

    @property
    def differ(self) -> bool:
        """Whether the two were driven differently: by more than `SAME_COMMANDS`."""
        return self.difference > SAME_COMMANDS * self.size

    @property
    def sentence(self) -> str:
        """The difference as one sentence."""
        return (
            f"the two logs have different commands: belt speeds differ by {self.difference:.3g} "
            f"m/s on average, of {self.size:.3g} m/s; the gaps show that, too"
        )


SAME_COMMANDS = 0.02
"""Largest difference of commanded belt speeds, over their size, of logs driven alike [1]."""


def compare_commands(log: Log, reference: Log) -> CommandDifference | None:
    """Return how far the commanded belt speeds of two logs are apart; None if they are unknown.

    A command holds until the next row. Only times that both logs have count, and belts of the same
    name.
    """
    names = [name for name in log if name.startswith(COMMANDED) and name in reference]
    times = log.time[(log.time >= reference.time[0]) & (log.time <= reference.time[-1])]
    if not names or not times.size:
        return None
    mine, theirs = (np.searchsorted(one.time, times, side="right") - 1 for one in (log, reference))
    first = np.array([log[name][mine] for name in names])
    second = np.array([reference[name][theirs] for name in names])
    known = np.isfinite(first) & np.isfinite(second)
    if not known.any():
        return None
    return CommandDifference(
        difference=float(np.abs(first - second)[known].mean()),
        size=float(np.abs(second)[known].mean()),
    )


def _reduce(log: Log) -> Log:
    reduced = Log({name: Column(log[name], log.unit(name)) for name in NEEDED})
    if not len(reduced):
        raise InvalidValue("a log to compare", "an empty one", "have at least one row")
    _check_finite(reduced, "time")
    return reduced


def _check_finite(log: Log, name: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(log[name]))
    if wrong.size:
        i = int(wrong[0])
        found = f"{log[name][i]} at {log.time[i]:.9g} s"
        raise InvalidValue(f"column {name!r} of a log to compare", found, "be finite")


def _summarise(error: Array) -> ErrorSummary:
    size = np.abs(error)
    return ErrorSummary(
        max=float(np.max(size)),
        mean=float(np.mean(size)),
        rms=float(np.sqrt(_mean_square(error))),
        final=float(size[-1]),
    )


def _mean_square(error: Array) -> float:
    with np.errstate(over="ignore"):  # the result is infinite
        return float(np.mean(error**2))


@dataclass(frozen=True, slots=True, kw_only=True)
class BitDifference:
    """The first difference between two logs."""

    time: float
    """Simulated time of the first row that differs [s]."""
    column: str
    """The first column that differs there."""
    first: float
    """Value in the first log [unit of the column]."""
    second: float
    """Value in the second log [unit of the column]."""

    @property
    def sentence(self) -> str:
        """The difference as one sentence."""
        return (
            f"diverges at {self.time:.6g} s, where {self.column} is {self.second!r} "
            f"and was {self.first!r}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the difference for JSON."""
        return asdict(self)


def find_bit_difference(first: Log, second: Log) -> BitDifference | None:
    """Return the first row and column, clocks excepted, in which two logs differ; None if equal."""
    rows = min(len(first), len(second))
    earliest: BitDifference | None = None
    limit = rows
    for name in first:
        if name in CLOCKS or name not in second:
            continue
        mine, theirs = (np.ascontiguousarray(log[name][:limit]) for log in (first, second))
        differing = np.flatnonzero(mine.view(np.uint64) != theirs.view(np.uint64))
        if differing.size:
            limit = int(differing[0])
            earliest = BitDifference(
                time=float(first.time[limit]),
                column=name,
                first=mine[limit].item(),
                second=theirs[limit].item(),
            )
    if earliest is None and len(first) != len(second):
        longer = max(first, second, key=len)
        return BitDifference(
            time=float(longer.time[rows]), column="rows", first=len(first), second=len(second)
        )
    return earliest
