"""A terrain as tables of numbers: planes, faces, edges, height fields, and where they lie.

Only what can be touched becomes a feature: sides of slabs above the ground beside them, edges
that stick out of everything around them. Nothing here runs during a simulation.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.description.heightfield import HeightField
from grouser.description.solids import Plane, Slab
from grouser.description.terrain import Terrain
from grouser.geometry import Array, rotate
from grouser.models.ground.facets import (
    SHARP,
    Indices,
    Segments,
    edge_rows,
    face_corners,
    mesh_features,
    rectangle_rows,
    sample_mesh,
    stack_segments,
    triangle_rows,
)
from grouser.notices import LOGGER

LEAST_HEIGHT = 1e-3
"""A face lower than this is left out; what is closer than this touches [m]."""
BESIDE = 1e-5
"""How far from a side the ground beside it is looked up; wider slits are gaps [m]."""
MARGIN = 0.05
"""Features this much farther than `reach` still find room in buffers [m]."""
MOST_CELLS, MOST_ITEMS = 4_000_000, 16_000_000
"""Cells of the index, and numbers listed in them, at most; the latter may hinder only speed."""
SAMPLES = 33
"""Places along a side at which the height of fields is asked."""
NOTHING = -1e30
"""Height of a node without ground [m]."""
DENSE_AREA, DENSE_WINDOW = 64.0, 400
"""A mesh is dense with more faces in the square that a robot reaches: on average, at the most."""
HIDDEN = 0.05
"""Share of a mesh that may lie under other parts of it if it is to become a height field [1]."""


@dataclass(frozen=True, slots=True)
class GroundTables:
    """Everything a robot can touch, as rows of numbers."""

    planes: Array
    """Unit normal (3) [1], distance from the origin along it [m], surface [1]."""
    faces: Array
    """Rectangles and triangles as `facets` has them (f, 16) [m]."""
    edges: Array
    """Start (3) [m], unit direction (3), length [m], surface, number, whether the start is a
    corner to test (e, 10) [1]."""
    cells: Array
    """Least x, y [m], cells per metre [1/m], number of cells along x and y [1]."""
    face_starts: Indices
    """Where the list of faces of each cell begins in `face_items`; cells of a row along x."""
    face_items: Indices
    """Faces by cell."""
    edge_starts: Indices
    """Where the list of edges of each cell begins in `edge_items`."""
    edge_items: Indices
    """Edges by cell."""
    most_faces: int
    """Different faces in cells within reach of one place, at most."""
    most_edges: int
    """Different edges in cells within reach of one place, at most."""
    patches: Array
    """Centre x, y [m], cosine and sine of yaw [1], half length, half width [m], surface [1]."""
    heights: Array
    """Heights of the nodes of all fields, by rows; -1e30 without ground [m]."""
    tiles: Array
    """Highest node of each tile of all fields, by rows [m]."""
    fields: Array
    """Node (0, 0) x, y [m], cosine and sine of yaw [1], nodes per metre along and across [1/m],
    columns, rows, first height, whether diagonals rise, surface, first tile [1], tiles per metre
    [1/m], tiles along and across [1], lowest and highest height [m], three zeros (h, 20)."""


def build_ground(terrain: Terrain, *, reach: float) -> GroundTables:
    """Return the tables of a terrain.

    Args:
        terrain: What to stand on.
        reach: Distance from a robot's origin within which it touches anything [m].
    """
    number = {name: index for index, name in enumerate(terrain.surfaces)}
    planes = _plane_rows(terrain.planes, number)
    fields = list(terrain.fields)
    faces, segments = slab_features(terrain.slabs, number, planes, terrain.fields)
    parts, pieces = [faces], [segments]
    facets = len(faces)
    for solid in terrain.solids:
        if type(solid).__name__ != "Mesh":
            continue
        found = _mesh(solid, number[solid.surface], facets, planes, reach)
        if isinstance(found, HeightField):
            fields.append(found)
        else:
            parts.append(found[0])
            pieces.append(found[1])
            facets += len(solid.triangles)
    rows, edges = np.concatenate(parts), edge_rows(stack_segments(pieces))
    heights, tiles, table = _field_tables(fields, number, reach)
    index = _index(_face_boxes(rows), _edge_boxes(edges), reach)
    return GroundTables(
        planes, np.ascontiguousarray(rows), np.ascontiguousarray(edges), *index,
        _patch_rows(terrain, number), heights, tiles, table,
    )  # fmt: skip


def _plane_rows(planes: tuple[Plane, ...], number: dict[str, int]) -> Array:
    rows = []
    for plane in planes:
        a, b, c = plane.top
        norm = np.sqrt(1.0 + a * a + b * b)
        rows.append((-a / norm, -b / norm, 1.0 / norm, c / norm, number[plane.surface]))
    return np.array(rows, np.float64).reshape(-1, 5)


def _patch_rows(terrain: Terrain, number: dict[str, int]) -> Array:
    rows = []
    for patch in terrain.patches:
        where = patch.footprint
        rows.append(
            (where.x, where.y, np.cos(where.yaw), np.sin(where.yaw), 0.5 * where.length,
             0.5 * where.width, number[patch.surface])
        )  # fmt: skip
    return np.array(rows, np.float64).reshape(-1, 7)


# Height fields


def _field_tables(
    fields: list[HeightField], number: dict[str, int], reach: float
) -> tuple[Array, Array, Array]:
    """Return the heights, the tiles and the row of each field."""
    heights, tiles = [np.zeros(0)], [np.zeros(0)]
    table = np.zeros((len(fields), 20))
    first_height = first_tile = 0
    for row, field in zip(table, fields, strict=True):
        nodes = np.where(np.isnan(field.heights), NOTHING, field.heights)
        rows, columns = nodes.shape
        along, across = field.spacing_along, field.spacing_across
        size = max(reach, along, across)
        highest = _tile_rows(_tile_rows(nodes, size / across).T, size / along).T
        u, v = rotate(-0.5 * (columns - 1) * along, -0.5 * (rows - 1) * across, field.yaw)
        rising = getattr(field, "diagonal", "rising") == "rising"
        row[:17] = (
            field.x + u, field.y + v, np.cos(field.yaw), np.sin(field.yaw), 1.0 / along,
            1.0 / across, columns, rows, first_height, rising, number[field.surface], first_tile,
            1.0 / size, highest.shape[1], highest.shape[0], np.nanmin(field.heights), nodes.max(),
        )  # fmt: skip
        heights.append(nodes.ravel())
        tiles.append(highest.ravel())
        first_height += nodes.size
        first_tile += highest.size
    return np.concatenate(heights), np.concatenate(tiles), table


def _tile_rows(nodes: Array, size: float) -> Array:
    """Return the highest of the rows of each tile, borders included; at least two tiles."""
    last = len(nodes) - 1
    count = max(2, int(np.ceil(last / size - 1e-9)))
    out = np.empty((count, nodes.shape[1]))
    for k in range(count):
        first = min(int(np.floor(k * size + 1e-9)), last)
        out[k] = nodes[first : int(np.ceil((k + 1) * size - 1e-9)) + 1].max(axis=0)
    return out


# Meshes


def _mesh(
    mesh, surface: int, first_facet: int, planes: Array, reach: float
) -> tuple[Array, Segments] | HeightField:
    """Return the features of a mesh, or the height field that stands for a dense one."""
    vertices, triangles = np.asarray(mesh.vertices, np.float64), np.asarray(mesh.triangles)
    faces, segments = mesh_features(vertices, triangles, surface, first_facet)
    faces, segments = _leave_out_buried(faces, segments, planes)
    area = float(np.prod(np.ptp(vertices[:, :2], axis=0)))
    if len(faces) <= DENSE_AREA or area < reach**2 / DENSE_AREA:
        return faces, segments
    index = _index(_face_boxes(faces), np.zeros((0, 4)), reach)
    if len(faces) * (2.0 * reach) ** 2 / area <= DENSE_AREA and index[5] <= DENSE_WINDOW:
        return faces, segments
    heights, spacing, hidden = sample_mesh(vertices, triangles)
    what = f"mesh {mesh.name!r} of {len(triangles):,} triangles"
    if hidden > HIDDEN:
        LOGGER.warning(
            "%s is dense, and %.0f %% of it lie under other parts of it: it stays triangles, of "
            "which a robot reaches up to %d at once, and is slow; give it as a coarser mesh.",
            what, 100.0 * hidden, index[5],
        )  # fmt: skip
        return faces, segments
    down = faces[faces[:, 11] < -0.1]
    lost = bool(len(down)) and np.ptp(face_corners(down)[..., 2]) > LEAST_HEIGHT
    LOGGER.warning(
        "%s is dense, so it became a height field with a spacing of %.3g m%s.",
        what, spacing, "; what lies under overhangs is filled" if lost or hidden > 1e-3 else "",
    )  # fmt: skip
    low = vertices[:, :2].min(axis=0)
    rows, columns = heights.shape
    return HeightField(
        name=mesh.name,
        x=float(low[0] + 0.5 * (columns - 1) * spacing),
        y=float(low[1] + 0.5 * (rows - 1) * spacing),
        spacing_along=spacing,
        spacing_across=spacing,
        heights=heights,
        surface=mesh.surface,
    )


def _leave_out_buried(faces: Array, segments: Segments, planes: Array) -> tuple[Array, Segments]:
    """Return the features that do not lie under a plane, nor face one that they touch."""
    for plane in planes:
        normal, offset = plane[:3], plane[3]
        slack = np.where(faces[:, 9:12] @ normal > 0.0, 1e-6, LEAST_HEIGHT)
        faces = faces[(face_corners(faces) @ normal - offset > slack[:, None]).any(axis=1)]
        above = np.maximum(segments.starts @ normal, segments.ends @ normal) - offset
        segments = segments[above > LEAST_HEIGHT]
    return faces, segments


# The index


def _face_boxes(faces: Array) -> Array:
    """Return least x, y and greatest x, y of faces."""
    corners = face_corners(faces)[..., :2]
    return np.hstack((corners.min(axis=1), corners.max(axis=1)))


def _edge_boxes(edges: Array) -> Array:
    """Return least x, y and greatest x, y of edges."""
    start, end = edges[:, :2], edges[:, :2] + edges[:, 3:5] * edges[:, 6:7]
    return np.hstack((np.minimum(start, end), np.maximum(start, end)))


def _index(
    faces: Array, edges: Array, reach: float
) -> tuple[Array, Indices, Indices, Indices, Indices, int, int]:
    """Return cells, starts and items of faces and edges, and the most of each within reach."""
    every = np.concatenate((faces, edges))
    if not len(every):
        every = np.zeros((1, 4))
    low, size = every[:, :2].min(axis=0), 0.5 * reach
    extent = every[:, 2:].max(axis=0) - low
    size = max(size, float(np.sqrt(extent.prod() / MOST_CELLS)), float(extent.max()) / MOST_CELLS)
    while True:
        shape = (extent / size).astype(np.int64) + 1
        spans = [_spans(boxes, low, size, shape) for boxes in (faces, edges)]
        listed = sum(int(_sizes(span).prod(axis=1).sum()) for span in spans)
        if shape.prod() <= MOST_CELLS and listed <= max(MOST_ITEMS, 4 * len(every)):
            break
        size *= 1.25
    window = int(2.0 * (reach + MARGIN) / size) + 2
    (face_starts, face_items), (edge_starts, edge_items) = (_list(span, shape) for span in spans)
    most = [max(1, _most_in_window(span, shape, window)) for span in spans]
    cells = np.array([*low, 1.0 / size, *shape], np.float64)
    return cells, face_starts, face_items, edge_starts, edge_items, most[0], most[1]


def _spans(boxes: Array, low: Array, size: float, shape: Indices) -> Indices:
    """Return the first and last cell of each box along x and y (n, 4)."""
    cells = np.floor((boxes - np.tile(low, 2)) / size).astype(np.int64)
    return np.clip(cells, 0, np.tile(shape - 1, 2))


def _sizes(spans: Indices) -> Indices:
    return spans[:, 2:] - spans[:, :2] + 1


def _list(spans: Indices, shape: Indices) -> tuple[Indices, Indices]:
    """Return where the list of each cell begins, and the boxes in the cells."""
    sizes = _sizes(spans)
    which, k = _expand(sizes.prod(axis=1))
    wide = sizes[which, 0]
    cell = (spans[which, 1] + k // wide) * shape[0] + spans[which, 0] + k % wide
    order = np.argsort(cell, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(cell, minlength=int(shape.prod())))))
    return starts.astype(np.int64), which[order]


def _expand(counts: Indices) -> tuple[Indices, Indices]:
    """Return for each of counts[i] repetitions the number i, and which repetition it is."""
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)


def _most_in_window(spans: Indices, shape: Indices, window: int) -> int:
    """Return how many boxes a square of window x window cells meets at most.

    A box meets the square in a rectangle of cells, which has one cell more than it has pairs of
    neighbours, fours counted back: so cells - pairs + fours counts every box once.
    """
    if not len(spans):
        return 0
    total = 0
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        x0, y0, x1, y1 = (spans + [0, 0, 1 - dx, 1 - dy]).T
        some = (x1 > x0) & (y1 > y0)
        grid = np.zeros((shape[1] + 1, shape[0] + 1), np.int64)
        for x, y, sign in ((x0, y0, 1), (x1, y0, -1), (x0, y1, -1), (x1, y1, 1)):
            np.add.at(grid, (y[some], x[some]), sign)
        sums = grid.cumsum(axis=0).cumsum(axis=1).cumsum(axis=0).cumsum(axis=1)
        sums = np.pad(sums[:-1, :-1], ((1, 0), (1, 0)))
        # Squares begin at every cell; what would reach over the end is cut there.
        ends = [np.minimum(np.arange(n) + window, n) for n in (shape[1], shape[0])]
        lasts = [np.maximum(e - d, np.arange(len(e))) for e, d in zip(ends, (dy, dx), strict=True)]
        rows = sums[lasts[0]] - sums[:-1]
        part = rows[:, lasts[1]] - rows[:, :-1]
        total = total + (part if dx == dy else -part)
    return int(np.max(total))


# Slabs


@dataclass(frozen=True)
class _Blocks:
    """All slabs at once."""

    centre: Array
    along: Array
    half: Array
    bottom: Array
    rise: Array
    middle: Array
    surface: Array

    @cached_property
    def across(self) -> Array:
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


def _read_slabs(slabs: tuple[Slab, ...], number: dict[str, int]) -> _Blocks:
    rows = np.array(
        [
            (s.footprint.x, s.footprint.y, s.footprint.yaw, s.footprint.length, s.footprint.width,
             s.bottom, s.top_start, s.top_end, number[s.surface])
            for s in slabs
        ],
        np.float64,
    ).reshape(-1, 9)  # fmt: skip
    x, y, yaw, length, width, bottom, start, end, surface = rows.T
    return _Blocks(
        centre=np.column_stack((x, y)),
        along=np.column_stack((np.cos(yaw), np.sin(yaw))),
        half=0.5 * np.column_stack((length, width)),
        bottom=bottom,
        rise=(end - start) / length,
        middle=0.5 * (start + end),
        surface=surface,
    )


def _touching(blocks: _Blocks) -> Indices:
    """Return pairs (p, 2) of different slabs that touch or overlap, each in both orders."""
    boxes = np.hstack((blocks.corners.min(axis=1), blocks.corners.max(axis=1)))
    boxes += np.array([-1.0, -1.0, 1.0, 1.0]) * 2.0 * BESIDE
    low = boxes[:, :2].min(axis=0)
    extent = boxes[:, 2:].max(axis=0) - low
    usual = 2.0 * float(np.median(boxes[:, 2:] - boxes[:, :2]))
    size = max(usual, float(np.sqrt(extent.prod() / (4 * len(blocks) + 1000))))
    shape = (extent / size).astype(np.int64) + 1
    starts, items = _list(_spans(boxes, low, size, shape), shape)
    counts = np.diff(starts)
    cell = np.repeat(np.arange(len(counts)), counts)
    which, k = _expand(counts[cell])
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
class _Stretches:
    """Stretches of the sides of slabs, beside each of which the same slabs lie."""

    blocks: _Blocks
    side: Indices
    first: Array
    last: Array
    links: tuple[Indices, Indices, Array]
    """Sides in order, slabs beside them, from where to where outside, and inside (k, 4)."""

    @cached_property
    def block(self) -> Indices:
        return self.side // 4

    @cached_property
    def begin(self) -> Array:
        return self.blocks.corners.reshape(-1, 2)[self.side]

    @cached_property
    def way(self) -> Array:
        """Unit vectors along the sides, counter-clockwise about the slab."""
        axes = np.stack((self.blocks.along, self.blocks.across), axis=1)
        return axes[self.block, self.side % 2] * np.where(self.side % 4 < 2, 1.0, -1.0)[:, None]

    @cached_property
    def out(self) -> Array:
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
        which, k = _expand(np.diff(bounds)[self.side])
        link = bounds[self.side[which]] + k
        middle = 0.5 * (self.first + self.last)[which]
        outside = (spans[link, 0] <= middle) & (middle <= spans[link, 1])
        inside = (spans[link, 2] <= middle) & (middle <= spans[link, 3])
        some = outside | inside
        return which[some], other[link[some]], outside[some], inside[some]

    def points(self, which: Indices, t: Array, height: Array) -> Array:
        """Return points (k, 3) of stretches at places along their sides."""
        return np.column_stack((self.begin[which] + t[:, None] * self.way[which], height))


def _split_sides(blocks: _Blocks, pairs: Indices) -> _Stretches:
    """Return the stretches of all sides."""
    side = np.arange(4 * len(blocks))
    length = 2.0 * blocks.half[side // 4, side % 2]
    nothing = np.zeros(0, np.int64)
    whole = _Stretches(
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
    return _Stretches(blocks, of[:-1][same], at[:-1][same], last, links)


def _links(whole: _Stretches, pairs: Indices) -> tuple[Indices, Indices, Array]:
    """Return which slabs lie just outside or inside of which whole sides, as `links`."""
    pair, k = _expand(np.full(len(pairs), 4))
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
    blocks = _read_slabs(slabs, number)
    pairs = _touching(blocks)
    stretches = _split_sides(blocks, pairs)
    sides, segments = _sides(stretches, planes, fields)
    level = _levels(blocks, pairs, planes, fields)
    sides[:, 15] += len(level)
    level[:, 15] = np.arange(len(level))
    faces = np.concatenate((level, sides))
    faces[:, 15] %= 65536
    return faces, stack_segments([*segments, _upright(blocks, pairs, planes, fields)])


def _sides(
    stretches: _Stretches, planes: Array, fields: tuple[HeightField, ...]
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


def _slope(stretches: _Stretches, which: Indices, block: Indices) -> Array:
    """Return the angle at which tops rise outwards, across stretches [rad]."""
    blocks = stretches.blocks
    along = np.einsum("ij,ij->i", blocks.along[block], stretches.out[which])
    return np.arctan(blocks.rise[block] * along)


def _segments(stretches: _Stretches, which: Indices, first: Array, last: Array) -> Segments:
    return Segments(
        np.column_stack((stretches.ends[0][which], first[which])),
        np.column_stack((stretches.ends[1][which], last[which])),
        stretches.blocks.surface[stretches.block[which]],
        np.ones(len(which)),
    )


def _side_rows(stretches: _Stretches, gaps: _Gaps) -> Array:
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
    blocks: _Blocks, pairs: Indices, planes: Array, fields: tuple[HeightField, ...]
) -> Segments:
    """Return the upright edges at corners of slabs, from top to foot."""
    corner = np.arange(4 * len(blocks))
    block, points = corner // 4, blocks.corners.reshape(-1, 2)
    u = blocks.along[block] * np.array([-1.0, 1.0, 1.0, -1.0])[corner % 4, None] * BESIDE
    v = blocks.across[block] * np.array([-1.0, -1.0, 1.0, 1.0])[corner % 4, None] * BESIDE
    pair, k = _expand(np.full(len(pairs), 4))
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
    blocks: _Blocks, pairs: Indices, planes: Array, fields: tuple[HeightField, ...]
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


def _is_hidden(blocks: _Blocks, pairs: Indices) -> NDArray[np.bool_]:
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


def _is_tiled(blocks: _Blocks, one: int, others: Indices) -> bool:
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
