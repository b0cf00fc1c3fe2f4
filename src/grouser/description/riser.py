"""Vertical faces of the terrain: what a robot climbs, or falls from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grouser.description.solid import Slab, Solid
from grouser.geometry import Scalar

LEAST_HEIGHT = 1e-3
"""A face lower than this is no riser [m]."""
BESIDE = 1e-6
"""How far from a face the ground beside it is looked up [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Riser:
    """A vertical face, seen from above a line."""

    start: tuple[float, float]
    """One end of the line; the high side is to the left of the way from start to end [m]."""
    end: tuple[float, float]
    """The other end of the line [m]."""
    low: float
    """Height of the ground at its foot; where that is not level, at the middle [m]."""
    high: float
    """Height of its upper edge [m]."""
    normal_to_high: tuple[float, float]
    """Unit vector across the face, from its low side to its high side [1]."""

    @property
    def height(self) -> float:
        """How high it is [m]."""
        return self.high - self.low


class _Ground(Protocol):
    """What is asked of a terrain."""

    @property
    def slabs(self) -> Sequence[Slab]: ...
    def height(self, x: Scalar, y: Scalar) -> Scalar: ...
    def solid_at(self, x: float, y: float) -> Solid | None: ...


@dataclass(frozen=True, slots=True)
class _Face:
    start: NDArray[np.float64]
    end: NDArray[np.float64]

    @property
    def direction(self) -> NDArray[np.float64]:
        return (self.end - self.start) / np.linalg.norm(self.end - self.start)

    @property
    def inward(self) -> NDArray[np.float64]:
        along_x, along_y = self.direction
        return np.array([0.0 - along_y, along_x])

    def beside(self, fraction: float, distance: float) -> tuple[float, float]:
        """Return a point at a fraction of the face, moved inward by a distance."""
        point = self.start + fraction * (self.end - self.start) + distance * self.inward
        return float(point[0]), float(point[1])


def find_risers(slab: Slab, terrain: _Ground) -> tuple[Riser, ...]:
    """Return the risers that a level slab makes in a terrain.

    A riser is a stretch of a side of the slab that is seen: nothing covers the slab there, and
    just outside the ground is lower by more than 1 mm. Where there is no ground outside, the
    foot of the riser is the underside of the slab. Where a slope leads onto the slab, the two
    sides that continue the sides of the slope count as little as those of the slope itself.
    """
    corners = slab.footprint.corners
    faces = [_Face(corners[i], corners[(i + 1) % 4]) for i in range(4)]
    continues = [_continues_slope(face, slab, terrain) for face in faces]
    risers: list[Riser] = []
    for i, face in enumerate(faces):
        if not (continues[i - 1] or continues[(i + 1) % 4]):
            risers += _risers_of_face(face, slab, terrain)
    return tuple(risers)


def _continues_slope(face: _Face, slab: Slab, terrain: _Ground) -> bool:
    """Return whether a slope outside the middle of the face leads onto the slab."""
    outside = face.beside(0.5, -BESIDE)
    neighbour = terrain.solid_at(*outside)
    return (
        isinstance(neighbour, Slab)
        and not neighbour.is_level
        and abs(float(terrain.height(*outside)) - slab.top_end) < LEAST_HEIGHT
    )


def _risers_of_face(face: _Face, slab: Slab, terrain: _Ground) -> Iterator[Riser]:
    stretches: list[tuple[float, float, float]] = []
    for first, last in pairwise(_breaks(face, terrain.slabs)):
        low = _foot(face, 0.5 * (first + last), slab, terrain)
        if low is None:
            continue
        if stretches and stretches[-1][1] == first and abs(stretches[-1][2] - low) < 1e-9:
            first = stretches.pop()[0]
        stretches.append((first, last, low))
    for first, last, low in stretches:
        inward = face.inward
        yield Riser(
            start=face.beside(first, 0.0),
            end=face.beside(last, 0.0),
            low=low,
            high=slab.top_end,
            normal_to_high=(float(inward[0]), float(inward[1])),
        )


def _foot(face: _Face, fraction: float, slab: Slab, terrain: _Ground) -> float | None:
    """Return the height at the foot of the face, or nothing where there is no riser."""
    covered = float(terrain.height(*face.beside(fraction, BESIDE))) > slab.top_end + 1e-9
    low = float(terrain.height(*face.beside(fraction, -BESIDE)))
    low = slab.bottom if np.isnan(low) else low
    return None if covered or slab.top_end - low <= LEAST_HEIGHT else low


def _breaks(face: _Face, slabs: Iterable[Slab]) -> list[float]:
    """Return the fractions of a face where it may pass into or out of the sides of slabs."""
    span = face.end - face.start
    breaks = {0.0, 1.0}
    for slab in slabs:
        sides = zip(
            (slab.footprint.along, slab.footprint.across),
            (0.5 * slab.footprint.length, 0.5 * slab.footprint.width),
            strict=True,
        )
        for (a, b, c), half in sides:
            at_start, change = a * face.start[0] + b * face.start[1] + c, a * span[0] + b * span[1]
            if abs(change) > 1e-9:
                breaks |= {round((side - at_start) / change, 12) for side in (-half, half)}
    return sorted(fraction for fraction in breaks if 0.0 <= fraction <= 1.0)
