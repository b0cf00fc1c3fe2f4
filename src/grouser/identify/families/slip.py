"""Slip ratios, slip angle and equivalent wheelbase (P0 eqs 1-5); on slopes the slope's part."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grouser.identify.families.kinematic import (
    Column,
    KinematicFamily,
    Velocity,
    average_sides,
)
from grouser.identify.family import Parameter, Setting
from grouser.identify.record import Record
from grouser.laws.slip_odometry import is_straight, slip_twist
from grouser.laws.slope_slip import DEFAULT_COEFFICIENT, slope_slip
from grouser.models import effective_width
from grouser.models.slip import RAMP_SLOPE

SLOPE_NEEDED = float(np.deg2rad(4.0))
"""Range of pitch in a log from which on slopes count: one step of P0's ramp [rad]."""
WIDER = 1.5
"""Equivalent wheelbase over gauge where nothing is known of a robot [1] [A]."""


class SlipFamily(KinematicFamily):
    """P0's slip odometry; a slip angle for straight drives and one for turns, as P0 has them."""

    name: ClassVar[str] = "slip"
    summary: ClassVar[str] = "slip ratio of each side, slip angles, equivalent wheelbase (P0)"
    cost: ClassVar[int] = 2
    model: ClassVar[str] = "slip"

    def parameters(self, setting: Setting, records: tuple[Record, ...]) -> tuple[Parameter, ...]:
        """Return slip ratios, slip angles, wheelbase, and the slope's part if there are slopes."""
        robot = setting.robot
        width = effective_width(robot) if robot else WIDER * setting.gauge
        straight = "drive straight for some metres at several speeds"
        found = [
            Parameter(
                name=f"slip_{side}", unit="1", start=getattr(robot.slip, side) if robot else 0.0,
                span=0.3, low=-0.5, high=0.95, manoeuvre=straight,
            )
            for side in ("left", "right")
        ]  # fmt: skip
        turns = "turn on the spot and in wide arcs, to both sides"
        angles = (("slip_angle", straight), ("turning_slip_angle", "drive wide arcs to both sides"))
        found += [
            Parameter(
                name=name, unit="rad", start=getattr(robot.slip, name) if robot else 0.0,
                span=0.3, low=-1.5, high=1.5, manoeuvre=manoeuvre,
            )
            for name, manoeuvre in angles
        ]  # fmt: skip
        found.append(
            Parameter(
                name="width", unit="m", start=width, span=0.5 * width, low=0.2 * setting.gauge,
                high=20.0 * setting.gauge, manoeuvre=turns,
            )
        )  # fmt: skip
        if any(r.pitch is not None and np.ptp(r.pitch) > SLOPE_NEEDED for r in records):
            start = robot.slip.slope_coefficient if robot else DEFAULT_COEFFICIENT
            climb = "climb and descend slopes of several angles"
            found.append(
                Parameter(
                    name="slope_coefficient", unit="1/rad", start=start, span=0.5, manoeuvre=climb
                )
            )
        return tuple(found)

    def velocity(self, values: list[Column], record: Record, setting: Setting) -> Velocity:
        """Return the velocity by P0, with `SlipModel`'s rule of which slip angle holds when."""
        slip_left, slip_right, angle, turning_angle, width, *slope_parts = values
        left, right = record.left[None], record.right[None]
        if record.pitch is not None and slope_parts:
            slope = -record.pitch * np.sign(left + right)
            slope = np.where(np.abs(slope) > RAMP_SLOPE, slope, 0.0)
            slip_left = np.asarray(slope_slip(slip_left, slope_parts[0], slope))
            slip_right = np.asarray(slope_slip(slip_right, slope_parts[0], slope))
        chosen = np.where(_drives_straight(record), angle, turning_angle)
        vx, vy, yaw_rate = slip_twist(left, right, slip_left, slip_right, chosen, width)
        return np.asarray(vx), np.asarray(vy), np.asarray(yaw_rate)


def _drives_straight(record: Record) -> NDArray[np.bool_]:
    """Return where the robot drives straight: by averages, as noise would make turns of it."""
    return np.asarray(is_straight(*average_sides(record)))[None]
