"""`grouser bench`: how fast everything is on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import (
    Flag,
    Json,
    ModelNames,
    Names,
    OutFile,
    Overwrite,
    RobotName,
    options,
)
from grouser.cli.terminal import Terminal
from grouser.storage import write_atomically

if TYPE_CHECKING:
    from grouser.bench import Bench, BenchOptions


@options
class GivenOptions:
    """What is measured, and where numbers go."""

    quick: Flag = False
    """Measure less often: under a minute."""
    only: Names = ()
    """Parts of the table: models, ground, contacts, tracks, flippers, batch, environments,
    start-up, memory; all if not given."""
    model: ModelNames = ()
    """Models of the part `models`, which is then the only one unless --only names others; all
    models if not given."""
    robot: RobotName = "quince"
    out: OutFile | None = None
    """Numbers to write as JSON; none if not given."""
    markdown: OutFile | None = None
    """Put the table into this page, between its lines <!-- bench:begin --> and
    <!-- bench:end -->."""
    overwrite: Overwrite = False
    as_json: Json = False


def bench(*, given: GivenOptions = GivenOptions()) -> int:
    """Measure how fast models, batches, environments and the command line are on this machine.

    Every number stands beside its ratio to a reference of the same run. Ctrl-C ends it and keeps
    what is done.
    """
    from grouser.bench import QUICK, BenchOptions
    from grouser.bench.table import find_marks, write_markdown
    from grouser.cli.output import claim_optional

    page, terminal = given.markdown, Terminal()
    output = claim_optional("--out", given.out, overwrite=given.overwrite)
    chosen = BenchOptions(robot=given.robot, models=given.model, **(QUICK if given.quick else {}))
    names = given.only or (("models",) if given.model else ())
    if page is not None:
        find_marks(page)  # nobody waits for a table that has no place
    bench = _run_bench(names, chosen, terminal)
    content = asdict(bench)
    content["machine"]["is_idle"] = bench.machine.is_idle
    if given.as_json:
        terminal.json(content)
    else:
        _print(bench, terminal)
    if output is not None:
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        file = output.write(lambda path: write_atomically(path, text))
        terminal.remark(f"numbers: {file}")
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


def _print(bench: Bench, terminal: Terminal) -> None:
    from grouser.bench.table import HEADINGS, compose_table

    terminal.line(f"robot {bench.robot}; {bench.machine.describe()}")
    terminal.line()
    terminal.sections(HEADINGS, compose_table(bench), numbers=range(2, len(HEADINGS)))
    for case, reason in bench.left_out.items():
        terminal.line(f"left out: {case}: {reason}")
