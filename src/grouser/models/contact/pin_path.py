"""Where the hinges of a belt of plates lie around a loop."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root_scalar

from grouser.description.loop import Arc, Loop


def shrink_loop(loop: Loop, depth: float) -> Loop:
    """Return the loop that runs inside another at a depth [m]; its arcs turn outward."""
    segments = []
    for segment in loop.segments:
        x = segment.x - depth * math.sin(segment.heading)
        z = segment.z - depth * math.cos(segment.heading)
        inner = replace(segment, x=x, z=z)
        if isinstance(inner, Arc):
            inner = replace(inner, radius=inner.radius - depth)
        segments.append(inner)
    return Loop(tuple(segments))


def place_pins(loop: Loop, count: int) -> tuple[NDArray[np.float64], float]:
    """Return the places (x, z) of as many pins on a loop, evenly apart, and their distance [m].

    Plates are chords: the distance is that through the air, not along the loop.
    """
    guess = loop.length / count

    def overshoot(pitch: float) -> float:
        return _walk(loop, count, pitch)[-1] - loop.length

    pitch = root_scalar(overshoot, bracket=(0.7 * guess, guess), xtol=1e-12).root
    places = np.array(_walk(loop, count, pitch)[:-1])
    return np.column_stack(loop.point_at(places)), pitch


def _walk(loop: Loop, count: int, pitch: float) -> list[float]:
    """Return where a walk along a loop in steps of a pitch comes by [m]."""
    places = [0.0]
    for _ in range(count):
        here = places[-1]
        x, z = (float(v) for v in loop.point_at(here))

        def gap(there: float, x: float = x, z: float = z) -> float:
            u, w = loop.point_at(there)
            return math.hypot(float(u) - x, float(w) - z) - pitch

        ahead = (here + 0.9 * pitch, here + 1.6 * pitch)
        places.append(root_scalar(gap, bracket=ahead, xtol=1e-12).root)
    return places
