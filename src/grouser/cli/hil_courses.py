"""`grouser hil courses`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.hil import BoardName
from grouser.cli.options import Json, Overwrite, Seed
from grouser.cli.parameters import several

Draws = Annotated[
    int, Parameter(metavar="NUMBER", help="How many perturbed robots to draw for each course.")
]
Names = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "Which of the courses of P0; all if not given.",
    ),
]
Folder = Annotated[
    Path | None,
    Parameter(metavar="FOLDER", help="Where logs and the table go; out/hil-courses if not given."),
]
Jobs = Annotated[
    int | None,
    Parameter(metavar="NUMBER", help="Courses at the same time; one per core if not given."),
]


def hil_courses(
    *,
    courses: Names = (),
    board: BoardName = "sim",
    draws: Draws = 200,
    seed: Seed = 0,
    jobs: Jobs = None,
    out_dir: Folder = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Drive P0's courses with a board in lockstep: its numbers beside ours.

    The real robot is stood in for by slip odometry with other parameters, seen by a camera above.
    """
    from grouser.cli.open_link import BOARDS
    from grouser.cli.output import FolderOutput, claim_folder
    from grouser.cli.report_courses import report_courses
    from grouser.cli.run_courses import run_courses
    from grouser.errors import InvalidValue, UnknownName
    from grouser.papers.p0.experiments import COURSES

    if board not in BOARDS:
        raise UnknownName("board", board, BOARDS)
    for name in courses:
        if name not in COURSES:
            raise UnknownName("course of P0", name, COURSES)
    if draws < 1:
        raise InvalidValue("--draws", draws, "be at least 1")
    if jobs is not None and jobs < 1:
        raise InvalidValue("--jobs", jobs, "be at least 1")
    folder = claim_folder("--out-dir", out_dir, Path("out/hil-courses"), overwrite=overwrite)
    results = run_courses(courses or COURSES, board, draws=draws, seed=seed, jobs=jobs)
    files = FolderOutput.of("--out-dir", None, folder, overwrite=overwrite)
    return report_courses(results, files, as_json=as_json)
