"""`grouser contest`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Cluster, Json, Overwrite, Workers
from grouser.cli.parameters import several

QUICK = ("csm", "4wheels", "8wheels", "no_friction", "plates10", "plates10g")
"""Models that take minutes; plates of 2 cm take an hour."""
Entrants = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "P1's models: csm, 4wheels, 8wheels, no_friction, plates10, plates2, plates10g, "
        "plates2g; all but plates2 and plates2g, which are slow, if not given.",
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
        help="Where `grouser tune` left its files; P1's parameters are not published, and the "
        "start of the search is taken if not given.",
    ),
]
OutFolder = Annotated[
    Path | None,
    Parameter(
        metavar="FOLDER",
        help="Where to write results.json, table1.md, table2.md; out/p1 if not given.",
    ),
]


def contest(
    *,
    entrants: Entrants = QUICK,
    scenarios: ScenarioNames = (),
    runs: Runs = 10,
    references: References = None,
    tuned: Tuned = None,
    out_dir: OutFolder = None,
    overwrite: Overwrite = False,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> int:
    """Drive P1's eight scenarios with P1's models, and print its Tables I and II beside ours.

    What is done is kept: after an interrupt, the same command goes on.
    """
    from grouser import tasks
    from grouser.cli.output import FolderOutput
    from grouser.cli.report_contest import report_contest

    processes = tasks.Workers(count=workers, cluster=cluster)
    return report_contest(
        entrants,
        scenarios,
        runs,
        references,
        tuned=tuned,
        out_dir=FolderOutput.of("--out-dir", out_dir, Path("out/p1"), overwrite=overwrite),
        workers=processes,
        as_json=as_json,
    )
