"""Friction along circles about the centre of rotation: P1's way to turn with an engine's friction.

P1 directs the friction of every contact along the circle about the instantaneous centre of
rotation that the belts' speeds and a steering efficiency give. Across the circle, friction only
holds: the belt has no speed there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.description.surface import Surface
from grouser.models.contact.traction.coulomb import coulomb_tables
from grouser.models.contact.traction.hooks import direction, implement, limit, ratio
from grouser.models.contact.traction.law import SurfaceKey
from grouser.models.lanes.formula import Term, formula, inner, larger, sqrt, where
from grouser.models.lanes.lanes import gather

STANDING = 1e-9
"""Speed below which the belt's own direction is kept [m/s]."""


class CirclesTables(NamedTuple):
    """Friction of each surface."""

    friction: NDArray[np.float64]
    """Along the circle, over the load [1]."""
    across: NDArray[np.float64]
    """Across it, over that along it [1]."""


@dataclass(frozen=True, slots=True)
class CirclesLaw:
    """Dry friction along circles about the centre of rotation."""

    name: ClassVar[str] = "circles"
    keys: ClassVar[Mapping[str, SurfaceKey]] = {}
    memory: ClassVar[bool] = False

    def tables(self, surfaces: Sequence[Surface]) -> CirclesTables:
        """Return the friction of the surfaces."""
        return CirclesTables(*coulomb_tables(surfaces))


@formula
def circle_direction(normal: Any, along: Any, place: Any, origin: Any, steering: Any) -> Any:
    """Return the direction along the circle in the plane of contact, and the belt's share in it."""
    speed, rate = steering
    u = [speed - rate * (place[1] - origin[1]), rate * (place[0] - origin[0]), 0.0 * speed]
    off = inner(u, normal)
    u = [part - off * n for part, n in zip(u, normal, strict=True)]
    length: Term = sqrt(inner(u, u))
    moves = length > STANDING
    inverse = 1.0 / larger(length, STANDING)
    turned = [where(moves, part * inverse, old) for part, old in zip(u, along, strict=True)]
    return (*turned, inner(turned, along))


@implement(direction, CirclesTables)
def _direction(law: Any, normal: Any, along: Any, place: Any, origin: Any, steering: Any) -> Any:
    found = circle_direction(normal, along, place, origin, steering)
    return found[:3], found[3]


@implement(ratio, CirclesTables)
def _ratio(law: Any, point: Any) -> Any:
    return gather(law.across, point.surface)


@implement(limit, CirclesTables)
def _limit(law: Any, point: Any) -> Any:
    return gather(law.friction, point.surface) * point.factor * point.load
