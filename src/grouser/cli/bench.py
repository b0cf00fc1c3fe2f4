"""`grouser bench`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import ModelNames, Overwrite, RobotName
from grouser.cli.parameters import several

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
    from grouser.bench import QUICK, Choice
    from grouser.cli.output import claim_optional
    from grouser.cli.report_bench import report_bench

    file = None if json == Path("-") else claim_optional("--json", json, overwrite=overwrite)
    choice = Choice(robot=robot, models=model, **(QUICK if quick else {}))
    names = only or (("models",) if model else ())
    is_json = json is not None and file is None
    return report_bench(names, choice, as_json=is_json, json_output=file, page=markdown)
