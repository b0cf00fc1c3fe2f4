"""Groups of options that several commands share, as dataclasses that cyclopts reads."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser import limits
from grouser.cli.options import (
    Count,
    Flag,
    Json,
    OutFile,
    Overwrite,
    RobotName,
    Seed,
    options,
    whole_number,
)
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token

    from grouser import tasks


def _convert_workers(kind: object, tokens: "Sequence[Token]") -> int:
    return whole_number("--workers", tokens[0].value, 1, limits.WORKERS)


Cluster = Annotated[
    str | None,
    Parameter(
        metavar="ADDRESS",
        help="Dask scheduler whose workers do the work, as in tcp://127.0.0.1:8786 or tls://...; "
        "this machine if not given. Only for clusters that you trust: tasks and results are "
        "pickled, so each side can run programs on the other.",
    ),
]


@options
class WorkerOptions:
    """Where many tasks run."""

    workers: Annotated[Count | None, Parameter(converter=_convert_workers)] = None
    """How many processes of this machine work; one for each core if not given."""
    cluster: Cluster = None

    def pool(self) -> "tasks.Workers":
        """Return the processes or the cluster that runs the tasks."""
        from grouser.tasks import Workers

        return Workers(count=self.workers, cluster=self.cluster)


@options
class ResultOptions:
    """How results are written."""

    overwrite: Overwrite = False
    as_json: Json = False


BoardName = Annotated[
    str,
    Parameter(
        metavar="NAME",
        help="Board without hardware: sim, the real firmware on a simulated chip (needs `make "
        "firmware`); python, its control law and protocol in Python, without the chip; pty, in "
        "real time, sim at a pseudo-terminal.",
    ),
]
PortName = Annotated[
    str | None,
    Parameter(
        metavar="DEVICE",
        help="Serial port of a real board, such as /dev/ttyACM0. Without --arm it is only watched.",
    ),
]
Armed = Annotated[
    Flag,
    Parameter(help="Permit the motors of a real board to run. Put the robot where it may drive."),
]


def _convert_timeout(kind: object, tokens: "Sequence[Token]") -> float:
    from grouser.units import parse_number

    seconds = parse_number(tokens[0].value)
    if seconds is None or not 0.05 <= seconds <= 0.5:
        required = "be from 0.05 to 0.5 seconds (it is no longer in milliseconds)"
        raise InvalidValue("--command-timeout", tokens[0].value, required)
    return seconds


CommandTimeout = Annotated[
    float,
    Parameter(
        metavar="SECONDS",
        converter=_convert_timeout,
        help="Time after which the board stops if no new command comes, 0.05 to 0.5 [s].",
    ),
]
HeadingName = Annotated[
    str,
    Parameter(
        metavar="NAME",
        help="What turns the virtual robot: belts, as in paper P0 (Low et al.); gyro, the board's "
        "gyroscope, whose bias is measured while the robot stands for two seconds.",
    ),
]


@options
class StillBoard:
    """Which board to use, whose motors do not run."""

    port: PortName = None
    board: BoardName = "sim"
    seed: Seed = 0


@options
class MovingBoard(StillBoard):
    """Which board to use, whose motors run."""

    arm: Armed = False


@options
class CalibrationOptions:
    """Which robot is calibrated, and what happens to its file."""

    robot: RobotName = "tp100"
    out: OutFile | None = None
    """Robot file to write; the robot's own file if not given. A robot that comes with grouser needs
    one."""
    dry_run: Flag = False
    """Measure and print, but write no file."""
