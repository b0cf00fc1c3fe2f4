"""One parameter that a sweep varies, and its values."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from grouser import limits
from grouser.description import Course, Robot, load_course, load_robot
from grouser.description.reference import parse_reference
from grouser.drivers import DriverInputs, DriverPlan, WithFlippers, make_driver
from grouser.errors import InvalidValue, NotFinite, UnknownName
from grouser.models import Command, Model, Motion, make_model
from grouser.scenario.parts import RAISED, default_speed, raise_flippers
from grouser.simulation import DEFAULT_DT, Simulation
from grouser.sweep.outcomes import OUTCOMES, WorkMeter, measure_outcomes
from grouser.units import check_range, parse_number, split_unit

SUBJECTS = ("course", "drive", "flippers", "model", "robot")
"""Whose parameters can be varied."""
_FORM = "be written as KEY=FROM:TO:STEP or KEY=VALUE,VALUE, as in course.height_m=0.05:0.3:0.05"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A parameter by its dotted name, and the values that it takes."""

    key: str
    """Whose parameter, and which: course.height_m."""
    values: tuple[float, ...]
    """What it is set to [unit as its name spells]."""
    label: str = ""
    """What stands at the axis of a map; the key with its unit if empty."""
    shown: tuple[float, ...] = ()
    """What stands for each value on the map; the values if empty [unit of the label]."""

    @property
    def title(self) -> str:
        """What stands at the axis of a map."""
        return self.label or _title(self.key)

    @property
    def places(self) -> tuple[float, ...]:
        """Where each value is on the map [unit of the label]."""
        return self.shown or self.values

    @property
    def subject(self) -> str:
        """Whose parameter it is."""
        return self.key.partition(".")[0]

    @property
    def parameter(self) -> str:
        """Which parameter of the subject it is."""
        return self.key.partition(".")[2]

    @classmethod
    def parse(cls, option: str, text: str) -> "Axis":
        """Return the axis that a word such as `course.height_m=0.05:0.3:0.05` describes.

        Args:
            option: The option that the word was given with, for messages.
            text: The word.

        Raises:
            InvalidValue: It is not written like that, or has fewer than two values.
            UnknownName: Its subject is none that can be varied.
        """
        if len(text) > limits.WORD_LENGTH:
            required = f"have at most {limits.WORD_LENGTH:,} characters"
            raise InvalidValue(option, f"{len(text):,}", required)
        key, equals, rest = (word.strip() for word in text.partition("="))
        subject, dot, parameter = key.partition(".")
        if not (subject and dot and parameter and equals):
            raise InvalidValue(option, text, _FORM)
        if subject not in SUBJECTS:
            raise UnknownName("subject of a sweep", subject, SUBJECTS)
        values = (
            _parse_range(option, text, rest) if ":" in rest else _parse_list(option, text, rest)
        )
        most = limits.AXIS_VALUES
        if not 2 <= len(values) <= most:
            count = f"{len(values)}" if len(values) <= most else "more"
            raise InvalidValue(option, text, f"have from 2 to {most} values, and has {count}")
        if sorted(set(values)) not in (list(values), list(reversed(values))):
            raise InvalidValue(option, text, "have values that rise, or fall")
        return cls(key=key, values=tuple(sorted(values)))


def _parse_range(option: str, text: str, words: str) -> list[float]:
    try:
        start, end, step = _parse_list(option, text, words.replace(":", ","))
    except ValueError:
        raise InvalidValue(option, text, _FORM) from None
    # Divided by a step that is too small, the numbers may overflow; then there are too many.
    steps = (end - start) / step if step else -1.0
    if steps < 0.0:
        raise InvalidValue(option, text, "have a step that leads from the first to the last value")
    count = math.floor(min(steps, limits.AXIS_VALUES) + 1e-9) + 1
    # Rounded, so that 0.05 + 2 * 0.05 is 0.15 in files and labels.
    return [round(start + number * step, 9) for number in range(count)]


def _parse_list(option: str, text: str, words: str) -> list[float]:
    values = [parse_number(word) for word in words.split(",")[: limits.AXIS_VALUES + 1]]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        raise InvalidValue(option, text, _FORM)
    for number in numbers:
        check_range(f"{option} {text[:60]}: value", number, "1")
    return numbers


def _title(key: str) -> str:
    """Return a key with the unit that it spells set apart: `course.height [m]`."""
    name, unit = split_unit(key)
    return key if name == key else f"{name} [{unit}]"


_COURSE_KEYS = {field.alias or name for name, field in Course.model_fields.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Robot, course, model and driver by reference, and what is changed of them."""

    robot: str
    """Name or file of the robot."""
    course: str
    """Reference of the course."""
    model: str
    """Reference of the model."""
    drive: str
    """Reference of the driver."""
    duration: float | None = None
    """Simulated time after which to stop; None leaves it to the driver [s]."""
    robot_changes: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the robot, by dotted key [unit as the key spells]."""
    course_changes: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the course, by dotted key [unit as the key spells]."""
    flippers: Mapping[str, float] = field(default_factory=dict)
    """How far flippers are raised [deg]."""

    def __post_init__(self) -> None:
        if self.duration is not None:
            check_range("--duration", self.duration, "s", is_size=True)

    def changed(self, axis: Axis, value: float) -> "Setting":
        """Return the setting with a parameter that has a value [unit as its name spells].

        Raises:
            UnknownName: There is no such parameter of flippers, or of the course.
        """
        parameter = axis.parameter
        match axis.subject:
            case "robot":
                return replace(self, robot_changes={**self.robot_changes, parameter: value})
            case "model":
                return replace(self, model=_with_key(self.model, parameter, value))
            case "drive":
                return replace(self, drive=_with_key(self.drive, parameter, value))
            case "flippers":
                if parameter not in RAISED:
                    raise UnknownName("parameter of flippers", parameter, RAISED)
                return replace(self, flippers={**self.flippers, parameter: value})
            case _ if parameter in (declared := load_course(self.course).parameters):
                return replace(self, course=_with_key(self.course, parameter, value))
            case _ if "." not in parameter and parameter not in _COURSE_KEYS:
                raise UnknownName(f"parameter of course {self.course!r}", parameter, declared)
            case _:
                return replace(self, course_changes={**self.course_changes, parameter: value})

    def load(self) -> tuple[Robot, Course, Model]:
        """Return robot, course and model.

        Raises:
            GrouserError: Something does not exist, or has a mistake.
        """
        robot = load_robot(self.robot, self.robot_changes)
        return robot, load_course(self.course, self.course_changes), make_model(self.model)

    def plan(self, robot: Robot, course: Course) -> DriverPlan:
        """Return the driver for the robot on the course.

        Raises:
            GrouserError: There is no such driver, or it cannot drive there.
        """
        speed = default_speed(robot, course)
        inputs = DriverInputs(robot=robot, course=course, start=course.start_pose, speed=speed)
        plan = make_driver(self.drive, inputs)
        if not self.flippers:
            return plan
        schedule = [(0.0, raise_flippers(robot, self.flippers))]
        return replace(plan, driver=WithFlippers(plan.driver, robot, schedule))

    def content(self) -> dict[str, Any]:
        """Return all of it as JSON knows it."""
        return {
            "robot": self.robot,
            "course": self.course,
            "model": self.model,
            "drive": self.drive,
            "duration": self.duration,
            "robot_changes": dict(self.robot_changes),
            "course_changes": dict(self.course_changes),
            "flippers": dict(self.flippers),
        }


def _with_key(reference: str, key: str, value: float) -> str:
    name, given = parse_reference(reference)
    keys = ",".join(f"{word}={content}" for word, content in {**given, key: value}.items())
    return f"{name}:{keys}"


PATIENCE = 5.0
"""Time without progress on a path that ends a drive [s]."""
LEAST = 1e-3
"""Share of a path that counts as progress [1]."""


def drive_point(setting: Mapping[str, Any]) -> dict[str, float]:
    """Return all outcomes by name; where the model has come apart, they are not numbers.

    Args:
        setting: The fields of a `Setting`.
    """
    chosen = Setting(**setting)
    robot, course, model = chosen.load()
    plan = chosen.plan(robot, course)
    simulation = Simulation(model, robot, course, dt=plan.dt or DEFAULT_DT, observers=[WorkMeter()])
    limit = plan.duration if chosen.duration is None else chosen.duration
    driver = plan.driver if plan.progress is None else Impatient(plan, plan.progress)
    try:
        with np.errstate(all="ignore"):
            simulation.run(driver, limit)
    except NotFinite:
        return dict.fromkeys(OUTCOMES, math.nan)
    return measure_outcomes(simulation.log(), course)


class Impatient:
    """A driver that gives up where a robot no longer gets on."""

    def __init__(self, plan: DriverPlan, progress: Callable[[], float]) -> None:
        """Drive as planned, while `progress`, the share of a path, grows."""
        self._plan, self._progress = plan, progress
        self._farthest, self._since = 0.0, 0.0

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the command of the driver; None where it has been stuck for too long."""
        command = self._plan.driver(time, motion)
        along = self._progress()
        if along > self._farthest + LEAST:
            self._farthest, self._since = along, time
        return None if time - self._since > PATIENCE else command
