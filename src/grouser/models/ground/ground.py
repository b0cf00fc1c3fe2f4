"""A terrain as tables of numbers: planes, faces, edges, height fields, and where they lie.

Only what can be touched becomes a feature: sides of slabs above the ground beside them, edges
that stick out of everything around them. Nothing here runs during a simulation.
"""

from dataclasses import dataclass

import numpy as np

from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.solids import Plane
from grouser.description.terrain import Terrain
from grouser.geometry import Array, rotate
from grouser.models.ground.blocks import LEAST_HEIGHT
from grouser.models.ground.facets import (
    Indices,
    Segments,
    edge_rows,
    face_corners,
    mesh_features,
    sample_mesh,
    stack_segments,
)
from grouser.models.ground.index import edge_boxes, face_boxes, make_index
from grouser.models.ground.slabs import NOTHING, slab_features
from grouser.notices import LOGGER

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
        if not isinstance(solid, Mesh):
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
    index = make_index(face_boxes(rows), edge_boxes(edges), reach)
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
    mesh: Mesh, surface: int, first_facet: int, planes: Array, reach: float
) -> tuple[Array, Segments] | HeightField:
    """Return the features of a mesh, or the height field that stands for a dense one."""
    vertices, triangles = np.asarray(mesh.vertices, np.float64), np.asarray(mesh.triangles)
    faces, segments = mesh_features(vertices, triangles, surface, first_facet)
    faces, segments = _leave_out_buried(faces, segments, planes)
    area = float(np.prod(np.ptp(vertices[:, :2], axis=0)))
    if mesh.is_convex or len(faces) <= DENSE_AREA or area < reach**2 / DENSE_AREA:
        return faces, segments
    index = make_index(face_boxes(faces), np.zeros((0, 4)), reach)
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
