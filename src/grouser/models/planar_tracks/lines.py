"""The robot as compiled code sees it: a mass, and lines of patches under its belts.

Frame: the body's axes, x forward and y left, with the origin at the centre of mass. A belt is one
line of patches or several side by side; patches are counted from the front.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.models.standing import footprint

Array = NDArray[np.float64]


class Body(NamedTuple):
    """Mass of a robot and how far its contact reaches."""

    mass: float
    """Mass [kg]."""
    inertia: float
    """Moment of inertia about the vertical through the centre of mass [kg m^2]."""
    com_height: float
    """Height of the centre of mass over the ground [m]."""
    com_x: float
    """How far the centre of mass is ahead of the body's origin [m]."""
    com_y: float
    """How far it is to the left of it [m]."""
    front: float
    """Where the contact ends ahead of the centre of mass [m]."""
    rear: float
    """Where it ends behind it; negative [m]."""
    left: float
    """Where it ends to the left [m]."""
    right: float
    """Where it ends to the right; negative [m]."""


class Lines(NamedTuple):
    """Lines of patches; an entry of each array for each line."""

    front: Array
    """Front end [m]."""
    pitch: Array
    """Length of a patch [m]."""
    y: Array
    """Place to the left [m]."""
    width: Array
    """Width of a patch [m]."""
    share: Array
    """Width over that of its belt [1]."""
    drive: NDArray[np.int64]
    """Number of the drive that it belongs to."""


def robot_body(robot: Robot) -> Body:
    """Return the mass of a robot; drives and flippers count as points."""
    x, y, z = robot.centre_of_mass
    parts = [(robot.body.mass, robot.body.centre_of_mass)]
    parts += [(drive.mass, drive.centre) for drive in robot.drives]
    parts += [(part.mass, part.centre_at(part.rest_angle)) for part in robot.flippers]
    spread = sum(mass * ((at[0] - x) ** 2 + (at[1] - y) ** 2) for mass, at in parts)
    feet = [foot for foot in map(footprint, robot.drives) if foot.length > 0.0]
    return Body(
        mass=robot.mass,
        inertia=robot.body.inertia[2] + spread,
        com_height=z,
        com_x=x,
        com_y=y,
        front=max(foot.x + 0.5 * foot.length for foot in feet) - x,
        rear=min(foot.x - 0.5 * foot.length for foot in feet) - x,
        left=max(foot.y for foot in feet) - y,
        right=min(foot.y for foot in feet) - y,
    )


def robot_lines(robot: Robot, patches: int, strips: int) -> tuple[Lines, int]:
    """Return the lines of all drives on the ground, and how many patches each has.

    Strips of a belt lie where Gauss would put them: two have the second moment of the width.
    """
    per_side = max(sum(drive.side == side for drive in robot.drives) for side in ("left", "right"))
    count = max(2, patches // per_side)
    com_x, com_y, _ = robot.centre_of_mass
    places, shares = np.polynomial.legendre.leggauss(strips)
    rows = [
        (
            foot.x - com_x + 0.5 * foot.length,
            foot.length / count,
            foot.y - com_y + 0.5 * foot.width * float(place),
            0.5 * foot.width * float(share),
            0.5 * float(share),
            number,
        )
        for number, foot in enumerate(map(footprint, robot.drives))
        for place, share in zip(places, shares, strict=True)
        if foot.length > 0.0
    ]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    columns[-1] = columns[-1].astype(np.int64)
    return Lines._make(columns), count
