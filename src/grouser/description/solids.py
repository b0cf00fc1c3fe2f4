"""Planes, slabs and patches, and the highest of many solids at a point.

A solid is seen from above: it has a top, whose height is linear in world x and y. `bottom` is
for models that also look from the side. A patch is paint: a surface without a height.

Every plane and slab is one row of numbers: two distances that must be small for a point to be
inside, and a height, all linear in x and y. A single point walks the rows in plain Python (a
microsecond or two); many points are one array expression. Of many slabs, both look only at those
near a point. All do the same arithmetic in the same order, so that their answers are equal to the
last bit.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.description.footprint_index import FootprintIndex
from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.surface import Rectangle
from grouser.geometry import Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """An unbounded plane through (0, 0, z)."""

    name: str = "plane"
    """Name in drawings."""
    z: float = 0.0
    """Height at the origin of the world [m]."""
    slope: float = 0.0
    """Angle at which it rises along world x [rad]."""
    cross_slope: float = 0.0
    """Angle at which it rises along world y [rad]."""
    surface: str = "ground"
    """Name of its surface."""

    @property
    def top(self) -> tuple[float, float, float]:
        """Coefficients (a, b, c) of the height z = a x + b y + c."""
        return math.tan(self.slope), math.tan(self.cross_slope), self.z

    @property
    def is_level(self) -> bool:
        """Whether its height is the same everywhere."""
        return self.slope == 0.0 and self.cross_slope == 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slab:
    """A block with vertical sides, whose top rises or falls evenly along its length."""

    name: str = "slab"
    """Name in drawings."""
    footprint: Rectangle
    """Footprint seen from above."""
    top_start: float
    """Height of its top where its length starts [m]."""
    top_end: float
    """Height of its top where its length ends [m]."""
    bottom: float = 0.0
    """Height of its underside [m]."""
    surface: str = "ground"
    """Name of its surface."""

    @property
    def is_level(self) -> bool:
        """Whether its top is the same height everywhere."""
        return self.top_start == self.top_end

    @property
    def top(self) -> tuple[float, float, float]:
        """Coefficients (a, b, c) of the height z = a x + b y + c."""
        rise = (self.top_end - self.top_start) / self.footprint.length
        a, b, c = self.footprint.along
        return rise * a, rise * b, 0.5 * (self.top_start + self.top_end) + rise * c


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A rectangle in which the topmost solid has another surface."""

    name: str = "patch"
    """Name in drawings."""
    footprint: Rectangle
    """Footprint seen from above."""
    surface: str
    """Name of its surface."""


Solid: TypeAlias = Plane | Slab | HeightField | Mesh
"""Anything to stand on."""


Index: TypeAlias = int | NDArray[np.intp]
"""One index, or one for each of many points."""

VOID = 0
"""Index of nothing: solids are counted from 1."""
CELLS_AT_ONCE = 16384
"""Rows times points that are worked on together; what fits a processor's cache."""
FEW = 24
"""Number of slabs up to which looking at all of them is faster than an index."""
MARGIN = 1e-6
"""Growth of the footprints in an index, far above what rounding can move an edge [m]."""

_EVERYWHERE = (0.0, 0.0, 0.0, math.inf, 0.0, 0.0, 0.0, math.inf)


class Tops:
    """The tops of planes, slabs, fields and meshes, in this order; index 0 is no top.

    Of many slabs, an index finds those near a point; `few` is the largest number without one.
    """

    def __init__(
        self,
        planes: Sequence[Plane],
        slabs: Sequence[Slab],
        fields: Sequence[HeightField],
        meshes: Sequence[Mesh] = (),
        few: int = FEW,
    ) -> None:
        self._rows = [
            (*_EVERYWHERE, 0.0, 0.0, -math.inf),
            *((*_EVERYWHERE, *plane.top) for plane in planes),
            *(_row(slab) for slab in slabs),
        ]
        self._shapes = (*fields, *meshes)
        self._first_slab = 1 + len(planes)
        self._index = index_footprints(slabs) if len(slabs) > few else None
        columns = np.array(self._rows).T
        self._columns = tuple(np.ascontiguousarray(column) for column in columns)
        self._gradient_x, self._gradient_y = columns[8].copy(), columns[9].copy()
        self._gradient_x[VOID] = self._gradient_y[VOID] = np.nan

    def highest(self, x: Scalar, y: Scalar) -> tuple[Index, Scalar]:
        """Return which solid is on top (0: none) and its height (NaN: none) [m]."""
        if isinstance(x, float | int) and isinstance(y, float | int):
            return self._highest_at_point(float(x), float(y))
        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        if x.shape != y.shape:
            x, y = np.broadcast_arrays(x, y)
        winner, height = self._highest_of_many(x.ravel(), y.ravel())
        return winner.reshape(x.shape), height.reshape(x.shape)

    def gradient(self, winner: Index, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return how the top of solid `winner` rises along world x and y; NaN for none [1]."""
        if not self._shapes:
            return self._gradient_x[winner], self._gradient_y[winner]
        shape = np.shape(winner)
        winner, x, y = (np.ravel(np.broadcast_to(values, shape)) for values in (winner, x, y))
        row = np.minimum(winner, len(self._rows) - 1)
        gradient_x, gradient_y = self._gradient_x[row], self._gradient_y[row]
        for number in np.unique(winner[winner >= len(self._rows)]):
            on_shape = winner == number
            rises = self._shapes[number - len(self._rows)].gradient(x[on_shape], y[on_shape])
            gradient_x[on_shape], gradient_y[on_shape] = rises
        return gradient_x.reshape(shape)[()], gradient_y.reshape(shape)[()]

    def _highest_at_point(self, x: float, y: float) -> tuple[int, float]:
        best, height = VOID, -math.inf
        numbers: Iterable[int] = range(len(self._rows))
        if self._index is not None:
            numbers = chain(
                range(self._first_slab), (self._first_slab + n for n in self._index.at(x, y))
            )
        for number in numbers:
            ax, ay, a, half_a, bx, by, b, half_b, zx, zy, z = self._rows[number]
            if abs(ax * x + ay * y + a) <= half_a and abs(bx * x + by * y + b) <= half_b:
                top = zx * x + zy * y + z
                if top > height:
                    best, height = number, top
        for number, shape in enumerate(self._shapes, start=len(self._rows)):
            top = float(shape.height(x, y))
            if top > height:
                best, height = number, top
        return best, height if best else math.nan

    def _highest_of_many(
        self, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        everywhere = len(self._rows) if self._index is None else self._first_slab
        chunk = max(1, CELLS_AT_ONCE // everywhere)
        if x.size > chunk:
            parts = [slice(first, first + chunk) for first in range(0, x.size, chunk)]
            winners, heights = zip(
                *(self._highest_of_many(x[part], y[part]) for part in parts), strict=True
            )
            return np.concatenate(winners), np.concatenate(heights)
        tops = self._tops(np.s_[:everywhere, np.newaxis], x, y)
        winner, height = tops.argmax(axis=0), tops.max(axis=0)
        if self._index is not None:
            self._raise_to_slabs(self._index, winner, height, x, y)
        for number, shape in enumerate(self._shapes, start=len(self._rows)):
            top = np.asarray(shape.height(x, y))
            higher = top > height
            winner, height = np.where(higher, number, winner), np.where(higher, top, height)
        return winner, np.where(winner == VOID, np.nan, height)

    def _raise_to_slabs(
        self,
        index: FootprintIndex,
        winner: NDArray[np.intp],
        height: NDArray[np.float64],
        x: NDArray[np.float64],
        y: NDArray[np.float64],
    ) -> None:
        """Put the slabs that the index finds into `winner` and `height`, where they are higher."""
        points, numbers = index.pairs(x, y)
        if not len(points):
            return
        numbers = numbers + self._first_slab
        tops = self._tops(numbers, x[points], y[points])
        higher = tops > height[points]
        points, numbers, tops = points[higher], numbers[higher], tops[higher]
        np.maximum.at(height, points, tops)
        first = tops == height[points]  # of equal tops, the first counts
        winner[points[first]] = len(self._rows)
        np.minimum.at(winner, points[first], numbers[first])

    def _tops(
        self, rows: Any, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the heights of the tops of rows, chosen by any index; -inf beside them [m]."""
        ax, ay, a, half_a, bx, by, b, half_b, zx, zy, z = (c[rows] for c in self._columns)
        inside = np.abs(ax * x + ay * y + a) <= half_a
        inside &= np.abs(bx * x + by * y + b) <= half_b
        return np.where(inside, zx * x + zy * y + z, -np.inf)


def index_footprints(parts: Sequence[Slab | Patch]) -> FootprintIndex:
    """Return an index of the rectangles that slabs or patches cover."""
    footprints = [part.footprint for part in parts]
    x, y, yaw, length, width = np.array(
        [(f.x, f.y, f.yaw, f.length, f.width) for f in footprints]
    ).T
    cos, sin = np.abs(np.cos(yaw)), np.abs(np.sin(yaw))
    half = 0.5 * np.column_stack((length * cos + width * sin, length * sin + width * cos)) + MARGIN
    middle = np.column_stack((x, y))
    return FootprintIndex(middle - half, middle + half)


def _row(slab: Slab) -> tuple[float, ...]:
    half_length, half_width = slab.footprint.half_sizes
    return (
        *slab.footprint.along,
        half_length,
        *slab.footprint.across,
        half_width,
        *slab.top,
    )
