"""`grouser hil faults` and `grouser hil frames`: the table of faults, and damaged frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from grouser.cli.exits import DIFFERENT, DONE, INTERRUPTED
from grouser.cli.options import Count, Flag, Json, Seed, options, several
from grouser.cli.terminal import Terminal, show_progress
from grouser.errors import InvalidValue, UnknownName

if TYPE_CHECKING:
    from grouser.hil.faults.bench import FaultRow, Finding

Result: TypeAlias = "tuple[FaultRow, Finding, dict[str, Finding]]"
"""A row, what was measured, and what was measured without each safety function."""
_HEADINGS = ("row", "fault", "promise", "measured", "verdict", "twin")


def _choose(only: Sequence[int], without: str | None) -> list[FaultRow]:
    from grouser.hil.faults import FIRMWARE_ROWS, MUTANTS, TABLE

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


def _judge(terminal: Terminal, results: list[Result]) -> int:
    broken = [str(row.number) for row, found, _ in results if not found.is_kept]
    blind = [str(row.number) for row, _, twins in results if any(t.is_kept for t in twins.values())]
    if broken:
        terminal.remark(f"grouser: broken promises in rows {', '.join(broken)}")
    if blind:
        terminal.remark(f"grouser: twins that show nothing in rows {', '.join(blind)}")
    return DIFFERENT if broken or blind else DONE


def _print(terminal: Terminal, results: list[Result], *, markdown: bool) -> None:
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
        for line in (_HEADINGS, ("---",) * len(_HEADINGS), *rows):
            terminal.line(f"| {' | '.join(line)} |")
        return
    terminal.table(_HEADINGS, rows, numbers=(0,))
    kept = sum(found.is_kept for _, found, _ in results)
    terminal.line(f"{kept} of {len(results)} promises kept")


def _describe(row: FaultRow, found: Finding, others: dict[str, Finding]) -> dict[str, Any]:
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


@options
class FaultOptions:
    """Which rows are measured, and how the table is written."""

    only: Annotated[tuple[int, ...], several("ROW")] = ()
    """Rows of the table to check; all 25 if not given."""
    without: Annotated[str | None, Parameter(metavar="GUARD")] = None
    """Check the rows of the firmware against one that lacks this safety function, such as lease or
    crc: the table must catch it."""
    twins: bool = True
    """Also measure each row without the safety function that its promise rests on, which must show
    the fault."""
    markdown: Flag = False
    """Write the table for a page of text."""
    as_json: Json = False


def hil_faults(*, given: FaultOptions = FaultOptions()) -> int:
    """Measure every promise of the table of faults against the real firmware in lockstep.

    Exit code 1 if a promise is broken, or if a twin without its safety function does not show it.
    """
    terminal, without = Terminal(), given.without
    results: list[Result] = []
    interrupted = False
    try:
        for row in _choose(given.only, without):
            terminal.remark(f"row {row.number}: {row.fault} ...")
            found = row.check(without or "")
            twins = row.twins if given.twins and not without else ()
            results.append((row, found, {twin: row.check(twin) for twin in twins}))
    except KeyboardInterrupt:
        interrupted = True
    if given.as_json:
        terminal.json([_describe(*result) for result in results])
    else:
        _print(terminal, results, markdown=given.markdown)
    if interrupted:
        terminal.remark("grouser: interrupted; the table has the rows measured until then")
        return INTERRUPTED
    return _judge(terminal, results)


FrameCount = Annotated[Count, Parameter(help="How many frames to damage and decode.")]


def hil_frames(*, count: FrameCount = 1_000_000, seed: Seed = 1, as_json: Json = False) -> int:
    """Damage frames in six ways, and count how many the decoder accepts as other frames.

    Exit code 1 if there is one.
    """
    from grouser.hil.frame_damage import Tally, try_frames

    terminal, interrupted = Terminal(), False
    tallies: dict[str, Tally] = {}
    with show_progress(terminal, "frames") as show:
        try:
            try_frames(count, seed=seed, tallies=tallies, progress=lambda done: show(done / count))
        except KeyboardInterrupt:
            interrupted = True
    if as_json:
        terminal.json({name: asdict(tally) for name, tally in tallies.items()})
    else:
        rows = [(name, *map(str, asdict(tally).values())) for name, tally in tallies.items()]
        counts = (asdict(tally).values() for tally in tallies.values())
        total = [sum(column) for column in zip(*counts, strict=True)]
        rows.append(("all", *map(str, total)))
        headings = ("damage", "frames", "dropped", "intact", "accepted wrong", "next one lost")
        terminal.table(headings, rows, numbers=range(1, 6))
    if interrupted:
        terminal.remark("grouser: interrupted; the table is of the frames until then")
        return INTERRUPTED
    wrong = sum(tally.wrong + tally.not_recovered for tally in tallies.values())
    return DIFFERENT if wrong else DONE
