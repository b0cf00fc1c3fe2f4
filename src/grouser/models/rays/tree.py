"""A tree of boxes around the shapes of a course, and the shapes that a ray meets in it.

Shapes are sorted along a curve that fills space (Morton order), so that neighbours in the list are
neighbours in space. The tree is complete and binary: node n has the children 2 n and 2 n + 1, the
root is node 1, the leaves are the last half of the nodes, each with two to four shapes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array
from grouser.models.rays.compiled import inlined

BITS = 20
"""Bits of a place along each axis; three of them fit into one whole number."""
MARGIN = 1e-9
"""Growth of each box, relative to its place and size, so that no ray slips through by rounding."""
BARELY = 1e-9
"""How far outside a triangle, in shares of it, a ray still hits: neighbours leave no slit [1]."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """Blocks and triangles, and the boxes around them."""

    boxes: Array
    """Least and greatest x, y, z of each node of the tree (nodes, 6); node 0 is unused [m]."""
    starts: NDArray[np.int64]
    """Where the shapes of each leaf start in `order` (leaves + 1)."""
    order: NDArray[np.int64]
    """Numbers of the shapes, leaf by leaf; blocks are counted before triangles."""
    blocks: Array
    """Blocks with vertical sides and a top that may slope (b, 12): coefficients of the distance
    along (3), half length, of that across (3), half width, of the top's height (3), bottom [m]."""
    corners: Array
    """Corners of the triangles (t, 3, 3) [m]."""


def make_shapes(blocks: Array, block_boxes: Array, corners: Array) -> Shapes:
    """Return blocks (b, 12) with their boxes (b, 6), and triangles (t, 3, 3), in a tree."""
    triangle_boxes = np.concatenate((corners.min(axis=1), corners.max(axis=1)), axis=1)
    boxes = np.concatenate((block_boxes, triangle_boxes))
    if not len(boxes):
        nothing = np.array([[np.inf] * 3 + [-np.inf] * 3] * 2)
        return Shapes(nothing, np.zeros(2, np.int64), np.zeros(0, np.int64), blocks, corners)
    grown = MARGIN * (1.0 + np.abs(boxes).max(axis=1, keepdims=True))
    boxes = boxes + grown * np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
    order = np.argsort(_places_on_curve(boxes), kind="stable")
    leaves = 1 << max(0, int(np.log2(max(1.0, 0.5 * len(boxes)))))
    starts = np.arange(leaves + 1) * len(boxes) // leaves
    nodes = np.empty((2 * leaves, 6))
    nodes[0] = 0.0
    nodes[leaves:] = _join(boxes[order], starts[:-1])
    while leaves > 1:
        leaves //= 2
        children = nodes[2 * leaves : 4 * leaves]
        nodes[leaves : 2 * leaves] = _join(children, np.arange(0, len(children), 2))
    return Shapes(nodes, starts, order, blocks, corners)


def _join(boxes: Array, starts: NDArray[np.int64]) -> Array:
    low = np.minimum.reduceat(boxes[:, :3], starts)
    return np.concatenate((low, np.maximum.reduceat(boxes[:, 3:], starts)), axis=1)


def _places_on_curve(boxes: Array) -> NDArray[np.uint64]:
    middles = 0.5 * (boxes[:, :3] + boxes[:, 3:])
    low = middles.min(axis=0)
    # The same scale along all axes: a flat course is cut along x and y, not into layers.
    size = max(float((middles.max(axis=0) - low).max()), 1e-9)
    cells = ((middles - low) / size * (2.0**BITS - 1.0)).astype(np.uint64)
    places = np.zeros(len(boxes), np.uint64)
    for bit in range(BITS):
        for axis in range(3):
            digit = (cells[:, axis] >> np.uint64(bit)) & np.uint64(1)
            places |= digit << np.uint64(3 * bit + axis)
    return places


@inlined
def enter_box(box: Any, origin: Any, inverse: Any, reach: float) -> float:
    """Return where a ray enters a box, 0 if it starts inside, infinity if it misses it [m]."""
    first, last = 0.0, reach
    for axis in range(3):
        low, high = box[axis] - origin[axis], box[axis + 3] - origin[axis]
        if np.isinf(inverse[axis]):
            if low > 0.0 or high < 0.0:
                return np.inf
        else:
            a, b = low * inverse[axis], high * inverse[axis]
            first, last = max(first, min(a, b)), min(last, max(a, b))
    return first if first <= last else np.inf


@inlined
def hit_block(block: Any, origin: Any, ray: Any) -> float:
    """Return where a ray meets the surface of a block, infinity if it does not [m]."""
    first, last = -np.inf, np.inf
    for side in range(4):
        if side < 2:
            a, b, c, half = block[4 * side : 4 * side + 4]
            start = a * origin[0] + b * origin[1] + c
            rise = a * ray[0] + b * ray[1]
            low, high = -half - start, half - start
        elif side == 2:
            low = -np.inf
            start = origin[2] - block[8] * origin[0] - block[9] * origin[1] - block[10]
            rise = ray[2] - block[8] * ray[0] - block[9] * ray[1]
            high = -start
        else:
            low, high, rise = block[11] - origin[2], np.inf, ray[2]
        if rise == 0.0:
            if low > 0.0 or high < 0.0:
                return np.inf
        else:
            near, far = low / rise, high / rise
            first, last = max(first, min(near, far)), min(last, max(near, far))
    if first > last or last < 0.0:
        return np.inf
    return first if first >= 0.0 else last


@inlined
def hit_triangle(corners: Any, origin: Any, ray: Any) -> float:
    """Return where a ray meets a triangle from either side, infinity if it does not [m].

    T. Möller, B. Trumbore: Fast, minimum storage ray-triangle intersection, 1997.
    """
    ax, ay, az = corners[0]
    ux, uy, uz = corners[1, 0] - ax, corners[1, 1] - ay, corners[1, 2] - az
    vx, vy, vz = corners[2, 0] - ax, corners[2, 1] - ay, corners[2, 2] - az
    dx, dy, dz = ray[0], ray[1], ray[2]
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    volume = ux * px + uy * py + uz * pz
    if volume == 0.0:
        return np.inf
    sx, sy, sz = origin[0] - ax, origin[1] - ay, origin[2] - az
    second = (sx * px + sy * py + sz * pz) / volume
    qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    third = (dx * qx + dy * qy + dz * qz) / volume
    if second < -BARELY or third < -BARELY or second + third > 1.0 + BARELY:
        return np.inf
    distance = (vx * qx + vy * qy + vz * qz) / volume
    return distance if distance >= 0.0 else np.inf


@inlined
def hit_leaf(
    first: int, end: int, order: Any, blocks: Any, corners: Any, origin: Any, ray: Any,
    reach: float,
) -> float:  # fmt: skip
    """Return the distance to the nearest shape of a leaf within `reach`, or `reach` [m]."""
    for place in range(first, end):
        number = order[place]
        if number < len(blocks):
            reach = min(reach, hit_block(blocks[number], origin, ray))
        else:
            reach = min(reach, hit_triangle(corners[number - len(blocks)], origin, ray))
    return reach


@inlined
def hit_shapes(
    boxes: Any, starts: Any, order: Any, blocks: Any, corners: Any, origin: Any, ray: Any,
    inverse: Any, reach: float, waiting: Any, entries: Any,
) -> float:  # fmt: skip
    """Return the distance to the nearest block or triangle within `reach`, or `reach` [m].

    `waiting` and `entries` are room for the nodes still to look into, nearest last, and where the
    ray enters them; two for each level of the tree are enough.
    """
    leaves = len(starts) - 1
    count, waiting[0], entries[0] = 1, 1, enter_box(boxes[1], origin, inverse, reach)
    while count:
        count -= 1
        node = waiting[count]
        if entries[count] > reach or entries[count] == np.inf:
            continue
        if node >= leaves:
            first, end = starts[node - leaves], starts[node - leaves + 1]
            reach = hit_leaf(first, end, order, blocks, corners, origin, ray, reach)
            continue
        one, other = 2 * node, 2 * node + 1
        enter_one = enter_box(boxes[one], origin, inverse, reach)
        enter_other = enter_box(boxes[other], origin, inverse, reach)
        if enter_one < enter_other:
            one, other, enter_one, enter_other = other, one, enter_other, enter_one
        waiting[count], entries[count] = one, enter_one
        waiting[count + 1], entries[count + 1] = other, enter_other
        count += 2
    return reach
