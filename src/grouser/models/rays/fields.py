"""Rays against height fields: a walk over the cells that a ray passes.

A field is the solid below its triangles, down to its bottom. Cells with a node that is NaN are
holes with vertical sides. The walk goes over tiles of cells, and over the cells of those tiles
whose highest node the ray comes down to. In a triangle the height above the ground is linear along
the ray, so the place where it is zero is exact, and it is continuous from cell to cell, so no ray
slips through.

J. Amanatides, A. Woo: A fast voxel traversal algorithm for ray tracing, 1987.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.description.heightfield import HeightField
from grouser.geometry import Array
from grouser.models.rays.compiled import inlined

TILE = 16
"""Cells of a tile, either way."""
DEPTH = 0.1
"""How far a field reaches below its lowest node, if the ground below it is not lower [m]."""
ABOVE, BELOW, UNKNOWN = 0, 1, 2
"""Where a ray is as it enters a cell: outside the solid, inside it, or at its start."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Height fields as tables."""

    rows: Array
    """Centre x, y [m], cosine and sine of yaw [1], cells per metre along and across [1/m], columns,
    rows, first height, first tile, tiles along [1], bottom and highest node [m] (f, 13)."""
    heights: Array
    """Nodes of all fields, by rows [m]."""
    tiles: Array
    """Highest node of each tile, by rows; -inf without any [m]."""


def make_fields(fields: Sequence[HeightField], floors: Sequence[float]) -> Fields:
    """Return tables of fields that reach down to the floors at least [m]."""
    rows: list[tuple[float, ...]] = []
    heights, tiles = [np.zeros(0)], [np.zeros(0)]
    first_height = first_tile = 0
    for field, floor in zip(fields, floors, strict=True):
        nodes, highest = field.heights, _tile_maxima(field.heights)
        low, high = float(np.nanmin(nodes)), float(np.nanmax(nodes))
        rows.append((
            field.x, field.y, np.cos(field.yaw), np.sin(field.yaw),
            1.0 / field.spacing_along, 1.0 / field.spacing_across,
            nodes.shape[1], nodes.shape[0], first_height, first_tile, highest.shape[1],
            min(low - DEPTH, floor), high,
        ))  # fmt: skip
        heights.append(np.ravel(nodes))
        tiles.append(np.ravel(highest))
        first_height, first_tile = first_height + nodes.size, first_tile + highest.size
    table = np.array(rows, np.float64).reshape(-1, 13)
    return Fields(table, np.concatenate(heights), np.concatenate(tiles))


def _tile_maxima(heights: Array) -> Array:
    """Return the highest node of each tile, with the nodes on its edges."""
    known = np.where(np.isnan(heights), -np.inf, heights)
    # A node on the edge belongs to the cells on both sides of it.
    for axis in (0, 1):
        count = heights.shape[axis] - 1
        starts = np.arange(0, count, TILE)
        ends = np.minimum(starts + TILE, count)
        edges = np.take(known, ends, axis=axis)
        known = np.maximum(np.maximum.reduceat(known, starts, axis=axis), edges)
    return known


@inlined
def clip(start: float, rise: float, low: float, high: float, first: float, last: float) -> Any:
    """Return the stretch of first to last in which start + rise t is from low to high."""
    if rise == 0.0:
        return (first, last) if low <= start <= high else (1.0, 0.0)
    near, far = (low - start) / rise, (high - start) / rise
    return max(first, min(near, far)), min(last, max(near, far))


@inlined
def begin_walk(
    start: float, rise: float, at: float, size: float, least: int, most: int
) -> tuple[int, int, float, float]:
    """Return the cell at which a walk begins, its step, where the next one begins and how far on.

    Cells are `size` wide and counted from `least` up to `most`, which is excluded.
    """
    cell = min(max(int(np.floor((start + rise * at) / size)), least), most - 1)
    if rise > 0.0:
        return cell, 1, ((cell + 1) * size - start) / rise, size / rise
    if rise < 0.0:
        return cell, -1, (cell * size - start) / rise, -size / rise
    return cell, 0, np.inf, np.inf


@inlined
def cross_triangle(
    h: float, along: float, across: float, u: float, v: float, z: float, du: float, dv: float,
    dz: float, first: float, last: float, state: int,
) -> tuple[float, int]:  # fmt: skip
    """Return where a ray crosses a triangle (infinity: nowhere), and where it is afterwards.

    `u` and `v` are its start relative to the node with height `h`, in cells.
    """
    height = z - h - along * u - across * v
    rise = dz - along * du - across * dv
    begin, end = height + rise * first, height + rise * last
    if state == UNKNOWN:
        state = BELOW if begin < 0.0 else ABOVE
    elif state == ABOVE and begin < 0.0:
        return first, state  # it has come through a side
    if state == BELOW and end >= 0.0 or state == ABOVE and end < 0.0:
        return min(max(-height / rise, first), last) if rise != 0.0 else first, state
    return np.inf, state


@inlined
def cross_cell(
    heights: Any, node: int, columns: int, u: float, v: float, z: float, du: float, dv: float,
    dz: float, first: float, last: float, state: int,
) -> tuple[float, int]:  # fmt: skip
    """Return where a ray hits the ground of a cell (infinity: nowhere), and where it is then."""
    h00, h10 = heights[node], heights[node + 1]
    h01, h11 = heights[node + columns], heights[node + columns + 1]
    if np.isnan(h00 + h10 + h01 + h11):
        return first if state == BELOW else np.inf, ABOVE
    diagonal, turn = u - v, du - dv
    middle = -diagonal / turn if turn != 0.0 else last
    middle = min(max(middle, first), last)
    found = np.inf
    for half in range(2):
        begin, end = (first, middle) if half == 0 else (middle, last)
        if (end <= begin and half == 0) or found < np.inf:
            continue
        if diagonal + turn * 0.5 * (begin + end) >= 0.0:
            along, across = h10 - h00, h11 - h10
        else:
            along, across = h11 - h01, h01 - h00
        found, state = cross_triangle(h00, along, across, u, v, z, du, dv, dz, begin, end, state)
    return found, state


@inlined
def cross_tile(
    field: Any, heights: Any, i_tile: int, j_tile: int, u: float, v: float, z: float, du: float,
    dv: float, dz: float, first: float, last: float, state: int,
) -> tuple[float, int]:  # fmt: skip
    """Return where a ray hits the ground of a tile (infinity: nowhere), and where it is then."""
    columns, rows = int(field[6]), int(field[7])
    i_end, j_end = min((i_tile + 1) * TILE, columns - 1), min((j_tile + 1) * TILE, rows - 1)
    i, i_step, next_u, width_u = begin_walk(u, du, first, 1.0, i_tile * TILE, i_end)
    j, j_step, next_v, width_v = begin_walk(v, dv, first, 1.0, j_tile * TILE, j_end)
    while True:
        end = min(last, next_u, next_v)
        if end >= first:
            node = int(field[8]) + j * columns + i
            found, state = cross_cell(
                heights, node, columns, u - i, v - j, z, du, dv, dz, first, end, state
            )
            if found < np.inf:
                return found, state
            first = end
        if end >= last:
            return np.inf, state
        if next_u <= next_v:
            i, next_u = i + i_step, next_u + width_u
        else:
            j, next_v = j + j_step, next_v + width_v
        if i < i_tile * TILE or i >= i_end or j < j_tile * TILE or j >= j_end:
            return np.inf, state


@inlined
def hit_field(field: Any, heights: Any, tiles: Any, origin: Any, ray: Any, reach: float) -> float:
    """Return the distance to the surface of a field within `reach`, or `reach` [m]."""
    cos, sin, columns, rows = field[2], field[3], int(field[6]), int(field[7])
    x, y, z, dz = origin[0] - field[0], origin[1] - field[1], origin[2], ray[2]
    u = (cos * x + sin * y) * field[4] + 0.5 * (columns - 1)
    v = (cos * y - sin * x) * field[5] + 0.5 * (rows - 1)
    du, dv = (cos * ray[0] + sin * ray[1]) * field[4], (cos * ray[1] - sin * ray[0]) * field[5]
    first, last = clip(u, du, 0.0, columns - 1.0, 0.0, reach)
    first, last = clip(v, dv, 0.0, rows - 1.0, first, last)
    first, last = clip(z, dz, field[11], field[12], first, last)
    if first > last:
        return reach
    state = UNKNOWN if first == 0.0 else ABOVE
    along, across = int(field[10]), (rows - 2) // TILE + 1
    i, i_step, next_u, width_u = begin_walk(u, du, first, TILE, 0, along)
    j, j_step, next_v, width_v = begin_walk(v, dv, first, TILE, 0, across)
    while True:
        end = min(last, next_u, next_v)
        if end >= first:
            high = tiles[int(field[9]) + j * along + i]
            if state != ABOVE or min(z + dz * first, z + dz * end) <= high:
                found, state = cross_tile(
                    field, heights, i, j, u, v, z, du, dv, dz, first, end, state
                )
                if found < np.inf:
                    return found
            first = end
        if end >= last:
            break
        if next_u <= next_v:
            i, next_u = i + i_step, next_u + width_u
        else:
            j, next_v = j + j_step, next_v + width_v
        if i < 0 or i >= along or j < 0 or j >= across:
            break
    return min(last, reach) if state == BELOW else reach
