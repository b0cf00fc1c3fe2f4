"""What happened: columns with units, on several time lines, and where they come from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue, UnknownName
from grouser.geometry import running_length
from grouser.log.column import Column, fit_column
from grouser.log.provenance import Provenance

_DRIVE_FAMILIES = ("belt_speed_commanded", "belt_speed", "belt_travel", "slip", "encoder")
_SPEED_FAMILIES = ("belt_speed", "belt_speed_measured", "belt_speed_commanded")
_FLIPPER_FAMILIES = ("flipper_angle",)


@dataclass(frozen=True, slots=True)
class Log:
    """A record of a drive, by a simulation or by a robot. Nothing in it can be changed.

    `log["x"]` is an array. The names that mean the same in every log are in
    `grouser.log.column`. Logs are equal if their columns are, bit for bit, and their provenance.
    """

    columns: Mapping[str, Column]
    """The columns by name, all of the same length."""
    provenance: Provenance = field(default_factory=Provenance)
    """Where the log comes from."""

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
        # A read-only view of a dictionary cannot be pickled.
        return Log, (dict(self.columns), self.provenance)

    def unit(self, name: str) -> str:
        """Return the SI unit of one column."""
        return self._column(name).unit

    def with_columns(self, columns: Mapping[str, Column]) -> "Log":
        """Return this log with more columns; one of the same name is replaced."""
        return replace(self, columns={**self.columns, **columns})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in their order."""
        return tuple(self.columns)

    @property
    def time(self) -> NDArray[Any]:
        """Simulated time, or the time of the experiment [s]."""
        return self["time"]

    @property
    def duration(self) -> float:
        """Time from the first row to the last [s]."""
        return float(self.time[-1] - self.time[0]) if len(self) else 0.0

    @property
    def drives(self) -> tuple[str, ...]:
        """Names of the drives that some column tells about."""
        return self._members(_DRIVE_FAMILIES)

    @property
    def flippers(self) -> tuple[str, ...]:
        """Names of the flippers that some column tells about."""
        return self._members(_FLIPPER_FAMILIES)

    def belt_travel(
        self, drive: str, rows: NDArray[np.intp] | None = None, start: float = 0.0
    ) -> NDArray[np.float64] | None:
        """Return how far a belt has run at each row [m]; None if no column has its speed.

        In logs without `belt_travel.<drive>` the belt speed is integrated by the trapezoidal
        rule: as reached, else as measured, else as commanded, 0 where it is not known.

        Args:
            drive: Name of the track or wheel.
            rows: Which rows; all if not given.
            start: Travel at the first of them, for logs that are integrated [m].
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

    def _column(self, name: str) -> Column:
        if name not in self.columns:
            raise UnknownName("column", name, self.columns)
        return self.columns[name]

    def _members(self, families: tuple[str, ...]) -> tuple[str, ...]:
        split = (name.partition(".") for name in self.columns)
        return tuple(
            dict.fromkeys(member for family, _, member in split if member and family in families)
        )
