"""Impulses of all contacts: soft normals, exact friction, belts whose motors have limits.

Projected Gauss-Seidel from the impulses of the last step. First the normals alone, with the
friction of the last step; they bound the friction of this one. Then normals and friction together,
on disks of fixed size, which is a convex problem. A contact that sticks is solved with its own
3 x 3 block, one that slides with its 2 x 2 block of friction and a factor k of slip over bound,
found by Newton's method: (A + k) l = A l_old - slip, |l| = bound.
"""

from typing import Any

from grouser.models.contact.compiled import inlined
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.patches import remember_slip, remembered
from grouser.models.contact.native.rows import unload, yielding_block
from grouser.models.contact.native.soil import slip_deeper
from grouser.models.contact.traction.hooks import creep, limit, only_with_memory
from grouser.models.contact.traction.law import ContactPoint
from grouser.models.lanes.formula import (
    Term,
    choose,
    dot,
    formula,
    larger,
    mad,
    magnitude,
    most,
    smaller,
    sqrt,
    where,
)
from grouser.models.lanes.lanes import (
    add_rows,
    anyof,
    dot_row,
    load,
    put,
    select,
    store,
    take2,
    take3,
    take6,
)

STILL = 1e-5
"""Slip within a patch below which the robot is taken as not turning [m/s]."""
FEW, LOOSE = 4, 2500.0
"""Sweeps from which a larger error is enough, and by how much its square is larger [1]: level
ground needs one or two, obstacles would need many."""
EXACT = 1e-5
"""Relative error of the square of a sliding friction that needs no improvement [1]."""
LEAST = 1e-12
"""Bound that a factor of slip is computed with at least [N s]."""


@formula
def start_sliding(block: Any, old: Any, slip: Any, disk: Any, swirl: Term) -> Any:
    """Return the friction impulse of a contact that slides with its last factor of slip.

    `block` is tt, tb, bb; `old` and `slip` are impulse and slip so far, along and across; `swirl`
    is the slip within the patch relative to its middle, as root of the mean square; `disk` is the
    bound and its inverse. Also returns what Newton's method needs: right hand sides, the factor k
    and its least value, the square of the impulse, the inverse determinant, the inverse of k.
    """
    tt, tb, bb = block
    lt, lb = old
    st, sb = slip
    gt, gb = mad(tt, lt, mad(tb, lb, -st)), mad(tb, lt, mad(bb, lb, -sb))
    bound, inv = disk
    low = larger(magnitude(gt), magnitude(gb)) * inv - (larger(tt, bb) + magnitude(tb))
    low = larger(larger(low, swirl * inv), LEAST)
    k = larger(-(st * lt + sb * lb) * (inv * inv), low)
    a, b = tt + k, bb + k
    det, ik = 1.0 / (a * b - tb * tb), 1.0 / k
    nt, nb, nq = (b * gt - tb * gb) * det, (a * gb - tb * gt) * det, swirl * ik
    square = nt * nt + nb * nb + nq * nq
    return nt, nb, gt, gb, k, low, square, det, ik


@formula
def improve_sliding(block: Any, found: Any, disk: Any, swirl: Term) -> Any:
    """Return friction impulse and its square after one step of Newton's method for the factor."""
    tt, tb, bb = block
    nt, nb, gt, gb, k, low, square, det, ik = found
    a, b, nq = tt + k, bb + k, swirl * ik
    bend = (b * nt * nt - 2.0 * tb * nt * nb + a * nb * nb) * det + nq * nq * ik
    size = sqrt(square) * disk[1]
    k = larger(k + (square / larger(bend, 1e-30)) * (size - 1.0), low)
    a, b = tt + k, bb + k
    det = 1.0 / (a * b - tb * tb)
    nt, nb, nq = (b * gt - tb * gb) * det, (a * gb - tb * gt) * det, swirl / k
    return nt, nb, nt * nt + nb * nb + nq * nq


@formula
def is_off(square: Term, bound: Term) -> Any:
    """Return whether a sliding friction is far enough from its bound to be improved."""
    return magnitude(square - bound * bound) > EXACT * (bound * bound)


@formula
def onto_disk(nt: Term, nb: Term, square: Term, bound: Term) -> Any:
    """Return friction that is not larger than its bound."""
    over = square > bound * bound
    share = where(over, bound, 1.0) / sqrt(where(over, square, 1.0))
    return nt * share, nb * share


@inlined
def slide(slides: Any, block: Any, old: Any, slip: Any, disk: Any, swirl: Any) -> Any:
    """Return the friction impulse, along and across, of a contact that slides."""
    found = start_sliding(block, old, slip, disk, swirl)
    nt, nb, square, bound = found[0], found[1], found[6], disk[0]
    off = slides & is_off(square, bound)
    if anyof(off):
        better = improve_sliding(block, found, disk, swirl)
        nt, nb, square = (
            select(off, better[0], nt),
            select(off, better[1], nb),
            select(off, better[2], square),
        )
    return onto_disk(nt, nb, square, bound)


@formula
def stick(old: Any, slip: Any, block: Any) -> Any:
    """Return the impulses with which a contact would hold: its own block's solution."""
    ln, lt, lb = old
    into, along, across = slip
    p0, p1, p2, p3, p4, p5 = block
    return (
        ln - (p0 * into + p1 * along + p2 * across),
        lt - (p1 * into + p3 * along + p4 * across),
        lb - (p2 * into + p4 * along + p5 * across),
    )


@formula
def drive_motor(free: Term, asked: Term, light: Term, push: Term) -> Any:
    """Return belt speed, and whether the motor is at its limit: it pulls as hard as it may."""
    gap, reach = asked - free, light * push
    full = (gap > reach) | (gap < -reach)
    reached = free + larger(smaller(gap, reach), -reach)
    return where(full, reached, asked), where(full, 1.0 + 0.0 * free, 0.0 * free)


@inlined
def run_motor(z: Any, ws: Any, at: int) -> None:
    """Let a motor pull its belt to its target."""
    speed, full = drive_motor(load(ws, at + FREE, z), load(ws, at + ASKED, z),
                              load(ws, at + LIGHT, z), load(ws, at + MOST_PUSH, z))  # fmt: skip
    store(ws, at + NOW, speed)
    store(ws, at + FULL, full)


@inlined
def start_motors(z: Any, ws: Any, lay: Any) -> None:
    """Let all motors pull, against the impulses that the last step ended with."""
    for drive in range(lay[AT_DRIVES]):
        run_motor(z, ws, lay[AT_WS_DRIVES] + DRIVE_WORK * drive)


@formula
def press(old: Term, slip: Term, numbers: Any, going: Term) -> Any:
    """Return the new normal impulse and its change; numbers are inverse, softness, aim."""
    inverse, soft, aim = numbers
    new = larger(old - (slip + soft * old - aim) * inverse, 0.0)
    new = where(going, new, old)
    return new, new - old


@inlined
def solve_normals(
    z: Any, ws: Any, ids: Any, lay: Any, n: int, sweeps: int, enough: Any, v: Any
) -> Any:
    """Sweep over the normals alone; return the hull's whitened velocity."""
    going = z <= 0.0  # lanes stop one by one: no robot is swept because of a neighbour
    for _ in range(sweeps):
        error = z
        for i in range(n):
            at, hinge = lay[AT_WS_CONTACTS] + i * CONTACT, ids[i, 0]
            slip = dot_row(ws, at, v)
            w = lay[AT_WS_HINGES] + HINGE_WORK * max(hinge, 0) + H_VEL
            if hinge >= 0:
                slip = slip + load(ws, at + HINGE, z) * load(ws, w, z)
            new, change = press(load(ws, at + IMPULSE, z), slip, take3(ws, at + INV_N, z), going)
            store(ws, at + IMPULSE, new)
            error = error + change * change
            v = add_rows(v, ws, at, (change,))
            if hinge >= 0:
                store(ws, w, load(ws, w, z) + load(ws, at + HINGE, z) * change)
        going = going & (error > enough)
        if not anyof(going):
            break
    return v


@inlined
def bound_friction(
    z: Any, ws: Any, ids: Any, mem: Any, mb: int, rob: Any, lay: Any, law: Any, factor: Any, n: int,
    v: Any,
) -> None:  # fmt: skip
    """Set the largest friction of each contact, by the law, from the normals' impulses."""
    for i in range(n):
        at = lay[AT_WS_CONTACTS] + i * CONTACT
        point = point_of(z, ws, ids, rob, lay, i, factor, v)
        bound = limit(law, point)
        turning = turning_of(z, ws, ids, lay, i)
        bound = let_creep(law, z, ws, mem, mb, lay, at, point, bound, turning)
        store(ws, at + BOUND, bound)
        store(ws, at + INV_BOUND, 1.0 / most(bound, LEAST))


def hold(
    law: Any, z: Any, ws: Any, mem: Any, mb: int, lay: Any, at: int, point: Any, bound: Any,
    turning: Any,
) -> Any:  # fmt: skip
    """Return the limit of a contact that does not slip below it."""
    return bound


@only_with_memory(hold)
def let_creep(
    law: Any, z: Any, ws: Any, mem: Any, mb: int, lay: Any, at: int, point: Any, bound: Any,
    turning: Any,
) -> Any:  # fmt: skip
    """Set how a contact slips below its limit, if its place remembers; return its limit."""
    has = point.place >= 0.0
    mean_along, mean_across, shift = remembered(z, mem, mb, lay, point.place)
    mean = (mean_along, mean_across)
    yields, along, across, most_friction = creep(law, point, bound, mean)
    across = across - turning * shift  # slip of the patch is that of its middle
    yields = select(has, yields, z)
    swirl = load(ws, at + SWIRL, z)
    store(ws, at + SPINS, swirl)
    store(ws, at + SWIRL, select(has, z, swirl))  # the law has counted it
    store(ws, at + CREEP, yields)
    put(ws, at + SLIPS, (select(has, along, z), select(has, across, z)), z)
    found = yielding_block(load(ws, at + INV_N, z), take3(ws, at + TANGENT, z),
                           take2(ws, at + CROSS, z), yields)  # fmt: skip
    put(ws, at + TANGENT, found[:3], z)
    put(ws, at + BLOCK, found[3:], z)
    return select(has, most_friction, bound)


@inlined
def turning_of(z: Any, ws: Any, ids: Any, lay: Any, i: int) -> Any:
    """Return by how much slip across changes along the belt, because the robot turns [1/s]."""
    of = lay[AT_WS_STAGE] + (ids[i, 1] * lay[AT_SLOTS] + ids[i, 2]) * STAGED
    ratio = load(ws, lay[AT_WS_CONTACTS] + i * CONTACT + RATIO, z)
    return dot(take3(ws, of + NORMAL, z), take3(ws, SPIN_NOW, z)) * ratio


@inlined
def point_of(z: Any, ws: Any, ids: Any, rob: Any, lay: Any, i: int, factor: Any, v: Any) -> Any:
    """Return what a law may know of a contact."""
    at, hinge = lay[AT_WS_CONTACTS] + i * CONTACT, ids[i, 0]
    of = lay[AT_WS_STAGE] + (ids[i, 1] * lay[AT_SLOTS] + ids[i, 2]) * STAGED
    speed = load(ws, lay[AT_WS_DRIVES] + DRIVE_WORK * ids[i, 3] + NOW, z)
    along = dot_row(ws, at + ROW_T, v) - load(ws, at + CARRY, z) * speed
    across = dot_row(ws, at + ROW_B, v)
    if rob[N_TREADMILL] != 0.0:
        moves, shifts = take2(ws, at + MOVES, z)
        along, across = along - moves, across - shifts
    if hinge >= 0:
        w = load(ws, lay[AT_WS_HINGES] + HINGE_WORK * hinge + H_VEL, z)
        along = along + load(ws, at + HINGE + 1, z) * w
        across = across + load(ws, at + HINGE + 2, z) * w
    live = load(ws, at + INV_N, z) > 0.0
    return ContactPoint(
        load=load(ws, at + IMPULSE, z), slip_along=along, slip_across=across, belt_speed=speed,
        surface=select(live, load(ws, of + SURFACE, z), z), factor=factor,
        area=select(live, load(ws, of + AREA, z), z),
        place=select(live, load(ws, of + SPOT, z), z - 1.0), step=rob[N_TIMESTEP],
        swirl=load(ws, at + SWIRL, z),
    )  # fmt: skip


@formula
def must_slide(held: Any, bound: Term, swirl: Term) -> Any:
    """Return whether a contact cannot hold: beyond its disk, lifted, or its patch spins."""
    new, nt, nb = held
    return (nt * nt + nb * nb > bound * bound) | (new < 0.0) | (swirl > STILL)


@formula
def slip_after(slip: Any, coupling: Any, change: Term) -> Any:
    """Return slip along and across after a change of the normal impulse."""
    return slip[1] + coupling[0] * change, slip[2] + coupling[1] * change


@formula
def changes(new: Any, old: Any) -> Any:
    """Return the changes of three impulses, and the sum of their squares."""
    found = [a - b for a, b in zip(new, old, strict=True)]
    return (*found, found[0] * found[0] + found[1] * found[1] + found[2] * found[2])


@formula
def normal_alone(old: Term, into: Term, inverse: Term) -> Any:
    """Return the normal impulse without friction's help."""
    return larger(old - into * inverse, 0.0)


def holding(law: Any, z: Any, ws: Any, at: int, along: Any, across: Any, old: Any) -> Any:
    """Return the slips of a contact that does not slip below its limit."""
    return along, across


@only_with_memory(holding)
def creeping(law: Any, z: Any, ws: Any, at: int, along: Any, across: Any, old: Any) -> Any:
    """Return how far a contact that creeps is from its aim, along and across."""
    yields, free = load(ws, at + CREEP, z), take2(ws, at + SLIPS, z)
    return along + yields * old[1] + free[0], across + yields * old[2] + free[1]


@inlined
def slips_of(
    z: Any, ws: Any, rob: Any, lay: Any, law: Any, at: int, hinge: int, motor: int, v: Any, old: Any
) -> Any:
    """Return how far a contact is from its aim: into the ground, along, across."""
    inverse, soft, aim = take3(ws, at + INV_N, z)
    into = dot_row(ws, at, v) + (soft * old[0] - aim)
    swirl, roll = take2(ws, at + SWIRL, z)
    along = dot_row(ws, at + ROW_T, v) - roll * load(ws, motor + NOW, z)
    across = dot_row(ws, at + ROW_B, v)
    along, across = creeping(law, z, ws, at, along, across, old)
    if rob[N_TREADMILL] != 0.0:
        moves, shifts = take2(ws, at + MOVES, z)
        along, across = along - moves, across - shifts
    if hinge >= 0:
        w = load(ws, lay[AT_WS_HINGES] + HINGE_WORK * hinge + H_VEL, z)
        hn, ht, hb = take3(ws, at + HINGE, z)
        into, along, across = into + hn * w, along + ht * w, across + hb * w
    return (into, along, across), inverse, swirl


@inlined
def solve(
    z: Any, ws: Any, ids: Any, mem: Any, mb: int, rob: Any, lay: Any, law: Any, factor: Any, n: int,
    enough: Any, v: Any,
) -> Any:  # fmt: skip
    """Sweep over normals and friction together; return the whitened velocity and the sweeps.

    The normals' impulses that the sweeps start from bound the friction, by the law.
    """
    done, going, limited = 0, z <= 0.0, lay[AT_LIMITED] > 0
    bound_friction(z, ws, ids, mem, mb, rob, lay, law, factor, n, v)
    for _ in range(int(rob[N_SWEEPS])):
        done += 1
        error = z
        for i in range(n):
            at, hinge = lay[AT_WS_CONTACTS] + i * CONTACT, ids[i, 0]
            motor = lay[AT_WS_DRIVES] + DRIVE_WORK * ids[i, 3]
            old = take3(ws, at + IMPULSE, z)
            slip, inverse, swirl = slips_of(z, ws, rob, lay, law, at, hinge, motor, v, old)
            held = stick(old, slip, take6(ws, at + BLOCK, z))
            bound = load(ws, at + BOUND, z)
            slides = must_slide(held, bound, swirl)
            new = held
            late = z
            if limited:
                late = load(ws, at + SLACK, z) * load(ws, motor + FULL, z)
            if anyof(slides):  # normal first, then friction onto its disk
                other = normal_alone(old[0], slip[0], inverse)
                rubbed = slip_after(slip, take2(ws, at + CROSS, z), other - old[0])
                along, across = slide(slides, take3(ws, at + TANGENT, z), old[1:], rubbed,
                                      (bound, load(ws, at + INV_BOUND, z)), swirl)  # fmt: skip
                new = choose(slides, (other, along, across), held)
            new = settle_impulse(new, old, going, late)
            put(ws, at + IMPULSE, new, z)
            changed = changes(new, old)
            error = error + changed[3]
            v = add_rows(v, ws, at, changed[:3])
            if hinge >= 0:
                w = lay[AT_WS_HINGES] + HINGE_WORK * hinge + H_VEL
                store(ws, w, load(ws, w, z) + dot_row(ws, at + HINGE, changed[:3]))
            if limited:
                unload(z, ws, lay, at, ids[i, 3], changed[1], changed[0])
                run_motor(z, ws, motor)
        going = going & (error > (enough if done < FEW else LOOSE * enough))
        if not anyof(going):
            break
    return v, done


@formula
def settle_impulse(new: Any, old: Any, going: Term, late: Term) -> Any:
    """Return new impulses of lanes that are still sweeping; careful ones while a motor is late."""
    return tuple(where(going, a - late * (a - b), b) for a, b in zip(new, old, strict=True))


def remember_nothing(
    law: Any, z: Any, st: Any, sb: int, ws: Any, ids: Any, rob: Any, lay: Any, mb: int, n: int,
    v: Any,
) -> None:  # fmt: skip
    """Do nothing."""


@only_with_memory(remember_nothing)
def remember_contacts(
    law: Any, z: Any, st: Any, sb: int, ws: Any, ids: Any, rob: Any, lay: Any, mb: int, n: int,
    v: Any,
) -> None:  # fmt: skip
    """Keep what the slip of this step does to the places of contacts."""
    factor = load(st, sb + lay[AT_ST_PARAMETERS] + FRICTION, z)
    for i in range(n):
        at = lay[AT_WS_CONTACTS] + i * CONTACT
        store(ws, at + SWIRL, load(ws, at + SPINS, z))
        point = point_of(z, ws, ids, rob, lay, i, factor, v)
        live = load(ws, at + INV_N, z) > 0.0
        turning = turning_of(z, ws, ids, lay, i)
        remember_slip(z, st, mb, rob, lay, law, live, point, turning)
        if lay[AT_SOIL] > 0:
            slip_deeper(z, st, mb, rob, lay, live, point)
