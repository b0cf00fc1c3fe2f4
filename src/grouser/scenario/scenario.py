"""One run, described: a file, an object, and what the provenance of a log holds."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grouser import limits
from grouser.control import AutoFlippers
from grouser.description import Course, Robot
from grouser.description.find import find_description, read_text
from grouser.description.posture import AUTO
from grouser.drivers import DEFAULT_DRIVER
from grouser.errors import GrouserError, InvalidDescription, InvalidLog, InvalidValue, UnknownName
from grouser.geometry import Pose
from grouser.log import Log, Provenance
from grouser.scenario import files
from grouser.scenario.events import ScenarioEvent, check_count
from grouser.scenario.parts import (
    FUNCTION,
    PARTS,
    FlipperKeyframe,
    Part,
    PartLike,
    Start,
    Stop,
    Variation,
    check_order,
    parse_flippers,
    raise_flippers,
)
from grouser.shelf import OutOfReach
from grouser.storage import write_atomically
from grouser.toml import parse_toml
from grouser.toml import read_text as read_toml_text
from grouser.units import check_range, check_seed

if TYPE_CHECKING:
    from grouser.scenario.run import Loaded
    from grouser.simulation import Driver, Fleet, Simulation

_COURSE_KEYS = {field.alias or name for name, field in Course.model_fields.items()}


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Scenario:
    """One run, described. Frozen: `vary` returns another one."""

    robot: Part
    """What drives."""
    course: Part
    """Where it drives."""
    model: Part
    """How it moves."""
    driver: Part
    """What commands it."""
    start_pose: Start | None
    """Where it starts; at the course's start if None."""
    speed: float | None
    """Forward speed where the driver names none; `default_speed` if None [m/s]."""
    tick: float | None
    """Length of a tick; the driver's, or 0.01 if None [s]."""
    seed: int
    """Seed of the sensors' noise."""
    stop: Stop
    """When the run ends, besides the driver's own end."""
    flippers: tuple[FlipperKeyframe, ...]
    """Flipper angles over time; at rest before the first."""
    observers: tuple[Part, ...]
    """What adds columns to the log, as `ekf`."""
    contacts: bool
    """Whether the log has contact forces and the angle until the robot tips over."""
    variation: Variation
    """Factors by which robot and ground differ from their files, and a payload."""
    events: tuple[ScenarioEvent, ...]
    """What happens to the robot from outside: pushes, pulls, kicks, placing, changes."""

    def __init__(
        self,
        *,
        robot: PartLike = "tp100",
        course: PartLike = "behaviour-3",
        model: PartLike = "slip",
        driver: "PartLike | Driver" = DEFAULT_DRIVER,
        start_pose: Start | Pose | str | Sequence[float] | None = None,
        speed: float | None = None,
        tick: float | None = None,
        seed: int = 0,
        stop: Stop | float | None = None,
        flippers: str | Iterable[FlipperKeyframe] = (),
        observers: PartLike | Iterable[PartLike] = (),
        contacts: bool = False,
        variation: Variation | Mapping[str, float] | None = None,
        events: Iterable[ScenarioEvent] = (),
    ) -> None:
        """Describe a run; parts are references such as `slope:angle_deg=10`, tables or `Part`s.

        A driver may also be a function `(time, motion) -> Command`, as `Simulation.run` takes; it
        returns None at its end.
        """
        for name, value, unit in (("speed", speed, "m/s"), ("tick", tick, "s")):
            if value is not None:
                check_range(name, value, unit, is_size=True)
        check_seed(seed)
        is_one = isinstance(observers, str | Path | Mapping | Part)
        watching: Any = (observers,) if is_one else _many("observers", observers, _PART_KINDS)
        if not isinstance(flippers, str):
            flippers = _many("flippers", flippers, FlipperKeyframe)
        frames = parse_flippers(flippers) if isinstance(flippers, str) else flippers
        if frames:
            check_order(frames, "flippers", [frame.time for frame in frames])
        if not isinstance(contacts, bool):
            raise InvalidValue("contacts", contacts, "be true or false")
        if not isinstance(variation, Variation | Mapping | None):
            required = "be a table, as in {friction = 0.8}; --set variation.friction=0.8 sets one"
            raise InvalidValue("variation", variation, required)
        if not isinstance(variation, Variation):
            variation = _make(Variation, variation or {}, "factor of a variation")
        happening = _many("events", events, ScenarioEvent)
        values = {
            "robot": Part.of(robot, is_robot=True),
            "course": Part.of(course),
            "model": Part.of(model),
            "driver": Part.of_driver(driver),
            "start_pose": None if start_pose is None else Start.of(start_pose),
            "speed": None if speed is None else float(speed),
            "tick": None if tick is None else float(tick),
            "seed": seed,
            "stop": stop if isinstance(stop, Stop) else Stop(duration=stop),
            "flippers": frames,
            "observers": tuple(Part.of(observer) for observer in watching),
            "contacts": contacts,
            "variation": variation,
            "events": tuple(sorted(happening, key=lambda event: event.time)),
        }
        check_count(values["events"])
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, path: str | Path) -> "Scenario":
        """Return the scenario of a TOML file, beside which its files lie; see `parse`."""
        return cls.parse(read_toml_text(path), path, Path(path).parent)

    @classmethod
    def parse(
        cls, text: str, source: str | Path = "scenario", folder: str | Path = "."
    ) -> "Scenario":
        """Return the scenario of a TOML text; its files lie in `folder`, mistakes name `source`."""
        content = parse_toml(text, source)
        for kind in set(PARTS) & set(content):
            content[kind] = _place(content[kind], kind, Path(folder))
        if isinstance(observers := content.get("observers"), list):
            content["observers"] = [_place(part, "observers", Path(folder)) for part in observers]
        return cls._of_fields(
            files.parse_content(content, str(source), files.find_wrong_names), source
        )

    @classmethod
    def from_content(cls, content: Mapping[str, Any], source: str = "scenario") -> "Scenario":
        """Return the scenario that `content` described."""
        return cls._of_fields(files.parse_content(content, source), source)

    @classmethod
    def _of_fields(cls, values: Mapping[str, Any], source: str | Path) -> "Scenario":
        """Return a scenario of fields; a mistake of several fields together names `source`, too."""
        try:
            return cls(**values)
        except InvalidValue as error:
            raise InvalidDescription(str(source), [str(error)]) from None

    @classmethod
    def from_log(cls, log: Log) -> "Scenario":
        """Return the scenario of the run that made a log, older logs included.

        Raises:
            InvalidLog: The log does not hold its robot and course, or its start is damaged.
            InvalidDescription: The scenario that it holds has mistakes.
        """
        origin = log.provenance
        if not origin.robot_text or not origin.course_text:
            raise InvalidLog(
                "replay", "the log does not hold its robot and course; only logs made here do"
            )
        if origin.scenario:
            found = cls.from_content(origin.scenario, "the scenario in the log")
            parts = {kind: part_of_log(log, kind) for kind in ("robot", "course")}
            return found.vary(**parts)
        return cls(
            robot=part_of_log(log, "robot"),
            course=part_of_log(log, "course"),
            model=Part(name=origin.model or "none", parameters=origin.model_parameters),
            driver=Part(name=origin.driver or "a log"),
            start_pose=_noted_start(origin),
            tick=origin.dt,
            seed=min(origin.seed or 0, limits.SEED),
        )

    def content(self, *, with_texts: bool = True) -> dict[str, Any]:
        """Return the scenario as the content of its TOML file, plain values that JSON can hold."""
        return files.describe(self, with_texts=with_texts)

    def to_toml(self) -> str:
        """Return the scenario as the text of a TOML file.

        Raises:
            InvalidValue: The driver is a function.
        """
        self._check_can_be_kept()
        return files.write_toml(self.content())

    def write(self, path: str | Path) -> None:
        """Write the scenario as a TOML file, which replaces one that exists."""
        write_atomically(path, self.to_toml())

    @property
    def content_hash(self) -> str:
        """Hash of the scenario with its loaded robot and course."""
        self._check_can_be_kept()
        robot, course = self.robot.load_robot(), self.course.load_course()
        content = [self.content(), robot.content_hash, course.content_hash]
        named = [frame for frame in self.flippers if frame.posture not in ("", AUTO)]
        content += [frame.aim_of(robot) for frame in named]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def _check_can_be_kept(self) -> None:
        if self.driver.name.startswith(FUNCTION):
            required = (
                "have a name of `grouser drivers` (no file holds a function; "
                "`grouser replay` drives by the commands of its log)"
            )
            raise InvalidValue("driver", self.driver.name, required)

    def vary(self, key: str = "", value: Any = None, /, **changes: Any) -> "Scenario":
        """Return the scenario with fields or a key changed [unit as the key spells, else SI].

        A key is a field (`seed`), a parameter (`course.height_m`, `model.patches`, `driver.speed`),
        a number of a file (`robot.body.mass_kg`), a stop (`stop.duration`), a factor
        (`variation.friction`), or how far flippers are raised from the beginning on
        (`flippers.front_raised_deg`); UnknownName if there is no such.
        """
        subject, _, rest = key.partition(".")
        for name in (*changes, subject) if key else changes:
            _check_field(name)
        if changes or not key:
            return replace(self, **changes).vary(key, value) if key else replace(self, **changes)
        if not rest:
            return replace(self, **{subject: _from_word(subject, value)})
        if subject in PARTS:
            return replace(self, **{subject: self._vary_part(subject, rest, value)})
        if subject == "flippers":
            return self._raise_flippers(rest, value)
        if subject in ("stop", "variation"):
            kind: Any = type(getattr(self, subject))
            if rest not in kind.__dataclass_fields__:
                raise UnknownName(f"key of {subject}", rest, kind.__dataclass_fields__)
            return replace(self, **{subject: replace(getattr(self, subject), **{rest: value})})
        raise UnknownName("key of a scenario", key, _FIELDS)

    def _vary_part(self, subject: str, key: str, value: Any) -> Part:
        part: Part = getattr(self, subject)
        is_parameter = subject in ("model", "driver")
        if subject == "course":
            declared = part.load_course().parameters
            is_parameter = key in declared
            if not is_parameter and "." not in key and key not in _COURSE_KEYS:
                raise UnknownName(f"parameter of course {part.name!r}", key, declared)
        if is_parameter:
            return replace(part, parameters={**part.parameters, key: value})
        return replace(part, changes={**part.changes, key: value})

    def _raise_flippers(self, word: str, degrees: float) -> "Scenario":
        first = self.flippers[0] if self.flippers and self.flippers[0].time == 0.0 else None
        robot = self.robot.load_robot()
        current = None if first is None else first.aim_of(robot)
        if isinstance(current, AutoFlippers):
            raise InvalidValue(
                f"flippers.{word}", degrees, "not be given for flippers that are auto"
            )
        angles = raise_flippers(robot, {word: degrees}, current)
        later = self.flippers if first is None else self.flippers[1:]
        return replace(self, flippers=(FlipperKeyframe(time=0.0, angles=angles), *later))

    def load(self, commands: Log | None = None) -> "Loaded":
        """Return the scenario with loaded parts, checked together; `commands` replace a driver."""
        from grouser.scenario.run import load_scenario

        return load_scenario(self, commands)

    def start(self) -> "Simulation":
        """Return the robot at its start; the caller advances it with commands."""
        return replace(self, driver=Part(name="person")).load().start()

    def start_many(self, poses: Pose | int, variation: Any = None) -> "Fleet":
        """Return many robots: at poses with at least one array, or so many at the start.

        `variation` has `friction` and `mass`, each a factor or an array of one for each robot; the
        scenario's own if None.
        """
        return replace(self, driver=Part(name="person")).load().start_many(poses, variation)

    def _repr_html_(self) -> str:
        from grouser.scenario.card import scenario_card

        return scenario_card(self)


_FIELDS = tuple(field.name for field in fields(Scenario))


_PART_KINDS = str | Path | Mapping | Part
_EXAMPLES = {
    "observers": "a name, as in ekf:camera=no, or several",
    "flippers": "a posture as auto, or a schedule, as in 0=-30/-30/0/0;4=20/20/0/0",
    "events": "events, which a scenario file has as [[events]]",
}


def _many(name: str, given: Any, kind: Any) -> tuple[Any, ...]:
    """Return the things of a field that has any number of them.

    Raises:
        InvalidValue: It is something else, or one of them is.
    """
    is_many = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    found = tuple(given) if is_many else ()
    if not is_many or not all(isinstance(one, kind) for one in found):
        raise InvalidValue(name, given, f"be {_EXAMPLES[name]}")
    return found


def _from_word(name: str, value: Any) -> Any:
    """Return what a word or a number of a command line means for a field that has neither."""
    if name == "contacts" and value in ("true", "false"):
        return value == "true"
    is_whole = name == "seed" and isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value


def _check_field(name: str) -> None:
    if name not in _FIELDS:
        raise UnknownName("key of a scenario", name, _FIELDS)


def _make(kind: Any, values: Mapping[str, Any], what: str) -> Any:
    for name in values:
        if name not in kind.__dataclass_fields__:
            raise UnknownName(what, str(name), kind.__dataclass_fields__)
    return kind(**values)


def _place(given: Any, kind: str, folder: Path) -> Any:
    """Return a part whose files lie in a folder; anything else unchanged."""
    try:
        return files.place_beside(Part.of(given, is_robot=kind == "robot"), folder, kind)
    except OutOfReach:
        raise
    except GrouserError:
        return given


def part_of_log(log: Log, kind: str) -> Part:
    """Return the robot or course of a log, with the text that the log holds."""
    origin = log.provenance
    given, text = origin.scenario.get(kind), getattr(origin, f"{kind}_text")
    if given:
        part = Part.of(given, is_robot=kind == "robot")
    else:
        parameters = origin.course_parameters if kind == "course" else {}
        part = Part(name=getattr(origin, kind) or "none", parameters=parameters)
    is_same = not part.is_file and text == _text_of(kind, part.name)
    return part if is_same else replace(part, text=text)


def _text_of(kind: Any, name: str) -> str:
    """Return the text of a description that comes with the package; nothing if there is none."""
    try:
        return read_text(find_description(kind, name))
    except GrouserError:
        return ""


def robot_of_log(log: Log) -> Robot | None:
    """Return the robot that a log holds in its provenance; None if it holds none."""
    return part_of_log(log, "robot").load_robot() if log.provenance.robot_text else None


def course_of_log(log: Log) -> Course | None:
    """Return the course that a log holds in its provenance; None if it holds none."""
    return part_of_log(log, "course").load_course() if log.provenance.course_text else None


def _noted_start(origin: Provenance) -> Start | None:
    """Return the start that an older log notes; the first row is where a robot settled from it."""
    noted = origin.notes.get("start")
    if noted is None:
        return None
    names = {field.name for field in fields(Pose)}
    if not isinstance(noted, Mapping) or not set(noted) <= names:
        raise InvalidLog("replay", f"provenance.notes.start must be a pose, not {noted!r}")
    for name, value in noted.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not abs(value) <= limits.LENGTH:
            problem = f"provenance.notes.start.{name} must be a number within ±{limits.LENGTH:g}"
            raise InvalidLog("replay", f"{problem}, not {value!r}")
    return Start.of(Pose(**noted))


def load_again(log: Log, model: PartLike | None = None) -> "Loaded":
    """Return the scenario of a log, with the log's commands as its driver; see `replay`.

    Raises:
        InvalidLog: The log does not hold its robot and course, or has no commands.
        InvalidDescription: The scenario that it holds has mistakes.
    """
    scenario = Scenario.from_log(log)
    changes = {} if model is None else {"model": model}
    driver = Part(name=f"replay of {log.provenance.driver or 'a log'}")
    return scenario.vary(driver=driver, stop=Stop(), **changes).load(log)


def replay(log: Log, model: PartLike | None = None) -> Log:
    """Return the log of a new run with the robot, course, start and commands of a log.

    With the log's own model the result has the same bits; another model shows where they diverge.
    """
    from grouser.scenario.run import run

    return run(load_again(log, model)).log
