"""How a robot stands on level ground: where its belts, wheels and flippers touch it."""

import math
from dataclasses import replace

from grouser.description import Robot
from grouser.description.loop import Arc, Line
from grouser.description.robot import Wheel
from grouser.description.track import Flipper, Track
from grouser.errors import GrouserError
from grouser.laws.skid_statics import Arm, Foot, Standing
from grouser.models.contact.scene import SERVO_STIFFNESS

WHEEL_CONTACT = 0.28
"""Length of contact of a wheel over its radius: a tyre flattened by 1 % of its radius [A] [1]."""
OFF_GROUND = 1e-3
"""Height above which the lowest run of a belt does not touch level ground [m]."""
GROUND_STIFFNESS = 5e4
"""Stiffness of the ground under a foot per mass of the robot, with which Quince's flippers carry as
much as in `csm` [A] [N/(m kg)]."""
PULLEY_STIFFNESS = 0.2
"""Stiffness of the ground under one pulley of a flipper over that under its whole belt, as in `csm`
[A] [1]."""


class UnknownStanding(GrouserError):
    """It is not known how a robot stands; the message says why."""


def footprint(drive: Track | Wheel) -> Foot:
    """Return the contact of a drive with level ground; its length is 0 if it does not touch it."""
    is_left = drive.side == "left"
    if isinstance(drive, Wheel):
        length = WHEEL_CONTACT * drive.radius
        return Foot(x=drive.x, y=drive.y, length=length, width=drive.width, is_left=is_left)
    run = drive.loop.contact_run
    if run is None:  # all is round
        rear, front, low, high = drive.loop.bounds
        x, length = 0.5 * (rear + front), WHEEL_CONTACT * 0.5 * (high - low)
    else:
        x, length = run.middle[0], run.length if run.middle[1] < OFF_GROUND else 0.0
    return Foot(x=x, y=drive.y, length=length, width=drive.width, is_left=is_left)


def standing(robot: Robot) -> Standing:
    """Return how a robot stands with its flippers at rest.

    Raises:
        UnknownStanding: Flippers lift it at their rest angle, or no belt lies on the ground.
    """
    feet = [foot for foot in map(footprint, robot.drives) if foot.length > 0.0]
    for side, is_left in (("left", True), ("right", False)):
        if not any(foot.is_left == is_left for foot in feet):
            raise UnknownStanding(f"no belt of its {side} side lies flat on level ground")
    arms: list[Arm] = []
    for flipper in robot.flippers:
        foot = _flipper_foot(flipper, len(arms))
        if foot is not None:
            feet.append(foot)
            arms.append(_arm(flipper, robot.mass))
    return Standing(feet=tuple(feet), centre_of_mass=robot.centre_of_mass, arms=tuple(arms))


def even_standing(robot: Robot) -> Standing:
    """Return how a robot would stand on its tracks or wheels alone, with its mass in the middle."""
    feet = [footprint(drive) for drive in robot.drives]
    long = max(robot.contact_length, 1e-3)
    feet = tuple(foot if foot.length > 0.0 else replace(foot, length=long) for foot in feet)
    x, y = (sum(getattr(foot, name) for foot in feet) / len(feet) for name in ("x", "y"))
    return Standing(feet=feet, centre_of_mass=(x, y, robot.centre_of_mass[2]))


def _arm(flipper: Flipper, mass: float) -> Arm:
    return Arm(
        hinge_x=flipper.hinge[0],
        hinge_z=flipper.hinge[2],
        weight=flipper.mass / mass,
        x=flipper.centre_at(flipper.rest_angle)[0],
        servo=SERVO_STIFFNESS / (GROUND_STIFFNESS * mass),
    )


def _flipper_foot(flipper: Flipper, number: int) -> Foot | None:
    """Return where a flipper at rest touches level ground; None if it does not."""
    angle, loop = flipper.rest_angle, flipper.track.loop
    cos, sin = math.cos(angle), math.sin(angle)
    arcs = [segment for segment in loop.segments if isinstance(segment, Arc)]

    def place(x: float, z: float) -> tuple[float, float]:
        return flipper.hinge[0] + x * cos + z * sin, flipper.hinge[2] - x * sin + z * cos

    lowest = min(
        (place(*arc.centre)[1] - arc.radius, place(*arc.centre)[0], arc.radius) for arc in arcs
    )
    if lowest[0] < -OFF_GROUND:
        raise UnknownStanding(f"flipper {flipper.name!r} lifts the robot at its rest angle")
    if lowest[0] > OFF_GROUND:
        return None
    x, length, stiffness = lowest[1], WHEEL_CONTACT * lowest[2], PULLEY_STIFFNESS
    for line in (segment for segment in loop.segments if isinstance(segment, Line)):
        middle, tilt = place(*line.middle), math.sin(line.heading + angle)
        if abs(middle[1]) < OFF_GROUND and abs(tilt * line.length) < 2.0 * OFF_GROUND:
            x, length, stiffness = middle[0], line.length, 1.0
    return Foot(
        x=x, y=flipper.hinge[1], length=length, width=flipper.track.width,
        is_left=flipper.side == "left", stiffness=stiffness, arm=number,
    )  # fmt: skip
