"""Postures: named angles of a robot's flippers, of the front ones and of the rear ones."""

import math
from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from grouser.description.schema import Degrees, Table
from grouser.description.track import Flipper

REST, AUTO = "rest", "auto"
"""Words for the posture at rest, and for flippers that follow a rule; no posture of a file."""
ALLOWED = 1e-9
"""By how much an angle may exceed the limits of a flipper [deg]."""


class Posture(Table):
    """How far the tips of flippers are raised; ends that it does not name are at rest."""

    front_raised: Degrees | None = Field(default=None, alias="front_raised_deg")
    """How far the tips of flippers with a hinge ahead of the origin are raised [rad]."""
    rear_raised: Degrees | None = Field(default=None, alias="rear_raised_deg")
    """How far the tips of all other flippers are raised [rad]."""


def raised_angles(flippers: Sequence[Flipper], posture: Posture) -> tuple[float, ...]:
    """Return the angle of each flipper in a posture [rad]."""
    raised = [posture.front_raised if f.is_front else posture.rear_raised for f in flippers]
    return tuple(
        flipper.rest_angle if angle is None else flipper.raising_sign * angle
        for flipper, angle in zip(flippers, raised, strict=True)
    )


def mistaken_postures(
    flippers: Sequence[Flipper], postures: Mapping[str, Posture], chosen: str | None
) -> Iterator[str]:
    """Yield a sentence for each mistake of a robot's postures and of the chosen one."""
    ends = {"front_raised": True, "rear_raised": False}
    for name, posture in postures.items():
        if name in (REST, AUTO):
            yield f"postures.{name} must have another name: {name!r} has a meaning of its own"
        given = [end for end in ends if getattr(posture, end) is not None]
        if not given:
            yield f"postures.{name} must have front_raised_deg or rear_raised_deg"
        for end in given:
            if not any(flipper.is_front is ends[end] for flipper in flippers):
                yield f"postures.{name}.{end}_deg is for {end.split('_')[0]} flippers: it has none"
        yield from _out_of_limits(name, flippers, posture)
    if chosen is None:
        return
    if chosen not in postures:
        known = ", ".join(postures) or "none: postures are missing"
        yield f"posture must be one of its postures ({known}), not {chosen!r}"
    for number, flipper in enumerate(flippers):
        if "rest_angle" in flipper.model_fields_set:
            yield f"flippers[{number}].rest_deg must be left out: posture says where it rests"


def _out_of_limits(name: str, flippers: Sequence[Flipper], posture: Posture) -> Iterator[str]:
    for flipper, angle in zip(flippers, raised_angles(flippers, posture), strict=True):
        low, high, degrees = (math.degrees(part) for part in (*flipper.limits, angle))
        if not low - ALLOWED <= degrees <= high + ALLOWED:
            yield (
                f"postures.{name} turns flipper {flipper.name!r} to {degrees:g} deg, "
                f"which limits_deg do not allow: {low:g} to {high:g}"
            )
