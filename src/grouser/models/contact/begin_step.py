"""The first half of the engine's step, compiled: positions, contacts, velocities.

The engine's own `mj_step1` would keep contacts that a belt does not have: the ends of the boxes
that are its straight runs lie inside it, and catch on edges that the belt would pass over.
"""

from typing import Any

from grouser.models.contact.carry_riders import carry_riders
from grouser.models.contact.compiled import compiled
from grouser.models.contact.merge_contacts import merge_contacts
from grouser.models.contact.native_calls import (
    call_stage,
    integer,
    number,
    pointer,
    put_integer,
)
from grouser.models.contact.turn_normals import turn_normals

ALONG = 0.7
"""Share of a normal along the run from which a contact is at an end, not on the belt [1]."""


@compiled
def begin_step(model: int, data: int, at: Any, tables: Any, memory: Any) -> None:
    """Find where everything is, what touches, and how it moves."""
    call_stage(at.kinematics, model, data)
    carry_riders(data, at, tables.riders, memory)
    call_stage(at.centres, model, data)
    call_stage(at.cameras, model, data)
    call_stage(at.tendons, model, data)
    call_stage(at.inertia, model, data)
    call_stage(at.factors, model, data)
    call_stage(at.collision, model, data)
    exclude_ends(data, at, tables.is_run)
    turn_normals(data, at, tables.surface)
    merge_contacts(data, at, tables.riders)
    call_stage(at.rows, model, data)
    call_stage(at.islands, model, data)
    call_stage(at.projection, model, data)
    call_stage(at.transmission, model, data)
    call_stage(at.velocities, model, data)


@compiled
def exclude_ends(data: int, at: Any, is_run: Any) -> None:
    """Tell the engine to leave out contacts at the ends of the boxes of straight runs."""
    contacts, rotations = pointer(data + at.contacts), pointer(data + at.geom_rotations)
    for index in range(integer(data + at.contact_count)):
        contact = contacts + index * at.contact_size
        frame = contact + at.contact_frame
        for side in range(2):
            geom = integer(contact + at.contact_geoms + 4 * side)
            if not is_run[geom]:
                continue
            along = 0.0
            for k in range(3):
                along += number(rotations + 72 * geom + 24 * k) * number(frame + 8 * k)
            if abs(along) > ALONG:
                put_integer(contact + at.contact_excluded, 1)
