"""P2's tables over many turns.

Table 5 are the runs, eqs 19 and 20 are fits over them, Table 6 is what the fits predict.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from grouser.errors import InvalidValue
from grouser.identify.turn_paths import TurnPaths
from grouser.laws.straight_line import StraightLine
from grouser.laws.turning_geometry import (
    FourWheels,
    radius_by_power_law,
    true_speed_difference,
)
from grouser.laws.turning_runs import (
    PowerLaw,
    fit_radius_power_law,
    fit_speed_difference,
    is_width_credible,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One run of P2's Table 5; a right turn counts as its mirror image."""

    number: int
    """Which run."""
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
    paths: TurnPaths | None = None
    """Tables 2 to 4 of this turn; None if the log does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RadiusCheck:
    """One line of P2's Table 6: a radius from wheel speeds alone, two ways."""

    number: int
    """Which run."""
    radius: float
    """R0 as measured [m]."""
    predicted_difference: float
    """Ev_t by eq 19 [m/s]."""
    by_model: float
    """R_01 = B u / Ev_t [m]."""
    by_power_law: float
    """R_02 by eq 20 [m]."""

    @property
    def model_error(self) -> float:
        """Of R_01, relative [1]."""
        return self.by_model / self.radius - 1.0

    @property
    def power_law_error(self) -> float:
        """Of R_02, relative [1]."""
        return self.by_power_law / self.radius - 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningTables:
    """All that P2 derives from its runs."""

    turns: tuple[Turn, ...]
    """Table 5."""
    left_out: tuple[int, ...]
    """Runs that the fits do without."""
    line: StraightLine
    """Eq 19."""
    power_law: PowerLaw
    """Eq 20."""
    checks: tuple[RadiusCheck, ...]
    """Table 6: the runs whose B_c is credible, with the fits of this table."""
    checks_of_file: tuple[RadiusCheck, ...]
    """The same with eq 19 of the robot's file and P2's own eq 20; empty without a file."""

    @property
    def slippage(self) -> dict[str, Any]:
        """How ratios lie about 1, and how far front and rear are apart where fits use a turn."""
        return summarise_slippage(self.turns, self.left_out)

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as JSON knows them."""
        return {
            "tables_2_to_4": {t.number: t.paths.to_dict() for t in self.turns if t.paths},
            "table_5": [_plain_turn(turn) for turn in self.turns],
            "left_out": list(self.left_out),
            "eq_19": asdict(self.line),
            "eq_20": asdict(self.power_law),
            "table_6": [_plain_check(check) for check in self.checks],
            "table_6_errors": summarise(self.checks),
            "table_6_of_file": [_plain_check(check) for check in self.checks_of_file],
            "table_6_of_file_errors": summarise(self.checks_of_file),
            "slippage": self.slippage,
        }


def tabulate_turns(
    turns: Sequence[Turn],
    width: float,
    left_out: Sequence[int] = (),
    of_file: tuple[float, float] | None = None,
) -> TurningTables:
    """Return P2's tables and fits.

    Args:
        turns: At least three.
        width: True width B [m].
        left_out: Numbers of the runs that the fits do without.
        of_file: Slope [1] and intercept [m/s] of eq 19 as the robot's file has them.

    Raises:
        InvalidValue: There are too few turns, or they follow no line or power law.
    """
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
        checks_of_file=tuple(_check(turn, width, of_file, None) for turn in credible)
        if of_file
        else (),
    )


def summarise(checks: Sequence[RadiusCheck]) -> dict[str, float]:
    """Return mean and largest error of both ways to a radius, in absolute value [1]."""
    found = {}
    for name in ("model_error", "power_law_error"):
        errors = np.abs([getattr(check, name) for check in checks])
        errors = errors[np.isfinite(errors)]
        if errors.size:
            found |= {f"{name}_mean": float(errors.mean()), f"{name}_max": float(errors.max())}
    return found


def summarise_slippage(turns: Sequence[Turn], left_out: Sequence[int] = ()) -> dict[str, Any]:
    """Return how slippage ratios lie about 1, and how much front and rear differ at most.

    Args:
        turns: All that are counted.
        left_out: Numbers of those that do not take part in the difference.
    """
    table = np.array([turn.slippage for turn in turns])
    used = [turn for turn in turns if turn.number not in left_out]
    o1, o2, i1, i2 = np.array([turn.slippage for turn in used]).T
    apart = {"outer": np.abs(o1 - o2), "inner": np.abs(i1 - i2)}
    counts = {"above_1": (table > 1.0).sum(axis=0), "below_1": (table < 1.0).sum(axis=0)}
    return {
        **{k: dict(zip(FourWheels._fields, v.tolist(), strict=True)) for k, v in counts.items()},
        "front_rear": {
            side: {"value": float(gap.max()), "run": used[int(gap.argmax())].number}
            for side, gap in apart.items()
        },
    }


def _check(
    turn: Turn,
    width: float,
    line: tuple[float, float],
    law: tuple[float, float] | None,
) -> RadiusCheck:
    difference = float(true_speed_difference(turn.apparent_difference, *line))
    return RadiusCheck(
        number=turn.number,
        radius=turn.radius,
        predicted_difference=difference,
        by_model=width * turn.mean_wheel_speed / difference if difference else float("nan"),
        by_power_law=float(radius_by_power_law(difference, *(law or ()))),
    )


def _plain_turn(turn: Turn) -> dict[str, Any]:
    plain = {k: getattr(turn, k) for k in Turn.__dataclass_fields__ if k != "paths"}
    return plain | {"slippage": turn.slippage._asdict()}


def _plain_check(check: RadiusCheck) -> dict[str, Any]:
    return asdict(check) | {
        "model_error": check.model_error,
        "power_law_error": check.power_law_error,
    }
