"""`grouser sweep`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Cluster, Duration, Json, Overwrite, Workers

MapName = Annotated[
    str | None,
    Parameter(
        name="MAP",
        help="A ready-made map: step (height of a step x angle of flippers, with P4's outcomes), "
        "slope (slope x friction), stairs (pitch of stairs x speed). Options change it.",
    ),
]
AxisWord = Annotated[
    str | None,
    Parameter(
        metavar="KEY=FROM:TO:STEP",
        help="A parameter and its values, also as KEY=VALUE,VALUE,... The key begins with robot., "
        "course., model., drive. or flippers., as in course.height_m=0.05:0.3:0.05, "
        "robot.body.mass_kg=20:40:5, drive.speed=0.1,0.2,0.4 or flippers.front_raised_deg=0:60:15.",
    ),
]
RobotWord = Annotated[
    str | None, Parameter(metavar="NAME|FILE", help="Robot; the map's own, or tp100.")
]
CourseWord = Annotated[
    str | None, Parameter(metavar="NAME|FILE", help="Course; the map's own, or flat.")
]
ModelWord = Annotated[str | None, Parameter(metavar="NAME", help="Model; the map's own, or csm.")]
DriverWord = Annotated[
    str | None, Parameter(metavar="DRIVER", help="Driver; the map's own, or follow.")
]
OutcomeName = Annotated[
    str | None,
    Parameter(
        metavar="NAME",
        help="What the map shows: reached, progress, away, duration, travelled, height, pitch, "
        "roll, upright, slip, error or energy; reached if not given. Another one needs no new "
        "drives.",
    ),
]
OutFolder = Annotated[
    Path | None,
    Parameter(
        metavar="FOLDER",
        help="Where to write map.html, map.png and results.json; out/sweep-MAP if not given.",
    ),
]


def sweep(
    ready: MapName = None,
    /,
    *,
    x: AxisWord = None,
    y: AxisWord = None,
    robot: RobotWord = None,
    course: CourseWord = None,
    model: ModelWord = None,
    drive: DriverWord = None,
    duration: Duration = None,
    outcome: OutcomeName = None,
    out_dir: OutFolder = None,
    overwrite: Overwrite = False,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> int:
    """Vary two parameters, drive at each pair, and draw a map of what the robot can.

    What is done is kept: after an interrupt, the same command goes on.
    """
    from grouser import tasks
    from grouser.cli.choose_map import choose_map
    from grouser.cli.output import FolderOutput
    from grouser.cli.report_sweep import report_sweep
    from grouser.log import name_file

    words = {"robot": robot, "course": course, "model": model, "drive": drive}
    chosen = choose_map(ready, x, y, {k: v for k, v in words.items() if v is not None})
    if duration is not None:
        chosen = replace(chosen, setting=replace(chosen.setting, duration=duration))
    if outcome is not None:
        chosen = replace(chosen, outcome=outcome, title="")
    usual = Path("out") / name_file(f"sweep-{chosen.name}", "")
    folder = FolderOutput.of("--out-dir", out_dir, usual, overwrite=overwrite)
    return report_sweep(
        chosen, tasks.Workers(count=workers, cluster=cluster), folder, as_json=as_json
    )
