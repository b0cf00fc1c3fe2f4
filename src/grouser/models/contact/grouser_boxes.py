"""The cross-section of a grouser as boxes, where boxes can make it."""

import math
from typing import NamedTuple

from grouser.description.track import Grousers

THINNEST = 0.1
"""Thinnest box behind a flank, in heights of the grouser; a thinner tip needs a mesh [1]."""


class ProfileBox(NamedTuple):
    """A box in the frame of a grouser's footprint: x along the belt, z outward."""

    x: float
    """Its centre along the belt [m]."""
    z: float
    """Its centre out of the belt [m]."""
    length: float
    """Its size along its own first axis [m]."""
    height: float
    """Its size along its own last axis [m]."""
    tilt: float
    """How far it is turned about y [rad]."""


def boxes_of(grousers: Grousers) -> list[ProfileBox]:
    """Return the boxes that make a grouser; none if only a mesh can.

    A trapezoid becomes two boxes, each with one flank as its face. They are as thick as keeps
    them inside the other flank, w cos(a) / cos(2 a) for a tip of length w and flanks that lean
    by a; what is missing is a notch in the middle of the tip, at most w/2 tan(a) deep.
    """
    height = grousers.height
    if grousers.shape == "cuboid":
        return [ProfileBox(0.0, 0.5 * height, grousers.length, height, 0.0)]
    if grousers.shape != "trapezoid" or grousers.top_length is None:
        return []
    tip, base = grousers.top_length, grousers.length
    lean = math.atan2(0.5 * (base - tip), height)
    thickness = tip * math.cos(lean)  # a little less than what would just fit
    if not (0.0 <= lean < math.pi / 4.0 and thickness >= THINNEST * height):
        return []
    flank = height / math.cos(lean)
    boxes = []
    for side in (-1.0, 1.0):
        # From the middle of the flank half a thickness inward.
        x = side * (0.25 * (tip + base) - 0.5 * thickness * math.cos(lean))
        z = 0.5 * height - 0.5 * thickness * math.sin(lean)
        boxes.append(ProfileBox(x, z, thickness, flank, -side * lean))
    return boxes
