"""The commands of single papers, below `grouser paper`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

from cyclopts import Parameter

from grouser.cli.exits import DIFFERENT, DONE
from grouser.cli.options import (
    Count,
    Flag,
    Folder,
    Json,
    Name,
    Names,
    OutFile,
    OutFolder,
    Seed,
    options,
)
from grouser.cli.shared_options import BoardName, ResultOptions, WorkerOptions
from grouser.cli.terminal import Terminal, show_progress, show_steps, watch_tasks
from grouser.errors import InvalidValue, UnknownName
from grouser.extras import require_extra

if TYPE_CHECKING:
    from grouser.papers.p1.scenarios import P1Model
    from grouser.papers.p1.search import Search

QUICK = ("csm", "4wheels", "8wheels", "no_friction", "plates10", "plates10g")
"""Models of P1 that take minutes; plates of 2 cm take an hour."""
Scenarios = Annotated[
    Names,
    Parameter(
        help="P1's scenarios: straight, rotate, circular, ramp, staircase, stand, pallet, "
        "back-and-forth; all if not given.",
    ),
]
References = Annotated[
    Folder | None,
    Parameter(
        help="Recordings of the real robot, a log SCENARIO.csv each; synthetic if not given."
    ),
]


@options
class P1Options:
    """What P1's comparison runs, and where results go."""

    models: Annotated[Names, Parameter(name=("--models", "--entrants"))] = QUICK
    """P1's models: csm, 4wheels, 8wheels, no_friction, plates10, plates2, plates10g, plates2g; all
    but plates2 and plates2g, which are slow, if not given."""
    scenarios: Scenarios = ()
    runs: Count = 10
    """Runs of each; P1 took 10."""
    references: References = None
    tuned: Folder | None = None
    """Where `grouser paper p1 search` left its files; P1's parameters are not published, and those
    that we searched are taken if not given."""
    out: OutFolder | None = None
    """Where to write results.json, table1.md, table2.md; out/p1 if not given."""


def p1_compare(
    *,
    given: P1Options = P1Options(),
    work: WorkerOptions = WorkerOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Drive P1's eight scenarios with P1's models, and print its Tables I and II beside ours.

    Finished runs are kept: after an interrupt, the same command continues.
    """
    from grouser.cli.output import FolderOutput
    from grouser.papers.p1 import report, tables
    from grouser.papers.p1.comparison import ModelComparison
    from grouser.storage import write_atomically

    overwrite = results.overwrite
    folder = FolderOutput.of("--out", given.out, Path("out/p1"), overwrite=overwrite)
    if given.runs < 1:
        raise InvalidValue("--runs", given.runs, "be at least 1")
    outputs = folder.claim("table1.md"), folder.claim("table2.md")
    _check_folder("--references", given.references)
    _check_folder("--tuned", given.tuned)
    chosen = tuple(report.find_model(name) for name in given.models)
    comparison = ModelComparison(
        models=chosen,
        scenarios=report.find_scenarios(given.scenarios),
        runs=given.runs,
        values={model.name: report.read_tuned(given.tuned, model) for model in chosen},
        references=given.references,
        file=folder.path / "results.json",
    )
    with watch_tasks("drives") as show:
        found = comparison.in_order(comparison.results(show, work.pool()))
    rows, properties = tables.make_table_1(found), tables.make_table_2(found)
    synthetic = tables.is_synthetic(found)
    first = tables.format_markdown(rows, synthetic=synthetic)
    texts = (first, tables.format_properties(properties))
    files = [
        output.write(partial(write_atomically, content=text))
        for output, text in zip(outputs, texts, strict=True)
    ]
    terminal = Terminal()
    if results.as_json:
        content = [report.describe_row(row) for row in rows]
        terminal.json({"table_1": content, "synthetic": synthetic, "files": files})
        return DONE
    terminal.tables([report.table_of_rows(rows, synthetic=synthetic)])
    terminal.line(f"tables: {files[0]}, {files[1]}")
    return DONE


@options
class SearchOptions:
    """What is searched for, how, and where results go."""

    model: Annotated[Name, Parameter(name=("--model", "--entrant"))] = "csm"
    """One of P1's models: csm, 4wheels, 8wheels, no_friction, plates10, plates2, plates10g,
    plates2g."""
    all_models: Annotated[Flag, Parameter(name="--all")] = False
    """Search all eight, fast ones first, each with the same budget, into out/p1; tuned.json there
    has what was found."""
    method: Name = "p1"
    """p1, the search of P1; cem, the cross-entropy method; cma, covariance matrix adaptation."""
    iterations: Count = 5
    """Rounds of samples; P1 took 5."""
    samples: Count = 5
    """Samples in a round; P1 took 5."""
    trials: Count = 1
    """Runs of each scenario for a sample; P1 took 3, of a simulator that is not deterministic."""
    scenarios: Annotated[
        Names,
        Parameter(
            help="Scenarios of the cost: straight, rotate, "
            "back-and-forth, stand; the first two if not given."
        ),
    ] = ()
    seed: Seed = 0
    out: OutFile | None = None
    """Where results are kept as they come; out/p1/tune-MODEL.json if not given."""


def p1_search(
    *,
    given: SearchOptions = SearchOptions(),
    work: WorkerOptions = WorkerOptions(),
    as_json: Json = False,
) -> int:
    """Search gains, efficiency and friction of P1's models, as P1 did or better.

    Finished samples are kept: after an interrupt, the same command continues.
    """
    from grouser.papers.p1.report import describe_searches, find_model, table_of_search
    from grouser.papers.p1.scenarios import P1_MODELS
    from grouser.storage import write_atomically

    if given.all_models and given.out is not None:
        raise InvalidValue("--out", str(given.out), "be left out with --all")
    folder = Path("out/p1")
    names = sorted(P1_MODELS, key=P1_SLOWEST.index) if given.all_models else [given.model]
    chosen = [find_model(name) for name in names]
    terminal, found = Terminal(), {}
    with show_steps(terminal) as tell:
        for model in chosen:
            search = _make_search(given, model, given.out or folder / f"tune-{model.name}.json")
            found[model.name] = search.run(
                lambda done, total, best, name=model.name: tell(
                    f"{name}, best cost {best:.2f}", done / total
                ),
                work.pool(),
            )
    if given.all_models:
        text = json.dumps(describe_searches(found), indent=1)
        write_atomically(folder / "tuned.json", text)
    if as_json:
        terminal.json(found if given.all_models else found[given.model])
        return DONE
    terminal.tables([table_of_search(model, given.method, found[model.name]) for model in chosen])
    terminal.line(f"answers: {given.out or folder}")
    return DONE


P1_SLOWEST = ("no_friction", "csm", "4wheels", "8wheels", "plates10g", "plates10", "plates2g",
              "plates2")  # fmt: skip
"""Models of P1, slowest last."""


def _make_search(given: SearchOptions, model: P1Model, file: Path) -> Search:
    """Return the search of one model.

    Raises:
        InvalidValue: There are too few samples, or a scenario has no target.
        UnknownName: There is no such method or scenario.
    """
    from grouser.papers.p1.report import find_scenarios
    from grouser.papers.p1.scenarios import TUNED_ON
    from grouser.papers.p1.search import Method, Search

    if given.method not in get_args(Method):
        raise UnknownName("method of search", given.method, get_args(Method))
    for option, least in (("iterations", 1), ("samples", 3), ("trials", 1)):
        if (count := getattr(given, option)) < least:
            raise InvalidValue(f"--{option}", count, f"be at least {least}")
    scenarios = find_scenarios(given.scenarios or TUNED_ON)
    for scenario in scenarios:
        if scenario.needs_reference:
            required = "have a target; recordings of the real robot are lost"
            raise InvalidValue("--scenarios", scenario.name, required)
    return Search(
        model=model, method=cast(Method, given.method), iterations=given.iterations,
        samples=given.samples, trials=given.trials, scenarios=scenarios, seed=given.seed, file=file,
    )  # fmt: skip


def _check_folder(option: str, folder: Path | None) -> None:
    if folder is not None and not folder.is_dir():
        raise InvalidValue(option, str(folder), "be a folder")


@options
class P3Options:
    """Where results of P3 go, and the seed."""

    out: OutFolder | None = None
    """Where to write pages and logs; out/tankbot if not given."""
    seed: Seed = 0


def p3(*, given: P3Options = P3Options(), results: ResultOptions = ResultOptions()) -> None:
    """Run the experiments of P3 on the virtual treadmill: numbers, and a page per manoeuvre."""
    from grouser.cli.output import FolderOutput, claim_folder
    from grouser.log import write_log
    from grouser.papers.p3.experiments import reproduce_tankbot
    from grouser.papers.p3.report import describe_reproduction, tankbot_pages, tankbot_tables
    from grouser.report import write_page

    require_extra("a page for each manoeuvre", "plots", "plotly")
    terminal, overwrite = Terminal(), results.overwrite
    folder = claim_folder("--out", given.out, Path("out/tankbot"), overwrite=overwrite)
    files = FolderOutput.of("--out", None, folder, overwrite=overwrite)
    done = reproduce_tankbot(given.seed, lambda words: terminal.remark(f"tankbot: {words}"))
    for name, log in done.logs.items():
        files.claim(f"{name}.csv").write(partial(write_log, log))
    for name, logs, title, panels in tankbot_pages(done):
        page = partial(write_page, logs, title=title, panels=panels)
        files.claim(f"{name}.html").write(page)
    if results.as_json:
        terminal.json({**describe_reproduction(done), "folder": folder})
        return
    terminal.tables(tankbot_tables(done))
    terminal.line(f"pages and logs: {folder}")


@options
class P0Options:
    """What P0's courses are driven with, and where results go."""

    courses: Names = ()
    """Which of the courses of P0; all if not given."""
    board: BoardName = "sim"
    draws: Count = 200
    """How many perturbed robots to draw for each course."""
    seed: Seed = 0
    jobs: Count | None = None
    """Courses at the same time; one per core if not given."""
    out: OutFolder | None = None
    """Where logs and the table go; out/hil-courses if not given."""


def p0_courses(*, given: P0Options = P0Options(), results: ResultOptions = ResultOptions()) -> int:
    """Drive P0's courses with a board in lockstep: its numbers beside ours.

    Slip odometry with other parameters stands in for the real robot, seen by a camera above.
    """
    from grouser.cli.output import FolderOutput, claim_folder
    from grouser.hil.links import check_board
    from grouser.log import write_log
    from grouser.papers.p0.courses import run_courses
    from grouser.papers.p0.report import (
        check_courses,
        course_tables,
        describe_course,
        is_met,
        judge_targets,
    )

    kind, names = check_board(given.board), check_courses(given.courses)
    for option, count in (("--draws", given.draws), ("--jobs", given.jobs)):
        if count is not None and count < 1:
            raise InvalidValue(option, count, "be at least 1")
    usual, terminal = Path("out/hil-courses"), Terminal()
    folder = claim_folder("--out", given.out, usual, overwrite=results.overwrite)
    drawn = {"draws": given.draws, "seed": given.seed, "jobs": given.jobs}
    with show_progress(terminal, "courses") as show:
        found = run_courses(names, kind, **drawn, show=show)
    files = FolderOutput.of("--out", None, folder, overwrite=results.overwrite)
    for result in found:
        files.claim(f"{result.course}.csv").write(partial(write_log, result.run.log))
    targets = [target for result in found for target in judge_targets(result)]
    if results.as_json:
        terminal.json({"courses": [describe_course(r) for r in found], "targets": targets})
    else:
        terminal.tables(course_tables(found, targets))
        terminal.line(f"logs: {files.path}")
    return DONE if is_met(found, targets) else DIFFERENT
