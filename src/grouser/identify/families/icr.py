"""Centres of rotation of the tracks: constant, or moving with speed and curvature."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grouser.identify.families.kinematic import Column, KinematicFamily, Velocity, average_sides
from grouser.identify.families.slip import WIDER
from grouser.identify.family import Parameter, Setting
from grouser.identify.record import Record
from grouser.laws.icr import TrackIcrs, icr_twist
from grouser.laws.moving_icrs import IcrMotion, moving_icrs
from grouser.models import icr_motion, track_icrs

TURNS = "turn on the spot and in arcs, to both sides"
"""What tells where centres are."""
SHORTLY = 0.1
"""Time over which belts are averaged beside rates: noise would make robots look wider, and
smoothing that rates do not have would make them look narrower [s]."""


class IcrFamily(KinematicFamily):
    """Constant centres (Martínez et al., used by P1)."""

    name: ClassVar[str] = "icr"
    summary: ClassVar[str] = "constant centres of rotation of the tracks (P1)"
    cost: ClassVar[int] = 1
    model: ClassVar[str] = "icr"

    def parameters(self, setting: Setting, records: tuple[Record, ...]) -> tuple[Parameter, ...]:
        """Return where the centres are."""
        gauge, robot = setting.gauge, setting.robot
        half = 0.5 * WIDER * gauge
        places = (half, -half, 0.0)
        if robot is not None:
            icrs = track_icrs(robot)
            places = (float(icrs.left_y), float(icrs.right_y), float(icrs.x))
        limits = ((0.05 * gauge, 10.0 * gauge), (-10.0 * gauge, -0.05 * gauge), (-np.inf, np.inf))
        return tuple(
            Parameter(
                name=name, unit="m", start=start, span=0.5 * gauge, low=low, high=high,
                manoeuvre=TURNS,
            )
            for name, start, (low, high) in zip(
                ("left_y", "right_y", "x"), places, limits, strict=True
            )
        )  # fmt: skip

    def velocity(self, values: list[Column], record: Record, setting: Setting) -> Velocity:
        """Return the velocity about constant centres."""
        left_y, right_y, x = values
        return _about(record, left_y, right_y, x)


class VaryingIcrFamily(KinematicFamily):
    """Centres that move with speed and curvature: `laws.moving_icrs`."""

    name: ClassVar[str] = "icr-varying"
    summary: ClassVar[str] = "centres of rotation that move with speed and curvature"
    cost: ClassVar[int] = 3
    model: ClassVar[str] = "icr"

    def parameters(self, setting: Setting, records: tuple[Record, ...]) -> tuple[Parameter, ...]:
        """Return where the centres are at rest, and how they move."""
        gauge = setting.gauge
        fastest = max(float(np.max(np.abs((r.left, r.right)))) for r in records)
        per_speed = 2.0 * gauge / max(fastest, 1e-3)
        constant = IcrFamily().parameters(setting, records)
        known = icr_motion(setting.robot) if setting.robot else IcrMotion()
        speeds = "drive the same arcs at several speeds, to both sides"
        arcs = "drive arcs of several radii and turn on the spot, to both sides"
        more = [
            Parameter(
                name=name,
                unit=unit,
                start=float(getattr(known, name)),
                span=span,
                manoeuvre=manoeuvre,
            )
            for name, unit, span, manoeuvre in (
                ("left_y_per_speed", "s", per_speed, speeds),
                ("right_y_per_speed", "s", per_speed, speeds),
                ("left_y_per_contrast", "m", 2.0 * gauge, arcs),
                ("right_y_per_contrast", "m", 2.0 * gauge, arcs),
                ("x_per_speed", "s", per_speed, speeds),
            )
        ]
        return (*constant, *more)

    def velocity(self, values: list[Column], record: Record, setting: Setting) -> Velocity:
        """Return the velocity about centres that move."""
        left_y, right_y, x, left_speed, right_speed, left_turn, right_turn, x_speed = values
        motion = IcrMotion(
            left_y_per_speed=left_speed, right_y_per_speed=right_speed,
            left_y_per_contrast=left_turn, right_y_per_contrast=right_turn, x_per_speed=x_speed,
        )  # fmt: skip
        still = TrackIcrs(left_y=left_y, right_y=right_y, x=x)
        places = moving_icrs(*_sides(record), still, motion, setting.gauge)
        return _about(record, *(np.asarray(place) for place in places))


def _sides(record: Record) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return belt speeds; noise averages out of places by itself, out of rates it must be taken."""
    rates = record.observation.kind in ("twist", "gyro")
    return average_sides(record, over=SHORTLY) if rates else (record.left, record.right)


def _about(record: Record, left_y: Column, right_y: Column, x: Column) -> Velocity:
    left, right = _sides(record)
    vx, vy, yaw_rate = icr_twist(left[None], right[None], left_y, right_y, x)
    return np.asarray(vx), np.asarray(vy), np.asarray(yaw_rate)
