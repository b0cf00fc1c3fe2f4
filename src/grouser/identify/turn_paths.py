"""What one turn says beyond its line of P2's Table 5: paths, times and widths of Tables 2 to 4."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.laws.turning_experiment import (
    TurningResult,
    apparent_width_range,
    slippage_ratios,
)
from grouser.laws.turning_geometry import FourWheels, apparent_speed_difference, wheel_radii

ROLLED = tuple(f"rolled_length.{wheel}" for wheel in FourWheels._fields)
"""Columns of a table of turns: the path of each wheel's rim."""
NEEDED = ("standard_length.outer", "standard_length.inner", *ROLLED, "duration")
"""Columns of a table of turns without which there are no paths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPaths:
    """Paths of one turn; what was not measured is not a number."""

    radius: float
    """R0 [m]."""
    calculated_width: float
    """B_c [m]."""
    width: float
    """True width B [m]."""
    length: float
    """Distance L between front and rear wheels [m]."""
    duration: float
    """How long the turn took [s]."""
    standard_lengths: tuple[float, float]
    """Paths of outer and inner wheels without slippage [m]."""
    rolled_lengths: FourWheels
    """Path that each wheel's rim rolled [m]."""
    offset: float
    """D, how far the turning centre lies ahead [m]."""
    yaw_change: float
    """Change of heading as measured [rad]."""

    @property
    def wheel_speeds(self) -> FourWheels:
        """Mean speed of each wheel's rim [m/s]."""
        return FourWheels(*(path / self.duration for path in self.rolled_lengths))

    @property
    def yaw_changes(self) -> dict[str, float]:
        """Change of heading as B_c and as eq 16 of each side have it; alike on a circle [rad]."""
        outer, inner = self.standard_lengths
        return {
            "by_width": (outer - inner) / self.calculated_width,
            "by_outer": outer / (self.radius + 0.5 * self.width),
            "by_inner": inner / (self.radius - 0.5 * self.width),
        }

    @property
    def apparent_width(self) -> tuple[float, float]:
        """Least and largest width that the wheels suggest, eq 14 [m]."""
        known = np.isfinite(self.yaw_change)
        turned = self.yaw_change if known else self.yaw_changes["by_width"]
        narrowest, widest = apparent_width_range(self.rolled_lengths, turned)
        return float(narrowest), float(widest)

    def to_dict(self) -> dict[str, Any]:
        """Return P2's Tables 2 to 4 of this turn as JSON knows them."""
        outer, inner = self.standard_lengths
        speeds = self.wheel_speeds
        radii = wheel_radii(self.radius, self.offset, self.length, self.width)
        return {
            "duration": self.duration,
            "yaw_change": self.yaw_change,
            "yaw_changes": self.yaw_changes,
            "standard_lengths": {"outer": outer, "inner": inner},
            "standard_speeds": {"outer": outer / self.duration, "inner": inner / self.duration},
            "rolled_lengths": _plain(self.rolled_lengths),
            "wheel_speeds": _plain(speeds),
            "mean_wheel_speed": sum(map(float, speeds)) / len(speeds),
            "slippage": _plain(slippage_ratios(self.rolled_lengths, outer, inner)),
            "true_difference": (outer - inner) / self.duration,
            "apparent_difference": float(apparent_speed_difference(speeds)),
            "apparent_width": list(self.apparent_width),
            "apparent_over_true_width": [width / self.width for width in self.apparent_width],
            "offset_ahead": self.offset,
            "wheel_radii": _plain(radii),
        }


def paths_of_result(result: TurningResult, length: float, width: float) -> TurnPaths:
    """Return the paths of a turn that was processed.

    Args:
        result: What P2's procedure found.
        length: Distance L between front and rear wheels [m].
        width: Distance B between the wheels of the two sides [m].
    """
    return TurnPaths(
        radius=result.radius, calculated_width=result.calculated_width, width=width,
        length=length, duration=result.duration, standard_lengths=result.standard_lengths,
        rolled_lengths=result.wheel_lengths, offset=result.offset, yaw_change=result.yaw_change,
    )  # fmt: skip


def read_paths(
    given: dict[str, NDArray[np.float64]], row: int, length: float, width: float
) -> TurnPaths | None:
    """Return the paths in one row of a table of turns; None where they are not told.

    Args:
        given: The table's columns.
        row: Which row.
        length: Distance L between front and rear wheels [m].
        width: Distance B between the wheels of the two sides [m].
    """
    value = {name: float(column[row]) for name, column in given.items()}
    if not all(np.isfinite(value.get(name, np.nan)) for name in NEEDED):
        return None
    return TurnPaths(
        radius=value["radius"], calculated_width=value["calculated_width"], width=width,
        length=length, duration=value["duration"],
        standard_lengths=(value["standard_length.outer"], value["standard_length.inner"]),
        rolled_lengths=FourWheels(*(value[name] for name in ROLLED)),
        offset=value.get("offset_ahead", np.nan), yaw_change=value.get("yaw_change", np.nan),
    )  # fmt: skip


def _plain(wheels: FourWheels) -> dict[str, float]:
    return {name: float(value) for name, value in wheels._asdict().items()}
