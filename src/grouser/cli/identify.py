"""`grouser identify`: parameters of a robot from its logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from cyclopts import Parameter

from grouser import limits
from grouser.cli.exits import DONE, UNCERTAIN
from grouser.cli.foreign_logs import read_any_log
from grouser.cli.identify_report import print_fit, print_fits, report_content
from grouser.cli.options import File, MapFile, Names, RandomSeed, options, several
from grouser.cli.shared_options import ResultOptions, WorkerOptions
from grouser.cli.terminal import Terminal
from grouser.errors import GrouserError, InvalidValue, UnknownName
from grouser.units import check_range

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.description import Robot
    from grouser.identify import Fit, Identification, KnownRobot
    from grouser.identify.record import Kind, Record
    from grouser.identify.turning_tables import TurningTables
    from grouser.log import Log
    from grouser.tasks import Workers

INPUTS = ("measured", "commanded")

LogFile = Annotated[
    Path, Parameter(name="LOG", help="Logs of drives of one robot, or one table of steady states.")
]


@options
class Request:
    """What to learn, and from what."""

    family: Names = ()
    """Families of models, such as slip or csm, or all; the kinematic ones if not given."""
    robot: Annotated[str | None, Parameter(metavar="NAME|FILE")] = None
    """The robot, a name or a TOML file; that of the log if not given."""
    gauge: Annotated[float | None, Parameter(metavar="METRES")] = None
    """Distance between the tracks [m], if there is no robot file."""
    radius: Annotated[float | None, Parameter(metavar="METRES")] = None
    """Radius of the wheels or sprockets [m], where a guessed map needs it; the robot's if not
    given."""
    course: Annotated[str | None, Parameter(metavar="NAME|FILE")] = None
    """The ground, for families that are simulated; that of the log if not given, or flat."""
    observe: Annotated[str | None, Parameter(metavar="KIND")] = None
    """Which measurement of the motion to fit: pose, position, twist or gyro; the most informative
    one if not given."""
    input: Annotated[str, Parameter(metavar="KIND")] = "measured"
    """What moves the robot: belt speeds as measured, or as commanded with gains, limits, delay and
    lag that are fitted first: measured or commanded."""
    poses: File | None = None
    """Another log, with a clock of its own, that holds the poses: of an overhead camera."""
    column_map: MapFile = None
    poses_map: File | None = None
    """TOML column map of the file of --poses; guessed from its headings if not given."""
    leave_out: Annotated[tuple[int, ...], several("NUMBER")] = ()
    """Turns that P2's fits leave out."""
    export: Annotated[tuple[Path, ...], several("FILE")] = ()
    """Write the recommended fit: .toml robot file, .yaml for ros2_control, .sdf for gz-sim,
    .json."""
    report: File | None = None
    """Write a page about the fit, .html."""
    seed: RandomSeed = 0
    """Seed of the search of families that are simulated: same seed, same fit."""

    def check(self) -> None:
        """Check numbers.

        Raises:
            InvalidValue: One is out of its range.
        """
        if self.gauge is not None:
            check_range("--gauge", self.gauge, "m", is_size=True)
        if self.radius is not None:
            check_range("--radius", self.radius, "m", is_size=True)
        if self.input not in INPUTS:
            raise UnknownName("input", self.input, INPUTS)
        for turn in self.leave_out:
            if not 1 <= turn <= limits.COUNT:
                required = f"be numbers of turns, from 1 to {limits.COUNT}"
                raise InvalidValue("--leave-out", turn, required)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outputs:
    """The files to write, claimed before the work."""

    exports: tuple[Output, ...]
    report: Output | None

    @classmethod
    def claim(cls, request: Request, *, overwrite: bool) -> _Outputs:
        from grouser.cli.output import claim_optional, claim_output
        from grouser.identify.exports import SUFFIXES

        return cls(
            exports=tuple(
                claim_output("--export", path, overwrite=overwrite, suffixes=SUFFIXES)
                for path in request.export
            ),
            report=claim_optional(
                "--report", request.report, overwrite=overwrite, suffixes=(".html", ".htm")
            ),
        )

    def write(self, export: Callable[[Output], Path], page: Callable[[Path], object]) -> list[Path]:
        """Write all files; return where they are."""
        written = [export(output) for output in self.exports]
        return written if self.report is None else [*written, self.report.write(page)]


def identify(
    *logs: LogFile,
    request: Request = Request(),
    work: WorkerOptions = WorkerOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Learn a robot's parameters from its logs, and which model to use.

    Blocks of the data are held out in turn, and families are compared by predicting them.
    """
    from grouser.identify import FAMILIES, identify_records, kinematic_families
    from grouser.identify.treadmill_table import is_tilt_table
    from grouser.identify.turning_page import turn_tables
    from grouser.identify.turning_tables import is_table_of_turns
    from grouser.identify.turns import tabulate_found

    outputs = _Outputs.claim(request, overwrite=results.overwrite)
    request.check()
    tables = _read(logs, request)
    first = next(tables)
    terminal = Terminal()
    if is_table_of_turns(first):
        return _report_turns(request, logs[0], [first, *tables], outputs, as_json=results.as_json)
    if is_tilt_table(first):
        return _report_tilt(request, logs[0], [first, *tables], outputs, as_json=results.as_json)
    known_robot = _known_robot(request, first)
    records = _read_records(logs, chain([first], tables), request, known_robot)
    names = tuple(FAMILIES) if "all" in request.family else request.family or kinematic_families()
    with _progress(terminal) as tell:
        crew = _choose_workers(work, names)
        found = identify_records(
            records, known_robot, names, tell, request.seed, crew,
            from_commands=request.input == "commanded",
        )  # fmt: skip
    # P2's tables only where they were requested: they are longer than all else.
    turns = tabulate_found(found, request.leave_out) if "turning" in request.family else None
    written = _write(outputs, found, first, turns)
    if results.as_json:
        terminal.json(report_content(found, turns) | {"written": written})
    else:
        print_fits(terminal, found)
        terminal.tables(() if turns is None else turn_tables(turns))
        _print_written(written, terminal)
    return DONE if found.recommendation.family else UNCERTAIN


def _read_records(
    paths: tuple[Path, ...], logs: Iterable[Log], request: Request, known_robot: KnownRobot
) -> list[Record]:
    """Return what fits need of the logs, without their other columns, which may be many."""
    from grouser.identify import read_record
    from grouser.log.stamps import on_clock_of

    observed, kind, records = None, _kind(request.observe), []
    for log, path in zip(logs, paths, strict=True):
        if request.poses is not None:
            poses = read_any_log(request.poses, request.poses_map, Terminal())
            observed = on_clock_of(poses, log, request.poses)
        robot, gauge = known_robot.robot, known_robot.gauge
        records.append(read_record(log, str(path), robot, gauge, kind, observed, request.radius))
    return records


def _read(logs: tuple[Path, ...], request: Request) -> Iterator[Log]:
    """Yield the logs one by one: at least one."""
    if not logs:
        raise GrouserError("give a log of a drive to learn from, as in: grouser identify drive.csv")
    if request.poses is not None and len(logs) > 1:
        raise InvalidValue("--poses", str(request.poses), "come with one log")
    if request.poses_map is not None and request.poses is None:
        raise InvalidValue("--poses-map", str(request.poses_map), "come with --poses")
    guessed: dict[str, Path] = {}
    for path in logs:
        radius = _known_radius(request)
        yield read_any_log(path, request.column_map, Terminal(), radius, guessed)


def _known_radius(request: Request) -> float | None:
    """Return the radius of wheels or sprockets [m], if it or a robot was given."""
    from grouser.description import load_robot

    if request.radius is not None:
        return request.radius
    return None if request.robot is None else load_robot(request.robot).sprocket_radius


def find_robot(request: Request, log: Log) -> Robot | None:
    """Return the requested robot, or that of the log; None if there is neither."""
    from grouser.description import load_robot, parse_robot

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


def _report_turns(
    request: Request, file: Path, logs: list[Log], outputs: _Outputs, *, as_json: bool
) -> int:
    """Print and write P2's tables of a table of turns, the first of the logs."""
    from grouser.identify.exports import without_nan
    from grouser.identify.page import write_turns_page
    from grouser.identify.turning_page import turn_tables
    from grouser.identify.turning_tables import tabulate_of_robot
    from grouser.identify.turns import read_turns
    from grouser.storage import write_atomically

    for output in outputs.exports:
        if output.path.suffix.lower() != ".json":
            raise InvalidValue("export of a table of turns", str(output.path), "end in .json")
    terminal, robot = Terminal(), need_robot(request, logs[0])
    turns = read_turns(logs[0], str(file), robot)
    tables = tabulate_of_robot(turns, robot, request.leave_out)
    content: dict[str, Any] = {"family": "turning", **tables.to_dict()}
    text = json.dumps(without_nan(content), indent=2) + "\n"
    written = outputs.write(
        lambda output: output.write(lambda path: write_atomically(path, text)),
        lambda path: write_turns_page(tables, path, robot.name),
    )
    if as_json:
        terminal.json(content | {"written": written})
    else:
        terminal.tables(turn_tables(tables))
        _print_written(written, terminal)
    return DONE


def _report_tilt(
    request: Request, file: Path, logs: list[Log], outputs: _Outputs, *, as_json: bool
) -> int:
    """Print and write the fit of a table of a tilted treadmill."""
    from grouser.identify import KnownRobot, export_fit
    from grouser.identify.page import write_single_fit_page
    from grouser.identify.treadmill_table import fit_tilt_table, is_lifted_step

    terminal, robot = Terminal(), need_robot(request, logs[0])
    steps = [log for log in logs[1:] if is_lifted_step(log)]
    fit = fit_tilt_table(logs[0], str(file), robot, steps)
    known_robot = KnownRobot(gauge=robot.gauge, robot=robot)
    written = outputs.write(
        lambda output: output.write(lambda path: export_fit(fit, path, known_robot)),
        lambda path: write_single_fit_page(fit, path, robot.name),
    )
    if as_json:
        terminal.json({"fits": {fit.family: fit.to_dict()}, "written": written})
    else:
        print_fit(terminal, fit)
        _print_written(written, terminal)
    return DONE


def _choose_workers(work: WorkerOptions, families: tuple[str, ...]) -> Workers:
    """Return who fits: other processes take longer to start than quick families to fit."""
    from grouser.identify import FAMILIES
    from grouser.tasks import SERIAL

    if work != WorkerOptions():
        return work.pool()
    slow = [name for name in families if name in FAMILIES and FAMILIES[name].is_simulated]
    return work.pool() if slow else SERIAL


def _kind(word: str | None) -> Kind | None:
    from grouser.identify.record import Kind

    if word is not None and word not in get_args(Kind):
        raise UnknownName("kind of observation", word, get_args(Kind))
    return word  # pyright: ignore[reportReturnType]


def _known_robot(request: Request, log: Log) -> KnownRobot:
    from grouser.description import load_course, parse_course
    from grouser.identify import KnownRobot

    robot = find_robot(request, log)
    gauge = request.gauge or (robot.gauge if robot else None)
    if gauge is None:
        raise InvalidValue("robot", "none", "be given by --robot, or its --gauge in metres")
    origin = log.provenance
    if request.course is not None:
        course = load_course(request.course)
    elif origin.course_text:
        course = parse_course(origin.course_text, origin.course, **origin.course_parameters)
    else:
        course = load_course("flat")
    return KnownRobot(gauge=gauge, robot=robot, course=course)


def _write(
    outputs: _Outputs, found: Identification, log: Log, turns: TurningTables | None
) -> list[Path]:
    from grouser.identify.exports import export_best

    def export(output: Output) -> Path:
        fits: list[Fit] = []
        path = output.write(lambda path: fits.append(export_best(found, path)))
        if (chosen := found.best_first[0]) is not fits[-1]:
            words = f"{path} holds family {fits[-1].family}: it has no place for {chosen.family}"
            Terminal().remark(words)
        return path

    def write_page(path: Path) -> None:
        from grouser.identify.page import write_fit_page

        write_replay = None
        if find_spec("viser") is not None:
            from grouser.viewer.replay_page import write_replay
        write_fit_page(found, log, path, turns, write_replay)

    return outputs.write(export, write_page)


@contextmanager
def _progress(terminal: Terminal) -> Iterator[Callable[[str], None]]:
    if not terminal.err.is_terminal:
        yield lambda words: None
        return
    with terminal.err.status("fitting") as status:
        yield lambda words: status.update(words)


def _print_written(written: list[Path], terminal: Terminal) -> None:
    for path in written:
        terminal.line(f"written: {path}")
