"""Ruts: belts on soil write how deep they have pressed it, and read what was pressed before.

Each robot has its own grid of greatest sinkage, in the array of states. A robot looks at its grid
whenever it has moved by a share of a cell; between, it sinks into the ground that it has found. A
cell counts by the share that the belt covers: so much of the sinkage is written to it, and the
sinkage of a patch is its volume over its covered area.
"""

from typing import Any

import numpy as np

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.layout import *

OFTEN = 0.25
"""Way after which a robot looks at its ruts again, over the size of a cell [1]."""


@compiled
def look_at_ruts(
    width: int, st: Any, sb: int, ws: Any, mb: int, gb: int, rob: Any, lay: Any
) -> None:
    """Let the robots of a block that have moved write and read their ruts."""
    own = mb + lay[AT_RUT_MEMORY]
    for lane in range(width):
        x, y = st[(sb + POS) * width + lane], st[(sb + POS + 1) * width + lane]
        forward = ws[ROTATION * width + lane], ws[(ROTATION + 3) * width + lane]
        heading = np.arctan2(forward[1], forward[0])
        dx, dy = x - st[own * width + lane], y - st[(own + 1) * width + lane]
        turned = rob[N_TURN_ARM] * np.sin(0.5 * (heading - st[(own + 2) * width + lane])) * 2.0
        if dx * dx + dy * dy + turned * turned > (OFTEN * rob[N_RUT_CELL]) ** 2:
            st[own * width + lane], st[(own + 1) * width + lane] = x, y
            st[(own + 2) * width + lane] = heading
            look_at_lane(width, lane, st, sb, ws, mb, gb, rob, lay)


@compiled
def look_at_lane(
    width: int, lane: int, st: Any, sb: int, ws: Any, mb: int, gb: int, rob: Any, lay: Any
) -> None:
    """Let one robot write and read its ruts, belt by belt."""
    first = 0
    while first < lay[AT_SPOT_PLACES]:
        count = 1
        while rob[lay[AT_OF_PLACES] + PLACE_ROW * (first + count - 1) + P_LAST] == 0.0:
            count += 1
        at = mb + lay[AT_LAW_MEMORY] + PLACE_MEMORY * first
        press_belt(width, lane, st, sb, ws, at, first, count, gb, rob, lay)
        first += 2 * count  # the two lines of a belt lie one behind the other


@inlined
def belt_in_world(
    width: int, lane: int, st: Any, sb: int, ws: Any, row: int, rob: Any, lay: Any
) -> Any:
    """Return middle and direction of a belt, seen from above, and its width."""
    link = int(rob[row + P_LINK])
    of, at = lay[AT_OF_LINKS] + LINK * link, lay[AT_WS_LINKS] + LINK_WORK * link
    ax, az = ws[at * width + lane], ws[(at + 1) * width + lane]
    bx, bz = ws[(at + 2) * width + lane], ws[(at + 3) * width + lane]
    mx, my, mz = 0.5 * (ax + bx), 0.5 * (rob[of + Y0] + rob[of + Y1]), 0.5 * (az + bz)
    x, y = st[(sb + POS) * width + lane], st[(sb + POS + 1) * width + lane]
    r = ROTATION * width + lane
    r0, r1, r2 = ws[r], ws[r + width], ws[r + 2 * width]
    r3, r4, r5 = ws[r + 3 * width], ws[r + 4 * width], ws[r + 5 * width]
    x, y = x + (r0 * mx + r1 * my + r2 * mz), y + (r3 * mx + r4 * my + r5 * mz)
    dx, dy = r0 * (bx - ax) + r2 * (bz - az), r3 * (bx - ax) + r5 * (bz - az)
    long = max(np.sqrt(dx * dx + dy * dy), 1e-9)
    return x, y, dx / long, dy / long, rob[of + Y1] - rob[of + Y0]


@compiled
def press_belt(
    width: int, lane: int, st: Any, sb: int, ws: Any, at: int, first: int, count: int, gb: int,
    rob: Any, lay: Any,
) -> None:  # fmt: skip
    """Write the sinkage of a belt's patches to the cells below it; read what is there then."""
    row = lay[AT_OF_PLACES] + PLACE_ROW * first
    x, y, cos, sin, wide = belt_in_world(width, lane, st, sb, ws, row, rob, lay)
    length = 0.0
    for k in range(count):
        length += rob[row + PLACE_ROW * k + P_LENGTH]
    cell, columns, rows = rob[N_RUT_CELL], int(rob[N_RUT_COLUMNS]), int(rob[N_RUT_ROWS])
    reach_x = 0.5 * (abs(cos) * length + abs(sin) * wide) + cell
    reach_y = 0.5 * (abs(sin) * length + abs(cos) * wide) + cell
    low_x, low_y = x - reach_x - rob[N_RUT_X], y - reach_y - rob[N_RUT_Y]
    i0, i1 = int(np.floor(low_x / cell)), int(np.ceil((low_x + 2.0 * reach_x) / cell))
    j0, j1 = int(np.floor(low_y / cell)), int(np.ceil((low_y + 2.0 * reach_y) / cell))
    for k in range(2 * count):
        for field in range(3):
            ws[(lay[AT_WS_RUT] + 3 * k + field) * width + lane] = 0.0
    for j in range(max(j0, 0), min(j1 + 1, rows)):
        for i in range(max(i0, 0), min(i1 + 1, columns)):
            ox, oy = rob[N_RUT_X] + i * cell - x, rob[N_RUT_Y] + j * cell - y
            along, aside = cos * ox + sin * oy, cos * oy - sin * ox
            share = covered(0.5 * length - abs(along), cell)
            share *= covered(0.5 * wide - abs(aside), cell)
            if share > 0.0:
                k = place_below(along + 0.5 * length, rob, row, count)
                k += count if aside > 0.0 else 0
                touch_cell(width, lane, st, ws, at + PLACE_MEMORY * k, lay[AT_WS_RUT] + 3 * k,
                           gb + j * columns + i, share)  # fmt: skip
    for k in range(2 * count):
        keep_reading(width, lane, st, ws, at + PLACE_MEMORY * k, lay[AT_WS_RUT] + 3 * k)
    for end in range(2):  # ground just beyond the belt, at its circles a and b
        away = (0.5 * length + cell) * (1.0 if end > 0 else -1.0)
        depth = depth_at(width, lane, st, gb, rob, x + cos * away, y + sin * away)
        for line in range(2):
            k = line * count + (count - 1 if end > 0 else 0)
            st[(at + PLACE_MEMORY * k + M_BEYOND) * width + lane] = depth


@inlined
def covered(inside: float, cell: float) -> float:
    """Return the share of a cell that lies within an edge, by how far inside its middle is [1]."""
    return min(max(inside / cell + 0.5, 0.0), 1.0)


@inlined
def place_below(along: float, rob: Any, row: int, count: int) -> int:
    """Return the place of a line in which a distance from its beginning lies."""
    k = 0
    along -= rob[row + P_LENGTH]
    while along > 0.0 and k < count - 1:
        k += 1
        along -= rob[row + PLACE_ROW * k + P_LENGTH]
    return k


@inlined
def touch_cell(
    width: int, lane: int, st: Any, ws: Any, of: int, to: int, at: int, share: float
) -> None:
    """Press a cell by the share that is covered; add it to what its place reads."""
    pressed = share * st[(of + M_SINKS) * width + lane]
    depth = max(st[at * width + lane], pressed)
    st[at * width + lane] = depth
    ws[to * width + lane] += depth
    ws[(to + 1) * width + lane] += share
    ws[(to + 2) * width + lane] = max(ws[(to + 2) * width + lane], depth)


@inlined
def keep_reading(width: int, lane: int, st: Any, ws: Any, of: int, to: int) -> None:
    """Set the greatest sinkage of the ground below a place: its volume over its covered area."""
    area = ws[(to + 1) * width + lane]
    deepest = 0.0
    if area > 0.0:
        deepest = min(ws[to * width + lane] / area, ws[(to + 2) * width + lane])
    st[(of + M_DEEPEST) * width + lane] = deepest
    st[(of + M_SINKS) * width + lane] = 0.0


@inlined
def depth_at(width: int, lane: int, st: Any, gb: int, rob: Any, x: float, y: float) -> float:
    """Return the depth of the cell at a place; 0 beyond the grid."""
    i = int(np.floor((x - rob[N_RUT_X]) / rob[N_RUT_CELL] + 0.5))
    j = int(np.floor((y - rob[N_RUT_Y]) / rob[N_RUT_CELL] + 0.5))
    columns, rows = int(rob[N_RUT_COLUMNS]), int(rob[N_RUT_ROWS])
    if i < 0 or j < 0 or i >= columns or j >= rows:
        return 0.0
    return st[(gb + j * columns + i) * width + lane]
