"""Found contacts are staged in slots of their group, before they become rows of the solver.

A group is a link of a belt, a convex shape of the hull or a row of grousers. Each robot fills its
own next slot of a group, so that lanes need not agree; a contact that finds no slot is counted.
"""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.soil import NO_SUPPORT, RESIST_KEY, middle_of_force
from grouser.models.contact.traction.hooks import only_with_memory
from grouser.models.contact.traction.law import RESISTS
from grouser.models.lanes.lanes import allof, anyof, put, select, store, take10


@inlined
def stage(
    z: Any, width: int, ws: Any, tops: Any, lay: Any, group: int, active: Any, place: Any, rub: Any,
    normal: Any, along: Any, numbers: Any,
) -> None:  # fmt: skip
    """Put a contact into the next free slot of its group, in lanes where it is active.

    `tops` has for each group the slots used in the last step, those used now, and whether lanes
    differ; `numbers` are the fields from DEPTH on.
    """
    top, slots = tops[group, 1], lay[AT_SLOTS]
    even = tops[group, 2] == 0 and allof(active) and top < slots
    at = lay[AT_WS_STAGE] + (group * slots + top) * STAGED if even else lay[AT_WS_SPARE]
    put(ws, at + PLACE, place, z)
    put(ws, at + RUB, rub, z)
    put(ws, at + NORMAL, normal, z)
    put(ws, at + ALONG, along, z)
    put(ws, at + DEPTH, numbers, z)
    if even:
        store(ws, lay[AT_WS_COUNTS] + group, z + (top + 1.0))
        tops[group, 1] = top + 1
    else:
        store(ws, lay[AT_WS_SPARE] + STAGED, select(active, 1.0 + z, z))
        spread(width, ws, tops, lay, group)


@compiled
def spread(width: int, ws: Any, tops: Any, lay: Any, group: int) -> None:
    """Put a contact that is not in all lanes into the next slot of each robot that has it."""
    slots, spare, counts = lay[AT_SLOTS], lay[AT_WS_SPARE], lay[AT_WS_COUNTS] + group
    tops[group, 2] = 1
    for lane in range(width):
        if ws[(spare + STAGED) * width + lane] > 0.0:
            slot = int(ws[counts * width + lane])
            if slot < slots:
                to = lay[AT_WS_STAGE] + (group * slots + slot) * STAGED
                for field in range(STAGED):
                    ws[(to + field) * width + lane] = ws[(spare + field) * width + lane]
                ws[counts * width + lane] = slot + 1.0
                tops[group, 1] = max(tops[group, 1], slot + 1)
            else:
                ws[MISSED * width + lane] += 1.0


def stage_nothing(
    law: Any, z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, group: int
) -> None:
    """Stage nothing."""


@only_with_memory(stage_nothing)
def stage_resistance(
    law: Any, z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, group: int
) -> None:
    """Stage the contact that stands for what resists a belt on soil; its area is the impulse."""
    sums = take10(ws, lay[AT_WS_DRAG], z)
    active = sums[0] > 0.0
    if lay[AT_SOIL] > 0 and anyof(active):
        place = middle_of_force(sums)
        numbers = (
            z, z, NO_SUPPORT + z, RESIST_KEY + z, z, z, z, z, z, z, sums[0] * rob[N_TIMESTEP],
            RESISTS + z,
        )  # fmt: skip
        stage(z, width, ws, tops, lay, group, active, place, place, sums[4:7], sums[7:], numbers)
