"""One step of a block of robots, and many: the loops that everything else is called from."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.body import move_on, place_belts, weigh, whiten
from grouser.models.contact.native.body import forward as whiten_force
from grouser.models.contact.native.formula import Term, formula, most
from grouser.models.contact.native.lanes import lanes, load, put, select, store, take6, take9, take21
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.near import list_near, look_around
from grouser.models.contact.native.rows import add_contact, keep_impulses
from grouser.models.contact.native.search import touch_near, touch_planes
from grouser.models.contact.native.solve import (
    bound_friction,
    remember_contacts,
    solve,
    solve_normals,
    start_impulses,
)


class Ground(NamedTuple):
    """Tables of the ground, as `ground` makes them."""

    faces: NDArray[np.float64]
    """Rectangles and triangles."""
    edges: NDArray[np.float64]
    """Edges and corners."""
    cells: NDArray[np.float64]
    """Grid over both."""
    face_starts: NDArray[np.int64]
    """First item of each cell, and one past the last."""
    face_items: NDArray[np.int64]
    """Faces of the cells."""
    edge_starts: NDArray[np.int64]
    """First item of each cell, and one past the last."""
    edge_items: NDArray[np.int64]
    """Edges of the cells."""
    heights: NDArray[np.float64]
    """Nodes of all height fields."""
    tiles: NDArray[np.float64]
    """Highest node of each tile of all height fields."""


class Robots(NamedTuple):
    """States of all robots, a block after another."""

    state: Any
    """Fields of each robot."""
    memory: Any
    """What the next step starts from: impulses of contacts, and what the law remembers."""
    near: Any
    """Faces and edges near each robot."""
    tops: NDArray[np.int64]
    """Slots of each group (blocks, groups, 3), see `rows.stage`."""
    used: NDArray[np.int64]
    """Near faces and edges of each block, and of each robot of it."""


class Scratch(NamedTuple):
    """What a thread needs while it works on a block."""

    work: Any
    """Workspace."""
    ids: NDArray[np.int64]
    """Hinge, group, slot and drive of each contact."""
    items: NDArray[np.int64]
    """Features that are being listed."""
    counts: NDArray[np.int64]
    """Steps, contacts and sweeps so far."""


@formula
def faster(whitened: Any, force: Any, step: Term) -> Any:
    """Return the whitened velocity of the hull after forces have acted for a step."""
    return tuple(a + step * b for a, b in zip(whitened, force, strict=True))


@inlined
def set_motors(z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any) -> None:
    """Set speeds, targets and limits of all drives for a step; the last stands for no drive."""
    limited = lay[AT_LIMITED] > 0
    for k in range(lay[AT_DRIVES]):
        at, own = lay[AT_WS_DRIVES] + DRIVE_WORK * k, sb + lay[AT_ST_DRIVES] + DRIVE_STATE * k
        asked = load(st, sb + lay[AT_ST_TARGETS] + k, z)
        put(ws, at, (asked, asked, asked, 0.0, 0.0, 0.0), z)
        if limited:
            push = rob[N_BELT_FORCE]
            force = load(st, own + FORCE, z)
            full = most(force, -force) >= push * (1.0 - 1e-9)
            put(ws, at, (load(st, own + SPEED, z), asked, asked, 1.0 / rob[N_BELT_MASS],
                         push * rob[N_TIMESTEP], select(full, 1.0 + z, z)), z)  # fmt: skip
    put(ws, lay[AT_WS_DRIVES] + DRIVE_WORK * lay[AT_DRIVES], (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), z)


@inlined
def keep_motors(z: Any, st: Any, sb: int, ws: Any, ids: Any, rob: Any, lay: Any, n: int) -> None:
    """Keep speeds and forces of the motors; add up travel, and work against the ground."""
    step, limited = rob[N_TIMESTEP], lay[AT_LIMITED] > 0
    for k in range(lay[AT_DRIVES]):
        at, own = lay[AT_WS_DRIVES] + DRIVE_WORK * k, sb + lay[AT_ST_DRIVES] + DRIVE_STATE * k
        speed = load(ws, at + NOW, z)
        if limited:
            force = (speed - load(ws, at + FREE, z)) * (rob[N_BELT_MASS] / step)
            push = rob[N_BELT_FORCE]
            held = select(force > 0.0, push + z, -push + z)
            store(st, own + FORCE, select(load(ws, at + FULL, z) > 0.5, held, force))
        store(st, own + SPEED, speed)
        store(st, own + TRAVEL, load(st, own + TRAVEL, z) + step * speed)
    for i in range(n):
        if ids[i, 3] < lay[AT_DRIVES]:
            at = lay[AT_WS_CONTACTS] + i * CONTACT
            own = sb + lay[AT_ST_DRIVES] + DRIVE_STATE * ids[i, 3]
            taken = load(ws, at + CARRY, z) * load(ws, at + IMPULSE + 1, z) - load(
                ws, at + RAISE, z
            ) * load(ws, at + IMPULSE, z)
            store(st, own + WORK, load(st, own + WORK, z) + taken * load(st, own + SPEED, z))


@inlined
def group_owner(group: int, rob: Any, lay: Any) -> Any:
    """Return hinge and drive of a group of contacts: a link, a shape of the hull, grousers."""
    links, shapes = lay[AT_LINKS], lay[AT_SHAPES]
    if links <= group < links + shapes:
        return -1, lay[AT_DRIVES]
    link = group
    if group >= links + shapes:
        link = int(rob[lay[AT_OF_ROWS] + ROW * (group - links - shapes) + R_LINK])
    row = lay[AT_OF_LINKS] + LINK * link
    return int(rob[row + BODY]) - 1, int(rob[row + DRIVE])


@inlined
def step_block(
    z: Any, width: int, b: int, robots: Any, scratch: Any, rob: Any, lay: Any, ground: Any, law: Any,
    brake: float,
) -> Any:  # fmt: skip
    """Advance the robots of a block by one step; return their fastest velocity, squared."""
    st, mem, near, ws, ids = robots.state, robots.memory, robots.near, scratch.work, scratch.ids
    tops, used = robots.tops[b], robots.used[b]
    sb, mb, nb = b * lay[AT_ST_SIZE], b * lay[AT_MEMORY], b * lay[AT_NEAR]
    features = lay[AT_MOST_FACES] + lay[AT_MOST_EDGES] > 0
    if features:
        look_around(z, width, st, sb, ws, near, nb, used, scratch.items, rob, lay, ground)
    hull, force = weigh(z, st, sb, ws, rob, lay)
    factor = take21(ws, CHOL, z)
    whitened = whiten(factor, hull[:3], hull[3:])
    put(ws, OLD, whitened, z)
    place_belts(z, st, sb, ws, rob, lay)
    set_motors(z, st, sb, ws, rob, lay)
    store(ws, MISSED, z)
    for group in range(lay[AT_GROUPS]):
        store(ws, lay[AT_WS_COUNTS] + group, z)
        tops[group, 1], tops[group, 2] = 0, 0
    rotation = take9(ws, ROTATION, z)
    touch_planes(z, width, st, sb, ws, tops, rob, lay, rotation)
    if features:
        touch_near(z, width, st, sb, ws, tops, near, nb, used, rob, lay, rotation)
    n = 0
    for group in range(lay[AT_GROUPS]):
        hinge, drive = group_owner(group, rob, lay)
        for slot in range(tops[group, 1]):
            add_contact(z, st, sb, ws, ids, tops, mem, mb, rob, lay, law, n, group, slot, hinge,
                        drive)  # fmt: skip
            n += 1
    put(ws, OLD, faster(whitened, whiten_force(factor, force), rob[N_TIMESTEP]), z)
    done = find_impulses(z, st, sb, ws, ids, rob, lay, law, n)
    store(st, sb + LOST, load(st, sb + LOST, z) + load(ws, MISSED, z))
    keep_motors(z, st, sb, ws, ids, rob, lay, n)
    keep_impulses(z, ws, ids, tops, mem, mb, lay, n)
    if lay[AT_LAW_MEMORY] < lay[AT_MEMORY]:
        remember_contacts(z, st, sb, ws, ids, rob, lay, law, mem, mb, n, take6(ws, OLD, z))
    scratch.counts[0] += 1
    scratch.counts[1] += n
    scratch.counts[2] += done
    return move_on(z, st, sb, ws, rob, lay, brake)


@inlined
def find_impulses(
    z: Any, st: Any, sb: int, ws: Any, ids: Any, rob: Any, lay: Any, law: Any, n: int
) -> int:
    """Find the impulses of all contacts; return how many sweeps it took."""
    limited = lay[AT_LIMITED] > 0
    weight = load(st, sb + lay[AT_ST_PARAMETERS] + WEIGHT, z)
    enough = rob[N_TOLERANCE] * weight * rob[N_TIMESTEP]
    enough = enough * enough
    v = start_impulses(z, ws, ids, lay, n, limited)
    v = solve_normals(z, ws, ids, lay, n, int(rob[N_NORMAL_SWEEPS]), enough, v)
    bound_friction(z, st, sb, ws, ids, lay, law, n, v)
    v, done = solve(z, ws, ids, lay, n, int(rob[N_SWEEPS]), enough, limited, v)
    put(ws, OLD, v, z)
    return done


@compiled
def copy_robot(width: int, lane: int, source: Any, at: int, target: Any, to: int, fields: int) -> None:
    """Copy the fields of one robot of a block."""
    for k in range(fields):
        target[(to + k) * width + lane] = source[(at + k) * width + lane]


@compiled
def settle_block(
    z: Any, width: int, b: int, robots: Any, scratch: Any, rob: Any, lay: Any, ground: Any, law: Any,
    which: Any, kept: Any, steps: int, brake: float, slow: float,
) -> None:  # fmt: skip
    """Let the robots of a mask come to rest, each by itself; the others stay as they are.

    A robot that is at rest is copied to `kept` (state and memory of a block) and copied back at the
    end, so that it does not matter how long others need.
    """
    st, mem, tops = robots.state, robots.memory, robots.tops[b]
    fields, memory = lay[AT_ST_SIZE], lay[AT_MEMORY]
    sb, mb = b * fields, b * memory
    waiting = 0
    rests = np.zeros(width)
    for lane in range(width):
        i = b * width + lane
        if i < which.size and which[i]:
            waiting += 1
        else:
            rests[lane] = 1.0
            copy_robot(width, lane, st, sb, kept, 0, fields)
            copy_robot(width, lane, mem, mb, kept, fields, memory)
    spare = lay[AT_WS_SPARE]
    for _ in range(steps):
        if waiting == 0:
            break
        fastest = step_block(z, width, b, robots, scratch, rob, lay, ground, law, brake)
        store(scratch.work, spare, fastest)
        for lane in range(width):
            touches = False
            for group in range(lay[AT_GROUPS]):
                if scratch.work[(lay[AT_WS_COUNTS] + group) * width + lane] > 0.0:
                    touches = True
            if rests[lane] == 0.0 and touches and scratch.work[spare * width + lane] < slow * slow:
                rests[lane] = 1.0
                waiting -= 1
                forget_slots(width, lane, mem, mb, tops, lay)
                copy_robot(width, lane, st, sb, kept, 0, fields)
                copy_robot(width, lane, mem, mb, kept, fields, memory)
    for lane in range(width):
        if rests[lane] > 0.0:
            copy_robot(width, lane, kept, 0, st, sb, fields)
            copy_robot(width, lane, kept, fields, mem, mb, memory)
        else:
            forget_slots(width, lane, mem, mb, tops, lay)
        if b * width + lane < which.size and which[b * width + lane]:
            stand_still(width, lane, st, sb, lay)
    refresh_block(width, b, robots, scratch, rob, lay, ground)


@compiled
def forget_slots(width: int, lane: int, mem: Any, mb: int, tops: Any, lay: Any) -> None:
    """Mark slots that the last step did not use as empty."""
    for group in range(lay[AT_GROUPS]):
        for slot in range(tops[group, 0], lay[AT_SLOTS]):
            mem[(mb + (group * lay[AT_SLOTS] + slot) * KEPT) * width + lane] = NOTHING


@compiled
def stand_still(width: int, lane: int, st: Any, sb: int, lay: Any) -> None:
    """Set velocities, works, travels and counts of a robot to zero."""
    for k in range(6):
        st[(sb + VEL + k) * width + lane] = 0.0
        st[(sb + ERRORS + k) * width + lane] = 0.0
    st[(sb + LOST) * width + lane] = 0.0
    for k in range(lay[AT_HINGES]):
        st[(sb + lay[AT_ST_HINGES] + HINGE_STATE * k + RATE) * width + lane] = 0.0
    for k in range(lay[AT_DRIVES] * DRIVE_STATE):
        st[(sb + lay[AT_ST_DRIVES] + k) * width + lane] = 0.0


@compiled
def refresh_block(
    width: int, b: int, robots: Any, scratch: Any, rob: Any, lay: Any, ground: Any
) -> None:
    """Make lists and counts of a block fit states that were copied into it."""
    for group in range(lay[AT_GROUPS]):
        robots.tops[b, group, 0] = lay[AT_SLOTS]
    if lay[AT_MOST_FACES] + lay[AT_MOST_EDGES] > 0:
        sb, nb = b * lay[AT_ST_SIZE], b * lay[AT_NEAR]
        for lane in range(width):
            list_near(width, lane, robots.state, sb, robots.near, nb, robots.used[b],
                      scratch.items, rob, lay, ground)  # fmt: skip


@compiled
def read_block(
    width: int, b: int, count: int, robots: Any, rob: Any, lay: Any, readings: Any, drives: Any,
    angles: Any,
) -> None:  # fmt: skip
    """Write pose and twist of the bodies' origins, belts and flippers of a block."""
    st, sb = robots.state, b * lay[AT_ST_SIZE]
    ox, oy, oz = rob[N_ORIGIN_X], rob[N_ORIGIN_Y], rob[N_ORIGIN_Z]
    for lane in range(width):
        i = b * width + lane
        if i >= count:
            break
        at = sb * width + lane
        w, x, y, z = (st[at + QUAT * width], st[at + (QUAT + 1) * width],
                      st[at + (QUAT + 2) * width], st[at + (QUAT + 3) * width])  # fmt: skip
        r00, r01, r02 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        r10, r11, r12 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
        r20, r21, r22 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        readings[i, 0] = st[at] + (r00 * ox + r01 * oy + r02 * oz)
        readings[i, 1] = st[at + width] + (r10 * ox + r11 * oy + r12 * oz)
        readings[i, 2] = st[at + 2 * width] + (r20 * ox + r21 * oy + r22 * oz)
        readings[i, 3] = np.arctan2(r21, r22)
        readings[i, 4] = -np.arcsin(min(max(r20, -1.0), 1.0))
        yaw, old = np.arctan2(r10, r00), st[at + YAW * width]
        turned = np.pi - np.mod(np.pi - (yaw - old), 2.0 * np.pi)
        st[at + YAW * width] = old + turned
        readings[i, 5] = old + turned
        u, v, s = (st[at + VEL * width], st[at + (VEL + 1) * width], st[at + (VEL + 2) * width])
        p, q, r = st[at + SPIN * width], st[at + (SPIN + 1) * width], st[at + (SPIN + 2) * width]
        readings[i, 6] = r00 * u + r10 * v + r20 * s + (q * oz - r * oy)
        readings[i, 7] = r01 * u + r11 * v + r21 * s + (r * ox - p * oz)
        readings[i, 8] = r02 * u + r12 * v + r22 * s + (p * oy - q * ox)
        readings[i, 9], readings[i, 10], readings[i, 11] = p, q, r
        for k in range(lay[AT_DRIVES]):
            own = at + (lay[AT_ST_DRIVES] + DRIVE_STATE * k) * width
            drives[i, 0, k], drives[i, 1, k] = st[own + SPEED * width], st[own + WORK * width]
        for k in range(lay[AT_HINGES]):
            angles[i, k] = st[at + (lay[AT_ST_HINGES] + HINGE_STATE * k + ANGLE) * width]


@compiled
def write_targets(
    width: int, b: int, count: int, robots: Any, lay: Any, belts: Any, flippers: Any, steering: Any
) -> None:
    """Set the targets of a block's robots for the coming steps."""
    st, sb = robots.state, b * lay[AT_ST_SIZE]
    for lane in range(width):
        i = min(b * width + lane, count - 1)
        for k in range(lay[AT_DRIVES]):
            st[(sb + lay[AT_ST_TARGETS] + k) * width + lane] = belts[i, k]
        for k in range(lay[AT_HINGES]):
            st[(sb + lay[AT_ST_GOALS] + k) * width + lane] = flippers[i, k]
        for k in range(2):
            st[(sb + lay[AT_ST_PARAMETERS] + STEER + k) * width + lane] = steering[i, k]


class Commands(NamedTuple):
    """What robots work towards, and where their readings are written."""

    belts: NDArray[np.float64]
    """Speeds of the belts (n, drives) [m/s]."""
    flippers: NDArray[np.float64]
    """Angles of the flippers (n, flippers) [rad]."""
    steering: NDArray[np.float64]
    """Speed [m/s] and yaw rate [rad/s] of an ideal drive (n, 2)."""
    readings: NDArray[np.float64]
    """Pose and twist (n, READINGS)."""
    drives: NDArray[np.float64]
    """Speed [m/s] and work [J] of each drive (n, 2, drives)."""
    angles: NDArray[np.float64]
    """Angles of the flippers as they are (n, flippers) [rad]."""


def make_tick(code: int, width: int) -> Any:
    """Return the compiled function that advances blocks of so many lanes; see `lanes.lanes`."""

    @compiled
    def tick(
        first: int, end: int, steps: int, robots: Any, scratch: Any, rob: Any, lay: Any, ground: Any,
        law: Any, commands: Any,
    ) -> None:  # fmt: skip
        z = lanes(code)
        count = commands.readings.shape[0]
        for b in range(first, end):
            write_targets(
                width, b, count, robots, lay, commands.belts, commands.flippers, commands.steering
            )
            for _ in range(steps):
                step_block(z, width, b, robots, scratch, rob, lay, ground, law, 1.0)
            read_block(
                width, b, count, robots, rob, lay, commands.readings, commands.drives,
                commands.angles,
            )  # fmt: skip

    return tick


def make_settle(code: int, width: int) -> Any:
    """Return the compiled function that lets robots of blocks come to rest."""

    @compiled
    def settle(
        first: int, end: int, robots: Any, scratch: Any, rob: Any, lay: Any, ground: Any, law: Any,
        which: Any, kept: Any, steps: int, brake: float, slow: float,
    ) -> None:  # fmt: skip
        z = lanes(code)
        for b in range(first, end):
            settle_block(
                z, width, b, robots, scratch, rob, lay, ground, law, which, kept, steps, brake, slow
            )

    return settle
