"""P2's tables as words, for a console and for a page alike."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grouser.cli.terminal import format_number
from grouser.geometry import Scalar
from grouser.identify.turning_tables import RadiusCheck, TurningTables, summarise
from grouser.laws.turning_geometry import FourWheels

WHEELS = FourWheels._fields


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTable:
    """A table with sentences below it."""

    title: str
    """What it holds."""
    heads: tuple[str, ...]
    """Headings of the columns; none if there are sentences alone."""
    rows: tuple[tuple[str, ...], ...]
    """Cells."""
    lines: tuple[str, ...] = ()
    """Sentences below."""


def turn_tables(tables: TurningTables) -> tuple[WordTable, ...]:
    """Return P2's Tables 2 to 6 and its fits, as far as the log told them."""
    known = any(turn.paths for turn in tables.turns)
    of_file = "Radii from wheel speeds, eq 19 of the robot's file and P2's eq 20"
    return (
        *((_paths(tables), _circles(tables)) if known else ()),
        _turns(tables),
        _checks("Radii from wheel speeds (P2 Table 6), own fits", tables.checks),
        *((_checks(of_file, tables.checks_of_file),) if tables.checks_of_file else ()),
    )


def _paths(tables: TurningTables) -> WordTable:
    heads = ("run", "time, s", "Lo, m", "Li, m", *(f"L {w}, m" for w in WHEELS),
             *(f"V {w}, m/s" for w in WHEELS), "u, m/s")  # fmt: skip
    rows = []
    for turn in tables.turns:
        if (paths := turn.paths) is None:
            continue
        numbers = (paths.duration, *paths.standard_lengths, *paths.rolled_lengths)
        numbers = (*numbers, *paths.wheel_speeds, sum(paths.wheel_speeds) / len(WHEELS))
        rows.append((str(turn.number), *(_fixed(number) for number in numbers)))
    return WordTable(title="Paths and mean speeds (P2 Table 3)", heads=heads, rows=tuple(rows))


def _circles(tables: TurningTables) -> WordTable:
    heads = ("run", "Y, rad", "by Bc", "by Lo", "by Li", "widths, m", "over B", "D, m",
             *(f"R {w}, m" for w in WHEELS), *(f"sl {w}" for w in WHEELS))  # fmt: skip
    rows = []
    for turn in tables.turns:
        if turn.paths is None:
            continue
        told = turn.paths.to_dict()
        spans = (told["apparent_width"], told["apparent_over_true_width"])
        rows.append((
            str(turn.number), _fixed(told["yaw_change"]),
            *map(_fixed, told["yaw_changes"].values()),
            *(" to ".join(map(_fixed, span)) for span in spans), _fixed(told["offset_ahead"]),
            *map(_fixed, told["wheel_radii"].values()), *map(_fixed, told["slippage"].values()),
        ))  # fmt: skip
    title = "Heading, width without slip and radii (P2 Tables 2 and 4)"
    return WordTable(title=title, heads=heads, rows=tuple(rows))


def _turns(tables: TurningTables) -> WordTable:
    heads = ("run", "R0, m", *(f"sl {w}" for w in WHEELS), "Bc, m", "Ev_t, m/s", "Ev_a, m/s")
    rows = [
        (str(t.number), *map(_fixed, (t.radius, *t.slippage, t.calculated_width,
                                      t.true_difference, t.apparent_difference)))
        for t in tables.turns
    ]  # fmt: skip
    line, law, slippage = tables.line, tables.power_law, tables.slippage
    above = ", ".join(f"{wheel} {n}" for wheel, n in slippage["above_1"].items())
    below = ", ".join(f"{wheel} {n}" for wheel, n in slippage["below_1"].items())
    apart = ", ".join(
        f"{side} {gap['value']:.4f} (run {gap['run']})"
        for side, gap in slippage["front_rear"].items()
    )
    lines = [
        f"eq 19: Ev_t = {line.slope:.5g} Ev_a + {line.intercept:.5g} m/s, R2 {line.r2:.4f}, "
        f"RMSE {line.rmse:.4g} m/s",
        f"eq 20: R0 = {law.coefficient:.5g} Ev_t^{law.exponent:.5g} m, R2 {law.r2:.4f}, "
        f"RMSE {law.rmse:.4g} m",
        f"slippage ratios above 1: {above}; below 1: {below}",
        f"front and rear wheels apart by at most: {apart}",
    ]
    if tables.left_out:
        lines.append(f"left out of the fits: {', '.join(map(str, tables.left_out))}")
    return WordTable(title="Turns (P2 Table 5)", heads=heads, rows=tuple(rows), lines=tuple(lines))


def _checks(title: str, checks: Sequence[RadiusCheck]) -> WordTable:
    heads = ("run", "R0, m", "Ev_t1, m/s", "R01, m", "error, %", "R02, m", "error, %")
    rows = [
        (str(c.number), *map(_fixed, (c.radius, c.predicted_difference, c.by_model,
                                      100.0 * c.model_error, c.by_power_law,
                                      100.0 * c.power_law_error)))
        for c in checks
    ]  # fmt: skip
    lines = [
        f"{name.replace('_', ' ')}: {100.0 * value:.4f} %"
        for name, value in summarise(checks).items()
    ]
    return WordTable(title=title, heads=heads, rows=tuple(rows), lines=tuple(lines))


def _fixed(value: Scalar) -> str:
    number = float(value)
    if not math.isfinite(number):
        return "–"
    return f"{number:.4f}" if abs(number) < 1e4 else format_number(number)
