"""What is driven at one point of a map."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from grouser.description import Course, Robot, load_course, load_robot
from grouser.description.reference import parse_reference
from grouser.drivers import Plan, Situation, make_driver
from grouser.errors import InvalidValue, UnknownName
from grouser.models import Model, make_model
from grouser.simulation import WithFlippers
from grouser.sweep.axis import Axis
from grouser.units import check_range

RAISED = ("front_raised_deg", "rear_raised_deg", "all_raised_deg")
"""Parameters of flippers: how far their far ends are raised."""
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

    def plan(self, robot: Robot, course: Course) -> Plan:
        """Return the driver for the robot on the course.

        Raises:
            GrouserError: There is no such driver, or it cannot drive there.
        """
        speed = min(course.speed, robot.drive.speed_limit)
        situation = Situation(robot=robot, course=course, start=course.start_pose, speed=speed)
        plan = make_driver(self.drive, situation)
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


def raise_flippers(robot: Robot, raised: Mapping[str, float]) -> tuple[float, ...]:
    """Return the angle of each flipper from how far its far end is raised [rad].

    Args:
        robot: Whose flippers; front ones are those with a hinge ahead of the origin.
        raised: Angles by the words of `RAISED`; flippers that none tells of stay at rest [deg].

    Raises:
        InvalidValue: The robot has no flippers, or they cannot be raised so far.
    """
    if not robot.flippers:
        raise InvalidValue("robot", robot.name, "have flippers to raise")
    angles = []
    for flipper in robot.flippers:
        place = "front_raised_deg" if flipper.hinge[0] > 0.0 else "rear_raised_deg"
        degrees = raised.get(place, raised.get("all_raised_deg"))
        raised_by = None if degrees is None else math.radians(degrees)
        angle = flipper.rest_angle if raised_by is None else flipper.raising_sign * raised_by
        low, high = flipper.limits
        if not low - 1e-9 <= angle <= high + 1e-9:
            limits = f"be from {math.degrees(low):g} to {math.degrees(high):g} deg"
            raise InvalidValue(f"angle of flipper {flipper.name!r}", math.degrees(angle), limits)
        angles.append(angle)
    return tuple(angles)


def _with_key(reference: str, key: str, value: float) -> str:
    name, given = parse_reference(reference)
    keys = ",".join(f"{word}={content}" for word, content in {**given, key: value}.items())
    return f"{name}:{keys}"
