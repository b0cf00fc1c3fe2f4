"""Robot, body and wheels.

Frame: the body frame, x forward, y left, z up, with its origin midway between the drives, on the
ground that the robot stands on when it stands level. Belts touch that ground at z = 0; grousers
reach below it. Files spell units in their keys, attributes are in SI with radians.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from pydantic import Field, model_validator

from grouser import limits
from grouser.description.drive import Drive
from grouser.description.posture import REST, Posture, mistaken_postures, raised_angles
from grouser.description.schema import (
    Mistakes,
    Name,
    NotNegative,
    Number,
    PartName,
    Positive,
    Prose,
    Side,
    Table,
    Vector,
    find_source,
    mistaken_sources,
    swap_sides,
)
from grouser.description.sensors import Sensors
from grouser.description.slip import Slip, Traction, Turning
from grouser.description.track import Belt, Flipper, Track
from grouser.errors import InvalidValue, UnknownName
from grouser.storage import read_file

GYRATION_ALLOWED = (1e-3, 1e3)
"""Least and greatest radius of gyration, in diagonals of the box of the hull [1]."""


def box_moments(mass: float, size: Vector) -> Vector:
    """Return moments of inertia of a uniform box about x, y, z through its middle [kg m^2]."""
    length, width, height = size
    twelfth = mass / 12.0
    return (
        twelfth * (width**2 + height**2),
        twelfth * (length**2 + height**2),
        twelfth * (length**2 + width**2),
    )


class Body(Table):
    """A rigid box, or the shapes of a file, with mass.

    Frame: the body frame, on the ground midway between the drives.
    """

    mass: Positive = Field(alias="mass_kg")
    """Mass of the hull and of all parts that state no mass of their own [kg]."""
    size: tuple[Positive, Positive, Positive] = Field(alias="size_m")
    """Length, width and height of the box of the hull [m]."""
    centre: Vector = Field(alias="centre_m")
    """Centre of that box in the body frame [m]."""
    centre_of_mass: Vector = Field(alias="centre_of_mass_m")
    """Where `mass` is centred, in the body frame [m]."""
    inertia: tuple[Positive, Positive, Positive] = Field(
        default_factory=lambda data: box_moments(data["mass"], data["size"]), alias="inertia_kg_m2"
    )
    """Moments of inertia about x, y, z through the centre of mass; without them, those of a
    uniform box of this mass and size [kg m^2]."""
    model_file: Path | None = Field(alias="model", default=None, exclude=True)
    """URDF or MJCF file, relative to the robot's: its shapes replace the box in 3D models."""
    model_origin: Vector = Field(alias="model_origin_m", default=(0.0, 0.0, 0.0))
    """Where the origin of that file lies in the body frame [m]."""

    mesh_file: Path | None = Field(alias="mesh", default=None, exclude=True)
    """STL, OBJ or PLY file, relative to the robot's, that is drawn as the hull; nothing else."""
    mesh_scale: Positive | None = Field(alias="mesh_scale_m", default=None, exclude=True)
    """Length of the unit of that file; 1 m when not given [m]."""
    mesh_origin: Vector = Field(alias="mesh_origin_m", default=(0.0, 0.0, 0.0), exclude=True)
    """Where the origin of that file lies in the body frame [m]."""

    @model_validator(mode="after")
    def _inertia_is_possible(self) -> Self:
        largest, others = max(self.inertia), sum(self.inertia) - max(self.inertia)
        if largest > others * (1.0 + 1e-9):
            raise ValueError(
                "inertia_kg_m2 belongs to no body: the largest moment must be at most the sum of "
                f"the other two, {others:.6g}, not {largest:.6g}"
            )
        diagonal = math.dist(self.size, (0.0, 0.0, 0.0))
        least, most = (self.mass * (ratio * diagonal) ** 2 for ratio in GYRATION_ALLOWED)
        if not (least <= min(self.inertia) and largest <= most):
            raise ValueError(
                f"inertia_kg_m2 of {self.mass:g} kg in a box of {list(self.size)} m must be from "
                f"{least:.3g} to {most:.3g}, not {list(self.inertia)}"
            )
        return self


class Wheel(Table):
    """A driven wheel that stands on the ground: its axle is one radius above z = 0."""

    name: PartName
    """Name, unique in the robot."""
    side: Side
    """On which side of the hull it is; all wheels of a side turn alike by default."""
    x: Number = Field(alias="x_m")
    """Axle along x, in the body frame [m]."""
    y: Number = Field(alias="y_m")
    """Middle of the wheel along y, in the body frame [m]."""
    radius: Positive = Field(alias="radius_m")
    """Rolling radius [m]."""
    width: Positive = Field(alias="width_m")
    """Width of the tyre [m]."""
    mass: NotNegative = Field(default=0.0, alias="mass_kg")
    """Mass that is not counted in the body's [kg]."""

    @property
    def centre(self) -> tuple[float, float, float]:
        """Middle of the wheel in the body frame [m]."""
        return self.x, self.y, self.radius


Driven: TypeAlias = Track | Wheel
"""Drives that carry the hull."""
PartT = TypeVar("PartT", Track, Wheel, Flipper)

GROUND_ALLOWED = 1e-4
"""How far the lowest belt may be from the ground at z = 0 [m]."""


class Robot(Table):
    """A hull on tracks or wheels, perhaps with flippers. Frozen."""

    name: Name
    """Name in options and logs."""
    title: Prose = ""
    """One-line description."""
    description: Prose = ""
    """Remarks for the reader."""
    body: Body
    """The hull."""
    tracks: tuple[Track, ...] = Field(default=(), max_length=limits.TRACKS)
    """Belts on the hull."""
    flippers: tuple[Flipper, ...] = Field(default=(), max_length=limits.TRACKS)
    """Belts on hinges; each runs with the drives of its side."""
    wheels: tuple[Wheel, ...] = Field(default=(), max_length=limits.TRACKS)
    """Driven wheels on the hull."""
    postures: dict[PartName, Posture] = Field(default={}, max_length=limits.TRACKS)
    """Named angles of its flippers."""
    posture: str | None = None
    """Which of `postures` it starts in and keeps without a command; `rest_deg` of each if None."""
    drive: Drive
    """Drive train of belts and wheels."""
    slip: Slip = Slip()
    """Slip parameters."""
    turning: Turning | None = None
    """Parameters of P2's turning model; None if not measured."""
    traction: Traction | None = None
    """Force parameters of planar dynamics; None if not measured."""
    sensors: Sensors = Sensors()
    """Sensors."""
    sources: dict[str, Prose] = Field(default={}, max_length=limits.PIECES)
    """Source of each number, by key or prefix of keys; see `source_of`."""
    text: str = Field(default="", exclude=True, repr=False)
    """Text of its file; empty if it was not read from a file."""

    @property
    def drives(self) -> tuple[Driven, ...]:
        """All that takes a belt speed, in the order of commands: tracks, then wheels."""
        return self.tracks + self.wheels

    @property
    def belts(self) -> tuple[Belt, ...]:
        """All belts: those of the tracks, then those of the flippers."""
        return (*self.tracks, *(flipper.track for flipper in self.flippers))

    @property
    def belt_order(self) -> tuple[str, ...]:
        """Names of the drives, in the order of commands."""
        return tuple(drive.name for drive in self.drives)

    @property
    def gauge(self) -> float:
        """Distance between the centre lines of the left and the right drives [m]."""
        return self._mean_y("left") - self._mean_y("right")

    @property
    def wheel_radius(self) -> float:
        """Radius of the foremost circle that meets a step: end pulley or wheel [m]."""
        if self.tracks:
            return self.tracks[0].loop.end_arcs[0].radius
        return max(self.wheels, key=lambda wheel: wheel.x).radius

    @property
    def wheel_distance(self) -> float:
        """Distance between the centres of the end pulleys, or of the outermost axles [m]."""
        if self.tracks:
            front, rear = self.tracks[0].loop.end_arcs
            return float(np.hypot(*np.subtract(front.centre, rear.centre)))
        places = [wheel.x for wheel in self.wheels]
        return max(places) - min(places)

    @property
    def contact_length(self) -> float:
        """Length along x over which the drives touch level ground [m]."""
        runs = [track.loop.contact_run for track in self.tracks]
        return max((run.length for run in runs if run), default=self.wheel_distance)

    @property
    def sprocket_radius(self) -> float:
        """Belt speed per angular speed of the sprocket; `wheel_radius` unless stated [m]."""
        return self.drive.sprocket_radius or self.wheel_radius

    @property
    def front(self) -> float:
        """How far the hull and its drives reach ahead of the origin, flippers not counted [m]."""
        tracks = [track.loop.bounds[1] for track in self.tracks]
        wheels = [wheel.x + wheel.radius for wheel in self.wheels]
        return max(self.body.centre[0] + 0.5 * self.body.size[0], *tracks, *wheels)

    @property
    def rear(self) -> float:
        """Where the hull and its drives end behind the origin; negative, no flippers [m]."""
        tracks = [track.loop.bounds[0] for track in self.tracks]
        wheels = [wheel.x - wheel.radius for wheel in self.wheels]
        return min(self.body.centre[0] - 0.5 * self.body.size[0], *tracks, *wheels)

    @property
    def mass(self) -> float:
        """Mass of all parts together [kg]."""
        return self.body.mass + sum(part.mass for part in (*self.drives, *self.flippers))

    @property
    def centre_of_mass(self) -> tuple[float, float, float]:
        """Where the whole robot's mass is centred with its flippers at rest [m]."""
        places = [self.body.centre_of_mass, *(drive.centre for drive in self.drives)]
        places += [flipper.centre_at(flipper.rest_angle) for flipper in self.flippers]
        masses = [part.mass for part in (self.body, *self.drives, *self.flippers)]
        x, y, z = np.average(places, axis=0, weights=masses)
        return float(x), float(y), float(z)

    @property
    def content_hash(self) -> str:
        """SHA-256 of all that can move the robot: not of titles, sources and the file's layout."""
        # Of postures, the angles at rest are what moves it.
        unmoving = {"title", "description", "sources", "posture", "postures"}
        content = self.model_dump(mode="json", exclude=unmoving)
        content["body"].pop("model_origin")
        _drop_absent_keys(self, content)
        if self.body.model_file is not None:
            shapes = read_file(self.body.model_file, limits.MESH_BYTES)
            content["files"] = [hashlib.sha256(shapes).hexdigest(), self.body.model_origin]
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def source_of(self, key: str) -> str | None:
        """Return where a number comes from, by its key in the file, such as `body.mass_kg`."""
        return find_source(self.sources, key)

    def posture_angles(self, name: str) -> tuple[float, ...]:
        """Return the angle of each flipper in a posture of the file, or at `rest` [rad].

        Raises:
            UnknownName: It has no posture of this name.
        """
        if name == REST:
            return tuple(flipper.rest_angle for flipper in self.flippers)
        if name not in self.postures:
            raise UnknownName(f"posture of robot {self.name!r}", name, (REST, *self.postures))
        return raised_angles(self.flippers, self.postures[name])

    def mirrored(self) -> "Robot":
        """Return the robot seen in a mirror that exchanges left and right.

        Parts keep their order and take the names of the other side, so the same command drives
        the mirrored robot along the mirrored way. It has no text: no file describes it.
        """
        if self.body.model_file is not None:
            raise InvalidValue("robot", self.name, "have no body.model in order to be mirrored")
        centres = ("centre", "centre_of_mass")
        body = {name: _flip(getattr(self.body, name)) for name in centres}
        return self.model_copy(
            update={
                "body": self.body.model_copy(update=body),
                "tracks": tuple(_mirror(track) for track in self.tracks),
                "flippers": tuple(_mirror(flipper) for flipper in self.flippers),
                "wheels": tuple(_mirror(wheel) for wheel in self.wheels),
                "drive": self.drive.mirrored(),
                "sensors": self.sensors.mirrored(),
                "slip": self.slip.mirrored(),
                "text": "",
            }
        )

    def _repr_html_(self) -> str:
        from grouser.description.card import robot_card

        return robot_card(self)

    def _mean_y(self, side: Side) -> float:
        places = [drive.y for drive in self.drives if drive.side == side]
        return sum(places) / len(places)

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        mistakes = [*_mistaken_names(self), *_mistaken_sides(self), *_mistaken_ground(self)]
        mistakes += mistaken_postures(self.flippers, self.postures, self.posture)
        content = self.model_dump(by_alias=True, exclude_unset=True)
        mistakes += mistaken_sources(self.sources, content)
        if mistakes:
            raise Mistakes(mistakes)
        if self.posture is not None:
            # The one place that sets a field of a frozen robot: it is not seen before.
            angles = self.posture_angles(self.posture)
            resting = [
                flipper.model_copy(update={"rest_angle": angle})
                for flipper, angle in zip(self.flippers, angles, strict=True)
            ]
            object.__setattr__(self, "flippers", tuple(resting))
        return self


def _mistaken_names(robot: Robot) -> Iterator[str]:
    names = Counter(part.name for part in (*robot.drives, *robot.flippers))
    for name, count in names.items():
        if count > 1:
            yield f"name {name!r} is given to {count} parts; names must differ"


def _mistaken_sides(robot: Robot) -> Iterator[str]:
    places = [(f"tracks[{i}].y_m", t.side, t.y) for i, t in enumerate(robot.tracks)]
    places += [(f"wheels[{i}].y_m", w.side, w.y) for i, w in enumerate(robot.wheels)]
    places += [
        (f"flippers[{i}].hinge_m[1]", f.side, f.hinge[1]) for i, f in enumerate(robot.flippers)
    ]
    least = limits.RANGES["m"][0]
    for key, side, y in places:
        outward = y if side == "left" else -y
        if outward < least:
            bound = "0" if outward <= 0.0 else f"{math.copysign(least, y):g}"
            wanted = f"{'above' if side == 'left' else 'below'} {bound}"
            yield f"{key} must be {wanted} because its side is {side!r}, not {y:g}"
    for side in ("left", "right"):
        if not any(drive.side == side for drive in robot.drives):
            yield f"tracks or wheels are missing on the {side}: each side needs at least one"


def _mistaken_ground(robot: Robot) -> Iterator[str]:
    for i, track in enumerate(robot.tracks):
        lowest = track.loop.bounds[2]
        if lowest < -GROUND_ALLOWED:
            yield f"tracks[{i}].loop must stay above the ground at z = 0, not reach {lowest:.6g} m"
    lowest = min((track.loop.bounds[2] for track in robot.tracks), default=0.0)
    if lowest > GROUND_ALLOWED and not robot.wheels:
        yield f"tracks must touch the ground at z = 0; the lowest is {lowest:.6g} m above it"


_FIRST_SENSOR_KEYS = {
    "encoder": {"ticks_per_revolution", "wheel_radius", "speed_noise"},
    "imu": {"gyro_range", "gyro_bits", "gyro_bias", "gyro_noise", "rate"},
}
"""Keys of sensors that count in a hash even with their usual value."""


def _drop_absent_keys(robot: Robot, content: dict[str, Any]) -> None:
    """Remove keys that earlier versions did not have, so that hashes of older files stay."""
    if robot.traction is None:
        content.pop("traction")
    if robot.drive.speed_map is None:
        content["drive"].pop("speed_map")
    for kind in set(content["sensors"]) - set(_FIRST_SENSOR_KEYS):
        if not content["sensors"][kind]:
            content["sensors"].pop(kind)
    for kind, always in _FIRST_SENSOR_KEYS.items():
        if (table := getattr(robot.sensors, kind)) is not None:
            fields = type(table).model_fields
            for key in set(fields) - always:
                if getattr(table, key) == fields[key].default:
                    content["sensors"][kind].pop(key)
    if robot.slip.icr is not None and robot.slip.icr.stays:
        for key in [key for key in content["slip"]["icr"] if "_per_" in key]:
            content["slip"]["icr"].pop(key)
    if robot.slip.icr is not None and not robot.slip.icr.drift:
        content["slip"]["icr"].pop("drift")
    if robot.slip.smooth is None:
        content["slip"].pop("smooth")


def _flip(place: tuple[float, float, float]) -> tuple[float, float, float]:
    return place[0], -place[1], place[2]


def _mirror(part: PartT) -> PartT:
    place = {"hinge": _flip(part.hinge)} if isinstance(part, Flipper) else {"y": -part.y}
    words = {name: swap_sides(getattr(part, name)) for name in ("name", "side")}
    return part.model_copy(update={**words, **place})
