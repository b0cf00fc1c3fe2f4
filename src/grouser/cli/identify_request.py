"""What was asked of `grouser identify`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grouser import limits
from grouser.cli.output import Output
from grouser.description import Robot, load_robot, parse_robot
from grouser.errors import InvalidValue
from grouser.log import Log
from grouser.units import check_range


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked for on the command line."""

    logs: tuple[Path, ...]
    """Files of logs."""
    families: tuple[str, ...]
    """Names of families; the quick ones if empty."""
    robot: str | None
    """Name or file of the robot."""
    gauge: float | None
    """Distance of the tracks, where there is no robot [m]."""
    course: str | None
    """Name or file of the course."""
    observe: str | None
    """Kind of observation."""
    poses: Path | None
    """Another log that holds the observation."""
    column_map: Path | None
    """Column map of foreign logs."""
    leave_out: tuple[int, ...]
    """Turns to leave out."""
    exports: tuple[Output, ...]
    """Files to write."""
    report: Output | None
    """Page to write."""
    seed: int
    """Of searches."""
    workers: int | None = None
    """How many processes."""
    cluster: str | None = None
    """Address of a Dask scheduler."""

    def __post_init__(self) -> None:
        if self.gauge is not None:
            check_range("--gauge", self.gauge, "m", is_size=True)
        for turn in self.leave_out:
            if not 1 <= turn <= limits.COUNT:
                required = f"be numbers of turns, from 1 to {limits.COUNT}"
                raise InvalidValue("--leave-out", turn, required)

    def write(self, export: Callable[[Output], Path], page: Callable[[Path], object]) -> list[Path]:
        """Write all files that it asks for; return where they are.

        Args:
            export: Writes an export.
            page: Writes the page about the fit to the path that it is given.
        """
        written = [export(output) for output in self.exports]
        return written if self.report is None else [*written, self.report.write(page)]


def find_robot(request: Request, log: Log) -> Robot | None:
    """Return the robot that was asked for, or that of the log; None if there is neither."""
    if request.robot is not None:
        return load_robot(request.robot)
    origin = log.provenance
    return parse_robot(origin.robot_text, origin.robot) if origin.robot_text else None


def need_robot(request: Request, log: Log) -> Robot:
    """Return the robot.

    Raises:
        InvalidValue: None was given, and the log holds none.
    """
    robot = find_robot(request, log)
    if robot is None:
        raise InvalidValue("robot", "none", "be given by --robot")
    return robot
