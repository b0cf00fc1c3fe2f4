"""How much wider a robot behaves in turns than it is: what its file says, or implies."""

from dataclasses import fields

from grouser.description import Robot
from grouser.geometry import Scalar
from grouser.laws.equivalent_wheelbase import equivalent_wheelbase
from grouser.laws.icr import SteeringEfficiency, TrackIcrs
from grouser.laws.moving_icrs import IcrMotion


def effective_width(robot: Robot) -> float:
    """Return the width of the differential drive that turns like the robot [m].

    P0 eq 7 with the offsets of the file; where the file has none, the same formula for a
    robot carried by the ends of its tracks: (length^2 + gauge^2) / gauge.
    """
    base = robot.slip.wheelbase
    if base is None:
        return float(equivalent_wheelbase(robot.contact_length, robot.gauge, 0.0, 0.0, 0.0))
    return float(
        equivalent_wheelbase(base.length, base.width, base.offset_x, base.offset_y, base.gamma)
    )


def track_icrs(robot: Robot, width_ratio: Scalar | None = None) -> TrackIcrs:
    """Return the centres of rotation of the tracks.

    Args:
        robot: Whose file is asked first for centres, then for its effective width.
        width_ratio: If given, symmetric centres that much wider than the gauge instead [1].
    """
    if width_ratio is not None:
        return SteeringEfficiency(width_ratio).icrs(robot.gauge)
    icr = robot.slip.icr
    if icr is not None:
        return TrackIcrs(left_y=icr.left_y, right_y=icr.right_y, x=icr.x)
    half = effective_width(robot) / 2.0
    return TrackIcrs(left_y=half, right_y=-half, x=0.0)


def icr_motion(robot: Robot) -> IcrMotion:
    """Return how the centres of rotation move; they stay if the file says nothing."""
    icr = robot.slip.icr
    if icr is None:
        return IcrMotion()
    return IcrMotion(**{field.name: getattr(icr, field.name) for field in fields(IcrMotion)})


def steering_efficiency(robot: Robot) -> SteeringEfficiency:
    """Return how well the robot steers, from its centres of rotation."""
    icrs = track_icrs(robot)
    return SteeringEfficiency((icrs.left_y - icrs.right_y) / robot.gauge)
