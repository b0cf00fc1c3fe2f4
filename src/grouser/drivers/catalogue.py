"""Drivers by name: who gives the belt speeds during a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from grouser import limits
from grouser.control import STEERINGS, PathFollower
from grouser.description import Path
from grouser.description.path import Route
from grouser.description.reference import parse_reference
from grouser.drivers.plan import Plan, Situation
from grouser.drivers.read_points import read_points
from grouser.errors import InvalidLog, InvalidValue, UnknownName
from grouser.log import read_log
from grouser.registry import Registry
from grouser.simulation import Constant, Legs, Replay, Sides, Step, Wave
from grouser.units import describe_range

Keys: TypeAlias = Mapping[str, Any]
"""What a reference gives, by key."""

ENDLESS = 10.0
"""How long a driver without end drives unless told otherwise [s]."""
PATIENCE = 3.0
"""A path may take this many times what it should [1]."""
TURNING_TIME = 10.0
"""What a path may take besides, for turns in place [s]."""
LOOKAHEAD_PER_LENGTH = 0.12 / 0.185
"""Distance that a follower looks ahead, in lengths of the robot: 0.12 m for the TP100 [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverKind:
    """A driver that can be chosen by name."""

    summary: str
    """One line for lists."""
    keys: Mapping[str, str]
    """What each key means, with its unit; a key without unit takes a word."""
    build: Callable[[Situation, Keys], Plan]
    """Makes the driver."""


def make_driver(reference: str, situation: Situation) -> Plan:
    """Return the driver of a reference such as `follow` or `constant:left=0.1,right=0.2`.

    Raises:
        UnknownName: No driver, or no key of that driver, has that name.
        InvalidValue: A key has a value that the driver or the robot cannot do.
    """
    name, given = parse_reference(reference)
    kind = DRIVERS.find(name)
    for key, value in given.items():
        if key not in kind.keys:
            raise UnknownName(f"key of driver {name!r}", key, kind.keys)
        if kind.keys[key].endswith("]"):
            _check_number(f"{name}:{key}", value, kind.keys[key].rpartition("[")[2][:-1])
    plan = kind.build(situation, given)
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


def _sides(situation: Situation, given: Keys) -> Sides:
    by_side, by_twist = {"left", "right"} & set(given), {"speed", "yaw_rate"} & set(given)
    if by_side and by_twist:
        found = ", ".join(sorted(by_side | by_twist))
        raise InvalidValue("driver", found, "have left and right, or speed and yaw_rate")
    if by_side:
        return Sides(left=given.get("left", 0.0), right=given.get("right", 0.0))
    speed = given.get("speed", situation.speed)
    return Sides.of_twist(situation.robot, speed, given.get("yaw_rate", 0.0))


def _constant(situation: Situation, given: Keys) -> Plan:
    driver = Constant(situation.robot, _sides(situation, given))
    return Plan(driver=driver, duration=ENDLESS)


def _step(situation: Situation, given: Keys) -> Plan:
    at = given.get("at", 1.0)
    driver = Step(situation.robot, _sides(situation, given), at)
    return Plan(driver=driver, duration=max(at, 0.0) + ENDLESS)


def _wave(*, square: bool) -> Callable[[Situation, Keys], Plan]:
    def build(situation: Situation, given: Keys) -> Plan:
        together, apart = given.get("amplitude", 0.0), given.get("turning", 0.0)
        if not (together or apart):
            required = "have an amplitude or a turning other than 0"
            raise InvalidValue("a wave", ", ".join(given) or "neither", required)
        swing = Sides(left=together - apart, right=together + apart)
        mean = _sides(situation, given)
        driver = Wave(situation.robot, mean, swing, given.get("period", 4.0), square)
        return Plan(driver=driver, duration=ENDLESS)

    return build


def _legs(situation: Situation, given: Keys) -> Plan:
    count, duration = given.get("count", 2.0), given.get("duration", 2.0)
    if count != int(count) or not 1.0 <= count <= limits.PIECES:
        raise InvalidValue("legs:count", count, f"be a whole number from 1 to {limits.PIECES}")
    out = _sides(situation, given)
    back = Sides(left=-out.left, right=-out.right)
    legs = [(duration, back if leg % 2 else out) for leg in range(int(count))]
    return Plan(driver=Legs(situation.robot, legs), duration=count * duration)


def _follow(steering: str) -> Callable[[Situation, Keys], Plan]:
    def build(situation: Situation, given: Keys) -> Plan:
        path = situation.course.path
        if path is None:
            able = ", ".join(name for name in DRIVERS if name not in STEERINGS)
            required = f"be one of {able} on course {situation.course.name!r}, which has no path"
            raise InvalidValue("driver", steering, required)
        return _follow_path(situation, given, path, steering)

    return build


def _waypoints(situation: Situation, given: Keys) -> Plan:
    steering = given.get("steering", "follow")
    if steering not in STEERINGS:
        raise UnknownName("steering", str(steering), STEERINGS)
    words = {key: str(given[key]) for key in ("file", "points") if key in given}
    start = situation.start
    route = Route(waypoints_m=read_points(**words))
    try:
        path = route.lay(float(start.x), float(start.y), float(start.yaw))
    except InvalidValue as error:
        raise InvalidValue(
            f"waypoints:{words}: {error.name}", error.given, error.required
        ) from None
    return _follow_path(situation, given, path, steering)


def _follow_path(situation: Situation, given: Keys, path: Path, steering: str) -> Plan:
    robot = situation.robot
    if steering == "stanley":
        law = STEERINGS[steering](**{key: given[key] for key in ("gain", "rate") if key in given})
    else:
        usual = LOOKAHEAD_PER_LENGTH * (robot.front - robot.rear)
        lookahead = given.get("lookahead", usual)
        if not lookahead > 0.0:
            raise InvalidValue(f"{steering}:lookahead", lookahead, "be positive")
        law = STEERINGS[steering](distance=lookahead)
    speed = given.get("speed", situation.speed)
    follower = PathFollower(robot, path, speed, law)
    return Plan(
        driver=follower,
        duration=PATIENCE * path.length / speed + TURNING_TIME,
        progress=lambda: follower.progress.s / path.length,
    )


def _replay(situation: Situation, given: Keys) -> Plan:
    if "log" not in given:
        raise InvalidValue("driver 'replay'", "none", "have a log, as in replay:log=run.csv")
    log = read_log(str(given["log"]))
    if len(log) < 2:
        raise InvalidLog(str(given["log"]), "has no commands to replay; it ends where it starts")
    dt = log.provenance.dt or log.duration / (len(log) - 1)
    return Plan(driver=Replay(situation.robot, log), duration=log.duration, dt=dt)


def _person(situation: Situation, given: Keys) -> Plan:
    required = "be one that needs no page, as follow; a person drives in `grouser drive`"
    raise InvalidValue("driver", "person", required)


_SPEEDS = {
    "left": "belt speed on the left [m/s]",
    "right": "belt speed on the right [m/s]",
    "speed": "forward speed, instead of left and right [m/s]",
    "yaw_rate": "yaw rate of an ideal drive, positive to the left [rad/s]",
}
_WAVE = _SPEEDS | {
    "amplitude": "how far both belts swing together [m/s]",
    "turning": "how far the belts swing against each other [m/s]",
    "period": "time of one swing, 4 if not given [s]",
}
_CRUISE = {"speed": "forward speed on the path [m/s]"}
_LOOKAHEAD = {"lookahead": "how far ahead on the path to look; scales with the robot [m]"}
_STANLEY = {
    "gain": "how sharply to turn to the path, 1 if not given [1/s]",
    "rate": "yaw rate per angle, 2 if not given [1/s]",
}

_BUILT_IN: dict[str, DriverKind | str] = {
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
    "constant": DriverKind(summary="the same belt speeds for ever", keys=_SPEEDS, build=_constant),
    "step": DriverKind(
        summary="stands, then drives at constant belt speeds",
        keys=_SPEEDS | {"at": "when to start, 1 if not given [s]"},
        build=_step,
    ),
    "sine": DriverKind(
        summary="belt speeds that swing like a sine", keys=_WAVE, build=_wave(square=False)
    ),
    "square": DriverKind(
        summary="belt speeds that jump up and down", keys=_WAVE, build=_wave(square=True)
    ),
    "legs": DriverKind(
        summary="forth and back by turns (P1, scenario 8)",
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
