"""Fewer contacts where many say the same: those of a grouser's narrow outer face, compiled."""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native_calls import (
    integer,
    number,
    pointer,
    put_integer,
    put_number,
)

PARALLEL = 0.999
"""Product of two normals from which contacts may be merged [1]."""
SLACK = 1.1
"""How much farther apart than the tip is long merged contacts may be [1]."""


@compiled
def merge_contacts(data: int, at: Any, riders: Any) -> None:
    """Merge contacts of one grouser with one geom that are at most a tip's length apart.

    The one that is left is where the penetrations have their mean, as deep as the deepest, so
    that it moves without a jump when a corner touches or leaves the ground.
    """
    if riders.geom.size == 0:
        return
    contacts, count = pointer(data + at.contacts), integer(data + at.contact_count)
    for i in range(count):
        kept = contacts + i * at.contact_size
        if integer(kept + at.contact_excluded) != 0:
            continue
        r = rider_of(kept, at, riders)
        if r < 0:
            continue
        ground = other_geom(kept, at, riders)
        weight = max(-number(kept + at.contact_distance), 1e-12)
        for j in range(i + 1, count):
            next_one = contacts + j * at.contact_size
            other = rider_of(next_one, at, riders)
            if other < 0 or riders.grouser[other] != riders.grouser[r]:
                break
            if other_geom(next_one, at, riders) != ground:
                break
            if integer(next_one + at.contact_excluded) == 0 and are_close(
                kept, next_one, at, SLACK * riders.tip_length[r]
            ):
                weight = merge(kept, next_one, at, weight)


@inlined
def rider_of(contact: int, at: Any, riders: Any) -> int:
    """Return the rider that touches something; -1 if none does."""
    return max(
        riders.of_geom[integer(contact + at.contact_geoms)],
        riders.of_geom[integer(contact + at.contact_geoms + 4)],
    )


@inlined
def other_geom(contact: int, at: Any, riders: Any) -> int:
    """Return what a rider touches."""
    first = integer(contact + at.contact_geoms)
    return integer(contact + at.contact_geoms + 4) if riders.of_geom[first] >= 0 else first


@inlined
def are_close(a: int, b: int, at: Any, within: float) -> bool:
    """Return whether two contacts have one normal and are within a distance of each other."""
    product, square = 0.0, 0.0
    for k in range(3):
        product += number(a + at.contact_frame + 8 * k) * number(b + at.contact_frame + 8 * k)
        apart = number(a + at.contact_position + 8 * k) - number(b + at.contact_position + 8 * k)
        square += apart * apart
    return abs(product) > PARALLEL and square < within * within


@inlined
def merge(kept: int, dropped: int, at: Any, weight: float) -> float:
    """Merge a contact into another of some weight; return the weight of both [m]."""
    depth = max(-number(dropped + at.contact_distance), 1e-12)
    share = depth / (weight + depth)
    for k in range(3):
        place = kept + at.contact_position + 8 * k
        apart = number(dropped + at.contact_position + 8 * k) - number(place)
        put_number(place, number(place) + share * apart)
    distance = kept + at.contact_distance
    put_number(distance, min(number(distance), number(dropped + at.contact_distance)))
    put_integer(dropped + at.contact_excluded, 1)
    return weight + depth
