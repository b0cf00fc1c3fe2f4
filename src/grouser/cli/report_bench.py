"""Measure with progress, print the table, write the files."""

import json
from dataclasses import asdict
from pathlib import Path

from rich.progress import MofNCompleteColumn, Progress, TextColumn

from grouser.bench import Bench, Choice, run_bench
from grouser.bench.table import HEADINGS, compose_table, find_marks, write_markdown
from grouser.cli.main import DONE, INTERRUPTED
from grouser.cli.output import Output
from grouser.cli.terminal import Terminal
from grouser.storage import write_atomically


def report_bench(
    names: tuple[str, ...],
    choice: Choice,
    *,
    as_json: bool,
    json_output: Output | None,
    page: Path | None,
) -> int:
    """Run the benchmark; return the exit code.

    Args:
        names: Parts of the table; all if empty.
        choice: What is measured.
        as_json: Whether a machine listens.
        json_output: Where to write all numbers; nowhere if not given.
        page: Page to put the table into; none if not given.
    """
    terminal = Terminal()
    if page is not None:
        find_marks(page)  # nobody waits for a table that has no place
    bench = _run(names, choice, terminal)
    content = {**asdict(bench), "machine": _machine(bench)}
    if as_json:
        terminal.json(content)
    else:
        _print(bench, terminal)
        if json_output is not None:
            text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
            file = json_output.write(lambda path: write_atomically(path, text))
            terminal.line(f"numbers: {file}")
    if page is not None:
        write_markdown(bench, page)
    if bench.is_interrupted:
        terminal.remark("grouser: interrupted; what was measured is told")
    return INTERRUPTED if bench.is_interrupted else DONE


def _run(names: tuple[str, ...], choice: Choice, terminal: Terminal) -> Bench:
    console = terminal.err
    bar, what = Progress.get_default_columns()[1], TextColumn("{task.description}")
    columns = (bar, MofNCompleteColumn(), what)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        return run_bench(names, choice, tell)


def _machine(bench: Bench) -> dict[str, object]:
    return {**asdict(bench.machine), "is_idle": bench.machine.is_idle}


def _print(bench: Bench, terminal: Terminal) -> None:
    terminal.line(f"robot {bench.robot}; {bench.machine.describe()}")
    terminal.line()
    terminal.sections(HEADINGS, compose_table(bench), numbers=range(2, len(HEADINGS)))
    for case, reason in bench.left_out.items():
        terminal.line(f"left out: {case}: {reason}")
