"""P2's turning geometry as a model that predicts: eq 19 and the offset D.

P2's own procedure, run by run, is in `turning_procedure`.
"""

from typing import ClassVar

import numpy as np

from grouser.identify.families.kinematic import (
    Column,
    KinematicFamily,
    Velocity,
    average_sides,
)
from grouser.identify.family import Parameter, Setting
from grouser.identify.record import Record
from grouser.laws.turning_geometry import true_speed_difference_signed

SHARE = 0.03
"""Smallest over largest difference of belt speeds to which eq 19 applies, if not known [1] [A]."""


class TurningFamily(KinematicFamily):
    """True from apparent speed difference by a straight line; drift by the offset D."""

    name: ClassVar[str] = "turning"
    summary: ClassVar[str] = "true from apparent speed difference, offset of the centre (P2)"
    cost: ClassVar[int] = 2
    model: ClassVar[str] = "turning"

    def parameters(self, setting: Setting, records: tuple[Record, ...]) -> tuple[Parameter, ...]:
        """Return slope and intercept of eq 19, and D."""
        turning = setting.robot.turning if setting.robot else None
        fastest = max(float(np.max(np.abs(r.right - r.left))) for r in records)
        turns = "drive arcs of several radii, to both sides"
        return (
            Parameter(
                name="speed_difference_slope", unit="1", span=0.5, low=0.01, high=3.0,
                start=turning.speed_difference_slope if turning else 0.6, manoeuvre=turns,
            ),
            Parameter(
                name="speed_difference_intercept", unit="m/s", span=0.5 * max(fastest, 1e-3),
                start=turning.speed_difference_intercept if turning else 0.0, manoeuvre=turns,
            ),
            Parameter(
                name="offset_ahead", unit="m", span=0.5 * setting.gauge, manoeuvre=turns,
                start=turning.offset_ahead if turning else 0.0,
            ),
        )  # fmt: skip

    def velocity(self, values: list[Column], record: Record, setting: Setting) -> Velocity:
        """Return the velocity by eqs 11 and 19."""
        slope, intercept, ahead = values
        left, right = record.left[None], record.right[None]
        # What is not linear follows the average: noise about zero would turn the robot to and fro.
        calm_left, calm_right = average_sides(record)
        calm = calm_right - calm_left
        difference = true_speed_difference_signed(
            calm, slope, intercept, smallest_difference((record,), setting)
        )
        yaw_rate = (slope * (right - left - calm) + np.asarray(difference)) / setting.gauge
        return 0.5 * (left + right), -yaw_rate * ahead, yaw_rate


def smallest_difference(records: tuple[Record, ...], setting: Setting) -> float:
    """Return the difference of belt speeds below which eq 19 goes linearly to zero [m/s].

    That of the robot's file; where it has none, a small share of the largest that was driven.
    """
    turning = setting.robot.turning if setting.robot else None
    if turning is not None and turning.smallest_speed_difference > 0.0:
        return turning.smallest_speed_difference
    return max(SHARE * max(float(np.max(np.abs(r.right - r.left))) for r in records), 1e-6)
