"""`grouser plot`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Overwrite

LogFile = Annotated[Path, Parameter(name="LOG", help="Log file, .csv, .parquet or .mcap.")]
MoreLogs = Annotated[
    Path, Parameter(name="MORE", help="More log files, to be drawn over the first.")
]
PlotFile = Annotated[
    Path | None,
    Parameter(
        name="--out",
        metavar="FILE",
        help="Page (.html) or picture (.png, .svg) to write; out/plot.html if not given.",
    ),
]


def plot(
    log: LogFile, /, *more: MoreLogs, out: PlotFile = None, overwrite: Overwrite = False
) -> None:
    """Plot one log or several: path over the course, heading, slip and errors.

    The first log is the one that the others are compared with.
    """
    from grouser.cli.check_suffix import PLOTS
    from grouser.cli.name_logs import name_logs
    from grouser.cli.output import claim_output
    from grouser.cli.terminal import Terminal
    from grouser.cli.write_plot import write_plot
    from grouser.log import read_log

    usual = Path("out/plot.html")
    output = claim_output("--out", out, usual, overwrite=overwrite, suffixes=PLOTS)
    files = (log, *more)
    logs = [read_log(file, needs=("time",), rows=1) for file in files]
    runs = dict(zip(name_logs(files), logs, strict=True))
    file = output.write(lambda path: write_plot(runs, path))
    Terminal().line(f"plot: {file}")
