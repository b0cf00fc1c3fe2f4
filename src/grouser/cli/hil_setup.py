"""What `grouser hil` runs, from options or from the head of a raw log."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from grouser.description import (
    Course,
    Robot,
    load_course,
    load_robot,
    parse_course,
    parse_robot,
)
from grouser.drivers import DriverInputs, DriverPlan, make_driver
from grouser.errors import GrouserError, InvalidLog, InvalidValue
from grouser.hil.board import split_fault
from grouser.hil.run import BoardTask
from grouser.limits import BELT_SPEED, DURATION, WORD_LENGTH
from grouser.models import make_model
from grouser.scenario import Part, default_speed
from grouser.simulation import Observer
from grouser.version import VERSION

Word: TypeAlias = Annotated[str, Field(max_length=WORD_LENGTH)]
RESERVED = ("text", "origin", "changes")
"""Names of `parse_course` that no parameter of a course has."""


def _check_parameter(name: str) -> str:
    if name in RESERVED:
        raise ValueError("is no parameter of a course")
    return name


ParameterName: TypeAlias = Annotated[str, AfterValidator(_check_parameter)]


class RawHead(BaseModel):
    """The first line of a raw log: keys and ranges."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)
    robot: Word
    """Name of the robot."""
    robot_text: str
    """Its whole file."""
    course: Word
    """Name of the course."""
    course_text: str
    """Its whole file."""
    course_parameters: dict[ParameterName, float]
    """What was set of it [unit of the key]."""
    model: Word
    """How the robot moves, by reference."""
    drive: Word
    """Who drives, by reference."""
    speed: Annotated[float, Field(gt=0.0, le=BELT_SPEED)]
    """Forward speed where the driver names none [m/s]."""
    duration: Annotated[float, Field(gt=0.0, le=DURATION)] | None
    """Time of driving after which to stop; None leaves it to the driver [s]."""
    rate: Annotated[int, Field(ge=10, le=200)]
    """States per second."""
    lease: Annotated[int, Field(ge=50, le=500)]
    """How long a command holds [ms]."""
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    """Seed of every noise."""
    arm: bool
    """Whether motors may run."""
    link_id: Annotated[int, Field(ge=1, le=0xFFFF)]
    """Number of the connection."""
    observe: Word | None = None
    """Who estimates beside, by reference."""
    boot_wait: Annotated[float, Field(ge=0.0, le=60.0)] = 0.0
    """What the link waited for its board [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HilSetup:
    """A run with a board, by names and numbers; enough to run it again."""

    robot: Robot
    """What moves, virtually."""
    course: Course
    """Where it moves, virtually."""
    model: str
    """How it moves, by reference."""
    drive: str
    """Who drives, by reference."""
    speed: float
    """Forward speed where the driver names none [m/s]."""
    duration: float | None = None
    """Time of driving after which to stop; None leaves it to the driver [s]."""
    rate: int = 100
    """States per second."""
    lease: int = 100
    """How long a command holds [ms]."""
    seed: int = 0
    """Seed of every noise."""
    arm: bool = True
    """Whether motors may run."""
    link_id: int = 1
    """Number of the connection."""
    faults: tuple[str, ...] = ()
    """What is to go wrong, as `WORDS [@SECONDS]`."""
    exchange: str | None = None
    """Where another program that holds the virtual world is met; None if we hold it."""
    observe: str | None = None
    """Who estimates pose and slip beside, by reference; None if nobody."""
    references: tuple[str, str] = ("", "")
    """What robot and course were called on the command line."""

    @classmethod
    def prepare(cls, robot: str, course: str, *, speed: float | None, **others: Any) -> "HilSetup":
        """Load and check everything that the options name."""
        for name, value in (("--duration", others.get("duration")), ("--speed", speed)):
            if value is not None and not 0.0 < value < math.inf:
                raise InvalidValue(name, value, "be a positive number")
        known_robot, known_course = load_robot(robot), load_course(course)
        if speed is None:
            speed = default_speed(known_robot, known_course)
        references = (robot, course)
        setup = cls(
            robot=known_robot, course=known_course, speed=speed, references=references, **others
        )
        setup.observers()
        if setup.observe is not None and setup.exchange is not None:
            raise InvalidValue("--observe", setup.observe, "go without --exchange")
        setup.task()  # finds contradictions before a board is opened
        return setup

    @classmethod
    def from_head(cls, head: Mapping[str, Any], origin: Path) -> "HilSetup":
        """Return the run that a raw log was written of."""
        if head.get("exchange"):
            problem = "the loop was closed by another program, whose poses a raw log does not hold"
            raise InvalidLog(origin, problem)
        try:
            given = RawHead.model_validate(dict(head))
            course = parse_course(given.course_text, given.course, None, **given.course_parameters)
            names = ("model", "drive", "speed", "duration", "rate", "lease", "seed", "arm")
            setup = cls(
                robot=parse_robot(given.robot_text, given.robot),
                course=course,
                link_id=given.link_id,
                observe=given.observe,
                **{name: getattr(given, name) for name in names},
            )
            setup.task()
        except ValidationError as error:
            raise InvalidLog(origin, f"its first line: {_first_mistake(error)}") from error
        except GrouserError as error:
            raise InvalidLog(origin, f"cannot be run again: {error}") from error
        return setup

    def head(self) -> dict[str, Any]:
        """Return all that a raw log must know of its run."""
        return {
            "grouser": VERSION,
            "robot": self.robot.name,
            "robot_text": self.robot.text,
            "course": self.course.name,
            "course_text": self.course.text,
            "course_parameters": self.course.parameters,
            "model": self.model,
            "drive": self.drive,
            "speed": self.speed,
            "duration": self.duration,
            "rate": self.rate,
            "lease": self.lease,
            "seed": self.seed,
            "arm": self.arm,
            "link_id": self.link_id,
            "faults": list(self.faults),
            "exchange": self.exchange,
            "observe": self.observe,
        }

    def plan(self) -> DriverPlan:
        """Return a new driver.

        Raises:
            GrouserError: There is none of that name, or it does not give belt speeds.
        """
        course = self.course
        plan = make_driver(
            self.drive,
            DriverInputs(
                robot=self.robot, course=course, start=course.start_pose, speed=self.speed
            ),  # fmt: skip
        )
        if plan.needs:
            raise InvalidValue("--drive", self.drive, "give belt speeds: a board takes no others")
        return plan

    def observers(self) -> tuple[Observer, ...]:
        """Return new observers.

        Raises:
            GrouserError: There is none of that name, or the robot has no encoders.
        """
        if self.observe is None:
            return ()
        from grouser.scenario.observers import make_observer

        return (make_observer(Part.of(self.observe), self.robot, self.course, self.seed),)

    def task(self) -> BoardTask:
        """Return what to run."""
        plan = self.plan()
        limit = plan.duration if self.duration is None else self.duration
        if not self.arm and self.duration is None:
            limit = math.inf  # no time limit while only watching
        return BoardTask(
            robot=self.robot,
            course=self.course,
            model=make_model(self.model),
            driver=plan.driver,
            driver_name=f"board: {self.drive}",
            arm=self.arm,
            limit=limit,
            link_id=self.link_id,
            rate_hz=self.rate,
            lease_ms=self.lease,
            seed=self.seed,
            faults=tuple(split_fault(fault) for fault in self.faults),
            observers=self.observers,
        )


def _first_mistake(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"{where} is missing"
    return f"{where}: {first['msg']}, not {str(first['input'])[:40]!r}"
