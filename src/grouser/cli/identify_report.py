"""The report of `grouser identify` on a terminal and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grouser.cli.terminal import Terminal
    from grouser.identify import Fit, Identification
    from grouser.identify.turning_tables import TurningTables


def report_content(found: Identification, turns: TurningTables | None) -> dict[str, Any]:
    """Return the report as JSON values, in the order of the page."""
    from grouser.identify.summary import summarise

    return {**summarise(found).to_dict(), **({"turning": turns.to_dict()} if turns else {})}


def print_fits(terminal: Terminal, found: Identification) -> None:
    """Write what to use and why, limits of predictions, parameters, and what was driven.

    Parameters are those of the recommended fit, or of all fits if none is recommended.
    """
    from grouser.identify import report_tables as tables
    from grouser.identify.summary import summarise

    summary = summarise(found)
    terminal.line(summary.sentence)
    if summary.price:
        terminal.line(summary.price)
    for warning in summary.warnings:
        terminal.line(f"Warning: {warning}")
    if summary.chosen is None:
        for sentence in summary.driven.missing():
            terminal.line(sentence)
    terminal.line()
    fits = list(found.fits.values()) if summary.chosen is None else [summary.chosen]
    every = (
        tables.judged_table(summary),
        tables.error_table(summary),
        tables.horizon_table(summary),
        tables.limit_table(summary),
        tables.drive_train_table(summary),
        *(tables.parameter_table(summary, fit) for fit in fits),
        tables.driven_table(summary),
    )
    terminal.tables(table for table in every if table is not None)


def print_fit(terminal: Terminal, fit: Fit) -> None:
    """Write one fit that had no rival."""
    from grouser.identify.report_tables import parameter_table

    terminal.tables([parameter_table(None, fit)])
