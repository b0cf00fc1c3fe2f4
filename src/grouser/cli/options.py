"""The options that commands share: their names, units, help and completion."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from grouser import limits
from grouser.cli.parameters import several
from grouser.errors import InvalidValue
from grouser.registry import description_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token
    from cyclopts.completion import CompletionContext


# Completion should not wait for the numerical packages that descriptions load.
def _complete_robots(context: "CompletionContext") -> list[str]:
    return list(description_files("robot"))


def _complete_courses(context: "CompletionContext") -> list[str]:
    return list(description_files("course"))


def _complete_rigs(context: "CompletionContext") -> list[str]:
    return list(description_files("rig"))


def _complete_both(context: "CompletionContext") -> list[str]:
    return _complete_robots(context) + _complete_courses(context)


def _complete_models(context: "CompletionContext") -> dict[str, str]:
    from grouser.models import CATALOGUE

    return {name: kind.summary for name, kind in CATALOGUE.items()}


def _complete_drivers(context: "CompletionContext") -> dict[str, str]:
    from grouser.drivers import DRIVERS

    return {name: kind.summary for name, kind in DRIVERS.items()}


def _convert_seed(kind: object, tokens: "Sequence[Token]") -> int:
    return _whole_number("--seed", tokens[0].value, 0, limits.SEED)


def _convert_workers(kind: object, tokens: "Sequence[Token]") -> int:
    return _whole_number("--workers", tokens[0].value, 1, limits.WORKERS)


def _whole_number(option: str, word: str, least: int, most: int) -> int:
    """Return a whole number; without this, 1.5 would quietly become 2."""
    is_whole = word.isascii() and word.isdigit() and len(word) <= len(str(most))
    if not is_whole or not least <= int(word) <= most:
        raise InvalidValue(option, word, f"be a whole number from {least} to {most}")
    return int(word)


RobotName: TypeAlias = Annotated[
    str,
    Parameter(
        metavar="NAME|FILE",
        completer=_complete_robots,
        help="Robot: a name that `grouser robots` lists, or a TOML file.",
    ),
]
CourseName: TypeAlias = Annotated[
    str,
    Parameter(
        metavar="NAME|FILE",
        completer=_complete_courses,
        help="Course: a name that `grouser courses` lists, or a TOML file; parameters may "
        "follow, as in step:height_m=0.2.",
    ),
]
RigName: TypeAlias = Annotated[
    str | None,
    Parameter(
        name="--rig",
        metavar="NAME|FILE",
        completer=_complete_rigs,
        help="Camera rig: tp100-overhead, or a TOML file; parameters may follow, as in "
        "tp100-overhead:x_m=0.4. If not given, the one that the film tells, or tp100-overhead.",
    ),
]
RobotOrCourse: TypeAlias = Annotated[
    str,
    Parameter(
        name="NAME",
        completer=_complete_both,
        help="Name or TOML file of a robot or of a course; parameters of a course may follow, "
        "as in step:height_m=0.2.",
    ),
]
ModelName: TypeAlias = Annotated[
    str,
    Parameter(
        metavar="NAME",
        completer=_complete_models,
        help="Model, how the robot moves: a name that `grouser models` lists; parameters may "
        "follow, as in slip:step_mode=paper.",
    ),
]
OtherModelName: TypeAlias = Annotated[
    str | None,
    Parameter(
        name="--model",
        metavar="NAME",
        completer=_complete_models,
        help="Another model to obey the commands of the log; the log's own if not given.",
    ),
]
LeadName: TypeAlias = Annotated[
    str | None,
    Parameter(
        metavar="NAME",
        completer=_complete_models,
        help="The model that the driver drives; the first of --models if not given.",
    ),
]
ModelNames: TypeAlias = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "Models to compare; all that can drive the course if not given.",
        completer=_complete_models,
    ),
]
DriverName: TypeAlias = Annotated[
    str,
    Parameter(
        metavar="DRIVER",
        completer=_complete_drivers,
        help="Driver, who gives the belt speeds: follow, pursuit, stanley, waypoints, constant, "
        "step, sine, square, legs, manoeuvre or replay; keys may follow, as in "
        "constant:speed=0.1,yaw_rate=0.2 (`grouser drivers` lists them).",
    ),
]
Speed: TypeAlias = Annotated[
    float | None,
    Parameter(
        metavar="M_PER_S",
        help="Forward speed [m/s] where the driver names none; the course's own if not given, "
        "but no faster than the robot can.",
    ),
]
Duration: TypeAlias = Annotated[
    float | None,
    Parameter(
        metavar="SECONDS",
        help="Simulated time [s] after which to stop; if not given, when the driver is done: "
        "at the latest after three times what the path should take, after 10 s for a driver "
        "without end.",
    ),
]
TickLength: TypeAlias = Annotated[
    float | None,
    Parameter(
        name="--dt",
        metavar="SECONDS",
        help="Length of one tick [s]; 0.01 if not given, or that of the log to replay.",
    ),
]
Seed: TypeAlias = Annotated[
    int,
    Parameter(
        metavar="NUMBER",
        converter=_convert_seed,
        help="Seed of the sensors' noise: same seed, same log.",
    ),
]
StartPose: TypeAlias = Annotated[
    str | None,
    Parameter(
        metavar="X,Y,YAW",
        allow_leading_hyphen=True,
        help="Where to start: x [m], y [m], yaw [deg]; the start of the course if not given.",
    ),
]
Json: TypeAlias = Annotated[
    bool,
    Parameter(
        name="--json",
        negative="",
        show_default=False,
        help="Write JSON for machines to stdout, and nothing else.",
    ),
]
Overwrite: TypeAlias = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="Replace files that exist already; an error if not given.",
    ),
]
MapFile: TypeAlias = Annotated[
    Path | None,
    Parameter(
        name="--map",
        metavar="FILE",
        help="TOML column map of the log, if that is a CSV file of another program.",
    ),
]
Workers: TypeAlias = Annotated[
    int | None,
    Parameter(
        metavar="NUMBER",
        converter=_convert_workers,
        help="How many processes of this machine work; one for each core if not given.",
    ),
]
Cluster: TypeAlias = Annotated[
    str | None,
    Parameter(
        metavar="ADDRESS",
        help="Dask scheduler whose workers do the work, as in tcp://127.0.0.1:8786 or tls://...; "
        "this machine if not given. Only for clusters that you trust: tasks and results are "
        "pickled, so each side can run programs on the other.",
    ),
]
Observe = Annotated[
    str | None,
    Parameter(
        metavar="OBSERVER",
        help="Estimate pose, gyro bias and slip while driving, into columns fused.NAME: ekf, with "
        "the camera of ekf:rig=FILE, or without one (ekf:camera=no). Nothing if not given.",
    ),
]
