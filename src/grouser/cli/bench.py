"""`grouser bench`: how fast everything is on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import ModelNames, Overwrite, RobotName, several
from grouser.cli.terminal import Terminal
from grouser.storage import write_atomically

if TYPE_CHECKING:
    from grouser.bench import Bench, BenchOptions
    from grouser.cli.output import Output


Quick = Annotated[
    bool,
    Parameter(negative="", show_default=False, help="Measure less often: under a minute."),
]
SectionNames = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "Parts of the table: models, ground, contacts, tracks, flippers, batch, environments, "
        "start-up, memory; all if not given.",
    ),
]
Models = Annotated[
    ModelNames,
    Parameter(
        help="Models of the part `models`, which is then the only one unless --only names others; "
        "all models if not given.",
    ),
]
JsonFile = Annotated[
    Path | None,
    Parameter(
        name="--json",
        metavar="FILE",
        allow_leading_hyphen=True,
        help="Write all numbers as JSON; to stdout, and nothing else, for -.",
    ),
]
MarkdownFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE",
        help="Put the table into this page, between its lines <!-- bench:begin --> and "
        "<!-- bench:end -->.",
    ),
]


def bench(
    *,
    quick: Quick = False,
    only: SectionNames = (),
    model: Models = (),
    robot: RobotName = "quince",
    json: JsonFile = None,
    markdown: MarkdownFile = None,
    overwrite: Overwrite = False,
) -> int:
    """Measure how fast models, batches, environments and the command line are on this machine.

    Every number stands beside its ratio to a reference of the same run. Ctrl-C ends it and keeps
    what is done.
    """
    from grouser.bench import QUICK, BenchOptions
    from grouser.cli.output import claim_optional

    file = None if json == Path("-") else claim_optional("--json", json, overwrite=overwrite)
    options = BenchOptions(robot=robot, models=model, **(QUICK if quick else {}))
    names = only or (("models",) if model else ())
    is_json = json is not None and file is None
    return report_bench(names, options, as_json=is_json, json_output=file, page=markdown)


def report_bench(
    names: tuple[str, ...],
    options: BenchOptions,
    *,
    as_json: bool,
    json_output: Output | None,
    page: Path | None,
) -> int:
    """Run the benchmark; return the exit code.

    Args:
        names: Parts of the table; all if empty.
        options: What is measured.
        as_json: Whether a machine listens.
        json_output: Where to write all numbers; nowhere if not given.
        page: Page to put the table into; none if not given.
    """
    from grouser.bench.table import find_marks, write_markdown

    terminal = Terminal()
    if page is not None:
        find_marks(page)  # nobody waits for a table that has no place
    bench = _run_bench(names, options, terminal)
    content = {**asdict(bench), "machine": _describe_machine(bench)}
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
        terminal.remark("grouser: interrupted; what was measured is printed")
    return INTERRUPTED if bench.is_interrupted else DONE


def _run_bench(names: tuple[str, ...], options: BenchOptions, terminal: Terminal) -> Bench:
    from rich.progress import MofNCompleteColumn, Progress, TextColumn

    from grouser.bench import run_bench

    console = terminal.err
    bar, what = Progress.get_default_columns()[1], TextColumn("{task.description}")
    columns = (bar, MofNCompleteColumn(), what)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        return run_bench(names, options, tell)


def _describe_machine(bench: Bench) -> dict[str, object]:
    return {**asdict(bench.machine), "is_idle": bench.machine.is_idle}


def _print(bench: Bench, terminal: Terminal) -> None:
    from grouser.bench.table import HEADINGS, compose_table

    terminal.line(f"robot {bench.robot}; {bench.machine.describe()}")
    terminal.line()
    terminal.sections(HEADINGS, compose_table(bench), numbers=range(2, len(HEADINGS)))
    for case, reason in bench.left_out.items():
        terminal.line(f"left out: {case}: {reason}")
