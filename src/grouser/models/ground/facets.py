"""Rectangles, triangles and edges of the ground, and triangle meshes made of them.

Triangles of one plane are one facet. A facet that is a rectangle becomes one face, any other its
triangles. Only edges that stick out are features, so flat ground in many triangles has no inner
edge at which anything could catch.

A face is a row of 16 numbers: centre (3), u (3), v (3), outward unit normal (3), hu, hv, surface,
facet. A rectangle has unit vectors u, v and half sizes hu, hv. A triangle has u, v whose products
with the vector from its centroid are the shares of its second and third corner, less 1/3; hu is
minus the largest distance of a corner from the centroid, hv is 0.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array

Indices = NDArray[np.int64]
"""Whole numbers that count rows of another array."""

FLAT = 1e-5
"""Neighbouring triangles at a smaller angle are of one facet [rad]."""
SHARP = np.radians(1.0)
"""An edge between faces at a larger angle is a feature [rad]."""
SAME = 1e-5
"""Points closer than about this are one point [m]."""
NUMBERS = 65536
"""Numbers of facets and edges are stored modulo this."""
LEAST_AREA = 1e-12
"""A triangle with less area is left out [m^2]."""
OPEN = 2.0
"""Weight of the ends of an edge of one triangle only; others have 1."""
CORNER = 3.0
"""Weight of the ends that meet in a corner, at least."""


@dataclass(frozen=True, slots=True)
class Segments:
    """Pieces of edges, before they are joined."""

    starts: Array
    """One end of each (n, 3) [m]."""
    ends: Array
    """The other end (n, 3) [m]."""
    surfaces: Array
    """Index of the surface of each (n) [1]."""
    weights: Array
    """What its ends count when corners are looked for (n) [1]."""

    def __getitem__(self, which: NDArray[np.bool_]) -> "Segments":
        """Return some of them."""
        return Segments(
            self.starts[which], self.ends[which], self.surfaces[which], self.weights[which]
        )


def stack_segments(parts: list[Segments]) -> Segments:
    """Return the segments of several parts."""
    return Segments(
        np.concatenate([np.zeros((0, 3)), *(part.starts for part in parts)]),
        np.concatenate([np.zeros((0, 3)), *(part.ends for part in parts)]),
        np.concatenate([np.zeros(0), *(part.surfaces for part in parts)]),
        np.concatenate([np.zeros(0), *(part.weights for part in parts)]),
    )


def rectangle_rows(
    centre: Array, u: Array, v: Array, half_u: Array, half_v: Array, surface: Array, facet: Array
) -> Array:
    """Return rows of rectangles; the normal is u x v."""
    ends = np.column_stack((half_u, half_v, surface, np.mod(facet, NUMBERS)))
    return np.hstack((centre, u, v, np.cross(u, v), ends))


def triangle_rows(corners: Array, surface: Array, facet: Array) -> Array:
    """Return rows of triangles (n, 3, 3), whose corners are counter-clockwise seen from outside."""
    centre = corners.mean(axis=1)
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(a, b)
    doubled = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / doubled
    u, v = np.cross(b, normal) / doubled, np.cross(normal, a) / doubled
    radius = np.linalg.norm(corners - centre[:, None], axis=2).max(axis=1)
    ends = np.column_stack((-radius, np.zeros(len(a)), surface, np.mod(facet, NUMBERS)))
    return np.hstack((centre, u, v, normal, ends))


def face_corners(faces: Array) -> Array:
    """Return the corners (n, 4, 3) of faces in order; the last corner of a triangle twice [m]."""
    centre, u, v, normal = (faces[:, k : k + 3] for k in (0, 3, 6, 9))
    half_u, half_v = faces[:, 12:13], faces[:, 13:14]
    p, q = u * half_u, v * half_v
    rectangles = np.stack((-p - q, p - q, p + q, q - p), axis=1)
    scale = np.einsum("ij,ij->i", normal, np.cross(u, v))[:, None]
    a, b = np.cross(v, normal) / scale, np.cross(normal, u) / scale
    first = -(a + b) / 3.0
    triangles = np.stack((first, first + a, first + b, first + b), axis=1)
    return centre[:, None] + np.where(half_u[:, None] < 0.0, triangles, rectangles)


def keys_of(rows: NDArray) -> Indices:
    """Return a number for each row of whole numbers, equal for equal rows."""
    mixed = np.zeros(len(rows), np.uint64)
    for column in np.asarray(rows, np.int64).T:
        mixed = (mixed ^ column.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed.view(np.int64)


def same_points(points: Array) -> tuple[Indices, Indices]:
    """Return the first of each set of equal points, and the set of each point."""
    keys = keys_of(np.round(points / SAME).astype(np.int64))
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return first, number.reshape(-1)


def edge_rows(segments: Segments) -> Array:
    """Return rows of edges, pieces of one line joined, every corner the start of one of them."""
    if not len(segments.starts):
        return np.zeros((0, 10))
    joined = _join(segments)
    many = len(joined.starts)
    first, ends = same_points(np.concatenate((joined.starts, joined.ends)))
    weights = np.bincount(ends, np.tile(joined.weights, 2), len(first))
    owner = _owners(ends.reshape(2, many).T, weights >= CORNER)
    # An edge begins at the corner that it owns.
    owned = np.flatnonzero(owner >= 0)
    corner, turned = np.zeros(many), np.zeros(many, bool)
    corner[owner[owned]] = 1.0
    turned[owner[owned]] = ends[owner[owned]] != owned
    alone = np.flatnonzero((weights >= CORNER) & (owner < 0))
    starts = np.where(turned[:, None], joined.ends, joined.starts)
    span = np.where(turned[:, None], joined.starts, joined.ends) - starts
    length = np.linalg.norm(span, axis=1)
    rows = np.column_stack(
        (starts, span / length[:, None], length, joined.surfaces, np.zeros(many), corner)
    )
    points = np.concatenate((joined.starts, joined.ends))[first[alone]]
    extra = np.zeros((len(alone), 10))
    extra[:, :3], extra[:, 3], extra[:, 9] = points, 1.0, 1.0
    extra[:, 7] = np.tile(joined.surfaces, 2)[first[alone]]
    rows = np.concatenate((rows, extra))
    rows[:, 8] = np.arange(len(rows)) % NUMBERS
    return rows


def _join(segments: Segments) -> Segments:
    """Return the segments with those of one line and surface that touch made one."""
    span = segments.ends - segments.starts
    length = np.linalg.norm(span, axis=1)
    segments, span = segments[length > SAME], span[length > SAME]
    many = len(span)
    along = span / np.linalg.norm(span, axis=1, keepdims=True)
    coarse = np.round(along * 1e6).astype(np.int64)
    second = np.where(np.abs(coarse[:, 1]) > 1, coarse[:, 1], coarse[:, 2])
    lead = np.where(np.abs(coarse[:, 0]) > 1, coarse[:, 0], second)
    sign = np.where(lead < 0, -1, 1)
    _, ends = same_points(np.concatenate((segments.starts, segments.ends)))
    line = np.column_stack((coarse * sign[:, None], segments.surfaces.astype(np.int64)))
    # The two ends that meet at a point of a line: one piece comes, the other goes on.
    keys = keys_of(np.column_stack((ends, np.tile(line, (2, 1)))))
    order = np.argsort(keys, kind="stable")
    touch = keys[order[1:]] == keys[order[:-1]]
    a, b = order[:-1][touch] % many, order[1:][touch] % many
    count, chain = _connect(a, b, many)
    order = np.argsort(chain, kind="stable")
    bounds = np.searchsorted(chain[order], np.arange(count))
    head = order[bounds]
    # Where the pieces of a chain begin and end, along the first one of them.
    origin, way = segments.starts[head][chain], along[head][chain]
    places = [np.einsum("ij,ij->i", p - origin, way) for p in (segments.starts, segments.ends)]
    low = np.minimum.reduceat(np.minimum(*places)[order], bounds)
    high = np.maximum.reduceat(np.maximum(*places)[order], bounds)
    alone = np.diff(np.append(bounds, many)) == 1
    starts = segments.starts[head] + np.where(alone, 0.0, low)[:, None] * along[head]
    ends = segments.starts[head] + high[:, None] * along[head]
    ends[alone] = segments.ends[head][alone]
    return Segments(starts, ends, segments.surfaces[head], segments.weights[head])


def _owners(ends: Indices, is_corner: NDArray[np.bool_]) -> Indices:
    """Return the edge (n, 2 points) that owns each corner, -1 for none; an edge owns one."""
    owner = np.full(len(is_corner), -1, np.int64)
    free = np.arange(len(ends))
    while len(free):
        open_ = is_corner[ends[free]] & (owner[ends[free]] < 0)
        free, open_ = free[open_.any(axis=1)], open_[open_.any(axis=1)]
        wanted = ends[free, np.where(open_[:, 0], 0, 1)]
        points, chosen = np.unique(wanted, return_index=True)
        owner[points] = free[chosen]
        free = np.delete(free, chosen)
    while _pass_on(ends, is_corner, owner):
        pass
    return owner


def _pass_on(ends: Indices, is_corner: NDArray[np.bool_], owner: Indices) -> bool:
    """Let corners with an unused edge give their own edge to a corner without; whether any did."""
    used = np.zeros(len(ends), bool)
    used[owner[owner >= 0]] = True
    spare = np.full(len(owner), -1, np.int64)
    spare[ends[~used]] = np.flatnonzero(~used)[:, None]
    poor = is_corner & (owner < 0)
    for side in (0, 1):
        mine, giver = ends[:, side], ends[:, 1 - side]
        can = np.flatnonzero(used & poor[mine] & (spare[giver] >= 0) & (mine != giver))
        # Each corner takes once, each unused edge is used once.
        can = can[np.unique(mine[can], return_index=True)[1]]
        can = can[np.unique(spare[giver[can]], return_index=True)[1]]
        if len(can):
            owner[mine[can]] = can
            owner[giver[can]] = spare[giver[can]]
            return True
    return False


def mesh_features(
    vertices: Array, triangles: Indices, surface: int, first_facet: int = 0
) -> tuple[Array, Segments]:
    """Return the rows of faces of a mesh, and the segments of its edges that stick out.

    Corners of triangles are counter-clockwise seen from outside. Edges of one triangle only count
    as edges that stick out.
    """
    kept, number = same_points(vertices)
    points, corners = vertices[kept], number[triangles]
    normals, areas = _normals(points[corners])
    solid = areas > LEAST_AREA
    corners, normals, areas = corners[solid], normals[solid], areas[solid]
    if not len(corners):
        return np.zeros((0, 16)), stack_segments([])
    pairs, between, single, single_of = _neighbours(corners)
    angle, sinks = _bend(points, corners, normals, pairs, between)
    flat = angle < FLAT
    facets, facet = _connect(pairs[flat, 0], pairs[flat, 1], len(corners))
    outline = np.concatenate((np.repeat(between[~flat], 2, axis=0), single))
    outline_of = np.concatenate((facet[pairs[~flat]].ravel(), facet[single_of]))
    faces = _facet_rows(
        points, corners, normals, areas, facet, facets, outline, outline_of, surface, first_facet
    )
    sharp = (angle > SHARP) & (sinks | (angle > np.pi - 1e-3))
    ends = np.concatenate((between[sharp], single))
    weights = np.where(np.arange(len(ends)) < sharp.sum(), 1.0, OPEN)
    return faces, Segments(
        points[ends[:, 0]], points[ends[:, 1]], np.full(len(ends), float(surface)), weights
    )


def _normals(corners: Array) -> tuple[Array, Array]:
    """Return the unit normals and areas of triangles."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.cross(a, b)
    doubled = np.linalg.norm(normals, axis=1)
    return normals / np.maximum(doubled, 1e-300)[:, None], 0.5 * doubled


def _neighbours(corners: Indices) -> tuple[Indices, Indices, Indices, Indices]:
    """Return pairs of triangles (p, 2) with the edge between them (p, 2), and other edges.

    The latter are edges of one triangle or of more than two (s, 2), and a triangle of each.
    """
    edges = np.sort(np.stack((corners, np.roll(corners, -1, axis=1)), axis=2).reshape(-1, 2))
    keys = edges[:, 0] * (int(corners.max()) + 1) + edges[:, 1]
    order = np.argsort(keys, kind="stable")
    bounds = np.flatnonzero(np.diff(keys[order], prepend=-1))
    uses = np.diff(np.append(bounds, len(order)))
    two = bounds[uses == 2]
    pairs = np.column_stack((order[two], order[two + 1])) // 3
    other = order[bounds[uses != 2]]
    return pairs, edges[order[two]], edges[other], other // 3


def _bend(
    points: Array, corners: Indices, normals: Array, pairs: Indices, between: Indices
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the angle between neighbours [rad], and whether the second lies below the first."""
    one, two = normals[pairs[:, 0]], normals[pairs[:, 1]]
    sine = np.linalg.norm(np.cross(one, two), axis=1)
    angle = np.arctan2(sine, np.einsum("ij,ij->i", one, two))
    own = corners[pairs[:, 1]]
    opposite = own.sum(axis=1) - between.sum(axis=1)
    way = points[opposite] - points[between[:, 0]]
    return angle, np.einsum("ij,ij->i", one, way) < 0.0


def _facet_rows(
    points: Array, corners: Indices, normals: Array, areas: Array, facet: Indices, facets: int,
    outline: Indices, outline_of: Indices, surface: int, first_facet: int,
) -> Array:  # fmt: skip
    """Return the rows of faces: one for a facet that is a rectangle, else one per triangle."""
    order = np.argsort(facet, kind="stable")
    bounds = np.searchsorted(facet[order], np.arange(facets))
    normal, area = normals[order[bounds]], np.bincount(facet, areas, facets)
    # A rectangle has the direction of the longest edge of its outline.
    span = points[outline[:, 1]] - points[outline[:, 0]]
    length = np.linalg.norm(span, axis=1)
    longest = np.zeros(facets, np.int64)
    by_length = np.argsort(length, kind="stable")
    longest[outline_of[by_length]] = by_length
    u = span[longest] / length[longest][:, None]
    v = np.asarray(np.cross(normal, u), np.float64)
    origin = points[outline[longest, 0]]
    # One triangle is no rectangle.
    several = np.diff(np.append(bounds, len(order))) > 1
    own = order[several[facet[order]]]
    many = np.flatnonzero(several)
    first = 3 * np.searchsorted(facet[own], many)
    away = points[corners[own]] - origin[facet[own]][:, None]
    (u0, u1), (v0, v1) = spread = np.zeros((2, 2, facets))
    for axis, (low, high) in zip((u, v), spread, strict=True):
        place = np.einsum("ijk,ik->ij", away, axis[facet[own]]).ravel()
        if len(many):
            low[many] = np.minimum.reduceat(place, first)
            high[many] = np.maximum.reduceat(place, first)
    square = np.abs((u1 - u0) * (v1 - v0) - area) < 1e-6 * area
    middle = origin + u * (0.5 * (u0 + u1))[:, None] + v * (0.5 * (v0 + v1))[:, None]
    number = first_facet + np.arange(facets, dtype=np.float64)
    rectangles = rectangle_rows(
        middle, u, v, 0.5 * (u1 - u0), 0.5 * (v1 - v0), np.full(facets, float(surface)), number
    )[square]
    rest = ~square[facet]
    ids = number[facet[rest]]
    triangles = triangle_rows(points[corners[rest]], np.full(len(ids), float(surface)), ids)
    return np.concatenate((rectangles, triangles))


MOST_NODES = 16_000_000
"""Nodes of the grid on which a mesh is sampled, at most."""
LAYER = 1e-3
"""Faces above one another by more than this are two layers [m]."""
AT_ONCE = 2_000_000
"""Pairs of triangle and node that are looked at together."""


def sample_mesh(vertices: Array, triangles: Indices) -> tuple[Array, float, float]:
    """Return a mesh seen from above, on a grid from its least x and y on.

    Returns:
        Heights (rows along y, columns along x), NaN beside the mesh [m]; their spacing, half the
        mean length of an edge seen from above [m]; the share of nodes at which faces that point
        up lie under other faces [1].
    """
    corners = vertices[triangles]
    normals, areas = _normals(corners)
    up = np.abs(normals[:, 2]) * areas > LEAST_AREA
    corners, upward = corners[up], normals[up, 2] > 0.0
    low, high = vertices[:, :2].min(axis=0), vertices[:, :2].max(axis=0)
    sides = np.roll(corners, -1, axis=1)[..., :2] - corners[..., :2]
    spacing = 0.5 * float(np.linalg.norm(sides, axis=2).mean())
    spacing = max(spacing, float(np.sqrt(np.prod(high - low) / (0.98 * MOST_NODES))))
    columns, rows = (int(n) for n in np.maximum(np.ceil((high - low) / spacing - 1e-6) + 1, 2))
    heights, lowest = np.full(rows * columns, -np.inf), np.full(rows * columns, np.inf)
    local = (corners - [*low, 0.0]) / [spacing, spacing, 1.0]
    first = np.maximum(np.ceil(local[..., :2].min(axis=1) - 1e-6), 0).astype(np.int64)
    last = np.minimum(np.floor(local[..., :2].max(axis=1) + 1e-6), [columns - 1, rows - 1]).astype(
        np.int64
    )
    size = np.maximum(last - first + 1, 0)
    counts = size.prod(axis=1)
    parts = np.cumsum(counts) // AT_ONCE
    for part in np.split(np.arange(len(counts)), np.flatnonzero(np.diff(parts)) + 1):
        which = np.repeat(part, counts[part])
        k = np.arange(len(which)) - np.repeat(np.cumsum(counts[part]) - counts[part], counts[part])
        i, j = first[which, 0] + k % size[which, 0], first[which, 1] + k // size[which, 0]
        z, depth = _height_in(local[which], i, j)
        inside = depth > -1e-6
        np.maximum.at(heights, (j * columns + i)[inside], z[inside])
        inside = (depth > 1e-6) & upward[which]
        np.minimum.at(lowest, (j * columns + i)[inside], z[inside])
    hidden = float(np.mean((heights - lowest > LAYER)[np.isfinite(heights)]))
    heights[np.isinf(heights)] = np.nan
    return heights.reshape(rows, columns), spacing, hidden


def _height_in(local: Array, i: Indices, j: Indices) -> tuple[Array, Array]:
    """Return the height of triangles at a node each, and the least share of a corner there."""
    a, b = local[:, 1] - local[:, 0], local[:, 2] - local[:, 0]
    x, y = i - local[:, 0, 0], j - local[:, 0, 1]
    doubled = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    s, t = (x * b[:, 1] - y * b[:, 0]) / doubled, (a[:, 0] * y - a[:, 1] * x) / doubled
    least = np.minimum(np.minimum(s, t), 1.0 - s - t)
    return local[:, 0, 2] + s * a[:, 2] + t * b[:, 2], least


def _connect(a: Indices, b: Indices, count: int) -> tuple[int, Indices]:
    """Return how many groups pairs of `count` things connect, and the group of each thing."""
    # Imported here: scipy.sparse takes a fifth of the time in which a run starts.
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs = coo_matrix((np.ones(len(a)), (a, b)), (count, count))
    return connected_components(pairs, directed=False)
