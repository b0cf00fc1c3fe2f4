"""The fields of a scenario: parts by name, a start, stops, flipper angles, variations."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from grouser import limits
from grouser.control import AutoFlippers
from grouser.description import Course, Robot, load_course, load_robot, parse_course, parse_robot
from grouser.description.find import is_path
from grouser.description.posture import AUTO
from grouser.description.reference import parse_reference
from grouser.description.schema import Factor, NotNegative, Number, Positive
from grouser.errors import InvalidValue, UnknownName, Unsupported
from grouser.geometry import Pose
from grouser.models import CATALOGUE, Model, make_model, vary_model
from grouser.models.catalogue import load_model
from grouser.simulation import Driver
from grouser.units import check_range, is_number, parse_number

PARTS = ("robot", "course", "model", "driver")
"""The fields of a scenario that are a `Part`."""
PART_KEYS = ("name", "text", "set", "parameters")
"""Keys of a part's table; all others are parameters."""
FUNCTION = "function "
"""How the name of a driver begins that is a function of a program."""
RAISED = ("front_raised_deg", "rear_raised_deg", "all_raised_deg")
"""Keys for angles by which the tips of flippers are raised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A robot, course, model, driver or observer: a name or file, and what differs from it."""

    name: str
    """Registered name, or path of a file."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Declared parameters: words, numbers and switches by key."""
    changes: Mapping[str, float | str | bool] = field(default_factory=dict)
    """Numbers, words and switches to take instead of those of the file, by dotted key [unit of the
    key]."""
    text: str = ""
    """The file's content, which is then used instead of the file."""
    function: Driver | None = field(default=None, repr=False)
    """A function that commands the belts; its name is only for people."""

    def __post_init__(self) -> None:
        for name in ("name", "text"):
            if not isinstance(getattr(self, name), str):
                raise InvalidValue(name, getattr(self, name), "be a text")
        if not self.name:
            raise InvalidValue("name", self.name, "not be empty")
        parameters = {key: _value(key, value) for key, value in self.parameters.items()}
        changes = {key: _value(key, value) for key, value in self.changes.items()}
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "changes", changes)
        if self.function is not None and parameters:
            raise InvalidValue(f"driver {self.name!r}", ", ".join(parameters), "have no keys")

    @classmethod
    def of_driver(cls, given: "PartLike | Driver") -> "Part":
        """Return a driver from what `of` takes, or from a function `(time, motion) -> Command`."""
        if isinstance(given, type):
            required = "be an object or a function; this is a class: call it to make an object"
            raise InvalidValue("driver", given.__name__, required)
        if isinstance(given, str | Path | Mapping | Part):
            return cls.of(given)
        if not callable(given):
            required = "be a name, a table with a name, or a function (time, motion) -> Command"
            raise InvalidValue("driver", given, required)
        word = getattr(given, "__name__", type(given).__name__)
        return cls(name=f"{FUNCTION}{word}", function=given)

    @classmethod
    def of(cls, given: "PartLike", *, is_robot: bool = False) -> "Part":
        """Return a part from a reference (`step:height_m=0.2`), a table of a file, or a part.

        A robot has no parameters: all of a text is its name.
        """
        if isinstance(given, Part):
            return given
        if isinstance(given, str | Path):
            name, parameters = (str(given), {}) if is_robot else parse_reference(str(given))
            return cls(name=name, parameters=parameters)
        if not isinstance(given, Mapping):
            raise InvalidValue("a part", given, "be a name, or a table with a name")
        for key in ("set", "parameters"):
            if not isinstance(given.get(key, {}), Mapping):
                raise InvalidValue(key, given[key], "be a table")
        if "name" not in given:
            raise InvalidValue("name", "none", "be given")
        flat = {key: value for key, value in given.items() if key not in PART_KEYS}
        return cls(
            name=given["name"],
            parameters={**flat, **given.get("parameters", {})},
            changes=given.get("set", {}),
            text=given.get("text", ""),
        )

    @property
    def reference(self) -> str:
        """Name and parameters as one word, `step:height_m=0.2`."""
        keys = ",".join(f"{key}={_word(value)}" for key, value in self.parameters.items())
        return f"{self.name}:{keys}" if keys else self.name

    @property
    def is_file(self) -> bool:
        """Whether the name is the path of a description file."""
        return is_path(self.name)

    def content(self, *, with_text: bool = True) -> str | dict[str, Any]:
        """Return the part as a scenario file spells it: a name, or a table."""
        found = self.table(with_text=with_text)
        return found if len(found) > 1 or _is_reference(self.name) else self.name

    def table(self, *, with_text: bool = True) -> dict[str, Any]:
        """Return the part as a table of a scenario file."""
        hidden = {key: value for key, value in self.parameters.items() if key in PART_KEYS}
        plain = {key: value for key, value in self.parameters.items() if key not in hidden}
        extra = {"parameters": hidden, "set": dict(self.changes), "text": with_text and self.text}
        return {"name": self.name, **plain} | {k: v for k, v in extra.items() if v}

    def load_robot(self) -> Robot:
        """Return the robot of this name, with its changes."""
        if self.text:
            return parse_robot(self.text, self._origin("robot"), self.changes)
        return load_robot(self.reference, self.changes)

    def load_course(self) -> Course:
        """Return the course of this name, with its parameters and changes."""
        if self.text:
            origin = self._origin("course")
            return parse_course(self.text, origin, self.changes, **self.parameters)
        return load_course(self.name, self.changes, **self.parameters)

    def _origin(self, kind: str) -> str:
        return self.name if self.is_file else f"{kind} {self.name!r} in the log"


PartLike: TypeAlias = str | Path | Mapping[str, Any] | Part
"""What a part can be given as."""


def _is_reference(text: str) -> bool:
    """Return whether a name would not be read as one, but as name and parameters."""
    try:
        return bool(parse_reference(text)[1])
    except InvalidValue:
        return True


def default_speed(robot: Robot, course: Course) -> float:
    """Return the forward speed where none is given: the course's, if the robot is so fast [m/s]."""
    return min(course.speed, robot.drive.speed_limit)


def quantity(unit: str, number: Any = Number, default: float | None = None) -> Any:
    """Return a field with its unit and the numbers that files may hold there."""
    return field(default=default, metadata={"unit": unit, "number": number})


def check_quantities(table: Any, prefix: str = "") -> None:
    """Check the ranges of the quantities of a frozen object, and keep them as floats."""
    for one in fields(table):
        value, is_size = getattr(table, one.name), one.metadata["number"] is Positive
        if value is not None or one.default is not None:
            number = check_range(prefix + one.name, value, one.metadata["unit"], is_size=is_size)
            object.__setattr__(table, one.name, number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where a robot starts; height and tilt are those of the ground where they are None."""

    x: float = quantity("m", default=0.0)
    """Position along x of the world [m]."""
    y: float = quantity("m", default=0.0)
    """Position along y of the world [m]."""
    yaw: float = quantity("rad", default=0.0)
    """Heading, positive to the left [rad]."""
    z: float | None = quantity("m")
    """Height of the body frame; on the ground if None [m]."""
    roll: float | None = quantity("rad")
    """Roll; that of the ground if None [rad]."""
    pitch: float | None = quantity("rad")
    """Pitch; that of the ground if None [rad]."""

    def __post_init__(self) -> None:
        check_quantities(self, "start: ")

    @classmethod
    def of(cls, given: "Start | Pose | str | Sequence[float]") -> "Start":
        """Return a start from a pose, from x [m], y [m] and yaw [rad], or from `0.5,0,90` [deg]."""
        if isinstance(given, Start):
            return given
        if isinstance(given, Pose):
            return cls(**{f.name: float(getattr(given, f.name)) for f in fields(cls)})
        if isinstance(given, str):
            return parse_start(given)
        if not isinstance(given, Sequence) or len(given) != 3:
            raise InvalidValue("start", given, "be x [m], y [m] and yaw [rad]")
        return cls(x=given[0], y=given[1], yaw=given[2])

    def pose_on(self, course: Course) -> Pose:
        """Return the pose on the ground of a course; InvalidValue if there is none."""
        pose = course.terrain.pose_at(self.x, self.y, self.yaw)
        given = {name: getattr(self, name) for name in ("z", "roll", "pitch")}
        pose = replace(pose, **{key: value for key, value in given.items() if value is not None})
        if math.isnan(float(pose.z)):
            words = f"{self.x:g},{self.y:g},{math.degrees(self.yaw):g}"
            raise InvalidValue("start", words, f"lie on the ground of course {course.name!r}")
        return pose


def parse_start(text: str, name: str = "start") -> Start:
    """Return a start from words such as `0.5,0,90`: x [m], y [m] and yaw [deg]."""
    numbers = [parse_number(word) for word in text.split(",")]
    known = [number for number in numbers if number is not None]
    if len(numbers) != 3 or len(known) != 3:
        raise InvalidValue(name, text, "be x [m], y [m] and yaw [deg], as in 0.5,0,90")
    named = zip(("x", "y", "yaw"), known, ("m", "m", "deg"), strict=True)
    x, y, yaw = (check_range(f"{name}: {which}", value, unit) for which, value, unit in named)
    return Start(x=x, y=y, yaw=math.radians(yaw))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """When a run ends, besides the driver's own end."""

    duration: float | None = quantity("s", Positive)
    """Simulated time; the driver's if None [s]."""
    stuck_after: float | None = quantity("s", Positive)
    """Time without progress on the path; never if None [s]."""
    tipped: float | None = quantity("rad", Positive)
    """Angle between the body's z axis and the vertical; never if None [rad]."""

    def __post_init__(self) -> None:
        check_quantities(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipperKeyframe:
    """Flipper angles, a posture of the robot, or the rule `auto`, commanded from a time on."""

    time: float
    """Simulated time [s]."""
    angles: tuple[float, ...] = ()
    """Angle of each flipper in the robot's order, positive lowers its front end [rad]."""
    posture: str = ""
    """Instead of angles: `auto`, `rest`, or the name of a posture of the robot."""

    def __post_init__(self) -> None:
        if self.posture and self.angles:
            given = f"{self.posture} and angles"
            raise InvalidValue(f"flippers at {self.time:g} s", given, "be a posture or angles")
        if not 0.0 <= check_range("flippers: time", self.time, "s") <= limits.DURATION:
            raise InvalidValue("flippers: time", self.time, f"be from 0 to {limits.DURATION:g} s")
        for angle in self.angles:
            check_range(f"flippers: angle at {self.time:g} s", angle, "rad")

    def aim_of(self, robot: Robot) -> tuple[float, ...] | AutoFlippers:
        """Return the angle of each flipper [rad], or the rule that finds them.

        Raises:
            InvalidValue: The robot has no flippers.
            UnknownName: It has no posture of this name.
        """
        if not self.posture:
            return self.angles
        if not robot.flippers:
            required = f"have flippers for posture {self.posture!r}"
            raise InvalidValue("robot", robot.name, required)
        if self.posture == AUTO:
            return AutoFlippers(robot)
        return robot.posture_angles(self.posture)


def parse_flippers(text: str, name: str = "flippers") -> tuple[FlipperKeyframe, ...]:
    """Return keyframes from words such as `auto`, or `0=-30/-30/0/0;4=flat`.

    What stands behind a time [s] are angles [deg], or a posture; a posture alone is one from 0 s.
    """
    if len(text) > limits.WORD_LENGTH:
        required = f"have at most {limits.WORD_LENGTH:,} characters"
        raise InvalidValue(name, f"{len(text):,}", required)
    keyframes = tuple(_parse_keyframe(text, part, name) for part in text.split(";") if part.strip())
    check_order(keyframes, name, text)
    return keyframes


def check_order(keyframes: Sequence[FlipperKeyframe], name: str, given: object) -> None:
    """Raise InvalidValue unless there is a keyframe, and times increase."""
    times = [keyframe.time for keyframe in keyframes]
    if not times or any(later <= time for time, later in zip(times, times[1:], strict=False)):
        raise InvalidValue(name, given, "have one time at least, and times that rise")


def _parse_keyframe(text: str, part: str, name: str) -> FlipperKeyframe:
    word, equals, angles = part.partition("=")
    if not equals and parse_number(word) is None and "/" not in word:
        return FlipperKeyframe(time=0.0, posture=word.strip())
    time, *degrees = (parse_number(number) for number in (word, *angles.split("/")))
    known = [angle for angle in degrees if angle is not None]
    is_posture = degrees == [None] and bool(angles.strip()) and "=" not in angles
    if time is None or (len(known) < len(degrees) and not is_posture):
        required = "be a posture as auto, or times [s] and angles [deg], as in 0=-30/-30/0/0;4=flat"
        raise InvalidValue(name, text, required)
    if not 0.0 <= time <= limits.DURATION:
        raise InvalidValue(f"{name}: time", time, f"be from 0 to {limits.DURATION:g} s")
    if is_posture:
        return FlipperKeyframe(time=time, posture=angles.strip())
    for angle in known:
        check_range(f"{name}: angle at {time:g} s", angle, "deg")
    return FlipperKeyframe(time=time, angles=tuple(math.radians(angle) for angle in known))


def raise_flippers(
    robot: Robot, raised: Mapping[str, float], current: Sequence[float] | None = None
) -> tuple[float, ...]:
    """Return the angle of each flipper [rad] from how far tips are raised, by `RAISED` [deg].

    Front ones have a hinge ahead of the origin. Flippers that `raised` does not name keep their
    `current` angle, or else their rest angle.
    """
    for word in raised:
        if word not in RAISED:
            raise UnknownName("parameter of flippers", word, RAISED)
    if not robot.flippers:
        raise InvalidValue("robot", robot.name, "have flippers to raise")
    angles = []
    for index, flipper in enumerate(robot.flippers):
        place = "front_raised_deg" if flipper.is_front else "rear_raised_deg"
        degrees = raised.get(place, raised.get("all_raised_deg"))
        usual = flipper.rest_angle if current is None else current[index]
        angle = usual if degrees is None else flipper.raising_sign * math.radians(degrees)
        low, high = flipper.limits
        if not low - 1e-9 <= angle <= high + 1e-9:
            required = f"be from {math.degrees(low):g} to {math.degrees(high):g} deg"
            raise InvalidValue(f"angle of flipper {flipper.name!r}", math.degrees(angle), required)
        angles.append(angle)
    return tuple(angles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """How a robot and its ground differ from their files: factors, and a payload."""

    friction: float = quantity("1", Factor, 1.0)
    """Factor on all friction [1]."""
    mass: float = quantity("1", Factor, 1.0)
    """Factor on all masses and inertias [1]."""
    gain_left: float = quantity("1", Factor, 1.0)
    """Factor on the belt speeds commanded on the left [1]."""
    gain_right: float = quantity("1", Factor, 1.0)
    """Factor on the belt speeds commanded on the right [1]."""
    payload: float = quantity("kg", NotNegative, 0.0)
    """Mass of a point that is fixed to the hull [kg]."""
    payload_x: float = quantity("m", default=0.0)
    """Its place along x, in the body frame [m]."""
    payload_y: float = quantity("m", default=0.0)
    """Its place along y [m]."""
    payload_z: float = quantity("m", default=0.0)
    """Its place along z [m]."""

    @property
    def payload_place(self) -> tuple[float, float, float]:
        """Place of the payload in the body frame [m]."""
        return self.payload_x, self.payload_y, self.payload_z

    def __post_init__(self) -> None:
        most = limits.FACTOR
        for name in ("payload", "payload_x", "payload_y", "payload_z"):
            unit = "kg" if name == "payload" else "m"
            number = check_range(f"variation: {name}", getattr(self, name), unit)
            object.__setattr__(self, name, number)
        if self.payload < 0.0:
            raise InvalidValue("variation: payload", self.payload, "be 0 kg or more")
        for name in ("friction", "mass", "gain_left", "gain_right"):
            value = getattr(self, name)
            if not is_number(value) or not 1.0 / most <= value <= most:
                required = f"be from {1.0 / most:g} to {most:g}, as factors are"
                raise InvalidValue(f"variation: {name}", value, required)
            object.__setattr__(self, name, float(value))


def make_varied_model(part: Part, variation: Variation, *, contacts: bool = False) -> Model:
    """Return the model of a part, with a variation; with `contacts` for a log of them."""
    given = {"contacts": True} if contacts else {}
    if given and "contacts" not in getattr(CATALOGUE.get(part.name), "__dataclass_fields__", ()):
        make_model(part.name)
        able = [n for n, kind in CATALOGUE.items() if "contacts" in kind.__dataclass_fields__]
        raise Unsupported("a log of contacts", part.name, "contacts", able)
    model = make_model(part.name, **{**part.parameters, **given})
    if variation.payload:
        model = load_model(model, variation.payload, variation.payload_place)
    if (variation.friction, variation.mass) == (1.0, 1.0):
        return model
    return vary_model(model, friction=variation.friction, mass=variation.mass)


def _value(key: object, value: Any) -> Any:
    if not isinstance(key, str):
        raise InvalidValue("key of a part", key, "be a text")
    return value if isinstance(value, str | bool) else _number(key, value)


def _number(key: object, value: Any) -> float:
    if not is_number(value):
        raise InvalidValue(str(key), value, "be a finite number or a word")
    return float(value)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else repr(float(value)).removesuffix(".0")
