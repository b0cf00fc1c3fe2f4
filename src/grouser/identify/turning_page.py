"""P2's tables and figures of turns, for a terminal and for a page."""

import math
from collections.abc import Sequence

import numpy as np

from grouser.geometry import Scalar
from grouser.identify.turning_tables import RadiusCheck, TurningTables, summarise
from grouser.laws.turning_geometry import FourWheels
from grouser.report import Panel, Series, TextTable
from grouser.report.colours import line_colour
from grouser.units import format_number

WHEELS = FourWheels._fields


def turn_tables(tables: TurningTables) -> tuple[TextTable, ...]:
    """Return P2's Tables 2 to 6 and its fits, as far as the log holds them."""
    known = any(turn.paths for turn in tables.turns)
    of_file = "Radii from wheel speeds, eq 19 of the robot's file and P2's eq 20"
    return (
        *((_paths(tables), _circles(tables)) if known else ()),
        _turns(tables),
        *((_intervals(tables),) if any(turn.intervals for turn in tables.turns) else ()),
        _checks("Radii from wheel speeds (P2 Table 6), own fits", tables.checks),
        *((_checks(of_file, tables.checks_of_file),) if tables.checks_of_file else ()),
    )


def turn_panels(turns: TurningTables) -> list[Panel]:
    """Return P2's fits: true over apparent speed difference, and radius over the true one."""
    apparent = np.array([t.apparent_difference for t in turns.turns])
    true = np.array([t.true_difference for t in turns.turns])
    radius = np.array([t.radius for t in turns.turns])
    across = np.array([0.0, apparent.max()])
    line, law = turns.line, turns.power_law
    along = np.linspace(true.min(), true.max(), 200)
    return [
        Panel(
            key="eq19", title="True over apparent speed difference (P2 eq 19)",
            x_label="Ev_a [m/s]", y_label="Ev_t [m/s]",
            series=(
                Series(name="turns", x=apparent, y=true, colour=line_colour(0), dots=True),
                Series(name="eq 19", x=across, y=line.slope * across + line.intercept,
                       colour=line_colour(1)),
            ),
        ),
        Panel(
            key="eq20", title="Radius over true speed difference (P2 eq 20)",
            x_label="Ev_t [m/s]", y_label="R0 [m]",
            series=(
                Series(name="turns", x=true, y=radius, colour=line_colour(0), dots=True),
                Series(name="eq 20", x=along, y=law.coefficient * along**law.exponent,
                       colour=line_colour(1)),
            ),
        ),
    ]  # fmt: skip


def _paths(tables: TurningTables) -> TextTable:
    heads = ("run", "time, s", "Lo, m", "Li, m", *(f"L {w}, m" for w in WHEELS),
             *(f"V {w}, m/s" for w in WHEELS), "u, m/s")  # fmt: skip
    rows = []
    for turn in tables.turns:
        if (paths := turn.paths) is None:
            continue
        numbers = (paths.duration, *paths.standard_lengths, *paths.rolled_lengths)
        numbers = (*numbers, *paths.wheel_speeds, sum(paths.wheel_speeds) / len(WHEELS))
        rows.append((str(turn.number), *(_fixed(number) for number in numbers)))
    return TextTable(
        words=0, title="Paths and mean speeds (P2 Table 3)", heads=heads, rows=tuple(rows)
    )


def _circles(tables: TurningTables) -> TextTable:
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
    return TextTable(words=0, title=title, heads=heads, rows=tuple(rows))


def _turns(tables: TurningTables) -> TextTable:
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
    return TextTable(
        words=0, title="Turns (P2 Table 5)", heads=heads, rows=tuple(rows), lines=tuple(lines)
    )


def _intervals(tables: TurningTables) -> TextTable:
    columns = {"radius": "R0, m", **{f"slippage.{w}": f"sl {w}" for w in WHEELS},
               "calculated_width": "Bc, m", "apparent_width.least": "least width, m",
               "apparent_width.largest": "largest width, m", "true_difference": "Ev_t, m/s",
               "apparent_difference": "Ev_a, m/s", "offset_ahead": "D, m"}  # fmt: skip
    heads = ("run", "turns", "start, s", "end, s", *columns.values(), "noise of")
    rows = [
        (str(t.number), t.direction, *(f"{at:.2f}" for at in (t.start, t.end) if at is not None),
         *(" to ".join(map(_fixed, t.intervals[name])) for name in columns),
         t.noise_source or "")
        for t in tables.turns if t.intervals
    ]  # fmt: skip
    lines = ["Noise of the observed motion and of wheel speeds, drawn again. Wheel radii, the"
             " gauge and the mounting angle of the sensor are taken as exact."]  # fmt: skip
    if any(t.noise_source == "turn" for t in tables.turns):
        lines.append(
            "Turns with noise of the turn itself leave out errors slower than a tenth of the turn;"
            " a log with 10 s of standstill shows them."
        )
    title = "95 % intervals of the turns"
    return TextTable(words=2, title=title, heads=heads, rows=tuple(rows), lines=tuple(lines))


def _checks(title: str, checks: Sequence[RadiusCheck]) -> TextTable:
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
    return TextTable(words=0, title=title, heads=heads, rows=tuple(rows), lines=tuple(lines))


def _fixed(value: Scalar) -> str:
    number = float(value)
    if not math.isfinite(number):
        return "–"
    return f"{number:.4f}" if abs(number) < 1e4 else format_number(number)
