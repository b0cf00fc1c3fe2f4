"""Fits for a person: parameters with intervals, errors, advice."""

import math

from grouser.cli.terminal import Terminal, format_number
from grouser.cli.turn_tables import turn_tables
from grouser.identify import Fit, Identification
from grouser.identify.turning_tables import TurningTables


def print_fits(terminal: Terminal, found: Identification) -> None:
    """Write the recommended fit, how all families compare, and what to drive next."""
    chosen = found.recommendation
    for fit in [found.fits[chosen.family]] if chosen.family else found.fits.values():
        print_fit(terminal, fit)
    terminal.heading("Prediction errors on held-out data")
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
    for name, why in found.failures.items():
        terminal.line(f"{name} was left out: {why}")
    terminal.line(f"Recommended is {chosen.sentence}.")
    terminal.line()


def print_fit(terminal: Terminal, fit: Fit) -> None:
    """Write one fit."""
    share = f"{100.0 * fit.outliers:.1f} % outliers"
    terminal.heading(
        f"{fit.family}: {fit.status}, {fit.samples} numbers in {fit.windows} windows, {share}"
    )
    rows = [
        (e.name, format_number(e.value), format_number(e.low), format_number(e.high), e.unit)
        for e in fit.parameters.values()
    ]
    rows += [(name, format_number(value), "fixed", "", "") for name, value in fit.fixed.items()]
    terminal.table(("parameter", "value", "95 % from", "to", "unit"), rows, numbers=(1, 2, 3))
    if fit.hold_out.quantity == "force":
        terminal.line(f"error of forces that were held out: {_error(fit.hold_out.score)} N")
    for sentence in (*fit.doubts, *fit.advice):
        terminal.line(sentence)
    if fit.doubts or fit.advice:
        terminal.line()


def print_turns(terminal: Terminal, tables: TurningTables) -> None:
    """Write P2's tables and fits."""
    for table in turn_tables(tables):
        terminal.heading(table.title)
        terminal.table(table.heads, table.rows, numbers=range(len(table.heads)))
        for line in table.lines:
            terminal.line(line)
        if table.lines:
            terminal.line()


def _error(value: float) -> str:
    return format_number(value, 3) if math.isfinite(value) else "–"
