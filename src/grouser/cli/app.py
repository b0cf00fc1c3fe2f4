"""The commands of `grouser`, their help, and sentences for mistakes on the command line."""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain
from typing import Annotated, Any, Literal

from cyclopts import App, CycloptsError, Group, Parameter
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)
from rich.text import Text

from grouser import __version__
from grouser.cli.options import OWN, refused_options
from grouser.cli.terminal import PlainConsole, Terminal
from grouser.errors import InvalidValue, UnknownName, one_line

HELP = (
    "Simulate tracked and skid-steer robots: describe, drive, log, plot, compare.\n\n"
    "A robot and a course are files, and some come with grouser. A model is how the robot moves, "
    "a driver commands its belts. Every run becomes a log that can be plotted, compared and "
    "replayed."
)

EPILOGUE = """Examples

  grouser drive
  grouser run --robot tp100 --course behaviour-3 --plot out/run.html
  grouser compare --robot tp100 --models ideal slip icr turning

Exit codes: 0 done, 1 a replay differs, 2 a mistake in what was given,
3 a number was no longer finite, 4 written, but not where it should be,
5 a tick failed by a mistake in a program, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
"""


_COMMANDS = """
# Drive
drive = drive:drive
    Drive a robot in the browser by keys, touch pad or gamepad, in real time.
watch = watch:watch
    Show a robot outside beside ghosts that follow its measured belts, and when they diverge.
run = run:run
    Drive a robot over a course with one model, and write the log.
compare = compare:compare
    Drive one course with several models, or take two logs, and print when they diverge.
sweep = sweep:sweep
    Vary two numbers of a scenario, run each pair, and draw a map of what the robot can do.
plot = render:plot
    Plot one log or several: path over the course, heading, slip and errors.
replay = run:replay
    Run a log again from its own robot, course and commands, and print where it diverges.
export = render:export
    Write a robot as URDF or SDF, or on a course as an MJCF file for MuJoCo.
render = render:render_scene
    Show a log as a film, a picture or a page with a 3D replay, or a robot at rest.
# Look around
robots = lists:list_robots
    List the robots that come with grouser.
courses = lists:list_courses
    List the courses that come with grouser.
course
    Make courses.
course from-scan = course_scan:from_scan
    Make a course of a scan: a point cloud or an open mesh becomes a height field.
models = lists:list_models
    List the models: how a robot can move, from the simplest to the most detailed.
drivers = lists:list_drivers
    List the drivers that can give the belt speeds of a run, and their keys.
show = show:show
    Show all numbers of a robot or a course, each with unit and source, and derived values.
datasheet = datasheet:datasheet
    Measure what a robot can do by simulation, and write it on one page.
soil = soil:soil
    Print the data sheet of a robot on soils: pull, sinkage, slopes, turns, power.
bench = bench:bench
    Measure how fast models, batches, environments and the command line are on this machine.
compile = compile:compile_models
    Compile models now, so that nothing has to wait for the compiler later.
# Learn
identify = identify:identify
    Learn a robot's parameters from its logs, and which model to use.
identify plan = identify_plan:plan
    Plan the drive that identifies a robot best in a given time and space.
film = camera:film
    Film a drive with an overhead camera: a grid on the floor, markers on the robot.
track = track:track
    Find a robot in a film by its markers: where it was in each frame, as a log.
fuse = camera:fuse
    Fuse encoders, gyroscope and camera by a Kalman filter: pose, gyro bias and slip.
# Papers
reproduce = reproduce:reproduce
    Run what the papers conclude: what is reproduced, and each published number beside ours.
paper
    Experiments that belong to one paper.
paper p0
    P0: a small tracked robot with a board in the loop.
paper p0 courses = papers:p0_courses
    Drive P0's courses with a board in lockstep: its numbers beside ours.
paper p1
    P1: models of tracks compared on eight scenarios.
paper p1 compare = papers:p1_compare
    Drive P1's eight scenarios with P1's models, and print its Tables I and II beside ours.
paper p1 search = papers:p1_search
    Search gains, efficiency and friction of P1's models, as P1 did or better.
paper p3 = papers:p3
    Run the experiments of P3 on the virtual treadmill: numbers, and a page per manoeuvre.
# Hardware in the loop
hil = hil:hil
    Put a board in the loop: its belts move a virtual robot, whose pose steers them.
hil courses = hil_courses:hil_courses
    Drive P0's courses in real time with a board: its numbers beside ours.
hil faults = hil_faults:hil_faults
    Measure every promise of the table of faults against the real firmware in lockstep.
hil frames = hil_faults:hil_frames
    Damage frames in six ways, and count how many the decoder accepts as other frames.
hil calibrate
    Measure values that only the robot itself can show, and write them into its file.
hil calibrate gyro = hil_calibrate:calibrate_gyro
    Measure what the gyroscope shows at rest. Let the robot stand.
hil calibrate encoder = hil_calibrate:calibrate_encoder
    Drive straight, compare the encoders with a tape measure, and scale them.
hil calibrate speed = hil_calibrate:calibrate_speed
    Measure how fast the belts run at which duty. Put the robot on a stand.
ros = ros:ros
    Simulate a robot, or several, as nodes of ROS 2, until Ctrl-C.
foxglove = foxglove:foxglove
    Show and drive a simulation in Foxglove, live, and record it.
exchange
    Exchange belt speeds and poses with another program, by two text files or datagrams.

    Encoder.txt carries belt speeds to the simulation, Orientation.txt its pose back, in the
    frame of Unreal Engine.
exchange simulate = exchange:simulate
    Simulate for another program's controller: Encoder.txt in, Orientation.txt out.
exchange control = exchange:control
    Drive another program's simulation: Orientation.txt in, Encoder.txt out.
ardupilot = ardupilot:ardupilot
    Simulate for ArduPilot's rover by its JSON interface: each waits for the other's step.
"""
"""The commands below their groups: words, where the function is, and its help's first line."""
_ABOUT = Group("About grouser", sort_key=9)
MOVED = {
    ("contest",): ("paper", "p1", "compare"),
    ("tune",): ("paper", "p1", "search"),
    ("tankbot",): ("paper", "p3"),
}
"""Words of commands that have moved, and where they are now."""
_FOLDER = {"--out-dir": "--out"}
RENAMED = {
    "hil": {"--lease": "--command-timeout", **_FOLDER},
    "drive": {"--for": "--timeout"},
    "track": {"--for": "--timeout"},
    "film": {"--grain": "--pixel-noise"},
    "ros": {"--record": "--out"},
    "foxglove": {"--record": "--out"},
    "datasheet": {"--output": "--out"},
    **dict.fromkeys(("compare", "paper", "reproduce", "sweep"), _FOLDER),
}
"""Options that have another name now, by the first word of the command."""
SWITCHES = {"bench": {"--json": "--out"}}
"""Options that took a file and are switches now: which option takes it, by command."""


def make_app(words: Sequence[str] | None = None) -> App:
    """Return the application, which raises what goes wrong instead of ending the process.

    Args:
        words: The command line, if it is known: a command that it does not name is not imported
            and has only one line of help.
    """
    app = App(
        name="grouser",
        help=HELP,
        help_format="plaintext",
        help_formatter=_Formatter(),
        help_epilogue=EPILOGUE,
        version=__version__,
        console=PlainConsole(highlight=False),
        error_console=PlainConsole(stderr=True, highlight=False),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
        group_parameters=OWN,
    )
    _add_commands(app, words)
    app.command(
        _install_completion(app), name="--install-completion", group=_ABOUT, help_epilogue=""
    )
    app["--help"].group = _ABOUT
    app["--version"].group = _ABOUT
    return app


class _Formatter:
    """Writes help as cyclopts does, the lines of docstrings joined; imports what it needs late."""

    def __init__(self, place: str = "") -> None:
        """Write the help of the command at `place`, `module:function`, if it is of one."""
        self._place = place

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        refused = refused_options(_find(self._place)) if self._place else set()
        panel.entries = [entry for entry in panel.entries if not refused & set(entry.names)]
        for entry in panel.entries:
            _join_lines(entry.description)
        self.__getattr__("__call__")(console, options, panel)

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        """Write what stands above the options."""
        _join_lines(description)
        self.__getattr__("render_description")(console, options, description)

    def __getattr__(self, name: str) -> Any:
        from cyclopts.help.formatters import DefaultFormatter

        return getattr(DefaultFormatter(), name)


def _join_lines(description: Any) -> None:
    """Join the lines of each paragraph, which the terminal then wraps."""
    text = getattr(description, "primary_renderable", None)
    if isinstance(text, Text):
        paragraphs = (" ".join(part.split()) for part in text.plain.strip().split("\n\n"))
        end = text.plain[len(text.plain.rstrip()) :]
        text.plain = "\n\n".join(paragraphs) + end


def _find(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    return getattr(import_module(f"grouser.cli.{module}"), function)


def list_commands() -> Iterator[tuple[str, tuple[str, ...], str, str]]:
    """Yield group, words, module:function (empty for none) and help of each command."""
    for section in _COMMANDS.split("\n# ")[1:]:
        group, _, entries = section.strip().partition("\n")
        for entry in re.split(r"\n(?=\S)", entries):
            head, _, text = entry.partition("\n")
            words, _, place = head.partition(" = ")
            paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
            yield group, tuple(words.split()), place, "\n\n".join(paragraphs)
    yield from find_commands(files("grouser.cli"))


def find_commands(folder: Traversable) -> Iterator[tuple[str, tuple[str, ...], str, str]]:
    """Yield the commands of modules that no row names: `WORD.py` beginning with its help."""
    rows = re.findall(r" = (\w+):", _COMMANDS)
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        name, _, suffix = file.name.partition(".")
        if suffix == "py" and name not in rows:
            line = file.read_text("utf-8").partition("\n")[0]
            if found := re.fullmatch(rf'"""`grouser {name}`: (.*)"""', line):
                yield "More", (name,), f"{name}:{name}", found[1]


def _add_commands(app: App, given: Sequence[str] | None) -> None:
    apps: dict[tuple[str, ...], App] = {(): app}
    groups: dict[str, Group] = {}
    commands = list(list_commands())
    above = {words[:-1] for _, words, _, _ in commands}
    for number, (title, words, place, text) in enumerate(commands):
        group = groups.setdefault(title, Group(title, sort_key=len(groups)))
        is_named = given is None or words[-1] in given
        more: dict[str, Any] = {"name": words[-1], "sort_key": number, "help_epilogue": ""}
        more |= {"group": None if words[:-1] else group}
        more |= {"help": None if place and is_named else text}
        more |= {"help_formatter": _Formatter(place)} if is_named else {}
        if words not in above:
            apps[words[:-1]].command(f"grouser.cli.{place}", **more)
            continue
        apps[words] = App(help_format="plaintext", **more)
        apps[words[:-1]].command(apps[words])
        if place and is_named:
            apps[words].default(_find(place))


def use_new_words(tokens: Sequence[str]) -> tuple[list[str], str | None]:
    """Return a command line in today's words, and a sentence if it had others."""
    words, remarks = list(tokens), list[str]()
    for old, new in MOVED.items():
        if tuple(words[: len(old)]) == old:
            words[: len(old)] = new
            remarks.append(f"`grouser {' '.join(old)}` is now `grouser {' '.join(new)}`")
    command = words[0] if words else ""
    end = words.index("--") if "--" in words else len(words)
    for index, word in enumerate(words[:end]):
        name, mark, value = word.partition("=")
        new = RENAMED.get(command, {}).get(name)
        follows = (words[index + 1 : end] or ["-"])[0]
        if mark or not follows.startswith("-"):
            new = SWITCHES.get(command, {}).get(name, new)
        if new is not None:
            words[index] = new + mark + value
            remarks.append(f"{name} of `grouser {command}` is now {new}")
    return words, "; ".join(remarks) or None


Shell = Annotated[
    Literal["bash", "zsh", "fish"] | None,
    Parameter(help="For which shell; the one that runs this command if not given."),
]


def _install_completion(app: App) -> Callable[..., None]:
    """Return the command that writes and registers the completion script of `app`."""

    def install(*, shell: Shell = None) -> None:
        """Install tab completion for bash, zsh or fish, names of robots and courses included."""
        from cyclopts.completion.detect import ShellDetectionError

        try:
            path = app.install_completion(shell=shell)
        except ShellDetectionError as error:
            required = "be bash, zsh or fish, since the shell that runs this command is not known"
            raise InvalidValue("--shell", "none", required) from error
        except OSError as error:
            raise InvalidValue(
                "completion script", error.filename, f"be writable ({error.strerror})"
            ) from error
        Terminal().line(f"completion script: {path} (open a new shell to use it)")

    return install


_MESSAGE_LENGTH = 1_000
"""Characters of a sentence."""
_KIND_WORDS: dict[object, str] = {float: "a number", bool: "true or false"}


def explain_usage(error: CycloptsError) -> str:
    """Return what was wrong, what was given, and what would work."""
    words = error.command_chain or ()
    command = " ".join(words) or "grouser"
    see = " ".join(("grouser", *words, "--help"))
    match error:
        case UnknownCommandError():
            problem = str(_unknown_command(error))
        case UnknownOptionError():
            problem = _unknown_option(error, command)
        case RepeatArgumentError():
            problem = f"{error.token.keyword} is given more than once"
        case CoercionError() if error.token is not None and error.msg is None:
            problem = f"{_name_of(error, error.token.keyword)} {_not_that_kind(error)}"
        case MissingArgumentError():
            problem = _missing(error)
        case UnusedCliTokensError():
            unused = " ".join(error.unused_tokens or ())
            problem = f"{command} has no use for {unused!r}"
        case _:
            error.verbose = False
            problem = " ".join(str(error).split()).rstrip(".")
    return one_line(f"{problem}; see {see}", _MESSAGE_LENGTH)


def _unknown_command(error: UnknownCommandError) -> UnknownName:
    known = error.app if error.app is not None else ()
    given = (error.unused_tokens or ["?"])[0]
    return UnknownName("command", given, (name for name in known if not name.startswith("-")))


def _unknown_option(error: UnknownOptionError, command: str) -> str:
    given = (error.token.keyword or error.token.value).partition("=")[0]
    known = list(chain.from_iterable(option.names for option in error.argument_collection))
    close = get_close_matches(given, known, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    return f"{command} has no option {given}{hint}"


def _not_that_kind(error: CoercionError) -> str:
    given = error.token.value if error.token else ""
    wanted = _KIND_WORDS.get(error.target_type)
    if wanted is None:
        choices = error.argument.get_choices(force=True) if error.argument else None
        wanted = f"one of {', '.join(choices)}" if choices else "something else"
    return f"must be {wanted}, not {given!r}"


def _missing(error: MissingArgumentError) -> str:
    name = _name_of(error, error.keyword)
    return f"{name} needs a value" if name.startswith("-") else f"{name} is missing"


def _name_of(error: CycloptsError, keyword: str | None) -> str:
    if keyword is not None:
        return keyword
    return error.argument.name if error.argument else "a value"
