"""Logs: columns with units, and their provenance.

A log may have any columns. These names have the same meaning and unit in every log:

| columns | unit | what |
|---|---|---|
| `tick` | 1 | count of simulation steps; the only column of whole numbers |
| `time` | s | simulated time, or time of the experiment; logs are compared at equal `time` |
| `wall_time` | s | clock of the computer that wrote the log |
| `device_time` | s | clock of the robot's own board |
| `x` `y` `z` | m | body origin in the world frame |
| `roll` `pitch` `yaw` | rad | attitude of the body; positive pitch is nose down |
| `vx` `vy` `vz` | m/s | velocity of the body origin in the body frame |
| `roll_rate` `pitch_rate` `yaw_rate` | rad/s | angular velocity in the body frame |
| `belt_speed_commanded.<drive>` `belt_speed.<drive>` | m/s | commanded and actual belt speed |
| `belt_travel.<drive>` | m | distance that the belt or rim has run, forward positive |
| `motor_voltage_commanded.<drive>` | V | commanded motor voltage; NaN for speed commands |
| `slip.<drive>` | 1 | 1 - ground speed / belt speed |
| `flipper_angle.<flipper>` | rad | positive lowers the front end |
| `encoder.<drive>` | its own | what the encoder said: a speed, an angle, a distance or counts |
| `gyro_yaw_rate` | rad/s | yaw rate measured by the gyroscope |
| `phase` | 1 | index of the active part of a model |
| `piece` | 1 | drive that a row belongs to, in a log of several; time may start again in each |
| `group` | 1 | group of pieces that are not independent, such as a day or a surface |

Other columns (references, errors, voltages) may have any name and any SI unit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser import limits
from grouser.errors import InvalidValue, UnknownName
from grouser.geometry import running_length
from grouser.log.provenance import Provenance
from grouser.units import FACTOR_TO_SI

if TYPE_CHECKING:
    import pandas
    import polars

SI_UNITS = tuple(dict.fromkeys(si for si, _ in FACTOR_TO_SI.values()))
"""The units that a column may have."""

_UNIT_OF_NAME = {
    **dict.fromkeys(("tick", "phase", "piece", "group"), "1"),
    **dict.fromkeys(("time", "wall_time", "device_time"), "s"),
    **dict.fromkeys(("x", "y", "z"), "m"),
    **dict.fromkeys(("roll", "pitch", "yaw"), "rad"),
    **dict.fromkeys(("vx", "vy", "vz"), "m/s"),
    **dict.fromkeys(("roll_rate", "pitch_rate", "yaw_rate", "gyro_yaw_rate"), "rad/s"),
}
_UNIT_OF_FAMILY = {
    "belt_speed_commanded": "m/s",
    "belt_speed": "m/s",
    "belt_travel": "m",
    "motor_voltage_commanded": "V",
    "slip": "1",
    "flipper_angle": "rad",
}
# No comma, quote or bracket, which separate names in a CSV header such as "x [m],y [m]".
_NAME = re.compile(r"\w(?:[\w ./-]*[\w])?")


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Numbers in one SI unit, one for each row of a log.

    The numbers are copied and read-only. Columns are equal if they are equal bit for bit: -0.0
    differs from 0.0. All NaN have the same bits.
    """

    values: NDArray[Any]
    """The numbers, float64 or int64, in the column's unit."""
    unit: str
    """SI unit of the numbers."""

    def __post_init__(self) -> None:
        if self.unit not in SI_UNITS:
            raise InvalidValue("unit of a column", self.unit, f"be one of {', '.join(SI_UNITS)}")
        object.__setattr__(self, "values", _freeze(self.values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        return (
            self.unit == other.unit
            and self.values.dtype == other.values.dtype
            and self.values.tobytes() == other.values.tobytes()
        )

    def __len__(self) -> int:
        return len(self.values)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled arrays are writable; the constructor makes them read-only.
        return Column, (self.values, self.unit)


def conventional_unit(name: str) -> str | None:
    """Return the unit of columns with this name in every log; None if any unit is allowed."""
    family = name.partition(".")[0] if "." in name else ""
    return _UNIT_OF_NAME.get(name) or _UNIT_OF_FAMILY.get(family)


def is_column_name(name: str) -> bool:
    """Return whether this is a valid name of a column."""
    return len(name) <= limits.NAME_LENGTH and _NAME.fullmatch(name) is not None


def fit_column(name: str, column: Column) -> Column:
    """Return the column with the type of `name`: int64 for `tick`, float64 for all others."""
    if not is_column_name(name):
        required = f"be at most {limits.NAME_LENGTH} letters, digits, blanks and _ . - /"
        raise InvalidValue("name of a column", name, required)
    unit = conventional_unit(name)
    if unit is not None and column.unit != unit:
        raise InvalidValue(f"unit of column {name!r}", column.unit, f"be {unit!r}")
    kind, values = np.int64 if name == "tick" else np.float64, column.values
    if values.dtype == kind:
        return column
    if name == "tick":
        wrong = ~((values == np.floor(values)) & (np.abs(values) < 2.0**63))
        if np.any(wrong):
            raise InvalidValue("column 'tick'", float(values[wrong][0]), "hold whole numbers")
    return Column(values.astype(kind), column.unit)


def _freeze(values: ArrayLike) -> NDArray[Any]:
    given = np.asarray(values)
    if given.ndim != 1:
        raise InvalidValue("a column", given.shape, "be a list of numbers, one for each row")
    if given.dtype.kind not in "fiub":
        raise InvalidValue("a column", given.dtype.name, "hold real numbers")
    if given.dtype == np.uint64 and np.any(given > np.iinfo(np.int64).max):
        raise InvalidValue("a column", int(given.max()), "hold whole numbers below 2^63")
    if given.dtype.kind == "f":
        frozen = np.array(given, dtype=np.float64)
        frozen[np.isnan(frozen)] = np.nan
    else:
        frozen = np.array(given, dtype=np.int64)
    frozen.setflags(write=False)
    return frozen


_DRIVE_FAMILIES = ("belt_speed_commanded", "belt_speed", "belt_travel", "slip", "encoder")
_SPEED_FAMILIES = ("belt_speed", "belt_speed_measured", "belt_speed_commanded")


@dataclass(frozen=True, slots=True)
class Log:
    """Immutable record of a run of a simulation or of a real robot.

    `log["x"]` is an array. The names with a fixed meaning are in `grouser.log.log`. Logs are equal
    if their provenance is equal and their columns are, bit for bit.
    """

    columns: Mapping[str, Column]
    """The columns by name, all of the same length."""
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        if not self.columns:
            raise InvalidValue("a log", "none", "have at least one column")
        columns = {name: fit_column(name, column) for name, column in self.columns.items()}
        first = next(iter(columns))
        for name, column in columns.items():
            if len(column) != len(columns[first]):
                required = f"have {len(columns[first])} rows like column {first!r}"
                raise InvalidValue(f"column {name!r}", len(column), required)
        object.__setattr__(self, "columns", MappingProxyType(columns))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the values of one column, in its SI unit."""
        return self._column(name).values

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled.
        return Log, (dict(self.columns), self.provenance)

    def unit(self, name: str) -> str:
        """Return the SI unit of one column."""
        return self._column(name).unit

    def with_columns(self, columns: Mapping[str, Column]) -> "Log":
        """Return the log with added or replaced columns."""
        return replace(self, columns={**self.columns, **columns})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in their order."""
        return tuple(self.columns)

    @property
    def units(self) -> dict[str, str]:
        """SI unit of each column, by name."""
        return {name: column.unit for name, column in self.columns.items()}

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a table with these columns, their units in `table.attrs["units"]`.

        Raises:
            MissingExtra: pandas is not installed.
        """
        from grouser.log.tables import to_pandas

        return to_pandas(self)

    def to_polars(self) -> "polars.DataFrame":
        """Return a table with these columns; their units are in `units`.

        Raises:
            MissingExtra: polars is not installed.
        """
        from grouser.log.tables import to_polars

        return to_polars(self)

    @property
    def time(self) -> NDArray[Any]:
        """Simulated time, or time of the experiment [s]."""
        return self["time"]

    @property
    def duration(self) -> float:
        """Time from the first row to the last, summed over the pieces if there are some [s]."""
        if not len(self):
            return 0.0
        if "piece" not in self:
            return float(self.time[-1] - self.time[0])
        return float(np.diff(self.time)[np.diff(self["piece"]) == 0.0].sum())

    @property
    def drives(self) -> tuple[str, ...]:
        """Names of the tracks or wheels in the columns."""
        return self._members(*_DRIVE_FAMILIES)

    @property
    def flippers(self) -> tuple[str, ...]:
        """Names of the flippers in the columns."""
        return self._members("flipper_angle")

    def belt_travel(
        self, drive: str, rows: NDArray[np.intp] | None = None, start: float = 0.0
    ) -> NDArray[np.float64] | None:
        """Return how far a belt has run at each row [m]; None if no column has its speed.

        In logs without `belt_travel.<drive>` the belt speed is integrated by the trapezoidal rule,
        from `start` [m]: as reached, else as measured, else as commanded, 0 where it is not known.
        """
        chosen = slice(None) if rows is None else rows
        if (name := f"belt_travel.{drive}") in self and np.isfinite(self[name][chosen]).all():
            return self[name][chosen]
        name = next((n for f in _SPEED_FAMILIES if (n := f"{f}.{drive}") in self), None)
        if name is None:
            return None
        speeds = np.nan_to_num(self[name][chosen], nan=0.0, posinf=0.0, neginf=0.0)
        steps = 0.5 * (speeds[1:] + speeds[:-1]) * np.diff(self.time[chosen])
        return (start + running_length(steps))[: len(speeds)]

    def _repr_html_(self) -> str:
        from grouser.log.card import log_card

        return log_card(self)

    def _column(self, name: str) -> Column:
        if name not in self.columns:
            raise UnknownName("column", name, self.columns)
        return self.columns[name]

    def _members(self, *families: str) -> tuple[str, ...]:
        split = (name.partition(".") for name in self.columns)
        return tuple(dict.fromkeys(m for family, _, m in split if m and family in families))


def concatenate_logs(parts: Sequence[Log]) -> Log:
    """Return logs with the same columns as one, with the provenance of the last."""
    columns = {
        name: Column(np.concatenate([part[name] for part in parts]), column.unit)
        for name, column in parts[-1].columns.items()
    }
    return Log(columns, parts[-1].provenance)
