"""Cells of a data sheet as text."""

import math

from grouser.datasheet.lanes import LANES
from grouser.datasheet.row import Cell, Row
from grouser.datasheet.sheet import Sheet

NONE = "–"
"""Where a model says nothing."""


def format_value(row: Row, value: float) -> str:
    """Return a value in the unit of its row."""
    text = f"{row.factor * value:.{row.digits}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def format_title(row: Row) -> str:
    """Return what a row is, with the unit of its numbers; of lanes there are no numbers."""
    return row.title if row.group == LANES else f"{row.title} [{row.unit}]"


def format_cell(row: Row, cell: Cell) -> str:
    """Return what a model found, in a few words; how often a lane was passed, and how fast."""
    if cell.value is None:
        return NONE if cell.reason.startswith("not described") else cell.reason.split(":")[0]
    if row.group == LANES:
        return cell.words
    return f"{cell.sign}{format_value(row, cell.value)}"


def format_spread(sheet: Sheet, row: Row) -> str:
    """Return how far models are apart; of lanes, nothing but whether they agree."""
    spread = sheet.spread(row)
    if spread is None:
        return NONE
    low, high = spread
    if format_value(row, low) == format_value(row, high):
        return "none"
    if row.group == LANES:
        return f"{100 * (high - low):.0f} % of starts"
    middle = 0.5 * (low + high)
    share = (high - low) / abs(middle) if middle else math.inf
    return f"{format_value(row, high - low)} ({100 * share:.0f} %)"


def explain_cell(cell: Cell) -> str:
    """Return posture, limit's evidence and reason of a cell as one text."""
    parts = [cell.reason, cell.evidence, *cell.notes]
    return "; ".join(part for part in parts if part)


def _plain(name: str) -> str:
    """Return a name of a detail with its unit, if it has one."""
    return name.replace(" [1]", "")


def explain_row(sheet: Sheet, row: Row) -> tuple[str, str]:
    """Return what limits a row by its first model, and the evidence with posture and model."""
    model, cell = sheet.main(row)
    evidence = explain_cell(cell)
    if cell.words and row.group != LANES:
        evidence = f"{cell.words}; {evidence}" if evidence else cell.words
    if more := [f"{_plain(name)} {value:.3g}" for name, value in cell.details.items()]:
        is_lane = row.group == LANES
        evidence += "" if is_lane else f"; {', '.join(more)}"
    others = {
        name: sheet.cell(row, name).limit
        for name in sheet.models
        if name != model and sheet.cell(row, name).limit not in ("", cell.limit)
    }
    if others:
        evidence += "; " + ", ".join(f"{name}: {limit}" for name, limit in others.items())
    return cell.limit or NONE, f"{model}: {evidence}" if evidence else ""
