"""`grouser reproduce`, and the commands of single papers below `grouser paper`."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

from cyclopts import Parameter

from grouser.cli.exits import DIFFERENT, DONE
from grouser.cli.options import Json, Seed, several
from grouser.cli.shared_options import BoardName, Cluster, ResultOptions, WorkerOptions
from grouser.cli.terminal import Terminal, show_progress, show_steps, watch_tasks
from grouser.errors import InvalidValue, UnknownName
from grouser.extras import require_extra

if TYPE_CHECKING:
    from grouser.papers.reproduce import Reproduction

PaperNames = Annotated[
    str, Parameter(name="PAPER", help="Which papers: P0 to P4; all if none is named.")
]
Quick = Annotated[
    bool, Parameter(negative="", help="Skip slow experiments: two minutes on two cores.")
]
ClaimFolder = Annotated[
    Path | None,
    Parameter(
        metavar="FOLDER",
        help="Where to write claims.html and claims.json; out/reproduce if not given.",
    ),
]


def reproduce(
    *papers: PaperNames,
    quick: Quick = False,
    cluster: Cluster = None,
    out_dir: ClaimFolder = None,
    results: ResultOptions = ResultOptions(),
) -> int:
    """Run what the papers claim: each published number, ours beside it, and a verdict.

    Finished experiments are kept: after an interrupt, the same command continues.
    """
    from grouser.cli.output import FolderOutput
    from grouser.papers.page import compose_claims
    from grouser.papers.paper import PAPERS
    from grouser.papers.reproduce import reproduce as reproduce_papers
    from grouser.storage import write_atomically
    from grouser.tasks import Workers

    usual = Path("out/reproduce")
    folder = FolderOutput.of("--out-dir", out_dir, usual, overwrite=results.overwrite)
    require_extra("the page of claims", "plots", "plotly")
    for name in papers:
        PAPERS.find(name)
    chosen = [PAPERS[name] for name in papers or PAPERS]
    page, table = folder.claim("claims.html"), folder.claim("claims.json")
    terminal = Terminal()
    with show_steps(terminal) as tell:
        found = reproduce_papers(
            chosen,
            quick=quick,
            workers=Workers(cluster=cluster),
            file=folder.path / "findings.json",
            on_progress=lambda what, done, total: tell(what, done / max(total, 1)),
        )
    written = page.write(partial(write_atomically, content=compose_claims(found)))
    content = [_describe_claims(reproduction) for reproduction in found]
    text = json.dumps(content, indent=1, ensure_ascii=False)
    table.write(partial(write_atomically, content=text))
    if results.as_json:
        terminal.json(content)
        return DONE
    for reproduction in found:
        _print_claims(reproduction, terminal)
    terminal.line(f"page: {written}")
    return DONE


def _describe_claims(reproduction: Reproduction) -> dict[str, object]:
    return {
        "paper": reproduction.paper.name,
        "title": reproduction.paper.title,
        "claims": [
            asdict(v.claim) | {"ours": v.ours, "verdict": str(v.word), "reason": v.reason}
            for v in reproduction.verdicts
        ],
    }


def _print_claims(reproduction: Reproduction, terminal: Terminal) -> None:
    from grouser.papers.page import count_reasons, count_verdicts, format_published, format_value
    from grouser.papers.paper import Word

    counts = count_verdicts(reproduction.verdicts)
    words = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    terminal.heading(f"{reproduction.paper.name} {reproduction.paper.title}: {words}")
    rows = [
        (
            v.claim.key, format_published(v.claim), format_value(v.claim, v.ours),
            v.claim.unit, str(v.word), v.claim.where, v.reason if v.word != Word.AGREES else "",
        )
        for v in reproduction.verdicts
        if v.word != Word.INCOMPARABLE
    ]  # fmt: skip
    headings = ("claim", "published", "ours", "unit", "verdict", "where", "why")
    terminal.table(headings, rows, numbers=(1, 2))
    for (where, reason), count in count_reasons(reproduction.verdicts).items():
        terminal.line(f"{where}: {count} cannot be compared, because {reason}")


QUICK = ("csm", "4wheels", "8wheels", "no_friction", "plates10", "plates10g")
"""Models of P1 that take minutes; plates of 2 cm take an hour."""
P1Models = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "P1's models: csm, 4wheels, 8wheels, no_friction, plates10, plates2, plates10g, "
        "plates2g; all but plates2 and plates2g, which are slow, if not given.",
        name=("--models", "--entrants"),
    ),
]
ScenarioNames = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "P1's scenarios: straight, rotate, circular, ramp, staircase, stand, pallet, "
        "back-and-forth; all if not given.",
        name="--scenarios",
    ),
]
Runs = Annotated[int, Parameter(metavar="NUMBER", help="Runs of each; P1 took 10.")]
References = Annotated[
    Path | None,
    Parameter(
        metavar="FOLDER",
        help="Recordings of the real robot, a log SCENARIO.csv each; synthetic if not given.",
    ),
]
Tuned = Annotated[
    Path | None,
    Parameter(
        metavar="FOLDER",
        help="Where `grouser paper p1 search` left its files; P1's parameters are not published, "
        "and the start of the search is taken if not given.",
    ),
]
P1Folder = Annotated[
    Path | None,
    Parameter(
        metavar="FOLDER",
        help="Where to write results.json, table1.md, table2.md; out/p1 if not given.",
    ),
]


def p1_compare(
    *,
    models: P1Models = QUICK,
    scenarios: ScenarioNames = (),
    runs: Runs = 10,
    references: References = None,
    tuned: Tuned = None,
    out_dir: P1Folder = None,
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

    folder = FolderOutput.of("--out-dir", out_dir, Path("out/p1"), overwrite=results.overwrite)
    if runs < 1:
        raise InvalidValue("--runs", runs, "be at least 1")
    outputs = folder.claim("table1.md"), folder.claim("table2.md")
    _check_folder("--references", references)
    _check_folder("--tuned", tuned)
    chosen = tuple(report.find_model(name) for name in models)
    comparison = ModelComparison(
        models=chosen,
        scenarios=report.find_scenarios(scenarios),
        runs=runs,
        values={model.name: report.read_tuned(tuned, model) for model in chosen},
        references=references,
        file=folder.path / "results.json",
    )
    with watch_tasks("drives") as show:
        found = comparison.in_order(comparison.results(show, work.pool()))
    rows, properties = tables.make_table_1(found), tables.make_table_2(found)
    synthetic = tables.is_synthetic(found)
    texts = (
        tables.format_markdown(rows, synthetic=synthetic),
        tables.format_properties(properties),
    )
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


P1Model = Annotated[
    str,
    Parameter(
        name=("--model", "--entrant"),
        metavar="NAME",
        help="One of P1's models: csm, 4wheels, 8wheels, no_friction, plates10, plates2, "
        "plates10g, plates2g.",
    ),
]
MethodName = Annotated[
    str,
    Parameter(
        metavar="NAME",
        help="p1, the search of P1; cem, the cross-entropy method; cma, covariance matrix "
        "adaptation.",
    ),
]
Iterations = Annotated[int, Parameter(metavar="NUMBER", help="Rounds of samples; P1 took 5.")]
Samples = Annotated[int, Parameter(metavar="NUMBER", help="Samples in a round; P1 took 5.")]
Trials = Annotated[
    int, Parameter(metavar="NUMBER", help="Runs of each scenario for a sample; P1 took 3.")
]
AnswerFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE",
        help="Where results are kept as they come; out/p1/tune-MODEL.json if not given.",
    ),
]


def p1_search(
    *,
    model: P1Model = "csm",
    method: MethodName = "p1",
    iterations: Iterations = 5,
    samples: Samples = 5,
    trials: Trials = 3,
    scenarios: ScenarioNames = (),
    references: References = None,
    seed: Seed = 0,
    out: AnswerFile = None,
    work: WorkerOptions = WorkerOptions(),
    as_json: Json = False,
) -> int:
    """Search gains, efficiency and friction of one of P1's models, as P1 did or better.

    Finished samples are kept: after an interrupt, the same command continues.
    """
    from grouser.papers.p1.report import find_model, find_scenarios, table_of_search
    from grouser.papers.p1.search import Method, Search

    chosen = find_model(model)
    if method not in get_args(Method):
        raise UnknownName("method of search", method, get_args(Method))
    counts = {"--iterations": iterations, "--samples": samples, "--trials": trials}
    for option, count in counts.items():
        least = 3 if option == "--samples" else 1
        if count < least:
            raise InvalidValue(option, count, f"be at least {least}")
    _check_folder("--references", references)
    file = Path("out/p1") / f"tune-{model}.json" if out is None else out
    search = Search(
        model=chosen, method=cast(Method, method), iterations=iterations, samples=samples,
        trials=trials, scenarios=find_scenarios(scenarios), references=references, seed=seed,
        file=file,
    )  # fmt: skip
    terminal = Terminal()
    with show_steps(terminal) as tell:
        found: dict[str, Any] = search.run(
            lambda done, total, best: tell(f"best cost {best:.2f}", done / total), work.pool()
        )
    if as_json:
        terminal.json({**found, "file": file})
        return DONE
    terminal.tables([table_of_search(chosen, method, found)])
    terminal.line(f"answers: {file}")
    return DONE


def _check_folder(option: str, folder: Path | None) -> None:
    if folder is not None and not folder.is_dir():
        raise InvalidValue(option, str(folder), "be a folder")


P3Folder = Annotated[
    Path | None,
    Parameter(metavar="FOLDER", help="Where to write pages and logs; out/tankbot if not given."),
]


def p3(
    *, out_dir: P3Folder = None, seed: Seed = 0, results: ResultOptions = ResultOptions()
) -> None:
    """Run the experiments of P3 on the virtual treadmill: numbers, and a page per manoeuvre."""
    from grouser.cli.output import FolderOutput, claim_folder
    from grouser.log import write_log
    from grouser.papers.p3.claims import reproduce_tankbot
    from grouser.papers.p3.report import describe_reproduction, tankbot_pages, tankbot_tables
    from grouser.report import write_page

    require_extra("a page for each manoeuvre", "plots", "plotly")
    terminal, overwrite = Terminal(), results.overwrite
    folder = claim_folder("--out-dir", out_dir, Path("out/tankbot"), overwrite=overwrite)
    files = FolderOutput.of("--out-dir", None, folder, overwrite=overwrite)
    done = reproduce_tankbot(seed, lambda words: terminal.remark(f"tankbot: {words}"))
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


Draws = Annotated[
    int, Parameter(metavar="NUMBER", help="How many perturbed robots to draw for each course.")
]
CourseNames = Annotated[
    tuple[str, ...], several("NAME", "Which of the courses of P0; all if not given.")
]
P0Folder = Annotated[
    Path | None,
    Parameter(metavar="FOLDER", help="Where logs and the table go; out/hil-courses if not given."),
]
Jobs = Annotated[
    int | None,
    Parameter(metavar="NUMBER", help="Courses at the same time; one per core if not given."),
]


def p0_courses(
    *,
    courses: CourseNames = (),
    board: BoardName = "sim",
    draws: Draws = 200,
    seed: Seed = 0,
    jobs: Jobs = None,
    out_dir: P0Folder = None,
    results: ResultOptions = ResultOptions(),
) -> int:
    """Drive P0's courses with a board in lockstep: its numbers beside ours.

    Slip odometry with other parameters stands in for the real robot, seen by a camera above.
    """
    from grouser.cli.output import FolderOutput, claim_folder
    from grouser.hil.links import check_board
    from grouser.log import write_log
    from grouser.papers.p0.courses import run_courses
    from grouser.papers.p0.experiments import COURSES
    from grouser.papers.p0.report import course_tables, describe_course, is_met, judge_targets

    kind = check_board(board)
    for name in courses:
        if name not in COURSES:
            raise UnknownName("course of P0", name, COURSES)
    for option, count in (("--draws", draws), ("--jobs", jobs)):
        if count is not None and count < 1:
            raise InvalidValue(option, count, "be at least 1")
    usual, terminal = Path("out/hil-courses"), Terminal()
    folder = claim_folder("--out-dir", out_dir, usual, overwrite=results.overwrite)
    names = courses or tuple(COURSES)
    with show_progress(terminal, "courses") as show:
        found = run_courses(names, kind, draws=draws, seed=seed, jobs=jobs, show=show)
    files = FolderOutput.of("--out-dir", None, folder, overwrite=results.overwrite)
    for result in found:
        files.claim(f"{result.course}.csv").write(partial(write_log, result.run.log))
    targets = [target for result in found for target in judge_targets(result)]
    if results.as_json:
        terminal.json({"courses": [describe_course(r) for r in found], "targets": targets})
    else:
        terminal.tables(course_tables(found, targets))
        terminal.line(f"logs: {files.path}")
    return DONE if is_met(found, targets) else DIFFERENT
