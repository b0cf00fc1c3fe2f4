"""Ground near a robot: the faces and edges within its reach, looked up again when it has moved.

The list depends on nothing but the pose at which the robot last looked around, and is sorted: a
robot that is brought back to a state finds the same list, and so the same bits.
"""

from typing import Any

import numpy as np

from grouser.models.contact.compiled import compiled
from grouser.models.contact.native.layout import *
from grouser.models.lanes.formula import Term, formula
from grouser.models.lanes.lanes import allof, select, store, take4, take6


@formula
def has_moved(now: Any, seen: Any, attitude: Any, seen_attitude: Any, arm: Term) -> Any:
    """Return the square of how far a robot has moved since it looked, turns by an arm [m^2]."""
    total = now[0] * 0.0
    for a, b in zip(now, seen, strict=True):
        total = total + (a - b) * (a - b)
    turned = now[0] * 0.0
    for a, b in zip(attitude, seen_attitude, strict=True):
        turned = turned + (a - b) * (a - b)
    return total + (4.0 * arm * arm) * turned


@compiled
def look_around(
    z: Any, width: int, st: Any, sb: int, ws: Any, near: Any, nb: int, tops: Any, items: Any,
    rob: Any, lay: Any, ground: Any, index: Any,
) -> None:  # fmt: skip
    """Look up what is near the robots of a block that have moved far enough since they last did."""
    place, seen = take6(st, sb + POS, z), take6(st, sb + SEEN, z)
    attitude, saw = take4(st, sb + QUAT, z), take4(st, sb + SEEN + 3, z)
    moved = has_moved(place[:3], seen[:3], attitude, saw, rob[N_TURN_ARM])
    still = moved < rob[N_MARGIN] * rob[N_MARGIN]
    if allof(still):
        return
    spare = lay[AT_WS_SPARE]
    store(ws, spare, select(still, z, 1.0 + z))
    for lane in range(width):
        if ws[spare * width + lane] > 0.0:
            for k in range(7):
                st[(sb + SEEN + k) * width + lane] = st[(sb + POS + k) * width + lane]
            list_near(width, lane, st, sb, near, nb, tops, items, rob, lay, ground, index)


@compiled
def list_near(
    width: int, lane: int, st: Any, sb: int, near: Any, nb: int, tops: Any, items: Any,
    rob: Any, lay: Any, ground: Any, index: Any,
) -> None:  # fmt: skip
    """List faces and edges near the pose at which a robot last looked around."""
    q0, q1, q2, q3 = (
        np.float64(st[(sb + SEEN + 3) * width + lane]),
        np.float64(st[(sb + SEEN + 4) * width + lane]),
        np.float64(st[(sb + SEEN + 5) * width + lane]),
        np.float64(st[(sb + SEEN + 6) * width + lane]),
    )  # fmt: skip
    pose = (
        1.0 - 2.0 * (q2 * q2 + q3 * q3), 2.0 * (q1 * q2 - q0 * q3), 2.0 * (q1 * q3 + q0 * q2),
        2.0 * (q1 * q2 + q0 * q3), 1.0 - 2.0 * (q1 * q1 + q3 * q3), 2.0 * (q2 * q3 - q0 * q1),
        2.0 * (q1 * q3 - q0 * q2), 2.0 * (q2 * q3 + q0 * q1), 1.0 - 2.0 * (q1 * q1 + q2 * q2),
        np.float64(st[(sb + SEEN) * width + lane]), np.float64(st[(sb + SEEN + 1) * width + lane]),
        np.float64(st[(sb + SEEN + 2) * width + lane]),
    )  # fmt: skip
    for kind in range(2):
        count = find_near(kind, pose, rob, lay, ground, index, items)
        capacity = lay[AT_MOST_FACES] if kind == 0 else lay[AT_MOST_EDGES]
        if count > capacity:
            st[(sb + LOST) * width + lane] += count - capacity
            count = capacity
        size, table = (FACE, lay[AT_FACES]) if kind == 0 else (EDGE, lay[AT_EDGES])
        first = nb + (0 if kind == 0 else lay[AT_MOST_FACES] * FACE)
        for j in range(count):
            for field in range(size):
                near[(first + j * size + field) * width + lane] = ground[
                    table + items[j] * size + field
                ]
        for j in range(count, capacity):  # far below, so that nothing touches it
            for field in range(size):
                near[(first + j * size + field) * width + lane] = 0.0
            near[(first + j * size + 2) * width + lane] = -FAR
            if kind == 0:
                near[(first + j * size + 11) * width + lane] = 1.0
        used = lay[AT_GROUPS]  # rows of `tops` after the groups: the block, then its robots
        tops[used + 1 + lane, kind], tops[used, kind] = count, 0
        for other in range(width):
            tops[used, kind] = max(tops[used, kind], tops[used + 1 + other, kind])


@compiled
def find_near(kind: int, pose: Any, rob: Any, lay: Any, ground: Any, index: Any, items: Any) -> int:
    """Collect the features near a pose in ascending order; return how many there are."""
    at = lay[AT_CELLS]
    starts, of = lay[AT_FACE_STARTS], lay[AT_FACE_ITEMS]
    if kind == 1:
        starts, of = lay[AT_EDGE_STARTS], lay[AT_EDGE_ITEMS]
    low_x, high_x = reach_along(pose, rob, 0)
    low_y, high_y = reach_along(pose, rob, 1)
    # A place far off, or nowhere, has no near ground; its cell would not be a number.
    if not (low_x > -1e9 and low_y > -1e9 and high_x < 1e9 and high_y < 1e9):
        return 0
    columns, rows = int(ground[at + 3]), int(ground[at + 4])
    i0 = int(np.floor((low_x - ground[at]) * ground[at + 2]))
    i1 = int(np.floor((high_x - ground[at]) * ground[at + 2]))
    j0 = int(np.floor((low_y - ground[at + 1]) * ground[at + 2]))
    j1 = int(np.floor((high_y - ground[at + 1]) * ground[at + 2]))
    room = items.size
    count = 0
    for j in range(max(j0, 0), min(j1, rows - 1) + 1):
        for i in range(max(i0, 0), min(i1, columns - 1) + 1):
            cell = j * columns + i
            for m in range(index[starts + cell], index[starts + cell + 1]):
                item = index[of + m]
                at = place_in(items, count, item)
                if at < 0 or not (
                    is_face_near(ground, lay[AT_FACES] + item * FACE, pose, rob)
                    if kind == 0
                    else is_edge_near(ground, lay[AT_EDGES] + item * EDGE, pose, rob)
                ):
                    continue
                if count < room:
                    for k in range(count, at, -1):
                        items[k] = items[k - 1]
                    items[at] = item
                count += 1
    return count


@compiled
def reach_along(pose: Any, rob: Any, axis: int) -> Any:
    """Return the extent of the box around the robot along an axis of the world."""
    low, high = pose[9 + axis], pose[9 + axis]
    for c in range(3):
        p = pose[3 * axis + c] * rob[N_REACH_LOW_X + c]
        q = pose[3 * axis + c] * rob[N_REACH_HIGH_X + c]
        low += min(p, q)
        high += max(p, q)
    return low, high


@compiled
def place_in(items: Any, count: int, item: int) -> int:
    """Return where a number belongs in a sorted list; -1 if it is there already."""
    low, high = 0, min(count, items.size)
    while low < high:
        middle = (low + high) // 2
        if items[middle] == item:
            return -1
        if items[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def is_edge_near(table: Any, i: int, pose: Any, rob: Any) -> bool:
    """Return whether an edge meets the box around the robot."""
    low, high = 0.0, table[i + 6]
    for a in range(3):
        p, d = 0.0, 0.0
        for c in range(3):
            p += pose[3 * c + a] * (table[i + c] - pose[9 + c])
            d += pose[3 * c + a] * table[i + 3 + c]
        if abs(d) < 1e-9:
            if p < rob[N_REACH_LOW_X + a] or p > rob[N_REACH_HIGH_X + a]:
                return False
        else:
            t, u = (rob[N_REACH_LOW_X + a] - p) / d, (rob[N_REACH_HIGH_X + a] - p) / d
            low, high = max(low, min(t, u)), min(high, max(t, u))
    return low <= high


@compiled
def is_face_near(table: Any, i: int, pose: Any, rob: Any) -> bool:
    """Return whether a face meets the box around the robot, by axes of the box and its normal."""
    height, reach = 0.0, 0.0
    for a in range(3):
        p, u, v, n = 0.0, 0.0, 0.0, 0.0
        for c in range(3):
            p += pose[3 * c + a] * (table[i + c] - pose[9 + c])
            u += pose[3 * c + a] * table[i + 3 + c]
            v += pose[3 * c + a] * table[i + 6 + c]
            n += pose[3 * c + a] * table[i + 9 + c]
        low, high = rob[N_REACH_LOW_X + a], rob[N_REACH_HIGH_X + a]
        half = (
            abs(u) * table[i + 12] + abs(v) * table[i + 13]
            if table[i + 12] >= 0.0
            else -table[i + 12]
        )
        if p + half < low or p - half > high:
            return False
        height += n * (0.5 * (low + high) - p)
        reach += abs(n) * 0.5 * (high - low)
    return height < reach and height > -reach
