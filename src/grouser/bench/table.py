"""Benchmark results as tables."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from grouser.bench.bench import SECTIONS, Bench, Row
from grouser.errors import InvalidValue
from grouser.storage import write_atomically

HEADINGS = ("case", "step", "value", "÷ ref", "µs/step", "÷ ref")
"""Heads of the columns; from the third on they are numbers."""
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
"""Between these lines a page shows the table."""


def compose_table(bench: Bench) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield the title and the lines of each section."""
    for name, rows in groupby(bench.rows, key=lambda row: row.section):
        section = SECTIONS[name]
        unit = "" if section.unit == "1" else f" [{section.unit}]"
        title = f"{name}: {section.quantity}{unit}; {section.summary}; ÷ {section.reference}"
        yield title, [_cells(row) for row in rows]


def find_marks(file: Path) -> tuple[str, str]:
    """Return the text of a page before the table, and after it.

    Raises:
        InvalidValue: There is no such page, or it lacks the two marks.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InvalidValue("--markdown", str(file), f"be a page ({reason})") from error
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise InvalidValue("--markdown", str(file), f"hold the lines {BEGIN} and {END}")
    return before, after


def write_markdown(bench: Bench, file: Path) -> None:
    """Put the table into a page, between its two marks.

    Raises:
        InvalidValue: There is no such page, or it lacks these lines.
    """
    before, after = find_marks(file)
    write_atomically(file, f"{before}{BEGIN}\n{compose_markdown(bench)}{END}{after}")


def compose_markdown(bench: Bench) -> str:
    """Return the table as Markdown, section by section, with the machine on top."""
    lines = [f"Robot `{bench.robot}`. {bench.machine.describe()}.", ""]
    for title, rows in compose_table(bench):
        lines += [f"**{title}**", "", f"| {' | '.join(HEADINGS)} |", "|---|---|--:|--:|--:|--:|"]
        lines += [f"| {' | '.join(row)} |" for row in rows]
        lines.append("")
    lines += [f"Left out: {case}: {reason}." for case, reason in bench.left_out.items()]
    return "\n".join(lines).rstrip() + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    numbers = (row.value, row.ratio, row.step_us, row.step_ratio)
    return row.case, row.note, *(_number(value) for value in numbers)


def _number(value: float | None) -> str:
    """Return a number with three digits that count, and commas between thousands."""
    if value is None:
        return ""
    if value >= 100.0:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 1.0 else f"{value:.{2 if value < 10.0 else 1}f}"
