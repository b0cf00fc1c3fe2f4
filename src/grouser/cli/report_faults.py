"""Measuring the table of faults, and telling what came of it."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from grouser.cli.main import DIFFERENT, DONE, INTERRUPTED
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue, UnknownName
from grouser.hil.faults import FIRMWARE_ROWS, MUTANTS, TABLE
from grouser.hil.faults.bench import FaultRow, Finding

Result: TypeAlias = tuple[FaultRow, Finding, dict[str, Finding]]
"""A row, what was measured, and what was measured without each safety function."""
HEADINGS = ("row", "fault", "promise", "measured", "verdict", "twin")


def report_faults(
    only: Sequence[int], without: str | None, *, twins: bool, markdown: bool, as_json: bool
) -> int:
    """Measure rows of the table, tell, and return the exit code.

    Args:
        only: Rows to measure; all if empty.
        without: Safety function that the firmware lacks; None for the real one.
        twins: Whether to measure each row without its safety functions, too.
        markdown: Whether to write the table for a page of text.
        as_json: Whether a machine listens.
    """
    terminal = Terminal()
    results: list[Result] = []
    interrupted = False
    try:
        for row in _choose(only, without):
            terminal.remark(f"row {row.number}: {row.fault} ...")
            results.append(_measure(row, without, twins=twins))
    except KeyboardInterrupt:
        interrupted = True
    if as_json:
        terminal.json([_plain(*result) for result in results])
    else:
        _tell(terminal, results, markdown=markdown)
    if interrupted:
        terminal.remark("grouser: interrupted; the table has the rows until then")
        return INTERRUPTED
    return _judge(terminal, results)


def _choose(only: Sequence[int], without: str | None) -> list[FaultRow]:
    for number in only:
        if number not in TABLE:
            raise InvalidValue("--only", number, f"be rows from 1 to {max(TABLE)}")
    if without is not None and without not in MUTANTS:
        raise UnknownName("firmware without", without, MUTANTS)
    able = TABLE if without is None else FIRMWARE_ROWS
    rows = [TABLE[number] for number in able if not only or number in only]
    if not rows:
        known = ", ".join(map(str, FIRMWARE_ROWS))
        raise InvalidValue("--only", list(only), f"name rows of the firmware: {known}")
    return rows


def _measure(row: FaultRow, without: str | None, *, twins: bool) -> Result:
    found = row.check(without or "")
    others = {} if without or not twins else {twin: row.check(twin) for twin in row.twins}
    return row, found, others


def _judge(terminal: Terminal, results: list[Result]) -> int:
    broken = [str(row.number) for row, found, _ in results if not found.is_kept]
    blind = [str(row.number) for row, _, twins in results if any(t.is_kept for t in twins.values())]
    if broken:
        terminal.remark(f"grouser: broken promises in rows {', '.join(broken)}")
    if blind:
        terminal.remark(f"grouser: twins that show nothing in rows {', '.join(blind)}")
    return DIFFERENT if broken or blind else DONE


def _tell(terminal: Terminal, results: list[Result], *, markdown: bool) -> None:
    rows = [
        (
            str(row.number),
            row.fault,
            row.promise,
            found.measured,
            "kept" if found.is_kept else "BROKEN",
            "; ".join(
                f"without {name}: {'SHOWS NOTHING' if other.is_kept else other.measured}"
                for name, other in others.items()
            ),
        )
        for row, found, others in results
    ]
    if markdown:
        for line in (HEADINGS, ("---",) * len(HEADINGS), *rows):
            terminal.line(f"| {' | '.join(line)} |")
        return
    terminal.table(HEADINGS, rows, numbers=(0,))
    kept = sum(found.is_kept for _, found, _ in results)
    terminal.line(f"{kept} of {len(results)} promises kept")


def _plain(row: FaultRow, found: Finding, others: dict[str, Finding]) -> dict[str, Any]:
    return {
        "row": row.number,
        "fault": row.fault,
        "behaviour": row.behaviour,
        "promise": row.promise,
        "measured": found.measured,
        "figures": found.figures,
        "kept": found.is_kept,
        "twins": {
            name: {"measured": other.measured, "figures": other.figures, "shows": not other.is_kept}
            for name, other in others.items()
        },
    }
