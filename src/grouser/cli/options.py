"""Ways in which options are read that many commands share."""

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, dataclass_transform

from cyclopts import Group, Parameter

from grouser import limits
from grouser.errors import InvalidValue
from grouser.registry import description_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cyclopts import Token
    from cyclopts.completion import CompletionContext

    from grouser.scenario import Scenario
    from grouser.scenario.run import Loaded


Options = TypeVar("Options", bound=type)
Function = TypeVar("Function", bound="Callable[..., Any]")
OWN = Group("This command", sort_key=1)
SCENARIO = Group("Scenario", sort_key=2)
OUTPUT = Group("Output", sort_key=3)
"""The groups of options in the help of a command, in this order."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
def options(kind: Options) -> Options:
    """Make a class a group of options; a field's docstring is the help of its option."""
    return Parameter(name="*")(dataclass(frozen=True, slots=True, kw_only=True)(kind))


def refuses(reason: str, *names: str) -> "Callable[[Function], Function]":
    """Make a command refuse some options of a scenario, for a reason; its help leaves them out.

    Args:
        reason: Why they would do nothing.
        names: Fields of `ScenarioOptions`.
    """

    def decorate(command: Function) -> Function:
        @wraps(command)
        def checked(*given: Any, **more: Any) -> Any:
            more.get("options", NO_OPTIONS).reject(names, reason)
            return command(*given, **more)

        _REFUSED[checked] = {*_REFUSED.get(command, ()), *(_flag(name) for name in names)}
        return checked  # pyright: ignore[reportReturnType]

    return decorate


def refused_options(command: "Callable[..., Any]") -> set[str]:
    """Return the options that a command refuses."""
    return _REFUSED.get(command, set())


_REFUSED: "dict[Callable[..., Any], set[str]]" = {}


def _flag(name: str) -> str:
    return "--set" if name == "changes" else f"--{name.replace('_', '-')}"


def several(what: str, **more: Any) -> Parameter:
    """Return the parameter of an option that takes one or more words: `--models ideal slip`."""
    return Parameter(
        metavar=f"{what} ...", consume_multiple=1, negative="", show_default=False, **more
    )


# Completion must not import numerical packages.
def _complete(*kinds: str) -> "Callable[[CompletionContext], list[str]]":
    return lambda context: [name for kind in kinds for name in description_files(kind)]


def _complete_models(context: "CompletionContext") -> dict[str, str]:
    from grouser.models import CATALOGUE

    return {name: kind.summary for name, kind in CATALOGUE.items()}


def _complete_drivers(context: "CompletionContext") -> dict[str, str]:
    from grouser.drivers import DRIVERS

    return {name: kind.summary for name, kind in DRIVERS.items()}


def _convert_seed(kind: object, tokens: "Sequence[Token]") -> int:
    return whole_number("--seed", tokens[0].value, 0, limits.SEED)


def whole_number(option: str, word: str, least: int, most: int) -> int:
    """Return a whole number; cyclopts would round 1.5 to 2."""
    is_whole = word.isascii() and word.isdigit() and len(word) <= len(str(most))
    if not is_whole or not least <= int(word) <= most:
        raise InvalidValue(option, word, f"be a whole number from {least} to {most}")
    return int(word)


Flag: TypeAlias = Annotated[bool, Parameter(negative="", show_default=False)]
File: TypeAlias = Annotated[Path, Parameter(metavar="FILE")]
Folder: TypeAlias = Annotated[Path, Parameter(metavar="FOLDER")]
OutFile: TypeAlias = Annotated[Path, Parameter(metavar="FILE", group=OUTPUT)]
OutFolder: TypeAlias = Annotated[Path, Parameter(metavar="FOLDER", group=OUTPUT)]
Name: TypeAlias = Annotated[str, Parameter(metavar="NAME")]
Names: TypeAlias = Annotated[tuple[str, ...], several("NAME")]
Count: TypeAlias = Annotated[int, Parameter(metavar="NUMBER")]
Seconds: TypeAlias = Annotated[float, Parameter(metavar="SECONDS")]
Speed: TypeAlias = Annotated[float, Parameter(metavar="M_PER_S")]
SIGNED = Parameter(allow_leading_hyphen=True)
"""Of an option whose value may begin with a minus."""
FOREIGN = Parameter(name="--map", metavar="FILE")
"""Of an option that names a column map."""
LOG_NAME = Parameter(name="LOG")
"""Of an argument that names a log."""
RobotReference: TypeAlias = Annotated[
    str, Parameter(metavar="NAME|FILE", completer=_complete("robot"))
]
SoilReference: TypeAlias = Annotated[
    str, Parameter(metavar="NAME|FILE", completer=_complete("soil"))
]
RobotName: TypeAlias = Annotated[
    RobotReference, Parameter(help="Robot: a name that `grouser robots` lists, or a TOML file.")
]
CourseName: TypeAlias = Annotated[
    str,
    Parameter(
        metavar="NAME|FILE",
        completer=_complete("course"),
        help="Course: a name that `grouser courses` lists, or a TOML file; parameters may "
        "follow, as in step:height_m=0.2.",
    ),
]
RigName: TypeAlias = Annotated[
    str | None,
    Parameter(
        metavar="NAME|FILE",
        completer=_complete("rig"),
        help="Camera rig: tp100-overhead, or a TOML file; parameters may follow, as in "
        "tp100-overhead:x_m=0.4. If not given, the rig of the film, or tp100-overhead.",
    ),
]
RobotOrCourse: TypeAlias = Annotated[
    str,
    Parameter(
        name="NAME",
        completer=_complete("robot", "course"),
        help="Name or TOML file of a robot or of a course; parameters of a course may follow, "
        "as in step:height_m=0.2.",
    ),
]
ModelReference: TypeAlias = Annotated[str, Parameter(metavar="NAME", completer=_complete_models)]
ModelName: TypeAlias = Annotated[
    ModelReference,
    Parameter(
        help="Model, how the robot moves: a name that `grouser models` lists; parameters may "
        "follow, as in slip:step_mode=paper.",
    ),
]
ModelNames: TypeAlias = Annotated[tuple[str, ...], several("NAME", completer=_complete_models)]
Duration: TypeAlias = Annotated[
    float | None,
    Parameter(
        metavar="SECONDS",
        help="Simulated time [s] after which to stop; if not given, when the driver is done: "
        "at the latest after three times what the path should take, after 10 s for a driver "
        "without end.",
    ),
]
RandomSeed: TypeAlias = Annotated[int, Parameter(metavar="NUMBER", converter=_convert_seed)]
Seed: TypeAlias = Annotated[
    RandomSeed,
    Parameter(help="Seed of random numbers: the same seed gives the same result."),
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
    Flag,
    Parameter(
        name="--json", group=OUTPUT, help="Write JSON for machines to stdout, and nothing else."
    ),
]
Overwrite: TypeAlias = Annotated[
    Flag, Parameter(group=OUTPUT, help="Replace files that exist already; an error if not given.")
]
MapFile: TypeAlias = Annotated[
    Path | None,
    FOREIGN,
    Parameter(help="TOML column map of the log, if that is a CSV file of another program."),
]
ScenarioFile: TypeAlias = Annotated[
    Path | None,
    Parameter(name="FILE", help="Scenario to run, a TOML file; options replace what it says."),
]


@Parameter(group=SCENARIO)
@options
class ScenarioOptions:
    """The options of a run, each None if it was not given: then the scenario file's counts."""

    robot: RobotName | None = None
    course: CourseName | None = None
    model: ModelName | None = None
    driver: Annotated[
        str | None,
        Parameter(name=("--driver", "--drive"), metavar="DRIVER", completer=_complete_drivers),
    ] = None
    """Driver, which commands the belt speeds: follow, pursuit, stanley, waypoints, constant, step,
    sine, square, legs, manoeuvre or replay; keys may follow, as in
    constant:speed=0.1,yaw_rate=0.2 (`grouser drivers` lists them). If not given, follow, or
    straight on where the course has no path."""
    speed: Speed | None = None
    """Forward speed [m/s] where the driver names none; if not given, the course's own, or the
    robot's limit where that is less."""
    duration: Duration = None
    stuck_after: Seconds | None = None
    """Stop after so long without progress on the path [s]; never if not given."""
    tipped: Annotated[float | None, Parameter(metavar="DEG")] = None
    """Stop at such a tilt of the body [deg]; never if not given."""
    start: StartPose = None
    dt: Seconds | None = None
    """Length of one tick [s]; 0.01 if not given, or that of the log to replay."""
    seed: Seed | None = None
    flippers: Annotated[str | None, Parameter(metavar="SCHEDULE")] = None
    """Flippers: auto (by pitch), a posture of the robot's file, or a schedule of times in s and
    postures or angles in degrees, as in '0=-30/-30/0/0;4=flat'. At rest if not given."""
    observe: Annotated[str | None, Parameter(metavar="OBSERVER")] = None
    """Estimate pose, gyro bias and slip while driving, into columns fused.NAME: ekf, with the
    camera of ekf:rig=FILE, or without one (ekf:camera=no). Nothing if not given."""
    contacts: Flag = False
    """Log contact forces and the angle until the robot tips over, by models with contacts."""
    changes: Annotated[
        tuple[str, ...],
        Parameter(name="--set", metavar="KEY=VALUE", negative="", show_default=False),
    ] = ()
    """Change a number of the scenario, as in robot.body.mass_kg=3,
    course.surfaces.ground.friction=0.4 or variation.friction=0.8; may be given several times."""

    def scenario(self, file: Path | None = None, **usual: Any) -> "Scenario":
        """Return the scenario of a file, or one with `usual` fields, changed by the options.

        Raises:
            GrouserError: The file has mistakes, or an option is out of its range.
        """
        from grouser.scenario import Scenario

        if file is not None and file.suffix.lower() != ".toml":
            required = "be a scenario file and end in .toml; robot, course and model are options"
            raise InvalidValue("FILE", str(file), required)
        return self.change(Scenario(**usual) if file is None else Scenario.read(file))

    def change(self, scenario: "Scenario") -> "Scenario":
        """Return a scenario with what was given as options.

        Raises:
            GrouserError: An option is out of its range.
        """
        import math

        from grouser.scenario import Part, parse_flippers, parse_start
        from grouser.units import check_range

        found = scenario
        for flag, key, value, unit in (
            ("--speed", "speed", self.speed, "m/s"),
            ("--dt", "tick", self.dt, "s"),
            ("--duration", "stop.duration", self.duration, "s"),
            ("--stuck-after", "stop.stuck_after", self.stuck_after, "s"),
            ("--tipped", "stop.tipped", self.tipped, "deg"),
        ):
            if value is not None:
                number = check_range(flag, value, unit, is_size=True)
                found = found.vary(key, math.radians(number) if unit == "deg" else number)
        if self.robot is not None:
            found = found.vary(robot=Part.of(self.robot, is_robot=True))
        plain: dict[str, Any] = {"course": self.course, "model": self.model, "driver": self.driver}
        plain |= {"seed": self.seed, "observers": self.observe, "contacts": self.contacts or None}
        if self.start is not None:
            plain["start_pose"] = parse_start(self.start, "--start")
        if self.flippers is not None:
            plain["flippers"] = parse_flippers(self.flippers, "--flippers")
        found = found.vary(**{key: value for key, value in plain.items() if value is not None})
        for word in self.changes:
            found = found.vary(*_split_change(word))
        return found

    def load(self, scenario: "Scenario") -> "Loaded":
        """Return everything that a scenario stands for; errors name the option."""
        from grouser.cli.terminal import Terminal
        from grouser.drivers import DEFAULT_DRIVER

        flags = {"tick": "--dt", "start": "--start"}
        try:
            loaded = scenario.load()
        except InvalidValue as error:
            flag = flags.get(error.name)
            if flag is None or getattr(self, flag[2:]) is None:
                raise
            raise InvalidValue(flag, error.given, error.required) from None
        if scenario.driver.name == DEFAULT_DRIVER and loaded.course.path is None:
            Terminal().remark(
                f"course {loaded.course.name!r} has no path: the robot drives straight on; "
                "--driver names another driver (grouser drivers)"
            )
        return loaded

    def reject(self, names: "Sequence[str]", reason: str) -> None:
        """Raise InvalidValue if an option was given that a command does not take.

        Args:
            names: Fields of the options.
            reason: Why not.
        """
        for name in names:
            if value := getattr(self, name):
                raise InvalidValue(_flag(name), value, f"not be given: {reason}")


NO_OPTIONS = ScenarioOptions()
"""No option given."""


def _split_change(word: str) -> tuple[str, float | str]:
    from grouser.units import parse_number

    key, equals, value = (part.strip() for part in word.partition("="))
    if not (key and equals and value) or len(word) > limits.WORD_LENGTH:
        raise InvalidValue("--set", word, "be written as KEY=VALUE, as in robot.body.mass_kg=3")
    number = parse_number(value)
    return key, value if number is None else number
