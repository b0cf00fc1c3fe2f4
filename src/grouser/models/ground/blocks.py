"""Slabs as tables: which of them touch, and what lies beside each stretch of their sides."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.description.solids import Slab
from grouser.geometry import Array
from grouser.models.ground.facets import Indices
from grouser.models.ground.index import box_spans, expand, list_boxes

LEAST_HEIGHT = 1e-3
"""A face lower than this is left out; what is closer than this touches [m]."""
BESIDE = 1e-5
"""How far from a side the ground beside it is looked up; wider slits are gaps [m]."""


@dataclass(frozen=True)
class Blocks:
    """All slabs at once."""

    centre: Array
    """Middle of the footprint (n, 2) [m]."""
    along: Array
    """Unit vector along it (n, 2) [1]."""
    half: Array
    """Half length and half width (n, 2) [m]."""
    bottom: Array
    """Height of the underside [m]."""
    rise: Array
    """Slope of the top along it [1]."""
    middle: Array
    """Height of the top in the middle [m]."""
    surface: Array
    """Number of the surface [1]."""

    @cached_property
    def across(self) -> Array:
        """Unit vectors to the left of those along (n, 2)."""
        return np.column_stack((-self.along[:, 1], self.along[:, 0]))

    @cached_property
    def corners(self) -> Array:
        """Corners (n, 4, 2) counter-clockwise, from the right end of the start."""
        u = self.half[:, 0, None] * [-1.0, 1.0, 1.0, -1.0]
        v = self.half[:, 1, None] * [-1.0, -1.0, 1.0, 1.0]
        return (
            self.centre[:, None] + u[..., None] * self.along[:, None]
            + v[..., None] * self.across[:, None]
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.bottom)

    def height(self, which: Indices, points: Array) -> Array:
        """Return the height of the tops of some, as if without end, at a point each."""
        away = np.einsum("ij,ij->i", points - self.centre[which], self.along[which])
        return self.middle[which] + self.rise[which] * away

    def cut(self, which: Indices, start: Array, way: Array, length: Array) -> tuple[Array, Array]:
        """Return from where to where lines lie in the footprints of some; nowhere if from > to."""
        first, last = np.zeros(len(start)), length.copy()
        for axis, half in ((self.along, self.half[:, 0]), (self.across, self.half[:, 1])):
            begin = np.einsum("ij,ij->i", start - self.centre[which], axis[which])
            change = np.einsum("ij,ij->i", way, axis[which])
            still = np.abs(change) < 1e-9
            outside = still & (np.abs(begin) > half[which])
            change = np.where(still, 1.0, change)
            a, b = (-half[which] - begin) / change, (half[which] - begin) / change
            first = np.where(still, first, np.maximum(first, np.minimum(a, b)))
            last = np.where(still, last, np.minimum(last, np.maximum(a, b)))
            last = np.where(outside, -1.0, last)
        return first, last

    def holds(self, which: Indices, points: Array, slack: float = 0.0) -> NDArray[np.bool_]:
        """Return whether footprints hold points (..., 2), one or more each."""
        away = points - self.centre[which].reshape(-1, *(1,) * (points.ndim - 2), 2)
        u = np.einsum("i...j,ij->i...", away, self.along[which])
        v = np.einsum("i...j,ij->i...", away, self.across[which])
        half = self.half[which].reshape(-1, *(1,) * (points.ndim - 2), 2) + slack
        return (np.abs(u) <= half[..., 0]) & (np.abs(v) <= half[..., 1])


def read_slabs(slabs: tuple[Slab, ...], number: dict[str, int]) -> Blocks:
    """Return the tables of slabs, given the numbers of surfaces."""
    rows = np.array(
        [
            (s.footprint.x, s.footprint.y, s.footprint.yaw, s.footprint.length, s.footprint.width,
             s.bottom, s.top_start, s.top_end, number[s.surface])
            for s in slabs
        ],
        np.float64,
    ).reshape(-1, 9)  # fmt: skip
    x, y, yaw, length, width, bottom, start, end, surface = rows.T
    return Blocks(
        centre=np.column_stack((x, y)),
        along=np.column_stack((np.cos(yaw), np.sin(yaw))),
        half=0.5 * np.column_stack((length, width)),
        bottom=bottom,
        rise=(end - start) / length,
        middle=0.5 * (start + end),
        surface=surface,
    )


def touching(blocks: Blocks) -> Indices:
    """Return pairs (p, 2) of different slabs that touch or overlap, each in both orders."""
    boxes = np.hstack((blocks.corners.min(axis=1), blocks.corners.max(axis=1)))
    boxes += np.array([-1.0, -1.0, 1.0, 1.0]) * 2.0 * BESIDE
    low = boxes[:, :2].min(axis=0)
    extent = boxes[:, 2:].max(axis=0) - low
    usual = 2.0 * float(np.median(boxes[:, 2:] - boxes[:, :2]))
    size = max(usual, float(np.sqrt(extent.prod() / (4 * len(blocks) + 1000))))
    shape = (extent / size).astype(np.int64) + 1
    starts, items = list_boxes(box_spans(boxes, low, size, shape), shape)
    counts = np.diff(starts)
    cell = np.repeat(np.arange(len(counts)), counts)
    which, k = expand(counts[cell])
    one, two = items[which], items[starts[cell[which]] + k]
    near = (boxes[one, :2] <= boxes[two, 2:]).all(axis=1) & (one < two)
    near &= (boxes[two, :2] <= boxes[one, 2:]).all(axis=1)
    one, two = np.divmod(np.unique(one[near] * len(blocks) + two[near]), len(blocks))
    tops = blocks.middle + np.abs(blocks.rise) * blocks.half[:, 0] + 2.0 * LEAST_HEIGHT
    near = (blocks.bottom[one] <= tops[two]) & (blocks.bottom[two] <= tops[one])
    for of, axes in ((one, blocks.along), (one, blocks.across), (two, blocks.along),
                     (two, blocks.across)):  # fmt: skip
        sides = [np.einsum("ijk,ik->ij", blocks.corners[k], axes[of]) for k in (one, two)]
        near &= sides[0].min(axis=1) <= sides[1].max(axis=1) + 2.0 * BESIDE
        near &= sides[1].min(axis=1) <= sides[0].max(axis=1) + 2.0 * BESIDE
    pairs = np.column_stack((one[near], two[near]))
    pairs = np.concatenate((pairs, pairs[:, ::-1]))
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@dataclass(frozen=True)
class Stretches:
    """Stretches of the sides of slabs, beside each of which the same slabs lie."""

    blocks: Blocks
    side: Indices
    first: Array
    """Where it begins along its side [m]."""
    last: Array
    """Where it ends along its side [m]."""
    links: tuple[Indices, Indices, Array]
    """Sides in order, slabs beside them, from where to where outside, and inside (k, 4) [m]."""

    @cached_property
    def block(self) -> Indices:
        """Slabs that the stretches belong to."""
        return self.side // 4

    @cached_property
    def begin(self) -> Array:
        """Where their sides begin (m, 2)."""
        return self.blocks.corners.reshape(-1, 2)[self.side]

    @cached_property
    def way(self) -> Array:
        """Unit vectors along the sides, counter-clockwise about the slab."""
        axes = np.stack((self.blocks.along, self.blocks.across), axis=1)
        return axes[self.block, self.side % 2] * np.where(self.side % 4 < 2, 1.0, -1.0)[:, None]

    @cached_property
    def out(self) -> Array:
        """Unit vectors out of the slabs (m, 2)."""
        return np.column_stack((self.way[:, 1], -self.way[:, 0]))

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Both ends (m, 2)."""
        first, last = (self.begin + t[:, None] * self.way for t in (self.first, self.last))
        return first, last

    @cached_property
    def tops(self) -> tuple[Array, Array]:
        """Height of the slab's top at both ends."""
        first, last = (self.blocks.height(self.block, end) for end in self.ends)
        return first, last

    def beside(self) -> tuple[Indices, Indices, NDArray[np.bool_], NDArray[np.bool_]]:
        """Return stretch and slab beside it, and whether that is just outside, just inside."""
        sides, other, spans = self.links
        bounds = np.searchsorted(sides, np.arange(4 * len(self.blocks) + 1))
        which, k = expand(np.diff(bounds)[self.side])
        link = bounds[self.side[which]] + k
        middle = 0.5 * (self.first + self.last)[which]
        outside = (spans[link, 0] <= middle) & (middle <= spans[link, 1])
        inside = (spans[link, 2] <= middle) & (middle <= spans[link, 3])
        some = outside | inside
        return which[some], other[link[some]], outside[some], inside[some]

    def points(self, which: Indices, t: Array, height: Array) -> Array:
        """Return points (k, 3) of stretches at places along their sides."""
        return np.column_stack((self.begin[which] + t[:, None] * self.way[which], height))


def split_sides(blocks: Blocks, pairs: Indices) -> Stretches:
    """Return the stretches of all sides."""
    side = np.arange(4 * len(blocks))
    length = 2.0 * blocks.half[side // 4, side % 2]
    nothing = np.zeros(0, np.int64)
    whole = Stretches(
        blocks, side, np.zeros(len(side)), length, (nothing, nothing, np.zeros((0, 4)))
    )
    own, other, spans = links = _links(whole, pairs)
    # Where a slab begins and ends, and where its top crosses that of the side.
    lead = [whole.tops[n][own] - blocks.height(other, whole.ends[n][own]) for n in (0, 1)]
    cross = (lead[0] * lead[1] < 0.0) & (np.minimum(*np.abs(lead)) > LEAST_HEIGHT)
    crossing = (length[own] * lead[0] / np.where(cross, lead[0] - lead[1], 1.0))[cross]
    outer, inner = spans[:, 0] <= spans[:, 1], spans[:, 2] <= spans[:, 3]
    places = [np.zeros(len(side)), length, spans[outer, :2].T.ravel(), spans[inner, 2:].T.ravel()]
    sides = [side, side, np.tile(own[outer], 2), np.tile(own[inner], 2), own[cross]]
    places.append(crossing)
    at, of = np.concatenate(places), np.concatenate(sides)
    order = np.lexsort((at, of))
    at, of = at[order], of[order]
    fresh = np.append(True, (np.diff(of) > 0) | (np.diff(at) > 0.5 * BESIDE))
    at, of = at[fresh], of[fresh]
    # The end of a side that a break nearly meets is the end of its last stretch.
    same = of[1:] == of[:-1]
    final = np.append(~same, True)[1:][same]
    last = np.where(final, length[of[:-1][same]], at[1:][same])
    return Stretches(blocks, of[:-1][same], at[:-1][same], last, links)


def _links(whole: Stretches, pairs: Indices) -> tuple[Indices, Indices, Array]:
    """Return which slabs lie just outside or inside of which whole sides, as `links`."""
    pair, k = expand(np.full(len(pairs), 4))
    own, other = 4 * pairs[pair, 0] + k, pairs[pair, 1]
    spans = np.empty((len(own), 4))
    for column, offset in ((0, BESIDE), (2, -BESIDE)):
        begin = whole.begin[own] + offset * whole.out[own]
        spans[:, column : column + 2] = np.column_stack(
            whole.blocks.cut(other, begin, whole.way[own], whole.last[own])
        )
    met = np.flatnonzero((spans[:, 0] <= spans[:, 1]) | (spans[:, 2] <= spans[:, 3]))
    order = met[np.argsort(own[met], kind="stable")]
    return own[order], other[order], spans[order]
