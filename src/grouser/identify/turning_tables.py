"""P2's tables of turns.

Table 5 lists the turns, eqs 19 and 20 are fitted to them, Table 6 lists radii predicted by both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.identify.turn_intervals import NoiseSource
from grouser.laws.turning_experiment import (
    DROPPED,
    PowerLaw,
    StraightLine,
    TurningResult,
    apparent_width_range,
    fit_radius_power_law,
    fit_speed_difference,
    is_width_credible,
    slippage_ratios,
)
from grouser.laws.turning_geometry import (
    FourWheels,
    apparent_speed_difference,
    radius_by_power_law,
    true_speed_difference,
    wheel_radii,
)
from grouser.log import Log

ROLLED = tuple(f"rolled_length.{wheel}" for wheel in FourWheels._fields)
"""Columns of a table of turns: rolled length of each wheel."""
PATH_COLUMNS = ("standard_length.outer", "standard_length.inner", *ROLLED, "duration")
"""Columns of a table of turns that `TurnPaths` needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPaths:
    """Path lengths of one turn; NaN where a quantity was not measured."""

    radius: float
    """R0 [m]."""
    calculated_width: float
    """B_c [m]."""
    width: float
    """True width B [m]."""
    length: float
    """Distance L between front and rear wheels [m]."""
    duration: float
    """Duration of the turn [s]."""
    standard_lengths: tuple[float, float]
    """Path lengths of outer and inner wheels without slippage [m]."""
    rolled_lengths: FourWheels
    """Rolled length of each wheel's rim [m]."""
    offset: float
    """D, distance of the turning centre ahead of the middle [m]."""
    yaw_change: float
    """Measured change of heading [rad]."""

    @property
    def wheel_speeds(self) -> FourWheels:
        """Mean speed of each wheel's rim [m/s]."""
        return FourWheels(*(path / self.duration for path in self.rolled_lengths))

    @property
    def yaw_changes(self) -> dict[str, float]:
        """Change of heading by B_c and by eq 16 of each side; equal on a circle [rad]."""
        outer, inner = self.standard_lengths
        return {
            "by_width": (outer - inner) / self.calculated_width,
            "by_outer": outer / (self.radius + 0.5 * self.width),
            "by_inner": inner / (self.radius - 0.5 * self.width),
        }

    @property
    def apparent_width(self) -> tuple[float, float]:
        """Least and largest apparent width, eq 14 [m]."""
        known = np.isfinite(self.yaw_change)
        turned = self.yaw_change if known else self.yaw_changes["by_width"]
        narrowest, widest = apparent_width_range(self.rolled_lengths, turned)
        return float(narrowest), float(widest)

    def to_dict(self) -> dict[str, Any]:
        """Return P2's Tables 2 to 4 of this turn as plain JSON values."""
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
    """Return the path lengths of a processed turn of a robot with wheels L by B apart [m]."""
    return TurnPaths(
        radius=result.radius, calculated_width=result.calculated_width, width=width,
        length=length, duration=result.duration, standard_lengths=result.standard_lengths,
        rolled_lengths=result.wheel_lengths, offset=result.offset, yaw_change=result.yaw_change,
    )  # fmt: skip


def read_paths(given: dict[str, Array], row: int, length: float, width: float) -> TurnPaths | None:
    """Return the path lengths in one row of a table of turns; None if they are missing."""
    value = {name: float(column[row]) for name, column in given.items()}
    if not all(np.isfinite(value.get(name, np.nan)) for name in PATH_COLUMNS):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of P2's Table 5; a right turn is stored as its mirror image."""

    number: int
    radius: float
    """R0 [m]."""
    calculated_width: float
    """B_c [m]."""
    true_difference: float
    """Ev_t [m/s]."""
    apparent_difference: float
    """Ev_a [m/s]."""
    slippage: FourWheels
    """Slippage ratio of each wheel [1]."""
    mean_wheel_speed: float
    """Mean speed of the four wheels; NaN if not known [m/s]."""
    direction: Literal["left", "right"] = "left"
    start: float | None = None
    """Time at which the steady part began; None if not known [s]."""
    end: float | None = None
    """Time at which the steady part ended; None if not known [s]."""
    dropped_at_start: int = DROPPED
    """Radii at the start that do not count in R0 [1]."""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """95 % intervals of quantities by name, such as `slippage.o1`; empty if not known [unit of the
    quantity]."""
    noise_source: NoiseSource | None = None
    """Where the noise behind the intervals was taken from; None without intervals."""
    paths: TurnPaths | None = None
    """Path lengths, for Tables 2 to 4; None if not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RadiusCheck:
    """One line of P2's Table 6: a radius predicted from wheel speeds by two formulas."""

    number: int
    radius: float
    """Measured R0 [m]."""
    predicted_difference: float
    """Ev_t by eq 19 [m/s]."""
    by_model: float
    """R_01 = B u / Ev_t [m]."""
    by_power_law: float
    """R_02 by eq 20 [m]."""

    @property
    def model_error(self) -> float:
        """Relative error of R_01 [1]."""
        return self.by_model / self.radius - 1.0

    @property
    def power_law_error(self) -> float:
        """Relative error of R_02 [1]."""
        return self.by_power_law / self.radius - 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningTables:
    """P2's tables and fits."""

    turns: tuple[Turn, ...]
    """Table 5."""
    left_out: tuple[int, ...]
    """Numbers of the runs excluded from the fits."""
    line: StraightLine
    """Eq 19."""
    power_law: PowerLaw
    """Eq 20."""
    checks: tuple[RadiusCheck, ...]
    """Table 6 of the runs with a credible B_c, by these fits."""
    checks_of_file: tuple[RadiusCheck, ...]
    """Table 6 by eq 19 of the robot file and P2's own eq 20; empty without a file."""

    @property
    def slippage(self) -> dict[str, Any]:
        """Counts of slippage ratios above and below 1, and the largest front-rear difference."""
        table = np.array([turn.slippage for turn in self.turns])
        used = [turn for turn in self.turns if turn.number not in self.left_out]
        o1, o2, i1, i2 = np.array([turn.slippage for turn in used]).T
        apart = {"outer": np.abs(o1 - o2), "inner": np.abs(i1 - i2)}
        counts = {"above_1": (table > 1.0).sum(axis=0), "below_1": (table < 1.0).sum(axis=0)}
        return {
            **{k: FourWheels(*v.tolist())._asdict() for k, v in counts.items()},
            "front_rear": {
                side: {"value": float(gap.max()), "run": used[int(gap.argmax())].number}
                for side, gap in apart.items()
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as plain JSON values."""
        return {
            "tables_2_to_4": {t.number: t.paths.to_dict() for t in self.turns if t.paths},
            "table_5": [
                {k: getattr(t, k) for k in Turn.__dataclass_fields__ if k != "paths"}
                | {"slippage": t.slippage._asdict()}
                for t in self.turns
            ],
            "left_out": list(self.left_out),
            "eq_19": asdict(self.line),
            "eq_20": asdict(self.power_law),
            "table_6": [_plain_check(check) for check in self.checks],
            "table_6_errors": summarise(self.checks),
            "table_6_of_file": [_plain_check(check) for check in self.checks_of_file],
            "table_6_of_file_errors": summarise(self.checks_of_file),
            "slippage": self.slippage,
        }


def tabulate_of_robot(
    turns: Sequence[Turn], robot: Robot, left_out: Sequence[int]
) -> TurningTables:
    """Return P2's tables of three or more turns of a robot, compared with eq 19 of its file."""
    width, given = robot.gauge, robot.turning
    of_file = (given.speed_difference_slope, given.speed_difference_intercept) if given else None
    if unknown := set(left_out) - {turn.number for turn in turns}:
        raise InvalidValue("runs to leave out", min(unknown), "be among those of the log")
    used = [turn for turn in turns if turn.number not in left_out]
    line = fit_speed_difference(
        [t.apparent_difference for t in used], [t.true_difference for t in used]
    )
    law = fit_radius_power_law([t.true_difference for t in used], [t.radius for t in used])
    credible = [t for t in turns if is_width_credible(t.calculated_width, width)]
    own = (line.slope, line.intercept), (law.coefficient, law.exponent)
    return TurningTables(
        turns=tuple(turns),
        left_out=tuple(left_out),
        line=line,
        power_law=law,
        checks=tuple(_check(turn, width, *own) for turn in credible),
        checks_of_file=tuple(_check(turn, width, of_file) for turn in credible if of_file),
    )


def is_table_of_turns(log: Log) -> bool:
    """Return whether each row of a log is one of P2's runs."""
    return {"radius", "true_difference", "apparent_difference"} <= set(log)


def summarise(checks: Sequence[RadiusCheck]) -> dict[str, float]:
    """Return mean and largest absolute error of both formulas [1]."""
    found = {}
    for name in ("model_error", "power_law_error"):
        errors = np.abs([getattr(check, name) for check in checks])
        errors = errors[np.isfinite(errors)]
        if errors.size:
            found |= {f"{name}_mean": float(errors.mean()), f"{name}_max": float(errors.max())}
    return found


def _check(
    turn: Turn, width: float, line: tuple[float, float], law: tuple[float, ...] = ()
) -> RadiusCheck:
    difference = float(true_speed_difference(turn.apparent_difference, *line))
    return RadiusCheck(
        number=turn.number,
        radius=turn.radius,
        predicted_difference=difference,
        by_model=width * turn.mean_wheel_speed / difference if difference else float("nan"),
        by_power_law=float(radius_by_power_law(difference, *law)),
    )


def _plain_check(check: RadiusCheck) -> dict[str, Any]:
    errors = {name: getattr(check, name) for name in ("model_error", "power_law_error")}
    return asdict(check) | errors
