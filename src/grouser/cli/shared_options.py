"""Groups of options that several commands share, as dataclasses that cyclopts reads."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.options import Cluster, Json, Overwrite, RobotName, Seed, Workers

if TYPE_CHECKING:
    from grouser import tasks


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """Where many tasks run."""

    workers: Workers = None
    cluster: Cluster = None

    def pool(self) -> "tasks.Workers":
        """Return the processes or the cluster that runs the tasks."""
        from grouser.tasks import Workers

        return Workers(count=self.workers, cluster=self.cluster)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ResultOptions:
    """How results are written."""

    overwrite: Overwrite = False
    as_json: Json = False


PortName = Annotated[
    str | None,
    Parameter(
        metavar="DEVICE",
        help="Serial port of a real board, such as /dev/ttyACM0. Without --arm it is only watched.",
    ),
]
BoardName = Annotated[
    str,
    Parameter(
        metavar="NAME",
        help="Board without hardware: sim, the real firmware on a simulated chip (needs `make "
        "firmware`); python, its control law and protocol in Python, without the chip.",
    ),
]

Armed = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="Permit the motors of a real board to run. Put the robot where it may drive.",
    ),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class StillBoard:
    """Which board to use, whose motors do not run."""

    port: PortName = None
    board: BoardName = "sim"
    seed: Seed = 0


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class MovingBoard(StillBoard):
    """Which board to use, whose motors run."""

    arm: Armed = False


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationOptions:
    """Which robot is calibrated, and what happens to its file."""

    robot: RobotName = "tp100"
    out: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            help="Robot file to write; the robot's own file if not given. A robot that comes "
            "with grouser needs one.",
        ),
    ] = None
    dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False
    """Measure and print, but write no file."""
