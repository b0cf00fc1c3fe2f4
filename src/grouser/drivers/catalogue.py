"""Drivers by name: each is made for a robot on a course and returns belt speed commands."""

import csv
import pathlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any, TypeAlias

from grouser import limits
from grouser.control import STEERINGS, PathFollower
from grouser.description import Course, Path, Robot
from grouser.description.path import Route
from grouser.description.reference import parse_reference
from grouser.drivers.programs import Constant, Legs, Replay, Sides, Step, Wave
from grouser.errors import InvalidLog, InvalidValue, UnknownName, show_value
from grouser.geometry import Pose
from grouser.log import Log, read_log
from grouser.registry import Registry
from grouser.simulation import Driver
from grouser.storage import read_file
from grouser.units import describe_range, parse_number


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverInputs:
    """What a driver is made from."""

    robot: Robot
    """The robot."""
    course: Course
    """The course."""
    start: Pose
    """Start pose of the robot."""
    speed: float
    """Forward speed, where the driver's reference names none [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverPlan:
    """A driver for one run, with its duration and what it needs."""

    driver: Driver
    """Returns the command of each tick."""
    duration: float
    """Simulated time after which the run is stopped, unless another is given [s]."""
    dt: float | None = None
    """Tick length that the driver needs; None if any works [s]."""
    progress: Callable[[], float] | None = None
    """Returns the share of the path that is done, 0 to 1; None without a path [1]."""
    needs: frozenset[str] = frozenset()
    """Features that the model must have."""
    annotate: Callable[[Log], Log] | None = None
    """Adds columns of the driver to the log."""


Points = tuple[tuple[float, float], ...]
COLUMNS = ("x_m", "y_m")
_ALLOWED = f"finite numbers {describe_range('m')}"


def read_points(file: str | None = None, points: str | None = None) -> Points:
    """Return points to drive to [m].

    Args:
        file: A CSV file with the columns x_m and y_m.
        points: Instead of a file, points such as `0/0;1/0;1/1`.

    Raises:
        Unreadable: There is no such file, it lacks a column, or a cell is not a number.
        InvalidValue: The points are not written like that, or both or neither was given.
    """
    if file is not None and points is None:
        return _read_file(pathlib.Path(file))
    if points is not None and file is None:
        return _parse(points)
    given = "neither" if file is None else "both"
    raise InvalidValue("waypoints", given, "have either file=points.csv or points=0/0;1/0;1/1")


def _read_file(path: pathlib.Path) -> Points:
    try:
        text = read_file(path, limits.WAYPOINT_BYTES).decode("utf-8-sig")
        reader = csv.reader(StringIO(text, newline=""))
        heading = next(reader, [])
        rows = [(reader.line_num, row) for row in reader if row]
    except (UnicodeDecodeError, csv.Error) as error:
        problem = f"cannot be read as a CSV file with the columns x_m and y_m ({error})"
        raise InvalidLog(path, problem) from error
    places = [heading.index(column) for column in COLUMNS if heading.count(column) == 1]
    if len(places) < 2 or not rows:
        raise InvalidLog(path, "must have the columns x_m and y_m, once, and at least one row")
    if len(rows) > limits.WAYPOINTS:
        problem = f"must have at most {limits.WAYPOINTS:,} points, not {len(rows):,}"
        raise InvalidLog(path, problem)
    points: list[tuple[float, float]] = []
    for line, row in rows:
        cells = [row[place] if place < len(row) else "" for place in places]
        point = _point(cells)
        if point is None:
            problem = f"line {line}: x_m and y_m must be {_ALLOWED}, not {show_value(cells)}"
            raise InvalidLog(path, problem)
        points.append(point)
    return tuple(points)


def _parse(text: str) -> Points:
    points = [_point(part.split("/")) for part in text.split(";") if part.strip()]
    known = tuple(point for point in points if point is not None)
    if not known or len(known) < len(points) or len(known) > limits.WAYPOINTS:
        required = (
            f"be 1 to {limits.WAYPOINTS:,} points x/y in metres, as in 0/0;1/0;1/1, each {_ALLOWED}"
        )
        raise InvalidValue("waypoints:points", text, required)
    return known


def _point(words: list[str]) -> tuple[float, float] | None:
    numbers = [number for word in words if (number := parse_number(word)) is not None]
    if len(words) != 2 or len(numbers) != 2 or max(map(abs, numbers)) > limits.LENGTH:
        return None
    return numbers[0], numbers[1]


Keys: TypeAlias = Mapping[str, Any]
"""Values of a reference, by key."""

OPEN_LOOP_DURATION = 10.0
"""Default duration of a driver without end [s]."""
PATH_TIME_FACTOR = 3.0
"""Factor on path length over speed after which a run is stopped [1]."""
PATH_TIME_ALLOWANCE = 10.0
"""Time added to that, for turns in place [s]."""
LOOKAHEAD_PER_LENGTH = 0.12 / 0.185
"""Look-ahead distance of a follower per length of the robot: 0.12 m for the TP100 [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverKind:
    """A driver that can be chosen by name."""

    summary: str
    """One line for lists."""
    keys: Mapping[str, str]
    """What each key means, with its unit; a key without unit takes a word."""
    build: Callable[[DriverInputs, Keys], DriverPlan]
    """Makes the driver from its inputs and the given keys."""


DEFAULT_DRIVER = "default"
"""Name of the driver of a scenario that names none."""


def usual_driver(course: Course) -> str:
    """Return which driver `default` is on a course."""
    return "constant" if course.path is None else "follow"


def make_driver(reference: str, inputs: DriverInputs) -> DriverPlan:
    """Return the driver of a reference such as `follow` or `constant:left=0.1,right=0.2`.

    Raises:
        UnknownName: No driver, or no key of that driver, has that name.
        InvalidValue: A value is out of the range of the driver or the robot.
    """
    name, given = parse_reference(reference)
    kind = DRIVERS.find(name)
    for key, value in given.items():
        if key not in kind.keys:
            raise UnknownName(f"key of driver {name!r}", key, kind.keys)
        if kind.keys[key].endswith("]"):
            _check_number(f"{name}:{key}", value, kind.keys[key].rpartition("[")[2][:-1])
    plan = kind.build(inputs, given)
    if not 0.0 < plan.duration <= limits.DURATION:
        required = f"be done within {limits.DURATION:g} s"
        raise InvalidValue(f"driver {reference!r}", f"{plan.duration:g} s", required)
    return plan


def _check_number(name: str, value: object, unit: str) -> None:
    if not isinstance(value, float):
        raise InvalidValue(name, value, "be a finite number")
    least, most = limits.RANGES[unit]
    if value and not least <= abs(value) <= most:
        size = describe_range(unit, is_size=True)
        raise InvalidValue(name, value, f"be 0, or {size} to either side")


def _sides(inputs: DriverInputs, given: Keys) -> Sides:
    by_side, by_twist = {"left", "right"} & set(given), {"speed", "yaw_rate"} & set(given)
    if by_side and by_twist:
        found = ", ".join(sorted(by_side | by_twist))
        raise InvalidValue("driver", found, "have left and right, or speed and yaw_rate")
    if by_side:
        return Sides(left=given.get("left", 0.0), right=given.get("right", 0.0))
    speed = given.get("speed", inputs.speed)
    return Sides.of_twist(inputs.robot, speed, given.get("yaw_rate", 0.0))


def _constant(inputs: DriverInputs, given: Keys) -> DriverPlan:
    driver = Constant(inputs.robot, _sides(inputs, given))
    return DriverPlan(driver=driver, duration=OPEN_LOOP_DURATION)


def _step(inputs: DriverInputs, given: Keys) -> DriverPlan:
    at = given.get("at", 1.0)
    driver = Step(inputs.robot, _sides(inputs, given), at)
    return DriverPlan(driver=driver, duration=max(at, 0.0) + OPEN_LOOP_DURATION)


def _wave(*, square: bool) -> Callable[[DriverInputs, Keys], DriverPlan]:
    def build(inputs: DriverInputs, given: Keys) -> DriverPlan:
        together, apart = given.get("amplitude", 0.0), given.get("turning", 0.0)
        if not (together or apart):
            required = "have an amplitude or a turning other than 0"
            raise InvalidValue("a wave", ", ".join(given) or "neither", required)
        swing = Sides(left=together - apart, right=together + apart)
        mean = _sides(inputs, given)
        driver = Wave(inputs.robot, mean, swing, given.get("period", 4.0), square)
        return DriverPlan(driver=driver, duration=OPEN_LOOP_DURATION)

    return build


def _legs(inputs: DriverInputs, given: Keys) -> DriverPlan:
    count, duration = given.get("count", 2.0), given.get("duration", 2.0)
    if count != int(count) or not 1.0 <= count <= limits.PIECES:
        raise InvalidValue("legs:count", count, f"be a whole number from 1 to {limits.PIECES}")
    out = _sides(inputs, given)
    back = Sides(left=-out.left, right=-out.right)
    legs = [(duration, back if leg % 2 else out) for leg in range(int(count))]
    return DriverPlan(driver=Legs(inputs.robot, legs), duration=count * duration)


def _follow(steering: str) -> Callable[[DriverInputs, Keys], DriverPlan]:
    def build(inputs: DriverInputs, given: Keys) -> DriverPlan:
        path = inputs.course.path
        if path is None:
            able = ", ".join(name for name in DRIVERS if name not in (*STEERINGS, "person"))
            required = (
                f"be one that needs no path on course {inputs.course.name!r}, which has none: "
                f"constant:speed=0.1 drives straight on ({able} are there)"
            )
            raise InvalidValue("driver", steering, required)
        return _follow_path(inputs, given, path, steering)

    return build


def _default(inputs: DriverInputs, given: Keys) -> DriverPlan:
    words = [f"{key}={value!r}" for key, value in given.items()]
    name = usual_driver(inputs.course)
    return make_driver(f"{name}:{','.join(words)}" if words else name, inputs)


def _waypoints(inputs: DriverInputs, given: Keys) -> DriverPlan:
    steering = given.get("steering", "follow")
    if steering not in STEERINGS:
        raise UnknownName("steering", str(steering), STEERINGS)
    words = {key: str(given[key]) for key in ("file", "points") if key in given}
    start = inputs.start
    route = Route(waypoints_m=read_points(**words))
    try:
        path = route.lay(float(start.x), float(start.y), float(start.yaw))
    except InvalidValue as error:
        raise InvalidValue(
            f"waypoints:{words}: {error.name}", error.given, error.required
        ) from None
    return _follow_path(inputs, given, path, steering)


def _follow_path(inputs: DriverInputs, given: Keys, path: Path, steering: str) -> DriverPlan:
    robot = inputs.robot
    if steering == "stanley":
        law = STEERINGS[steering](**{key: given[key] for key in ("gain", "rate") if key in given})
    else:
        usual = LOOKAHEAD_PER_LENGTH * (robot.front - robot.rear)
        lookahead = given.get("lookahead", usual)
        if not lookahead > 0.0:
            raise InvalidValue(f"{steering}:lookahead", lookahead, "be positive")
        law = STEERINGS[steering](distance=lookahead)
    speed = given.get("speed", inputs.speed)
    follower = PathFollower(robot, path, speed, law)
    return DriverPlan(
        driver=follower,
        duration=PATH_TIME_FACTOR * path.length / speed + PATH_TIME_ALLOWANCE,
        progress=lambda: follower.progress.s / path.length,
    )


def _replay(inputs: DriverInputs, given: Keys) -> DriverPlan:
    if "log" not in given:
        raise InvalidValue("driver 'replay'", "none", "have a log, as in replay:log=run.csv")
    log = read_log(str(given["log"]))
    if len(log) < 2:
        raise InvalidLog(str(given["log"]), "has no commands to replay; it ends where it starts")
    dt = log.provenance.dt or log.duration / (len(log) - 1)
    return DriverPlan(driver=Replay(inputs.robot, log), duration=log.duration, dt=dt)


def _person(inputs: DriverInputs, given: Keys) -> DriverPlan:
    required = "be one that needs no page, as follow; a person drives in `grouser drive`"
    raise InvalidValue("driver", "person", required)


_SPEEDS = {
    "left": "belt speed on the left [m/s]",
    "right": "belt speed on the right [m/s]",
    "speed": "forward speed, instead of left and right [m/s]",
    "yaw_rate": "yaw rate of an ideal drive, positive to the left [rad/s]",
}
_WAVE = _SPEEDS | {
    "amplitude": "amplitude that both belts have in common [m/s]",
    "turning": "amplitude of half the difference of the belts [m/s]",
    "period": "period, 4 if not given [s]",
}
_CRUISE = {"speed": "forward speed on the path [m/s]"}
_LOOKAHEAD = {
    "lookahead": "look-ahead distance on the path; scales with the robot if not given [m]"
}
_STANLEY = {
    "gain": "gain of the lateral error, 1 if not given [1/s]",
    "rate": "yaw rate per heading error, 2 if not given [1/s]",
}

_BUILT_IN: dict[str, DriverKind | str] = {
    DEFAULT_DRIVER: DriverKind(
        summary="follows the path of the course, or drives straight on where there is none",
        keys=_CRUISE | _LOOKAHEAD,
        build=_default,
    ),
    "follow": DriverKind(
        summary="follows the path of the course, turning towards a point ahead (P0)",
        keys=_CRUISE | _LOOKAHEAD,
        build=_follow("follow"),
    ),
    "pursuit": DriverKind(
        summary="follows the path of the course by pure pursuit",
        keys=_CRUISE | _LOOKAHEAD,
        build=_follow("pursuit"),
    ),
    "stanley": DriverKind(
        summary="follows the path of the course by Stanley's law",
        keys=_CRUISE | _STANLEY,
        build=_follow("stanley"),
    ),
    "waypoints": DriverKind(
        summary="follows straight lines through points, turning in place at each",
        keys={
            "file": "CSV file with the columns x_m and y_m",
            "points": "points x/y in metres, as in 0/0;1/0;1/1",
            "steering": "follow (if not given), pursuit or stanley",
        }
        | _CRUISE
        | _LOOKAHEAD
        | _STANLEY,
        build=_waypoints,
    ),
    "constant": DriverKind(
        summary="the same belt speeds without end", keys=_SPEEDS, build=_constant
    ),
    "step": DriverKind(
        summary="stands, then drives at constant belt speeds",
        keys=_SPEEDS | {"at": "when to start, 1 if not given [s]"},
        build=_step,
    ),
    "sine": DriverKind(summary="sinusoidal belt speeds", keys=_WAVE, build=_wave(square=False)),
    "square": DriverKind(summary="square-wave belt speeds", keys=_WAVE, build=_wave(square=True)),
    "legs": DriverKind(
        summary="alternately forward and backward (P1, scenario 8)",
        keys=_SPEEDS
        | {
            "duration": "time of one leg, 2 if not given [s]",
            "count": "number of legs, 2 if not given [1]",
        },
        build=_legs,
    ),
    "replay": DriverKind(
        summary="the commands of a log, tick by tick", keys={"log": "log file"}, build=_replay
    ),
    "person": DriverKind(
        summary="a person at the page of `grouser drive`; not in batch runs", keys={}, build=_person
    ),
}
DRIVERS: Registry[DriverKind] = Registry(
    "driver", "grouser.drivers", _BUILT_IN, needs=("summary", "keys", "build")
)
"""The drivers by name, followers first; then those of papers and plug-ins."""
