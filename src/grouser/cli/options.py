"""Ways in which options are read that many commands share."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from grouser import limits
from grouser.errors import InvalidValue
from grouser.registry import description_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token
    from cyclopts.completion import CompletionContext

    from grouser.scenario import Scenario
    from grouser.scenario.run import Loaded


def several(what: str, help: str, **more: Any) -> Parameter:  # noqa: A002 as cyclopts calls it
    """Return the parameter of an option that takes one or more words: `--models ideal slip`."""
    return Parameter(
        metavar=f"{what} ...",
        consume_multiple=1,
        negative="",
        show_default=False,
        help=help,
        **more,
    )


def log_to_write(otherwise: str) -> Parameter:
    """Return the parameter of an option that names the log to write."""
    words = f"Log to write, .csv, .parquet or .mcap; {otherwise}"
    return Parameter(metavar="FILE", help=words)


# Completion must not import numerical packages.
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
    return whole_number("--seed", tokens[0].value, 0, limits.SEED)


def whole_number(option: str, word: str, least: int, most: int) -> int:
    """Return a whole number; cyclopts would round 1.5 to 2."""
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
        "tp100-overhead:x_m=0.4. If not given, the rig of the film, or tp100-overhead.",
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
        help="Another model to run with the commands of the log; the log's own if not given.",
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
        help="Driver, which commands the belt speeds: follow, pursuit, stanley, waypoints, "
        "constant, step, sine, square, legs, manoeuvre or replay; keys may follow, as in "
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
Observe = Annotated[
    str | None,
    Parameter(
        metavar="OBSERVER",
        help="Estimate pose, gyro bias and slip while driving, into columns fused.NAME: ekf, with "
        "the camera of ekf:rig=FILE, or without one (ekf:camera=no). Nothing if not given.",
    ),
]
FlipperAngles: TypeAlias = Annotated[
    str,
    Parameter(
        metavar="SCHEDULE",
        help="When flippers move, and where to: times in s and an angle in degrees for each "
        "flipper, as in '0=-30/-30/0/0;4=20/20/0/0'. At rest if not given.",
    ),
]
ScenarioFile: TypeAlias = Annotated[
    Path | None,
    Parameter(name="FILE", help="Scenario to run, a TOML file; options replace what it says."),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOptions:
    """The options of a run, each None if it was not given: then the scenario file's counts."""

    robot: RobotName | None = None
    """What drives."""
    course: CourseName | None = None
    """Where it drives."""
    model: ModelName | None = None
    """How it moves."""
    driver: Annotated[DriverName | None, Parameter(name=("--driver", "--drive"))] = None
    """What commands it."""
    speed: Speed = None
    """Forward speed where the driver names none [m/s]."""
    duration: Duration = None
    """Simulated time after which to stop [s]."""
    stuck_after: Annotated[
        float | None,
        Parameter(
            metavar="SECONDS",
            help="Stop after so long without progress on the path [s]; never if not given.",
        ),
    ] = None
    """Time without progress after which to stop [s]."""
    tipped: Annotated[
        float | None,
        Parameter(metavar="DEG", help="Stop at such a tilt of the body [deg]; never if not given."),
    ] = None
    """Tilt at which to stop [deg]."""
    start: StartPose = None
    """Where it starts."""
    dt: TickLength = None
    """Length of a tick [s]."""
    seed: Seed | None = None
    """Seed of the sensors' noise."""
    flippers: FlipperAngles | None = None
    """Flipper angles over time."""
    observe: Observe = None
    """What adds columns to the log."""
    contacts: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="Log contact forces and the tip-over margin, with a model that has contacts.",
        ),
    ] = False
    """Whether the log has contact forces."""
    changes: Annotated[
        tuple[str, ...],
        Parameter(
            name="--set",
            metavar="KEY=VALUE",
            negative="",
            show_default=False,
            help="Change a number of the scenario, as in robot.body.mass_kg=3, "
            "course.surfaces.ground.friction=0.4 or variation.friction=0.8; may be given several "
            "times.",
        ),
    ] = ()
    """Numbers of the scenario to change."""

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
        flags = {"tick": "--dt", "start": "--start"}
        try:
            return scenario.load()
        except InvalidValue as error:
            flag = flags.get(error.name)
            if flag is None or getattr(self, flag[2:]) is None:
                raise
            raise InvalidValue(flag, error.given, error.required) from None

    def reject(self, names: "Sequence[str]", reason: str) -> None:
        """Raise InvalidValue if an option was given that a command does not take.

        Args:
            names: Fields of the options.
            reason: Why not.
        """
        for name in names:
            if value := getattr(self, name):
                flag = "--set" if name == "changes" else f"--{name.replace('_', '-')}"
                raise InvalidValue(flag, value, f"not be given: {reason}")


NO_OPTIONS = ScenarioOptions()
"""No option given."""


def _split_change(word: str) -> tuple[str, float | str]:
    from grouser.units import parse_number

    key, equals, value = (part.strip() for part in word.partition("="))
    if not (key and equals and value) or len(word) > limits.WORD_LENGTH:
        raise InvalidValue("--set", word, "be written as KEY=VALUE, as in robot.body.mass_kg=3")
    number = parse_number(value)
    return key, value if number is None else number
