"""`grouser demo`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Json

Folder = Annotated[Path, Parameter(metavar="FOLDER", help="Where to write demo.csv and demo.html.")]


def demo(*, out_dir: Folder = Path("out"), as_json: Json = False) -> int:
    """Drive the TP100 over an obstacle and a ramp: log, numbers and a page with plots."""
    from grouser.cli.report_run import report_run
    from grouser.cli.trip import Trip

    trip = Trip.prepare("tp100", "behaviour-3", dump_folder=out_dir)
    return report_run(
        trip.drive("slip", "follow"),
        trip.course,
        log_file=out_dir / "demo.csv",
        plot_file=out_dir / "demo.html",
        as_json=as_json,
    )
