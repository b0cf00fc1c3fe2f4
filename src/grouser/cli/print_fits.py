"""Fits for a person: parameters with intervals, errors, advice."""

import math

from grouser.cli.terminal import Terminal, format_number
from grouser.identify import Fit, Identification
from grouser.identify.turning_tables import RadiusCheck, TurningTables, summarise


def print_fits(terminal: Terminal, found: Identification) -> None:
    """Write the recommended fit, how all families compare, and what to drive next."""
    chosen = found.recommendation
    print_fit(terminal, found.fits[chosen.family])
    terminal.heading("Predicting what no fit has seen")
    horizons = sorted({h for fit in found.fits.values() for h in fit.hold_out.heading})
    heads = ("family", "status", *(f"{h:g} s, m" for h in horizons), "per metre, 1",
             *(f"{h:g} s, deg" for h in horizons))  # fmt: skip
    rows = [
        (
            name, str(fit.status),
            *(_error(fit.hold_out.position.get(h, math.nan)) for h in horizons),
            _error(fit.hold_out.per_metre),
            *(_error(math.degrees(fit.hold_out.heading.get(h, math.nan))) for h in horizons),
        )
        for name, fit in found.fits.items()
    ]  # fmt: skip
    terminal.table(heads, rows, numbers=range(2, len(heads)))
    for name, why in found.refused.items():
        terminal.line(f"{name} was left out: {why}")
    terminal.line(f"Recommended is {chosen.sentence}.")
    terminal.line()


def print_fit(terminal: Terminal, fit: Fit) -> None:
    """Write one fit."""
    share = f"{100.0 * fit.outliers:.1f} % gross errors"
    terminal.heading(
        f"{fit.family}: {fit.status}, {fit.samples} numbers in {fit.windows} windows, {share}"
    )
    rows = [
        (e.name, format_number(e.value), format_number(e.low), format_number(e.high), e.unit)
        for e in fit.parameters.values()
    ]
    rows += [(name, format_number(value), "kept", "", "") for name, value in fit.kept.items()]
    terminal.table(("parameter", "value", "95 % from", "to", "unit"), rows, numbers=(1, 2, 3))
    if fit.hold_out.quantity == "force":
        terminal.line(f"error of forces that were held out: {fit.hold_out.score:.3g} N")
    for sentence in fit.advice:
        terminal.line(sentence)
    if fit.advice:
        terminal.line()


def print_turns(terminal: Terminal, tables: TurningTables) -> None:
    """Write P2's tables and fits."""
    terminal.heading("Turns (P2 Table 5)")
    heads = ("run", "R0, m", "sl o1", "sl o2", "sl i1", "sl i2", "Bc, m", "Ev_t, m/s",
             "Ev_a, m/s")  # fmt: skip
    rows = [
        (
            str(t.number), f"{t.radius:.4f}", *(f"{s:.4f}" for s in t.slippage),
            f"{t.calculated_width:.4f}", f"{t.true_difference:.4f}",
            f"{t.apparent_difference:.4f}",
        )
        for t in tables.turns
    ]  # fmt: skip
    terminal.table(heads, rows, numbers=range(len(heads)))
    line, law = tables.line, tables.power_law
    terminal.line(
        f"eq 19: Ev_t = {line.slope:.5g} Ev_a + {line.intercept:.5g} m/s, R2 {line.r2:.4f}, "
        f"RMSE {line.rmse:.4g} m/s"
    )
    terminal.line(
        f"eq 20: R0 = {law.coefficient:.5g} Ev_t^{law.exponent:.5g} m, R2 {law.r2:.4f}, "
        f"RMSE {law.rmse:.4g} m"
    )
    if tables.left_out:
        terminal.line(f"left out of the fits: {', '.join(map(str, tables.left_out))}")
    terminal.line()
    _print_checks(terminal, "Radii from wheel speeds (P2 Table 6), own fits", tables.checks)
    if tables.checks_of_file:
        title = "Radii from wheel speeds, eq 19 of the robot's file and P2's eq 20"
        _print_checks(terminal, title, tables.checks_of_file)


def _print_checks(terminal: Terminal, title: str, checks: tuple[RadiusCheck, ...]) -> None:
    terminal.heading(title)
    heads = ("run", "R0, m", "Ev_t1, m/s", "R01, m", "error, %", "R02, m", "error, %")
    rows = [
        (
            str(c.number), f"{c.radius:.4f}", f"{c.predicted_difference:.4f}",
            _error(c.by_model), f"{100.0 * c.model_error:.4f}", f"{c.by_power_law:.4f}",
            f"{100.0 * c.power_law_error:.4f}",
        )
        for c in checks
    ]  # fmt: skip
    terminal.table(heads, rows, numbers=range(len(heads)))
    for name, value in summarise(checks).items():
        terminal.line(f"{name.replace('_', ' ')}: {100.0 * value:.4f} %")
    terminal.line()


def _error(value: float) -> str:
    return format_number(value, 3) if math.isfinite(value) else "–"
