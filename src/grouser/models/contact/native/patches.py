"""What patches of belts remember: strength that slip mobilises and the belt carries along.

A cell of a belt holds q, the share of its strength that is mobilised, along and across. A step
turns it with the ground, adds what slip does to it (`mobilise`), and moves it on with the belt, by
an upwind scheme from the end at which the belt enters, where q = 0. The contact of a patch then
sees the mean of its cells, at the place where their stress has its middle.
"""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.layout import *
from grouser.models.contact.traction.hooks import mobilise, stress
from grouser.models.lanes.formula import (
    Term,
    dot,
    formula,
    inner,
    larger,
    mad,
    smaller,
    sqrt,
    where,
)
from grouser.models.lanes.lanes import load, put, select, store, take2, take3, take4
from grouser.models.lanes.places import fetch, restore

ENTRY = 1.5
"""Factor on what a cell at the entry loses to the belt that comes in: its middle is half a cell
from the entry, and the scheme's own diffusion takes back half of that [1]."""
NO_STRESS = 1e-9
"""Square of the mean share of strength that has no middle [1]."""


@formula
def direction_of_belt(up: Any, ends: Any) -> Any:
    """Return 1 where a belt's direction on the ground is from circle a to b, else -1."""
    along = up[2] * (ends[2] - ends[0]) - up[0] * (ends[3] - ends[1])
    return where(along >= 0.0, 1.0 + 0.0 * along, -1.0 + 0.0 * along)


@formula
def finish_cell(q: Any, last: Any, turned: Term, twist: Term) -> Any:
    """Return a cell after the slip of the last step; the ground turns below the robot."""
    fade, along, across = last
    a, b = fade * (q[0] + along), fade * (q[1] + (across + twist))
    return mad(turned, b, a), mad(-turned, a, b)


@formula
def twist_of(twist: Term, mean: Any, length: Term) -> Any:
    """Return by how much what slip adds differs over a patch; nothing where all strength acts.

    There the radii of gyration of the patch count it, as for Coulomb's friction.
    """
    return twist * length * larger(1.0 - sqrt(inner(mean, mean)), 0.0)


@formula
def carry_cell(q: Any, lower: Any, upper: Any, rise: Term, fall: Term) -> Any:
    """Return a cell after what flows in from its neighbours, by shares of its length."""
    return tuple(
        p - rise * (p - low) - fall * (p - up) for p, low, up in zip(q, lower, upper, strict=True)
    )


@formula
def flow_shares(flow: Term) -> Any:
    """Return which share of a cell flows in from its lower and from its upper neighbour."""
    return smaller(larger(flow, 0.0), 0.5), smaller(larger(0.0 - flow, 0.0), 0.5)


@formula
def middle_of(mean: Any, moment: Any, length: Term) -> Any:
    """Return how far the middle of the stress is from that of the patch [m]."""
    square = inner(mean, mean)
    at = inner(mean, moment) / larger(square, NO_STRESS)
    return length * larger(smaller(at, 0.5), -0.5)


@compiled
def finish_places(z: Any, ws: Any, mem: Any, mb: int, rob: Any, lay: Any, turned: Any) -> None:
    """Let the slip of the last step act on all cells; places without a contact forget."""
    for j in range(lay[AT_PLACES]):
        at = mb + lay[AT_LAW_MEMORY] + PLACE_MEMORY * j
        row = lay[AT_OF_PLACES] + PLACE_ROW * j
        last = take3(mem, at + M_FADE, z)
        twist = twist_of(
            load(mem, at + M_TWIST, z), take2(mem, at + M_MEAN, z), rob[row + P_LENGTH]
        )
        store(mem, at + M_FADE, z)
        cells = int(rob[row + P_CELLS])
        for c in range(cells):
            where_ = (c + 0.5) / cells - 0.5
            own = at + M_CELLS + 2 * c
            put(mem, own, finish_cell(take2(mem, own, z), last, turned, twist * where_), z)


@compiled
def carry_places(z: Any, ws: Any, mem: Any, mb: int, rob: Any, lay: Any, law: Any) -> None:
    """Let what places remember move on with the belts for a step."""
    up = (load(ws, ROTATION + 6, z), load(ws, ROTATION + 7, z), load(ws, ROTATION + 8, z))
    step = rob[N_TIMESTEP]
    finish_places(z, ws, mem, mb, rob, lay, dot(take3(ws, SPIN_NOW, z), up) * step)
    flow, lower, way = z, (z, z), z
    for j in range(lay[AT_PLACES]):
        at, row = mb + lay[AT_LAW_MEMORY] + PLACE_MEMORY * j, lay[AT_OF_PLACES] + PLACE_ROW * j
        if rob[row + P_FIRST] > 0.0:
            link = int(rob[row + P_LINK])
            way = direction_of_belt(up, take4(ws, lay[AT_WS_LINKS] + LINK_WORK * link, z))
            drive = int(rob[lay[AT_OF_LINKS] + LINK * link + DRIVE])
            # The surface runs backwards below the robot.
            flow = (z - step) * way * load(ws, lay[AT_WS_DRIVES] + DRIVE_WORK * drive + NOW, z)
            lower = (z, z)
        lower = carry_place(z, mem, at, row, rob, law, flow, way, lower)


@inlined
def carry_place(
    z: Any, mem: Any, at: int, row: int, rob: Any, law: Any, flow: Any, way: Any, lower: Any
) -> Any:
    """Move the cells of a place on, set mean and middle of their stress; return its last cell."""
    cells, length = int(rob[row + P_CELLS]), rob[row + P_LENGTH]
    rise, fall = flow_shares(flow * (cells / length))
    mean, moment = (z, z), (z, z)
    for c in range(cells):
        own = at + M_CELLS + 2 * c
        q, ends = take2(mem, own, z), c == cells - 1
        upper, more, less = (z, z), ENTRY, 1.0
        if not ends or rob[row + P_LAST] == 0.0:
            upper, more = take2(mem, at + PLACE_MEMORY + M_CELLS if ends else own + 2, z), 1.0
        if c == 0 and rob[row + P_FIRST] > 0.0:
            less = ENTRY
        new = carry_cell(q, lower, upper, less * rise, more * fall)
        put(mem, own, new, z)
        felt, arm = stress(law, new[0], new[1]), (c + 0.5) / cells - 0.5
        mean = (mean[0] + felt[0], mean[1] + felt[1])
        moment = (moment[0] + arm * felt[0], moment[1] + arm * felt[1])
        lower = q
    share = 1.0 / cells
    mean = (share * mean[0], share * mean[1])
    moment = (share * moment[0], share * moment[1])
    put(mem, at + M_MEAN, mean, z)
    store(mem, at + M_SHIFT, way * middle_of(mean, moment, length))
    return lower


@inlined
def remembered(z: Any, mem: Any, mb: int, lay: Any, place: Any) -> Any:
    """Return mean stress of the place of a contact, along and across, and how far it is off."""
    at = mb + lay[AT_LAW_MEMORY]
    return (fetch(mem, at + M_MEAN, place, PLACE_MEMORY),
            fetch(mem, at + M_MEAN + 1, place, PLACE_MEMORY),
            fetch(mem, at + M_SHIFT, place, PLACE_MEMORY))  # fmt: skip


@inlined
def moved_rub(z: Any, mem: Any, mb: int, lay: Any, place: Any, vectors: Any) -> Any:
    """Return a contact's vectors with friction at the middle of its stress."""
    shift = fetch(mem, mb + lay[AT_LAW_MEMORY] + M_SHIFT, place, PLACE_MEMORY)
    return shift_rub(vectors, select(place >= 0.0, shift, z))


@formula
def shift_rub(vectors: Any, shift: Term) -> Any:
    """Return a contact's vectors with the place of friction moved along the belt."""
    moved = [mad(shift, t, p) for p, t in zip(vectors[3:6], vectors[9:], strict=True)]
    return (*vectors[:3], *moved, *vectors[6:])


@inlined
def remember_slip(
    z: Any, mem: Any, mb: int, rob: Any, lay: Any, law: Any, live: Any, point: Any, turning: Any
) -> None:
    """Keep for the next step what slip does to the place of a contact.

    `turning` is the slip across at the place, per distance along the belt [1/s].
    """
    at = mb + lay[AT_LAW_MEMORY]
    fresh = fetch(mem, at + M_FADE, point.place, PLACE_MEMORY) <= 0.0
    # A place may touch several pieces of ground: those that carry it count.
    has = live & (point.place >= 0.0) & ((point.load > 0.0) | fresh)
    fade, gain = mobilise(law, point)
    shift = fetch(mem, at + M_SHIFT, point.place, PLACE_MEMORY)
    across = point.slip_across - turning * shift  # in the middle of the patch
    restore(mem, at + M_FADE, point.place, PLACE_MEMORY, fade, has)
    restore(mem, at + M_ALONG, point.place, PLACE_MEMORY, gain * point.slip_along, has)
    restore(mem, at + M_ACROSS, point.place, PLACE_MEMORY, gain * across, has)
    restore(mem, at + M_TWIST, point.place, PLACE_MEMORY, gain * turning, has)
