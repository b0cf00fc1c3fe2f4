"""P1's comparison of models: drive, tell, write."""

from functools import partial
from pathlib import Path

from grouser import limits
from grouser.cli.main import DONE
from grouser.cli.output import FolderOutput
from grouser.cli.terminal import Terminal
from grouser.cli.watch_tasks import watch_tasks
from grouser.errors import InvalidValue, UnknownName, Unreadable
from grouser.papers.p1.contest import Contest, Outcome
from grouser.papers.p1.reference import SYNTHETIC
from grouser.papers.p1.scenarios import ENTRANTS, SCENARIOS, Entrant, Scenario
from grouser.papers.p1.tables import (
    Row,
    format_markdown,
    format_properties,
    is_synthetic,
    make_table_1,
    make_table_2,
)
from grouser.storage import parse_json, read_file, write_atomically
from grouser.tasks import Workers


def report_contest(
    entrants: tuple[str, ...],
    scenarios: tuple[str, ...],
    runs: int,
    references: Path | None,
    *,
    tuned: Path | None,
    out_dir: FolderOutput,
    workers: Workers,
    as_json: bool,
) -> int:
    """Drive what was asked for, write both tables, print them; return the exit code."""
    if runs < 1:
        raise InvalidValue("--runs", runs, "be at least 1")
    outputs = out_dir.claim("table1.md"), out_dir.claim("table2.md")
    check_folder("--references", references)
    check_folder("--tuned", tuned)
    chosen = tuple(find_entrant(name) for name in entrants)
    contest = Contest(
        entrants=chosen,
        scenarios=find_scenarios(scenarios),
        runs=runs,
        values={e.name: _read_tuned(tuned, e) for e in chosen},
        references=references,
        file=out_dir.path / "results.json",
    )
    outcomes = _drive(contest, workers)
    rows, properties = make_table_1(outcomes), make_table_2(outcomes)
    synthetic = is_synthetic(outcomes)
    texts = format_markdown(rows, synthetic=synthetic), format_properties(properties)
    files = [
        output.write(partial(write_atomically, content=text))
        for output, text in zip(outputs, texts, strict=True)
    ]
    terminal = Terminal()
    if as_json:
        terminal.json({"table_1": [_content(row) for row in rows], "synthetic": synthetic,
                       "files": files})  # fmt: skip
        return DONE
    _print(rows, terminal, synthetic=synthetic)
    terminal.line(f"tables: {files[0]}, {files[1]}")
    return DONE


def find_entrant(name: str) -> Entrant:
    """Return one of P1's models.

    Raises:
        UnknownName: There is none of that name.
    """
    if name not in ENTRANTS:
        raise UnknownName("model of P1", name, ENTRANTS)
    return ENTRANTS[name]


def find_scenarios(names: tuple[str, ...]) -> tuple[Scenario, ...]:
    """Return some of P1's scenarios, all if none is named.

    Raises:
        UnknownName: There is none of that name.
    """
    known = {scenario.name: scenario for scenario in SCENARIOS}
    for name in names:
        if name not in known:
            raise UnknownName("scenario of P1", name, known)
    return tuple(known[name] for name in names) or SCENARIOS


def check_folder(option: str, folder: Path | None) -> None:
    """Refuse a folder that is not there.

    Raises:
        InvalidValue: It is not.
    """
    if folder is not None and not folder.is_dir():
        raise InvalidValue(option, str(folder), "be a folder")


def _drive(contest: Contest, workers: Workers) -> list[Outcome]:
    with watch_tasks("drives") as tell:
        return contest.in_order(contest.outcomes(tell, workers))


def _read_tuned(folder: Path | None, entrant: Entrant) -> dict[str, float]:
    file = None if folder is None else folder / f"tune-{entrant.name}.json"
    if file is None or not file.exists():
        return {}
    try:
        content = parse_json(read_file(file, limits.RESULT_BYTES))
        best = content.get("best") if isinstance(content, dict) else None
        return entrant.check_values(best.get("values") if isinstance(best, dict) else None)
    except (ValueError, InvalidValue) as error:
        problem = f"not a file that `grouser tune` wrote ({error})"
        raise Unreadable(file, f"{problem}; search again, or move it away") from error


def _content(row: Row) -> dict[str, object]:
    return {
        "scenario": row.scenario,
        "metric": row.metric,
        "unit": row.unit,
        "ours": {name: cell._asdict() for name, cell in row.ours.items()},
        "theirs": {name: cell._asdict() for name, cell in row.theirs.items()},
    }


def _print(rows: list[Row], terminal: Terminal, *, synthetic: bool) -> None:
    names = list(rows[0].ours) if rows else []
    mark = f"; sums against a {SYNTHETIC}" if synthetic else ""
    terminal.heading(f"P1, Table I: ours, and P1's mean in brackets{mark}")
    cells = [
        (
            f"{row.scenario} {row.metric}",
            row.unit,
            *(f"{row.ours[n].mean:.2f} ({row.theirs[n].mean:g})" for n in names),
        )
        for row in rows
    ]
    terminal.table(("row", "unit", *names), cells, numbers=range(2, 2 + len(names)))
