"""One step of a block of robots, and many: the loops that everything else is called from."""

from typing import Any

import numpy as np

from grouser.models.contact.compiled import compiled, entry, inlined
from grouser.models.contact.native.body import forward as whiten_force
from grouser.models.contact.native.body import move_on, weigh, whiten
from grouser.models.contact.native.contacts import find_contacts
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.near import list_near, look_around
from grouser.models.contact.native.patches import carry_places
from grouser.models.contact.native.rows import add_contact, keep_impulses
from grouser.models.contact.native.ruts import look_at_ruts
from grouser.models.contact.native.search import place_belts
from grouser.models.contact.native.soil import carry_sinkage
from grouser.models.contact.native.solve import (
    remember_contacts,
    solve,
    solve_normals,
    start_motors,
)
from grouser.models.contact.native.staging import stage_resistance
from grouser.models.contact.traction.belts import add_travel, reach_robot
from grouser.models.contact.traction.hooks import only_with_memory
from grouser.models.lanes.formula import Term, formula, most
from grouser.models.lanes.lanes import lanes, load, put, select, store, take6, take9, take21

AT_REST = 1e-5
"""Largest velocity of a robot that has come to rest, while braked [m/s], [rad/s]."""


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
def keep_motors(z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any) -> None:
    """Keep speeds and forces of the motors; add up travel."""
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
def starts_of(b: int, lay: Any) -> Any:
    """Return where state, memory and near ground of a block begin."""
    return (
        b * lay[AT_ST_SIZE], lay[AT_MEMORY_AT] + b * lay[AT_MEMORY],
        lay[AT_NEAR_AT] + b * lay[AT_NEAR],
    )  # fmt: skip


@inlined
def add_group(
    z: Any, width: int, st: Any, sb: int, ws: Any, ids: Any, tops: Any, mb: int, rob: Any, lay: Any,
    law: Any, n: int, group: int, v: Any,
) -> Any:  # fmt: skip
    """Make the rows of all contacts of a group; return how many there are, and the velocity."""
    hinge, drive = group_owner(group, rob, lay)
    store(ws, lay[AT_WS_DRAG], z)
    slot, last = 0, tops[group, 1]
    while slot < tops[group, 1]:
        v = add_contact(z, st, sb, ws, ids, tops, st, mb, rob, lay, law, n, group, slot, hinge,
                        drive, v)  # fmt: skip
        slot, n = slot + 1, n + 1
        if slot == last:  # all that touch have added what resists their belt
            stage_resistance(law, z, width, ws, tops, rob, lay, group)
    return n, v


def carry_nothing(
    law: Any, z: Any, width: int, b: int, st: Any, sb: int, ws: Any, mb: int, rob: Any, lay: Any,
    rotation: Any,
) -> None:  # fmt: skip
    """Do nothing."""


@only_with_memory(carry_nothing)
def carry_memory(
    law: Any, z: Any, width: int, b: int, st: Any, sb: int, ws: Any, mb: int, rob: Any, lay: Any,
    rotation: Any,
) -> None:  # fmt: skip
    """Move on what belts remember, with the belts, and the ground that they have pressed."""
    if lay[AT_RUTS] > 0:
        grid = lay[AT_RUTS_AT] + b * lay[AT_RUTS]
        look_at_ruts(width, st, sb, ws, mb, grid, rob, lay)
    if lay[AT_SOIL] > 0:
        carry_sinkage(z, st, sb, ws, st, mb, rob, lay, rotation)
    carry_places(z, ws, st, mb, rob, lay, law)


@compiled
def step_block(
    z: Any, width: int, b: int, st: Any, counts: Any, ws: Any, ids: Any, items: Any, rob: Any,
    lay: Any, ground: Any, index: Any, law: Any, brake: float,
) -> Any:  # fmt: skip
    """Advance the robots of a block by one step; return their fastest velocity, squared."""
    tops, mem, near = counts[b], st, st
    sb, mb, nb = starts_of(b, lay)
    features = lay[AT_MOST_FACES] + lay[AT_MOST_EDGES] > 0
    if features:
        look_around(z, width, st, sb, ws, near, nb, tops, items, rob, lay, ground, index)
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
    carry_memory(law, z, width, b, st, sb, ws, mb, rob, lay, rotation)
    find_contacts(z, width, st, sb, ws, tops, near, nb, rob, lay, ground, rotation)
    n, v = 0, faster(whitened, whiten_force(take21(ws, INVERSE, z), force), rob[N_TIMESTEP])
    for group in range(lay[AT_GROUPS]):
        n, v = add_group(z, width, st, sb, ws, ids, tops, mb, rob, lay, law, n, group, v)
    done = find_impulses(z, st, sb, ws, ids, mb, rob, lay, law, n, v)
    store(st, sb + LOST, load(st, sb + LOST, z) + load(ws, MISSED, z))
    keep_motors(z, st, sb, ws, rob, lay)
    keep_impulses(z, ws, ids, tops, mem, sb, mb, lay, n)
    remember_contacts(law, z, st, sb, ws, ids, rob, lay, mb, n, take6(ws, OLD, z))
    last = ids.shape[0] - 1
    ids[last, 0], ids[last, 1], ids[last, 2] = (
        ids[last, 0] + 1,
        ids[last, 1] + n,
        ids[last, 2] + done,
    )
    return move_on(z, st, sb, ws, rob, lay, brake)


@inlined
def find_impulses(
    z: Any, st: Any, sb: int, ws: Any, ids: Any, mb: int, rob: Any, lay: Any, law: Any, n: int,
    v: Any,
) -> int:  # fmt: skip
    """Find the impulses of all contacts; return how many sweeps it took."""
    parameters = sb + lay[AT_ST_PARAMETERS]
    enough = rob[N_TOLERANCE] * load(st, parameters + WEIGHT, z) * rob[N_TIMESTEP]
    enough = enough * enough
    if lay[AT_LIMITED] > 0:
        start_motors(z, ws, lay)
    v = solve_normals(z, ws, ids, lay, n, int(rob[N_NORMAL_SWEEPS]), enough, v)
    friction = load(st, parameters + FRICTION, z)
    v, done = solve(z, ws, ids, st, mb, rob, lay, law, friction, n, enough, v)
    put(ws, OLD, v, z)
    return done


@compiled
def copy_robot(
    width: int, lane: int, source: Any, at: int, target: Any, to: int, fields: int
) -> None:
    """Copy the fields of one robot of a block."""
    for k in range(fields):
        target[(to + k) * width + lane] = source[(at + k) * width + lane]


@inlined
def touches_ground(width: int, lane: int, ws: Any, lay: Any) -> bool:
    """Return whether a robot has contacts."""
    touches = False
    for group in range(lay[AT_GROUPS]):
        if ws[(lay[AT_WS_COUNTS] + group) * width + lane] > 0.0:
            touches = True
    return touches


@compiled
def settle_block(
    z: Any, width: int, b: int, st: Any, counts: Any, ws: Any, ids: Any, items: Any, rob: Any,
    lay: Any, ground: Any, index: Any, law: Any, which: Any, kept: Any, steps: int, brake: float,
) -> None:  # fmt: skip
    """Let the robots of a mask come to rest, each by itself; the others stay as they are.

    A robot that is at rest is copied to `kept` (state and memory of a block) and copied back at the
    end, so that it does not matter how long others need.
    """
    tops, fields, memory = counts[b], lay[AT_ST_SIZE], lay[AT_MEMORY]
    sb, mb, _ = starts_of(b, lay)
    mem, waiting, spare = st, 0, lay[AT_WS_SPARE]
    rests = fields + memory  # field of `kept`: whether a robot is at rest
    for lane in range(width):
        i = b * width + lane
        kept[rests * width + lane] = 0.0
        if i < which.size and which[i]:
            waiting += 1
        else:
            kept[rests * width + lane] = 1.0
            copy_robot(width, lane, st, sb, kept, 0, fields)
            copy_robot(width, lane, mem, mb, kept, fields, memory)
    for _ in range(steps):
        if waiting == 0:
            break
        fastest = step_block(z, width, b, st, counts, ws, ids, items, rob, lay, ground, index, law,
                             brake)  # fmt: skip
        store(ws, spare, fastest)
        for lane in range(width):
            if (
                kept[rests * width + lane] == 0.0
                and touches_ground(width, lane, ws, lay)
                and ws[spare * width + lane] < AT_REST * AT_REST
            ):
                kept[rests * width + lane] = 1.0
                waiting -= 1
                forget_slots(width, lane, mem, mb, tops, lay)
                copy_robot(width, lane, st, sb, kept, 0, fields)
                copy_robot(width, lane, mem, mb, kept, fields, memory)
    for lane in range(width):
        if kept[rests * width + lane] > 0.0:
            copy_robot(width, lane, kept, 0, st, sb, fields)
            copy_robot(width, lane, kept, fields, mem, mb, memory)
        else:
            forget_slots(width, lane, mem, mb, tops, lay)
        if b * width + lane < which.size and which[b * width + lane]:
            stand_still(width, lane, st, sb, lay)
    refresh_block(width, b, st, counts, items, rob, lay, ground, index)


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
    width: int,
    b: int,
    st: Any,
    counts: Any,
    items: Any,
    rob: Any,
    lay: Any,
    ground: Any,
    index: Any,
) -> None:
    """Make lists and counts of a block fit states that were copied into it."""
    for group in range(lay[AT_GROUPS]):
        counts[b, group, 0] = lay[AT_SLOTS]
    if lay[AT_MOST_FACES] + lay[AT_MOST_EDGES] > 0:
        sb, _, nb = starts_of(b, lay)
        for lane in range(width):
            list_near(width, lane, st, sb, st, nb, counts[b], items, rob, lay, ground, index)


@compiled
def read_block(
    width: int, b: int, st: Any, rob: Any, lay: Any, drives: Any, out: Any, duration: float
) -> None:
    """Write pose and twist of the bodies' origins, belts and flippers of a block; add up travel."""
    sb = b * lay[AT_ST_SIZE]
    ox, oy, oz = rob[N_ORIGIN_X], rob[N_ORIGIN_Y], rob[N_ORIGIN_Z]
    for lane in range(width):
        i = b * width + lane
        if i >= out.shape[0]:
            break
        at = sb * width + lane
        w, x, y, z = (st[at + QUAT * width], st[at + (QUAT + 1) * width],
                      st[at + (QUAT + 2) * width], st[at + (QUAT + 3) * width])  # fmt: skip
        r00, r01, r02 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        r10, r11, r12 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
        r20, r21, r22 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        out[i, 0] = st[at] + (r00 * ox + r01 * oy + r02 * oz)
        out[i, 1] = st[at + width] + (r10 * ox + r11 * oy + r12 * oz)
        out[i, 2] = st[at + 2 * width] + (r20 * ox + r21 * oy + r22 * oz)
        out[i, 3] = np.arctan2(r21, r22)
        out[i, 4] = -np.arcsin(min(max(r20, -1.0), 1.0))
        yaw, old = np.arctan2(r10, r00), st[at + YAW * width]
        out[i, 5] = old + (np.pi - np.mod(np.pi - (yaw - old), 2.0 * np.pi))
        st[at + YAW * width] = out[i, 5]
        u, v, s = (st[at + VEL * width], st[at + (VEL + 1) * width], st[at + (VEL + 2) * width])
        p, q, r = st[at + SPIN * width], st[at + (SPIN + 1) * width], st[at + (SPIN + 2) * width]
        out[i, 6] = r00 * u + r10 * v + r20 * s + (q * oz - r * oy)
        out[i, 7] = r01 * u + r11 * v + r21 * s + (r * ox - p * oz)
        out[i, 8] = r02 * u + r12 * v + r22 * s + (p * oy - q * ox)
        out[i, 9], out[i, 10], out[i, 11] = p, q, r
        read_drives(width, at, i, st, lay, drives, out, duration)


@compiled
def read_drives(
    width: int, at: int, i: int, st: Any, lay: Any, drives: Any, out: Any, duration: float
) -> None:
    """Write speeds and works of a robot's drives and angles of its flippers; add up travel."""
    count, hinges = lay[AT_DRIVES], lay[AT_HINGES]
    for k in range(count):
        own = at + (lay[AT_ST_DRIVES] + DRIVE_STATE * k) * width
        out[i, 12 + k], out[i, 12 + count + k] = st[own + SPEED * width], st[own + WORK * width]
        add_travel(drives, count, i, k, out[i, 12 + k], duration)
    for k in range(hinges):
        angle = st[at + (lay[AT_ST_HINGES] + HINGE_STATE * k + ANGLE) * width]
        out[i, 12 + 2 * count + k] = angle


@compiled
def write_targets(width: int, b: int, st: Any, lay: Any, drives: Any) -> None:
    """Set the targets of a block's robots for the coming steps."""
    sb, count, hinges = b * lay[AT_ST_SIZE], lay[AT_DRIVES], lay[AT_HINGES]
    for lane in range(width):
        i = min(b * width + lane, drives.shape[0] - 1)
        for k in range(count):
            st[(sb + lay[AT_ST_TARGETS] + k) * width + lane] = drives[i, 3 * count + k]
        for k in range(hinges):
            at = 4 * count + hinges + k
            st[(sb + lay[AT_ST_GOALS] + k) * width + lane] = drives[i, at]
        for k in range(2):
            at = 4 * count + 2 * hinges + k
            st[(sb + lay[AT_ST_PARAMETERS] + STEER + k) * width + lane] = drives[i, at]


def make_tick(code: int, width: int) -> Any:
    """Return the compiled function that advances blocks of so many lanes; see `lanes.lanes`.

    A tick is one call: limits of drives, steps, pose and twist. The first call of a tick reaches
    for targets over its whole duration `before`, the last one writes `out` and adds travels over
    `after`. With a `brake` below 1, the robots of the mask `which` come to rest instead. Returns
    how many contacts have found no slot.
    """

    @entry
    def tick(
        first: int, end: int, steps: int, before: float, after: float, brake: float, st: Any,
        counts: Any, ws: Any, ids: Any, items: Any, kept: Any, rob: Any, lay: Any, ground: Any,
        index: Any, law: Any, which: Any, drives: Any, limits: Any, out: Any,
    ) -> float:  # fmt: skip
        z = lanes(code)
        lost = 0.0
        for b in range(first, end):
            if brake < 1.0:
                settle_block(z, width, b, st, counts, ws, ids, items, rob, lay, ground, index, law,
                             which, kept, steps, brake)  # fmt: skip
                continue
            if before > 0.0:
                for i in range(b * width, min((b + 1) * width, out.shape[0])):
                    reach_robot(drives, limits, i, before)
                write_targets(width, b, st, lay, drives)
            for _ in range(steps):
                step_block(z, width, b, st, counts, ws, ids, items, rob, lay, ground, index, law,
                           1.0)  # fmt: skip
            if after >= 0.0:
                read_block(width, b, st, rob, lay, drives, out, after)
            for lane in range(width):
                lost += st[(b * lay[AT_ST_SIZE] + LOST) * width + lane]
        return lost

    return tick
