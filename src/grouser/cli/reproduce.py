"""`grouser reproduce`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Cluster, Json, Overwrite

PaperNames = Annotated[
    str, Parameter(name="PAPER", help="Which papers: P0 to P4; all if none is named.")
]
Quick = Annotated[
    bool, Parameter(negative="", help="Leave out what is dear: two minutes on two cores.")
]
Folder = Annotated[
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
    out_dir: Folder = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Run what the papers claim: each published number, ours beside it, and a verdict.

    What is done is kept: after an interrupt, the same command goes on.
    """
    from grouser.cli.output import FolderOutput
    from grouser.cli.report_claims import report_claims

    folder = FolderOutput.of("--out-dir", out_dir, Path("out/reproduce"), overwrite=overwrite)
    return report_claims(papers, quick=quick, cluster=cluster, out_dir=folder, as_json=as_json)
