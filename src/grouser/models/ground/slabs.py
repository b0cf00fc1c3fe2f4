"""Faces and edges of slabs that can be touched: tops, sides above the ground beside them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.description.heightfield import HeightField
from grouser.description.solids import Slab
from grouser.geometry import Array
from grouser.models.ground.blocks import (
    BESIDE,
    LEAST_HEIGHT,
    Blocks,
    Stretches,
    read_slabs,
    split_sides,
    touching,
)
from grouser.models.ground.facets import (
    SHARP,
    Indices,
    Segments,
    rectangle_rows,
    stack_segments,
    triangle_rows,
)
from grouser.models.ground.index import expand

SAMPLES = 33
"""Places along a side at which the height of fields is asked."""
NOTHING = -1e30
"""Height of a node without ground [m]."""


def _ground_level(
    ends: tuple[Array, Array], tops: tuple[Array, Array], planes: Array,
    fields: tuple[HeightField, ...],
) -> Array:  # fmt: skip
    """Return the least height of planes and fields along lines; inf where above `tops`."""
    level = np.full(len(tops[0]), NOTHING)
    for nx, ny, nz, offset, _ in planes:
        heights = [(offset - nx * end[:, 0] - ny * end[:, 1]) / nz for end in ends]
        over = [z >= top - LEAST_HEIGHT for z, top in zip(heights, tops, strict=True)]
        level = np.maximum(level, np.where(over[0] & over[1], np.inf, np.minimum(*heights)))
    share = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    for field in fields:
        x, y = (ends[0][:, k] + share * (ends[1] - ends[0])[:, k] for k in (0, 1))
        heights = np.nan_to_num(field.height(x, y), nan=NOTHING)
        over = heights >= tops[0] + share * (tops[1] - tops[0]) - LEAST_HEIGHT
        level = np.maximum(level, np.where(over.all(axis=0), np.inf, heights.min(axis=0)))
    return level


@dataclass(frozen=True)
class _Gaps:
    """Ranges of height in which nothing is beside a stretch or corner."""

    of: Indices
    low: Array
    high: Array
    is_top: NDArray[np.bool_]


def _find_gaps(
    bottom: Array, tops: tuple[Array, Array], of: Indices, low: Array, high: Array
) -> _Gaps:
    """Return what ranges (of, low, high) leave free between bottoms and tops; each has some."""
    order = np.lexsort((low, of))
    of, low, high = of[order], low[order], high[order]
    values, rank = np.unique(high, return_inverse=True)
    reached = np.maximum.accumulate(of * len(values) + rank.reshape(-1))
    reached = values[reached - of * len(values)]
    following = np.append(np.where(of[1:] == of[:-1], low[1:], np.inf), np.inf)
    top = np.maximum(*tops)[of]
    start, stop = np.maximum(reached, bottom[of]), np.minimum(following, top)
    # A range that begins beside a sloping top leaves all of the top free.
    is_top = following > np.minimum(top - 1e-6, np.minimum(*tops)[of] + LEAST_HEIGHT)
    stop = np.where(is_top, top, stop)
    keep = np.minimum(stop, following) - start > LEAST_HEIGHT
    return _Gaps(of[keep], start[keep], stop[keep], is_top[keep])


def slab_features(
    slabs: tuple[Slab, ...], number: dict[str, int], planes: Array, fields: tuple[HeightField, ...]
) -> tuple[Array, Segments]:
    """Return the rows of faces of slabs, and the segments of their edges."""
    if not slabs:
        return np.zeros((0, 16)), stack_segments([])
    blocks = read_slabs(slabs, number)
    pairs = touching(blocks)
    stretches = split_sides(blocks, pairs)
    sides, segments = _sides(stretches, planes, fields)
    level = _levels(blocks, pairs, planes, fields)
    sides[:, 15] += len(level)
    level[:, 15] = np.arange(len(level))
    faces = np.concatenate((level, sides))
    faces[:, 15] %= 65536
    return faces, stack_segments([*segments, _upright(blocks, pairs, planes, fields)])


def _sides(
    stretches: Stretches, planes: Array, fields: tuple[HeightField, ...]
) -> tuple[Array, list[Segments]]:
    """Return faces of sides, and segments of the edges above, between and below them."""
    blocks, block, tops = stretches.blocks, stretches.block, stretches.tops
    ground = _ground_level(stretches.ends, tops, planes, fields)
    which, other, outside, inside = stretches.beside()
    ends = [blocks.height(other, end[which]) for end in stretches.ends]
    lead = [z - top[which] for z, top in zip(ends, tops, strict=True)]
    hides = (lead[0] >= -LEAST_HEIGHT) & (lead[1] >= -LEAST_HEIGHT)
    reach = np.where(hides, np.inf, np.minimum(*ends))
    # Of two flush sides, the first slab has the face.
    beside = outside | (other < block[which])
    gaps = _find_gaps(
        blocks.bottom[block],
        tops,
        np.concatenate((np.arange(len(block)), which[beside])),
        np.concatenate((np.full(len(block), NOTHING), blocks.bottom[other[beside]])),
        np.concatenate((ground, reach[beside])),
    )
    middle = 0.5 * (tops[0] + tops[1])[which]
    bottom = blocks.bottom[block[which]]
    above = np.zeros(len(block), bool)
    over = 0.5 * (lead[0] + lead[1]) > LEAST_HEIGHT
    above[which[over & (blocks.bottom[other] <= middle + LEAST_HEIGHT)]] = True
    below = ground >= blocks.bottom[block] - LEAST_HEIGHT
    under = 0.5 * (ends[0] + ends[1]) >= bottom - LEAST_HEIGHT
    below[which[under & (blocks.bottom[other] < bottom - LEAST_HEIGHT)]] = True
    upper = gaps.of[gaps.is_top & ~above[gaps.of]]
    lower = gaps.of[(gaps.low <= blocks.bottom[block[gaps.of]] + 1e-9) & ~below[gaps.of]]
    level = np.maximum(np.abs(lead[0]), np.abs(lead[1])) <= LEAST_HEIGHT
    ridge = outside & ~inside & level & (block[which] < other) & ~above[which]
    bent = _slope(stretches, which, block[which]) - _slope(stretches, which, other)
    crest = np.unique(which[ridge & (bent > SHARP)])
    lines = [_segments(stretches, some, *tops) for some in (upper, crest)]
    lines.append(_segments(stretches, lower, *[blocks.bottom[block]] * 2))
    return _side_rows(stretches, gaps), lines


def _slope(stretches: Stretches, which: Indices, block: Indices) -> Array:
    """Return the angle at which tops rise outwards, across stretches [rad]."""
    blocks = stretches.blocks
    along = np.einsum("ij,ij->i", blocks.along[block], stretches.out[which])
    return np.arctan(blocks.rise[block] * along)


def _segments(stretches: Stretches, which: Indices, first: Array, last: Array) -> Segments:
    return Segments(
        np.column_stack((stretches.ends[0][which], first[which])),
        np.column_stack((stretches.ends[1][which], last[which])),
        stretches.blocks.surface[stretches.block[which]],
        np.ones(len(which)),
    )


def _side_rows(stretches: Stretches, gaps: _Gaps) -> Array:
    """Return rectangles and, below sloping tops, triangles, of gaps in a row joined."""
    side, high = stretches.side[gaps.of], np.where(gaps.is_top, np.inf, np.round(gaps.high, 9))
    low = np.round(gaps.low, 9)
    order = np.lexsort((stretches.first[gaps.of], high, low, side))
    side, high, low, of = side[order], high[order], low[order], gaps.of[order]
    first, last = stretches.first[of], stretches.last[of]
    goes_on = (side[1:] == side[:-1]) & (low[1:] == low[:-1]) & (high[1:] == high[:-1])
    goes_on &= np.abs(first[1:] - last[:-1]) < BESIDE
    head = np.flatnonzero(np.append(True, ~goes_on)[: len(of)])
    of, low, high, first = of[head], low[head], high[head], first[head]
    last = last[np.append(head[1:], len(last)) - 1] if len(head) else last
    ends = [stretches.points(of, t, low) for t in (first, last)]
    blocks, block = stretches.blocks, stretches.block[of]
    tops = [np.minimum(blocks.height(block, end[:, :2]), high) for end in ends]
    lower, upper = np.minimum(*tops), np.maximum(*tops)
    facet, surface = np.arange(len(of), dtype=np.float64), blocks.surface[block]
    middle = 0.5 * (ends[0] + ends[1])
    middle[:, 2] = 0.5 * (low + lower)
    way = np.pad(stretches.way[of], ((0, 0), (0, 1)))
    up = np.tile([0.0, 0.0, 1.0], (len(of), 1))
    flat = rectangle_rows(
        middle, way, up, 0.5 * (last - first), 0.5 * (lower - low), surface, facet
    )[lower - low > 1e-6]
    corners = np.stack((*ends, np.where((tops[1] > tops[0])[:, None], ends[1], ends[0])), axis=1)
    corners[:, :2, 2], corners[:, 2, 2] = lower[:, None], upper
    sloping = upper - lower > 1e-6
    return np.concatenate((flat, triangle_rows(corners[sloping], surface[sloping], facet[sloping])))


def _upright(
    blocks: Blocks, pairs: Indices, planes: Array, fields: tuple[HeightField, ...]
) -> Segments:
    """Return the upright edges at corners of slabs, from top to foot."""
    corner = np.arange(4 * len(blocks))
    block, points = corner // 4, blocks.corners.reshape(-1, 2)
    u = blocks.along[block] * np.array([-1.0, 1.0, 1.0, -1.0])[corner % 4, None] * BESIDE
    v = blocks.across[block] * np.array([-1.0, -1.0, 1.0, 1.0])[corner % 4, None] * BESIDE
    pair, k = expand(np.full(len(pairs), 4))
    own, other = 4 * pairs[pair, 0] + k, pairs[pair, 1]
    around = np.stack((points + u - v, points - u + v, points + u + v, points - u - v), axis=1)
    held = blocks.holds(other, around[own])
    beside = held[:, :3].any(axis=1) | (held[:, 3] & (other < block[own]))
    own, other = own[beside], other[beside]
    top = blocks.height(block, points)
    ground = _ground_level((points, points), (top, top), planes, fields)
    gaps = _find_gaps(
        blocks.bottom[block],
        (top, top),
        np.concatenate((corner, own)),
        np.concatenate((np.full(len(corner), NOTHING), blocks.bottom[other])),
        np.concatenate((ground, blocks.height(other, points[own]))),
    )
    return Segments(
        np.column_stack((points[gaps.of], gaps.high)),
        np.column_stack((points[gaps.of], gaps.low)),
        blocks.surface[block[gaps.of]],
        np.ones(len(gaps.of)),
    )


def _levels(
    blocks: Blocks, pairs: Indices, planes: Array, fields: tuple[HeightField, ...]
) -> Array:
    """Return the tops, and the undersides with nothing close below them; hidden ones left out."""
    one, two = pairs.T
    every = np.arange(len(blocks))
    tops = np.stack([blocks.height(every, blocks.corners[:, k]) for k in range(4)], axis=1)
    over = np.stack([blocks.height(two, blocks.corners[one, k]) for k in range(4)], axis=1)
    lead, floor = over - tops[one], blocks.bottom[one]
    flush = (lead >= -1e-6).all(axis=1) & (two < one)
    covers = (lead > LEAST_HEIGHT).all(axis=1) | flush
    covers &= blocks.bottom[two] <= tops[one].min(axis=1) + LEAST_HEIGHT
    carries = (over >= floor[:, None] - LEAST_HEIGHT).all(axis=1)
    deeper = blocks.bottom[two] < floor - LEAST_HEIGHT
    carries &= deeper | ((blocks.bottom[two] <= floor) & (two < one))
    hidden = _is_hidden(blocks, pairs[covers])
    resting = _is_hidden(blocks, pairs[carries])
    for nx, ny, nz, offset, _ in planes:
        ground = (offset - nx * blocks.corners[..., 0] - ny * blocks.corners[..., 1]) / nz
        hidden |= (ground >= tops - 1e-6).all(axis=1)
        resting |= (ground >= blocks.bottom[:, None] - LEAST_HEIGHT).all(axis=1)
    share = np.linspace(0.0, 1.0, 9)[:, None, None]
    for field in fields:
        a, b, c, d = np.moveaxis(blocks.corners, 1, 0)
        right, left = a + share * (b - a), d + share * (c - d)
        inner = right + share[:, None] * (left - right)
        ground = np.nan_to_num(field.height(inner[..., 0], inner[..., 1]), nan=NOTHING)
        resting |= (ground >= blocks.bottom - LEAST_HEIGHT).all(axis=(0, 1))
    shown, hanging = np.flatnonzero(~hidden), np.flatnonzero(~resting)
    along, across = (np.pad(a, ((0, 0), (0, 1))) for a in (blocks.along, blocks.across))
    along[:, 2] = blocks.rise
    steep = np.sqrt(1.0 + blocks.rise**2)
    upper = rectangle_rows(
        np.column_stack((blocks.centre, blocks.middle)), along / steep[:, None], across,
        blocks.half[:, 0] * steep, blocks.half[:, 1], blocks.surface, steep,
    )[shown]  # fmt: skip
    along[:, 2] = 0.0
    lower = rectangle_rows(
        np.column_stack((blocks.centre, blocks.bottom)), along, -across, blocks.half[:, 0],
        blocks.half[:, 1], blocks.surface, steep,
    )[hanging]  # fmt: skip
    return np.concatenate((upper, lower))


def _is_hidden(blocks: Blocks, pairs: Indices) -> NDArray[np.bool_]:
    """Return whether the second slabs of pairs, seen from above, cover the whole first one."""
    one, two = pairs.T
    hidden = np.zeros(len(blocks), bool)
    hidden[one[blocks.holds(two, blocks.corners[one], BESIDE).all(axis=1)]] = True
    # Several that are parallel or square to it, on the grid of all their sides.
    turn = np.einsum("ij,ij->i", blocks.along[one], blocks.along[two])
    square = (np.abs(turn) > 1.0 - 1e-12) | (np.abs(turn) < 1e-6)
    one, two = one[square & ~hidden[one]], two[square & ~hidden[one]]
    owns, bounds = np.unique(one, return_index=True)
    for own, others in zip(owns, np.split(two, bounds[1:]), strict=False):
        if len(others) > 1:
            hidden[own] = _is_tiled(blocks, own, others)
    return hidden


def _is_tiled(blocks: Blocks, one: int, others: Indices) -> bool:
    """Return whether footprints square to that of a slab cover it together."""
    away = blocks.corners[others] - blocks.centre[one]
    ranges = []
    for axis, half in zip((blocks.along[one], blocks.across[one]), blocks.half[one], strict=True):
        low, high = (np.clip(f(away @ axis, axis=1), -half, half) for f in (np.min, np.max))
        marks = np.unique(np.concatenate((low, high, [-half, half])))
        middles = 0.5 * (marks[1:] + marks[:-1])[np.diff(marks) > 2.0 * BESIDE]
        ranges.append((low[:, None] <= middles) & (middles <= high[:, None]))
    inside = ranges[0][:, :, None] & ranges[1][:, None, :]
    return bool(inside.any(axis=0).all())
