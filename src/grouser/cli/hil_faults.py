"""`grouser hil faults`."""

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from grouser.cli.options import Json

if TYPE_CHECKING:
    from grouser.cli.terminal import Terminal
    from grouser.hil.faults.fault_row import FaultRow
    from grouser.hil.faults.finding import Finding

    Result: TypeAlias = tuple[FaultRow, Finding, dict[str, Finding]]

Only = Annotated[
    tuple[int, ...],
    Parameter(
        metavar="ROW ...",
        consume_multiple=1,
        negative="",
        show_default=False,
        help="Rows of the table to check; all 25 if not given.",
    ),
]
Without = Annotated[
    str | None,
    Parameter(
        metavar="GUARD",
        help="Check the rows of the firmware against one that lacks this safety function, such "
        "as lease or crc: the table must catch it.",
    ),
]
Twins = Annotated[
    bool,
    Parameter(
        help="Also measure each row without the safety function that its promise rests on, which "
        "must show the fault."
    ),
]


def hil_faults(
    *, only: Only = (), without: Without = None, twins: Twins = True, as_json: Json = False
) -> int:
    """Measure every promise of the table of faults against the real firmware in lockstep.

    Exit code 1 if a promise is broken, or if a twin without its safety function does not show it.
    """
    from grouser.cli.main import DIFFERENT, DONE, INTERRUPTED
    from grouser.cli.terminal import Terminal
    from grouser.errors import InvalidValue, UnknownName
    from grouser.hil.faults.table import FIRMWARE_ROWS, MUTANTS, TABLE

    terminal = Terminal()
    for number in only:
        if number not in TABLE:
            raise InvalidValue("--only", number, "be rows from 1 to 25")
    if without is not None and without not in MUTANTS:
        raise UnknownName("firmware without", without, MUTANTS)
    numbers = [n for n in TABLE if (not only or n in only)]
    numbers = [n for n in numbers if without is None or n in FIRMWARE_ROWS]
    results: list[Result] = []
    interrupted = False
    try:
        for number in numbers:
            terminal.remark(f"row {number}: {TABLE[number].fault} ...")
            results.append(_measure(TABLE[number], without, twins=twins))
    except KeyboardInterrupt:
        interrupted = True
    _tell(terminal, results, as_json=as_json)
    broken = [row.number for row, found, _ in results if not found.is_kept]
    blind = [row.number for row, _, others in results if any(o.is_kept for o in others.values())]
    if broken and not as_json:
        terminal.remark(f"grouser: broken promises in rows {', '.join(map(str, broken))}")
    if blind and not as_json:
        terminal.remark(f"grouser: twins that show nothing in rows {', '.join(map(str, blind))}")
    if interrupted:
        terminal.remark("grouser: interrupted; the table has the rows until then")
        return INTERRUPTED
    return DIFFERENT if broken or blind else DONE


def _measure(row: "FaultRow", without: str | None, *, twins: bool) -> "Result":
    found = row.check(without or "")
    others = {} if without or not twins else {twin: row.check(twin) for twin in row.twins}
    return row, found, others


def _tell(
    terminal: "Terminal",
    results: "list[Result]",
    *,
    as_json: bool,
) -> None:
    if as_json:
        terminal.json([_plain(*result) for result in results])
        return
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
    headings = ("row", "fault", "promise", "measured", "verdict", "twin")
    terminal.table(headings, rows, numbers=(0,))
    kept = sum(found.is_kept for _, found, _ in results)
    terminal.line(f"{kept} of {len(results)} promises kept")


def _plain(row: "FaultRow", found: "Finding", others: "dict[str, Finding]") -> dict[str, Any]:
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
