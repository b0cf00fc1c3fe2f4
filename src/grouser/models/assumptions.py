"""What models assume where the files of a robot and a course do not state a number.

A model lists its own, `Parameters.assumptions`, from the functions here: one for each kind of data
that files may lack. A key is unstated if its file does not have it, whatever its default is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from grouser.description import Course, Robot
from grouser.description.schema import Table
from grouser.description.surface import FRICTION
from grouser.units import format_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A number, or a law, that a model uses for want of data."""

    quantity: str
    """What is assumed, in words."""
    value: float | None = None
    """Which number; None if it is not one number [unit]."""
    unit: str = ""
    """Unit of the number."""
    basis: str = ""
    """Where it comes from, in words; empty if it is only a default."""
    keys: tuple[str, ...] = ()
    """Keys of the robot's or the course's file that would replace it; one of them may suffice."""

    @property
    def text(self) -> str:
        """Value and where it comes from."""
        number = "" if self.value is None else format_number(self.value)
        unit = "" if self.unit in ("", "1") else f" {self.unit}"
        return ", ".join(filter(None, (number and number + unit, self.basis)))

    @property
    def sentence(self) -> str:
        """Quantity, value, and the keys that would replace it."""
        return f"{self.quantity}: {self.text} (no {self.lack})"

    @property
    def lack(self) -> str:
        """The keys as words, not more than two of them."""
        rest = len(self.keys) - 2
        return ", ".join(self.keys[:2]) + (f" and {rest} more" if rest > 0 else "")

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "quantity": self.quantity, "value": self.value, "unit": self.unit,
            "basis": self.basis, "keys": list(self.keys),
        }  # fmt: skip


class TurningBasis(NamedTuple):
    """What decides how fast a model turns."""

    width: float | None
    """Width of the differential drive that turns alike; None if forces decide [m]."""
    words: str
    """Where the width comes from, or which forces decide."""


def unstated(table: Table, prefix: str, *names: str) -> tuple[str, ...]:
    """Return the keys, below a prefix, of fields that the file of a table does not state."""
    fields = type(table).model_fields
    missing = [name for name in names if name not in table.model_fields_set]
    return tuple(f"{prefix}.{fields[name].alias or name}" for name in missing)


def _assume(keys: tuple[str, ...], quantity: str, **rest: Any) -> Iterator[Assumption]:
    if keys:
        yield Assumption(quantity=quantity, keys=keys, **rest)


def assume_slip_ratios(robot: Robot, *, in_turns: bool) -> Iterator[Assumption]:
    """Yield what is assumed of the slip of both sides, in turns too if those have their own."""
    slip = robot.slip
    keys = unstated(slip, "slip", "left", "right")
    yield from _assume(keys, "slip of the belts", value=0.0, unit="1")
    if in_turns and not keys:
        keys = unstated(slip, "slip", "turning_left", "turning_right")
        yield from _assume(keys, "slip of the belts in turns", basis="as when driving straight")


def assume_sideslip(robot: Robot) -> Iterator[Assumption]:
    """Yield what is assumed of the angles of sideslip."""
    keys = unstated(robot.slip, "slip", "slip_angle", "turning_slip_angle")
    yield from _assume(keys, "sideslip", value=0.0, unit="rad")


def assume_slope_slip(robot: Robot, course: Course | None) -> Iterator[Assumption]:
    """Yield what is assumed of slip on slopes, if the course has any."""
    if course is None or not course.terrain.is_flat:
        keys = unstated(robot.slip, "slip", "slope_coefficient")
        yield from _assume(keys, "rise of slip on slopes", value=0.0, unit="1/rad")


def lacking_width(robot: Robot) -> tuple[str, ...]:
    """Return the keys that would say how far apart the centres of rotation are, if none does."""
    if robot.slip.icr is not None:
        return ()
    return ("slip.icr",) if robot.slip.wheelbase is not None else ("slip.icr", "slip.wheelbase")


def _source(basis: TurningBasis) -> str:
    return f"from {basis.words}" if basis.words.startswith("slip.") else basis.words


def assume_width(robot: Robot, basis: TurningBasis) -> Iterator[Assumption]:
    """Yield what is assumed of the width that a robot turns with, if its file has no wheelbase."""
    if robot.slip.wheelbase is None:
        keys = ("slip.wheelbase", "slip.icr") if robot.slip.icr is None else ("slip.wheelbase",)
        words, source = "width in turns", _source(basis)
        yield from _assume(keys, words, value=basis.width, unit="m", basis=source)


def assume_centres(robot: Robot, basis: TurningBasis, *more: str) -> Iterator[Assumption]:
    """Yield what is assumed of the centres of rotation; `more` are fields of theirs that count."""
    icr = robot.slip.icr
    if icr is None:
        yield Assumption(
            quantity="distance of the centres of rotation", value=basis.width, unit="m",
            basis=_source(basis), keys=lacking_width(robot),
        )  # fmt: skip
        return
    for quantity, unit, names in (
        ("place of the centres along x", "m", {"x"}),
        ("drift in turns", "s", {"drift"}),
        ("change of the centres with speed", "s", set(more) - {"x", "drift"}),
    ):
        keys = unstated(icr, "slip.icr", *(name for name in more if name in names))
        yield from _assume(keys, quantity, value=0.0, unit=unit)


def assume_smooth_terms(robot: Robot) -> Iterator[Assumption]:
    """Yield what is assumed where a file has no smooth terms."""
    if robot.slip.smooth is None:
        words = "change of slip with speed and curvature"
        yield Assumption(quantity=words, basis="none, as icr-drift", keys=("slip.smooth",))


def assume_slip_factor(course: Course | None) -> Iterator[Assumption]:
    """Yield what is assumed of slip on the surfaces of a course."""
    keys = _of_surfaces(course, "slip_factor")
    words = "slip on this ground over that where it was measured"
    yield from _assume(keys, words, value=1.0, unit="1")


def assume_friction(course: Course | None) -> Iterator[Assumption]:
    """Yield what is assumed of the friction of surfaces; of soils it follows from their data."""
    if course is None:
        return
    keys = _of_surfaces(course, "friction")
    yield from _assume(keys, "friction of the ground", value=FRICTION, unit="1")
    keys = _of_surfaces(course, "friction_across")
    yield from _assume(keys, "friction across the belts", basis="as along them")


def _of_surfaces(course: Course | None, name: str) -> tuple[str, ...]:
    surfaces = {} if course is None else course.terrain.surfaces
    return tuple(
        key
        for place, surface in surfaces.items()
        if surface.soil is None or name == "slip_factor"
        for key in unstated(surface, f"surfaces.{place}", name)
    )


def assume_shear(course: Course | None, default: float) -> Iterator[Assumption]:
    """Yield what is assumed of the shear displacement of firm ground, for laws that have one."""
    surfaces = {} if course is None else course.terrain.surfaces
    keys = tuple(
        f"surfaces.{place}.law.shear_modulus"
        for place, surface in surfaces.items()
        if surface.soil is None and "shear_modulus" not in surface.law
    )
    words = "shear displacement of the ground"
    yield from _assume(keys, words, value=default, unit="m")


def assume_grip_on_soil(robot: Robot, course: Course | None) -> Iterator[Assumption]:
    """Yield what is assumed of smooth belts on soil."""
    if course is None or "soil" not in course.features:
        return
    smooth = [track for track in robot.tracks if not track.grousers and not track.soil_contact]
    if smooth:
        yield Assumption(
            quantity="grip of smooth belts on soil", basis="cohesion and friction of the soil",
            keys=("tracks.soil_contact",),
        )  # fmt: skip


def assume_inertia(robot: Robot) -> Iterator[Assumption]:
    """Yield what is assumed of the moments of inertia."""
    keys = unstated(robot.body, "body", "inertia")
    value = robot.body.inertia[2]
    basis = "about z, of a uniform box of the hull's size"
    yield from _assume(keys, "moment of inertia", value=value, unit="kg m^2", basis=basis)


def assume_torque(robot: Robot) -> Iterator[Assumption]:
    """Yield what is assumed of the torque of the motors."""
    keys = unstated(robot.drive, "drive", "torque_limit")
    yield from _assume(keys, "torque of the motors", basis="as much as is needed")


def assume_hinges(robot: Robot) -> Iterator[Assumption]:
    """Yield what is assumed of the torque of the flippers."""
    if any(flipper.torque_limit is None for flipper in robot.flippers):
        yield Assumption(
            quantity="torque of the flippers", basis="as much as is needed",
            keys=("flippers.torque_limit_N_m",),
        )  # fmt: skip


def assume_sprocket(robot: Robot) -> Iterator[Assumption]:
    """Yield what is assumed of the radius at which motors pull the belts."""
    keys = unstated(robot.drive, "drive", "sprocket_radius")
    value = robot.sprocket_radius
    basis = "of the foremost pulley or wheel"
    yield from _assume(keys, "radius of the sprockets", value=value, unit="m", basis=basis)


def friction_words(course: Course | None) -> str:
    """Return the friction of all surfaces of a course, as words of a `TurningBasis`."""
    if course is None:
        return "friction of the ground"
    surfaces = course.terrain.surfaces.values()
    firm = sorted({surface.friction for surface in surfaces if surface.soil is None})
    words = [f"friction {', '.join(f'{value:g}' for value in firm)}"] if firm else []
    return " and ".join(words + (["the soil"] if len(firm) < len(surfaces) else []))
