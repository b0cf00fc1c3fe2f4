"""Friction laws: what bounds the friction of a contact, and what a place remembers.

A law is a frozen object with a name and the keys of surfaces that it reads; `tables` makes the
numbers that compiled code uses. Compiled code finds the law's functions by the *type* of its
tables, see `hooks`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.description.surface import Surface
from grouser.errors import InvalidValue, UnknownName, Unsupported
from grouser.models.parameters import Range
from grouser.registry import Registry

RESISTS = -2.0
"""Place of the contact that stands for the resistance of a belt on soil; its area is its limit."""


class ContactPoint(NamedTuple):
    """What a law may know of one contact; floats, or lanes of floats."""

    load: Any
    """Normal impulse of the step [N s]."""
    slip_along: Any
    """Slip along the belt: ground relative to the belt's surface [m/s]."""
    slip_across: Any
    """Slip across the belt [m/s]."""
    belt_speed: Any
    """Speed of the belt [m/s]."""
    surface: Any
    """Number of the surface: row of the law's tables [1]."""
    factor: Any
    """Factor on the friction of the robot [1]."""
    area: Any
    """Area of the patch that the place stands for [m^2]."""
    place: Any
    """Number of the place on the belts, which the law's memory is kept by; below 0 for none [1]."""
    step: Any
    """Time step [s]."""
    swirl: Any
    """Slip within the patch because the robot turns, as root of the mean square [m/s]."""


@dataclass(frozen=True, slots=True)
class SurfaceKey:
    """A number of a surface that a law reads, `[surfaces.NAME.law]` in a course."""

    default: float
    """What it is where a surface does not say [the unit]."""
    range: Range
    """What it may be."""


class FrictionLaw(Protocol):
    """A friction law. Frozen."""

    name: ClassVar[str]
    """Name in `--model csm:law=NAME`."""
    keys: ClassVar[Mapping[str, SurfaceKey]]
    """Numbers that it reads from each surface, by key."""
    memory: ClassVar[bool]
    """Whether it keeps what each place of a belt has mobilised; such a law is made for a robot."""

    def tables(self, surfaces: Sequence[Surface]) -> Any:
        """Return the numbers for compiled code: a NamedTuple of arrays, of the law's own type."""
        ...


LAWS: Registry[type[Any]] = Registry(
    "friction law", "grouser.friction_laws", needs=("name", "keys", "memory", "tables")
)
"""The friction laws by name; then those of plug-ins."""
for _name, _place in {
    "coulomb": "coulomb:CoulombLaw",
    "circles": "circles:CirclesLaw",
    "frictionless": "coulomb:FrictionlessLaw",
    "shear": "shear:ShearLaw",
    "wong": "shear:WongLaw",
}.items():
    LAWS.declare(_name, f"grouser.models.contact.traction.{_place}")


def find_law(name: str | None, robot: Robot, course: Course) -> Any:
    """Return a friction law for a robot on a course, by its name or by what the course needs.

    Raises:
        UnknownName: There is no law of that name.
        Unsupported: The course has a soil, which the law does not describe.
    """
    on_soil = "soil" in course.features
    law = LAWS.find(name or ("shear" if on_soil else "coulomb"))
    if on_soil and not law.memory:
        able = [other for other, kind in LAWS.items() if kind.memory]
        raise Unsupported(f"course {course.name!r}", f"friction law {law.name!r}", "soil", able)
    return law(robot) if law.memory else law()


def surface_numbers(law: Any, surfaces: Sequence[Surface]) -> NDArray[np.float64]:
    """Return the numbers of a law's keys, surfaces one after another.

    Raises:
        UnknownName: A surface has a key that the law does not know.
        InvalidValue: A number is out of its range.
    """
    rows = []
    for surface in surfaces:
        for key in surface.law:
            if key not in law.keys:
                raise UnknownName(f"number of friction law {law.name!r}", key, law.keys)
        row = {key: surface.law.get(key, declared.default) for key, declared in law.keys.items()}
        for key, declared in law.keys.items():
            wrong = declared.range.misses(row[key])
            if wrong is not None:
                raise InvalidValue(f"surfaces.law.{key}", wrong, f"be {declared.range}")
        rows.append(list(row.values()))
    return np.array(rows, np.float64).ravel()
