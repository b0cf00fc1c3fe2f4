"""Normals of rollers, compiled: whatever touches the rim of a cylinder is pushed off radially.

Where a cylinder meets an edge, the engine often reports the normal of the face behind the edge:
a pulley on the edge of a low step would be pushed back, not up. Rarely, it reports the far side
of what a cylinder stands on, as deep as that is high; such a contact is left out.
"""

from typing import Any

import numpy as np

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native_calls import (
    integer,
    number,
    pointer,
    put_integer,
    put_number,
)

AXIAL = 0.1
"""Share of a normal along the axis from which a contact is not on the rim alone [1]."""
OUTSIDE = 1.02
"""Distance from the axis, over the radius, from which a contact is not on the roller at all [1]."""


@compiled
def turn_normals(data: int, at: Any, surface: Any) -> None:
    """Make the normals of contacts on rims radial; only rollers have surfaces that turn."""
    contacts = pointer(data + at.contacts)
    for index in range(integer(data + at.contact_count)):
        contact = contacts + index * at.contact_size
        for side in range(2):
            geom = integer(contact + at.contact_geoms + 4 * side)
            if surface[geom, 5] != 0.0:
                radius = 1.0 / abs(surface[geom, 5])
                turn_normal(data, at, contact, geom, 1.0 - 2.0 * side, radius)


@compiled
def turn_normal(data: int, at: Any, contact: int, geom: int, outward: float, radius: float) -> None:
    """Turn the normal of one contact: out of the geom if `outward` is 1, into it if -1."""
    frame, place = contact + at.contact_frame, contact + at.contact_position
    rotation = pointer(data + at.geom_rotations) + 72 * geom
    centre = pointer(data + at.geom_positions) + 24 * geom
    a0, a1, a2 = number(rotation + 16), number(rotation + 40), number(rotation + 64)
    r0, r1 = number(place) - number(centre), number(place + 8) - number(centre + 8)
    r2 = number(place + 16) - number(centre + 16)
    along = r0 * a0 + r1 * a1 + r2 * a2
    r0, r1, r2 = r0 - along * a0, r1 - along * a1, r2 - along * a2
    away = np.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    if away > OUTSIDE * radius:
        put_integer(contact + at.contact_excluded, 1)
        return
    axial = number(frame) * a0 + number(frame + 8) * a1 + number(frame + 16) * a2
    if abs(axial) > AXIAL or away == 0.0:
        return
    size = outward * away
    n0, n1, n2 = r0 / size, r1 / size, r2 / size
    put_vector(frame, n0, n1, n2)
    put_vector(frame + 24, a0, a1, a2)
    put_vector(frame + 48, n1 * a2 - n2 * a1, n2 * a0 - n0 * a2, n0 * a1 - n1 * a0)


@inlined
def put_vector(address: int, x: float, y: float, z: float) -> None:
    """Write three numbers to an address."""
    put_number(address, x)
    put_number(address + 8, y)
    put_number(address + 16, z)
