"""Belts and wheels: the band and what carries it."""

import math

import numpy as np
from numpy.typing import NDArray

from grouser.description.loop import Arc, Loop
from grouser.description.wheel import Wheel
from grouser.viewer.shapes.mesh import Mesh, join
from grouser.viewer.shapes.solids import disc, prism, ring

BAND = 0.16
"""Thickness of a band, as a share of its smallest pulley's radius [1]."""


def wheel_loop(wheel: Wheel) -> Loop:
    """Return the rim of a wheel in the body frame, run as a belt."""
    turn = 2.0 * math.pi
    return Loop((Arc(x=wheel.x, z=0.0, heading=math.pi, radius=wheel.radius, turn=turn),))


def band(loop: Loop, width: float, thickness: float) -> Mesh:
    """Return a closed band along a loop; its outer side is the loop."""
    places = _places(loop)
    outer = np.column_stack(loop.point_at(places))
    inner = outer - thickness * np.column_stack(loop.normal_at(places))
    return ring(outer, inner, width)


def pulleys(loop: Loop, width: float, inset: float) -> Mesh:
    """Return a disc at each end of a belt, with a hub, `inset` thinner than the belt's loop [m]."""
    parts = []
    for segment in loop.segments:
        if isinstance(segment, Arc) and segment.turn > 0.0 and segment.radius > 1.5 * inset:
            x, z = segment.centre
            for radius, share in ((segment.radius - inset, 0.96), (0.3 * segment.radius, 1.06)):
                parts.append(disc(radius, share * width).moved((x, 0.0, z)))
    return join(parts)


def side_plate(loop: Loop, width: float, inset: float) -> Mesh:
    """Return what fills a belt: a plate along the hull of its pulleys, smaller by `inset` [m]."""
    places = _places(loop)
    points = np.column_stack(loop.point_at(places))
    inner = points - inset * np.column_stack(loop.normal_at(places))
    return prism(inner, width)


def band_thickness(loop: Loop) -> float:
    """Return how thick a band is drawn [m]."""
    radii = [segment.radius for segment in loop.segments if isinstance(segment, Arc)]
    return BAND * min(radii)


def _places(loop: Loop, step: float = math.radians(12.0)) -> NDArray[np.float64]:
    """Return places along a loop that draw it, with a point at each `step` of an arc [rad]."""
    parts = []
    for start, segment in zip(loop.starts, loop.segments, strict=True):
        count = max(math.ceil(abs(segment.turn) / step), 1)
        parts.append(start + np.arange(count) * segment.length / count)
    return np.concatenate(parts)
