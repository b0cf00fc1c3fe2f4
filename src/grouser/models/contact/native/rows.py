"""Rows of the solver: what staged contacts become."""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.body import forward
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.patches import moved_rub
from grouser.models.contact.native.soil import (
    sink_in,
)
from grouser.models.contact.traction.hooks import direction, limit, only_with_memory, ratio
from grouser.models.contact.traction.law import ContactPoint
from grouser.models.contact.traction.shear import MOST_BESIDE
from grouser.models.lanes.formula import (
    Term,
    choose,
    dot,
    formula,
    inner,
    inward,
    mad,
    magnitude,
    outer,
    smaller,
    sqrt,
    where,
)
from grouser.models.lanes.lanes import (
    allof,
    anyof,
    load,
    put,
    select,
    store,
    take2,
    take3,
    take4,
    take6,
    take9,
    take12,
    take21,
)


@formula
def row_of(direction_: Any, place: Any) -> Any:
    """Return how the hull's velocity moves a point along a direction."""
    return (*direction_, *outer(place, direction_))


@formula
def hinged_row(row: Any, direction_: Any, place: Any, over: Any, hinge: Any) -> Any:
    """Return the row without what the hinge takes, and the hinge's own whitened part."""
    inverse, hx, hz = hinge
    lever = direction_[0] * (place[2] - hz) - direction_[2] * (place[0] - hx)
    return (*(mad(-lever, o, r) for r, o in zip(row, over, strict=True)), lever * inverse)


@inlined
def whiten_row(z: Any, ws: Any, lay: Any, hinge: int, direction_: Any, place: Any) -> Any:
    """Return the whitened row of a contact's direction (6), and its part of the hinge."""
    row = row_of(direction_, place)
    own = z
    if hinge >= 0:
        at = lay[AT_WS_HINGES] + HINGE_WORK * hinge
        numbers = (load(ws, at + H_INV, z), load(ws, at + H_X, z), load(ws, at + H_Z, z))
        found = hinged_row(row, direction_, place, take6(ws, at, z), numbers)
        row, own = found[:6], found[6]
    return forward(take21(ws, INVERSE, z), row), own


@formula
def block_of(n: Any, t: Any, b: Any, own: Any, more: Any) -> Any:
    """Return the contact's own 3 x 3 block and its inverse.

    `own` are the hinge's parts of the rows; `more` is added to the diagonal: softness of the
    normal, of friction along and across. Returns tt, tb, bb, nt, nb, the inverse of the normal's
    diagonal, and the inverse block (nn nt nb tt tb bb).
    """
    hn, ht, hb = own
    nn = inner(n, n) + hn * hn + more[0]
    tt = inner(t, t) + ht * ht + more[1]
    bb = inner(b, b) + hb * hb + more[2]
    nt, nb, tb = inner(n, t) + hn * ht, inner(n, b) + hn * hb, inner(t, b) + ht * hb
    return (tt, tb, bb, nt, nb, 1.0 / nn, *inverse_of(nn, (tt, tb, bb), (nt, nb)))


def inverse_of(nn: Any, tangent: Any, coupling: Any) -> Any:
    """Return the inverse of a contact's block (nn nt nb tt tb bb)."""
    tt, tb, bb = tangent
    nt, nb = coupling
    c00, c01, c02 = tt * bb - tb * tb, nb * tb - nt * bb, nt * tb - nb * tt
    inv = 1.0 / (nn * c00 + nt * c01 + nb * c02)
    return (
        c00 * inv, c01 * inv, c02 * inv,
        (nn * bb - nb * nb) * inv, (nt * nb - nn * tb) * inv, (nn * tt - nt * nt) * inv,
    )  # fmt: skip


@formula
def yielding_block(inverse: Term, tangent: Any, coupling: Any, yields: Term) -> Any:
    """Return the block of friction and the inverse of a block whose friction yields.

    `inverse` is that of the normal's diagonal; a contact that is none keeps a block of zeros.
    """
    tt, tb, bb = tangent
    live = inverse > 0.0
    softer = (tt + yields, tb, bb + yields)
    found = inverse_of(1.0 / where(live, inverse, 1.0), softer, coupling)
    return (*softer, *(where(live, entry, 0.0 * entry) for entry in found))


@formula
def across_of(normal: Any, along: Any, squash: Term) -> Any:
    """Return the direction across, in units in which the ellipse of friction is a disk."""
    return tuple(part * squash for part in outer(normal, along))


@formula
def swirl_of(normal: Any, spin: Any, spread: Any) -> Any:
    """Return how much slip differs within a patch, because the robot turns about its normal."""
    long, wide = spread
    return sqrt(long * long + wide * wide) * magnitude(inner(normal, spin))


@formula
def neutral(active: Term, vectors: Any) -> Any:
    """Return place, rub, normal and along of a contact; of a harmless one where not active."""
    zero = vectors[0] * 0.0
    harmless = [0.0] * 6 + [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    return tuple(
        where(active, value, zero + other) for value, other in zip(vectors, harmless, strict=True)
    )


@inlined
def read_staged(
    z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any, group: int, slot: int
) -> Any:
    """Return where a staged contact is active, its vectors and its numbers."""
    of = lay[AT_WS_STAGE] + (group * lay[AT_SLOTS] + slot) * STAGED
    active = load(ws, lay[AT_WS_COUNTS] + group, z) > slot
    vectors = take12(ws, of, z)
    numbers = take12(ws, of + DEPTH, z)
    if not allof(active):  # what other robots left there must not come through
        vectors = neutral(active, vectors)
        numbers = choose(active, numbers, (z, z, 1.0 + z, z, z, z, z, z, z, z, z, z))
    if lay[AT_PATCHES] > 0:
        numbers = painted(z, st, sb, ws, rob, lay, vectors[:3], numbers)
        store(ws, of + SURFACE, numbers[1])  # its friction is bounded later, by what it lies on
    return active, vectors, numbers


@inlined
def point_before(
    z: Any, st: Any, ws: Any, rob: Any, parameters: int, motor: int, numbers: Any, impulse: Any
) -> Any:
    """Return what a law may know of a contact before the solver, with the load of the last step."""
    return ContactPoint(
        load=impulse, slip_along=z, slip_across=z, belt_speed=load(ws, motor + NOW, z),
        surface=numbers[1], factor=load(st, parameters + FRICTION, z), area=numbers[10],
        place=numbers[11], step=rob[N_TIMESTEP], swirl=z,
    )  # fmt: skip


def lie_as_found(
    law: Any, z: Any, ws: Any, mem: Any, mb: int, rob: Any, lay: Any, active: Any, vectors: Any,
    numbers: Any,
) -> Any:  # fmt: skip
    """Return a contact as it was found."""
    return active, vectors, numbers, z


@only_with_memory(lie_as_found)
def lie_down(
    law: Any, z: Any, ws: Any, mem: Any, mb: int, rob: Any, lay: Any, active: Any, vectors: Any,
    numbers: Any,
) -> Any:  # fmt: skip
    """Return a contact as its place lies on the ground, and what holds it sideways besides [N]."""
    beside = z
    if lay[AT_SOIL] > 0:
        active, vectors, numbers, beside = sink_in(z, ws, mem, mb, rob, lay, law, active, vectors,
                                                   numbers)  # fmt: skip
    return active, moved_rub(z, mem, mb, lay, numbers[11], vectors), numbers, beside


def not_widened(law: Any, point: Any, squash: Any, beside: Any) -> Any:
    """Return strength across over along, of the law alone [1]."""
    return squash


@only_with_memory(not_widened)
def widened(law: Any, point: Any, squash: Any, beside: Any) -> Any:
    """Return strength across over along with what holds a contact sideways besides [1]."""
    return squash * widen(limit(law, point), beside * point.step)


@inlined
def set_rows(
    z: Any, ws: Any, lay: Any, at: int, hinge: int, vectors: Any, along: Any, across: Any
) -> Any:
    """Set the whitened rows of a contact; return them, and the hinge's parts."""
    place, rub, normal = vectors[:3], vectors[3:6], vectors[6:9]
    row_n, hn = whiten_row(z, ws, lay, hinge, normal, place)
    row_t, ht = whiten_row(z, ws, lay, hinge, along, rub)
    row_b, hb = whiten_row(z, ws, lay, hinge, across, rub)
    put(ws, at + ROW_N, row_n, z)
    put(ws, at + ROW_T, row_t, z)
    put(ws, at + ROW_B, row_b, z)
    put(ws, at + HINGE, (hn, ht, hb), z)
    return row_n, row_t, row_b, (hn, ht, hb)


@inlined
def set_block(
    z: Any, ws: Any, lay: Any, at: int, motor: int, rows: Any, soft: Any, roll: Any, squash: Any
) -> Any:
    """Return the contact's block and its inverse; set its share of a motor that is at its limit."""
    give = z
    limited = lay[AT_LIMITED] > 0
    if limited:  # a belt whose motor is at its limit gives way
        full, light = load(ws, motor + FULL, z), load(ws, motor + LIGHT, z)
        give = full * light * roll * roll
    alone = select(squash > 0.0, z, 1.0 + z)  # without a direction across: any number, not 0
    block = block_of(rows[0], rows[1], rows[2], rows[3], (soft, give, alone))
    if limited:
        slack = (1.0 - load(ws, motor + FULL, z)) * load(ws, motor + LIGHT, z)
        store(ws, at + SLACK, slack / (block[0] + slack + 1e-300))
    return block


@inlined
def set_aims(
    z: Any, ws: Any, at: int, active: Any, normal: Any, squash: Any, old: Any, speed: Any,
    block: Any, numbers: Any, roll: Any,
) -> None:  # fmt: skip
    """Set what the solver needs of a contact besides its rows; `old` is its normal velocity."""
    lift = numbers[7] * speed
    aim = numbers[8] * old - numbers[9] * numbers[0] + (numbers[8] - 1.0) * lift
    swirl = swirl_of(normal, take3(ws, SPIN_NOW, z), (squash * numbers[4], numbers[5]))
    live = select(active, 1.0 + z, z)
    put(ws, at + TANGENT, block[:3], z)
    put(ws, at + INV_N, (block[5] * live, numbers[2], aim), z)
    put(ws, at + CROSS, block[3:5], z)
    put(ws, at + BLOCK, masked(live, block[6:]), z)
    put(ws, at + SWIRL, (swirl, roll, numbers[7], 0.0), z)
    store(ws, at + RATIO, squash)


@inlined
def add_contact(
    z: Any, st: Any, sb: int, ws: Any, ids: Any, tops: Any, mem: Any, mb: int, rob: Any, lay: Any,
    law: Any, n: int, group: int, slot: int, hinge: int, drive: int, v: Any,
) -> Any:  # fmt: skip
    """Make the rows of a staged contact, number n of the solver, and apply its last impulses.

    Returns the hull's whitened velocity `v` with them.
    """
    at, motor = lay[AT_WS_CONTACTS] + n * CONTACT, lay[AT_WS_DRIVES] + DRIVE_WORK * drive
    parameters = sb + lay[AT_ST_PARAMETERS]
    active, vectors, numbers = read_staged(z, st, sb, ws, rob, lay, group, slot)
    active, vectors, numbers, beside = lie_down(law, z, ws, mem, mb, rob, lay, active, vectors,
                                                numbers)  # fmt: skip
    impulse = recall(z, ws, tops, mem, mb, lay, group, slot, active, numbers[3])
    rub, normal = vectors[3:6], vectors[6:9]
    point = point_before(z, st, ws, rob, parameters, motor, numbers, impulse[0])
    origin = (rob[N_ORIGIN_X], rob[N_ORIGIN_Y], rob[N_ORIGIN_Z])
    steering = take2(st, parameters + STEER, z)
    along, carried = direction(law, normal, vectors[9:], rub, origin, steering)
    squash = widened(law, point, ratio(law, point), beside)
    across = across_of(normal, along, squash)
    rows = set_rows(z, ws, lay, at, hinge, vectors, along, across)
    roll = numbers[6] * carried
    block = set_block(z, ws, lay, at, motor, rows, numbers[2], roll, squash)
    old = old_speed(z, ws, lay, hinge, rows[0], rows[3][0])
    set_aims(z, ws, at, active, normal, squash, old, load(ws, motor + NOW, z), block, numbers, roll)
    if rob[N_TREADMILL] != 0.0:
        ground = inward((-rob[N_TREADMILL], 0.0, 0.0), take9(ws, ROTATION, z))
        put(ws, at + MOVES, (dot(ground, along), dot(ground, across)), z)
    put(ws, at + IMPULSE, impulse, z)
    ids[n, 0], ids[n, 1], ids[n, 2], ids[n, 3] = hinge, group, slot, drive
    if hinge >= 0:
        w = lay[AT_WS_HINGES] + HINGE_WORK * hinge + H_VEL
        store(ws, w, load(ws, w, z) + dot(rows[3], impulse))
    if lay[AT_LIMITED] > 0:
        unload(z, ws, lay, at, drive, impulse[1], impulse[0])
    return apply_impulse(v, rows[0], rows[1], rows[2], impulse)


@formula
def widen(along: Term, beside: Term) -> Any:
    """Return strength across over along, where soil beside the belt adds to it [1].

    A contact that is new has none along yet to compare with.
    """
    has = along > 0.0
    return 1.0 + where(has, smaller(beside / where(has, along, 1.0), MOST_BESIDE), 0.0 * along)


@formula
def apply_impulse(v: Any, n: Any, t: Any, b: Any, impulse: Any) -> Any:
    """Return the whitened velocity after an impulse."""
    rows = zip(v, n, t, b, strict=True)
    return tuple(
        mad(q, impulse[2], mad(p, impulse[1], mad(o, impulse[0], u))) for u, o, p, q in rows
    )


@inlined
def unload(z: Any, ws: Any, lay: Any, at: int, drive: int, along: Any, normal: Any) -> None:
    """Take what a contact's impulse takes from its belt's momentum."""
    motor = lay[AT_WS_DRIVES] + DRIVE_WORK * drive
    roll, lift = take2(ws, at + CARRY, z)
    lost = load(ws, motor + LIGHT, z) * (roll * along - lift * normal)
    store(ws, motor + FREE, load(ws, motor + FREE, z) - lost)


@compiled
def painted(z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any, place: Any, numbers: Any) -> Any:
    """Return the numbers of a contact with the surface of the patch that it lies on."""
    world = move_to(take3(st, sb + POS, z), place, take9(ws, ROTATION, z))
    surface = numbers[1]
    for k in range(lay[AT_PATCHES]):
        at = lay[AT_OF_PATCHES] + PATCH * k
        patch = (rob[at], rob[at + 1], rob[at + 2], rob[at + 3], rob[at + 4], rob[at + 5],
                 rob[at + 6])  # fmt: skip
        surface = paint(world, patch, surface)
    return (numbers[0], surface, numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
            numbers[7], numbers[8], numbers[9], numbers[10], numbers[11])  # fmt: skip


@formula
def move_to(origin: Any, place: Any, rotation: Any) -> Any:
    """Return a place of the hull's frame in the world."""
    return tuple(o + inner(rotation[3 * k : 3 * k + 3], place) for k, o in enumerate(origin))


@formula
def paint(world: Any, patch: Any, surface: Term) -> Any:
    """Return the surface at a place, given a patch: x, y, cos, sin, half sizes, surface."""
    x, y, cos, sin, half_length, half_width, own = patch
    dx, dy = world[0] - x, world[1] - y
    u, v = dx * cos + dy * sin, dy * cos - dx * sin
    return where((magnitude(u) <= half_length) & (magnitude(v) <= half_width), own, surface)


@formula
def masked(live: Term, block: Any) -> Any:
    """Return the inverse block, zero where there is no contact."""
    return tuple(entry * live for entry in block)


@inlined
def old_speed(z: Any, ws: Any, lay: Any, hinge: int, row: Any, own: Any) -> Any:
    """Return the velocity along a row before the step."""
    old = dot(row, take6(ws, OLD, z))
    if hinge >= 0:
        old = old + own * load(ws, lay[AT_WS_HINGES] + HINGE_WORK * hinge + H_OLD, z)
    return old


@inlined
def recall(
    z: Any, ws: Any, tops: Any, mem: Any, mb: int, lay: Any, group: int, slot: int, active: Any,
    key: Any,
) -> Any:  # fmt: skip
    """Return the impulses that the same contact had in the last step; 0 if it is new."""
    first = mb + group * lay[AT_SLOTS] * KEPT
    used = tops[group, 0]
    kept = take4(mem, first + slot * KEPT, z)
    off = kept[0] - key
    found = (z, z, z)
    if slot < used and not anyof(active & (off * off > 0.25)):  # mostly it was in the same slot
        return choose(active, kept[1:], found)
    for old in range(used):
        kept = take4(mem, first + old * KEPT, z)
        off = kept[0] - key
        found = choose(active & (off * off < 0.25), kept[1:], found)
    return found


@compiled
def keep_impulses(
    z: Any, ws: Any, ids: Any, tops: Any, mem: Any, sb: int, mb: int, lay: Any, n: int
) -> None:
    """Keep identities and impulses of all contacts for the next step; add up the motors' work."""
    slots = lay[AT_SLOTS]
    for i in range(n):
        at, of = lay[AT_WS_CONTACTS] + i * CONTACT, ids[i, 1] * slots + ids[i, 2]
        live = load(ws, at + INV_N, z) > 0.0
        key = select(live, load(ws, lay[AT_WS_STAGE] + of * STAGED + KEY, z), NOTHING + z)
        ln, lt, lb = take3(ws, at + IMPULSE, z)
        put(mem, mb + KEPT * of, (key, ln, lt, lb), z)
        if ids[i, 3] < lay[AT_DRIVES]:  # work of its motor
            own = sb + lay[AT_ST_DRIVES] + DRIVE_STATE * ids[i, 3]
            roll, lift = take2(ws, at + CARRY, z)
            taken = (roll * lt - lift * ln) * load(mem, own + SPEED, z)
            store(mem, own + WORK, load(mem, own + WORK, z) + taken)
    for group in range(lay[AT_GROUPS]):
        tops[group, 0] = tops[group, 1]
