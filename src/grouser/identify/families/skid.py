"""Families with slip of each side, centres of rotation and drift: icr-slip, icr-drift, smooth."""

from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from grouser.geometry import Array
from grouser.identify.families.kinematic import (
    TURNS,
    Column,
    IcrFamily,
    KinematicFamily,
    Velocity,
    average_sides,
    observed_sides,
)
from grouser.identify.family import FAMILIES, KnownRobot, LinearMotion, Parameter
from grouser.identify.record import Record, Records
from grouser.laws.smooth_slip import (
    SPOT,
    SPOT_FADE,
    TERMS,
    DrivenRange,
    SkidConstants,
    WayRange,
    smooth_terms,
    speed_and_contrast,
)

STRAIGHTS = "drive straight for some metres at several speeds"
SLIP_LIMITS = (-1.0, 0.95)
"""Least and largest slip ratio; negative where a wheel's radius was taken too small [1]."""
DRIFT_SPAN = 0.5
"""Half the width of the plausible range of the drift [s]."""


class IcrSlipFamily(KinematicFamily):
    """Constant slip ratio of each side, and constant centres of rotation."""

    name: ClassVar[str] = "icr-slip"
    summary: ClassVar[str] = "slip ratio of each side and centres of rotation"
    cost: ClassVar[int] = 2
    model: ClassVar[str] = "icr-slip"

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return slip ratios and positions of the centres."""
        low, high = SLIP_LIMITS
        slips = (
            Parameter(
                name=f"slip_{side}", unit="1", start=0.0, span=0.3, low=low, high=high,
                manoeuvre=STRAIGHTS,
            )
            for side in ("left", "right")
        )  # fmt: skip
        return (*slips, *IcrFamily().parameters(known_robot, records))

    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity about constant centres."""
        names = ("slip_left", "slip_right", "left_y", "right_y", "x", "drift")
        constants = SkidConstants(**dict(zip(names, values, strict=False)))
        return _rows(constants.twist(*observed_sides(record)))

    def begin(
        self, linear: LinearMotion, record: Record, known_robot: KnownRobot
    ) -> dict[str, float]:
        """Return the constants of the linear fit."""
        return constant_values(linear)

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        slips = generator.uniform(0.0, 0.2, 2)
        return [*slips, *IcrFamily().draw(known_robot, generator)]


class IcrDriftFamily(IcrSlipFamily):
    """The same, with a sideslip that grows with the yaw rate."""

    name: ClassVar[str] = "icr-drift"
    summary: ClassVar[str] = "slip of each side, centres of rotation and drift in turns"
    cost: ClassVar[int] = 3
    model: ClassVar[str] = "icr-drift"

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return slip ratios, positions of the centres and drift."""
        drift = Parameter(
            name="drift", unit="s", start=0.0, span=DRIFT_SPAN,
            manoeuvre="drive wide arcs at several speeds, to both sides",
        )  # fmt: skip
        return (*super().parameters(known_robot, records), drift)

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        return [*super().draw(known_robot, generator), generator.uniform(-0.1, 0.1)]


def constant_values(linear: LinearMotion) -> dict[str, float]:
    """Return slips, centres and drift of a linear fit, by name [unit of each]."""
    constants = linear.constants
    return {name: float(getattr(constants, name)) for name in SkidConstants.__slots__}


PARTS = ("forward", "yaw", "leftward")
"""What the coefficients of the smooth law make: `TERMS` of them each."""
UNPENALISED = ("forward_0", "forward_5", "yaw_0", "yaw_5", "leftward_0", "leftward_3")
"""The coefficients that constant slip and drift have too: they are not shrunk."""


class SmoothFamily(KinematicFamily):
    """Slip and drift that are smooth in speed and curvature."""

    name: ClassVar[str] = "smooth"
    summary: ClassVar[str] = "slip and drift that are smooth in speed and curvature"
    cost: ClassVar[int] = 5
    model: ClassVar[str] = "smooth"

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return the coefficients; all but those of constant slip and drift are shrunk."""
        ideal = {"forward_0": 1.0, "yaw_0": 1.0}
        many = "drive straights, arcs of several radii and turns on the spot at several speeds"
        return tuple(
            Parameter(
                name=(name := f"{part}_{number}"), unit="1", start=ideal.get(name, 0.0), span=0.5,
                manoeuvre=TURNS if name in UNPENALISED else many, is_shrunk=name not in UNPENALISED,
            )
            for part, count in zip(PARTS, TERMS, strict=True)
            for number in range(count)
        )  # fmt: skip

    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity by the smooth law, without its constants: all was driven."""
        terms = smooth_terms(*observed_sides(record), driven_range(record).speed)
        found, rest = [], values
        for of_part in terms:
            coefficients, rest = rest[: len(of_part)], rest[len(of_part) :]
            found.append(sum(c * np.asarray(t) for c, t in zip(coefficients, of_part, strict=True)))
        vx, yaw, vy = found
        return _rows((vx, vy, 2.0 / known_robot.gauge * yaw))

    def begin(
        self, linear: LinearMotion, record: Record, known_robot: KnownRobot
    ) -> dict[str, float]:
        """Return the linear fit."""
        half = 0.5 * known_robot.gauge
        return {
            "forward_0": linear.forward_mean,
            "forward_5": linear.forward_half,
            "yaw_0": half * linear.yaw_half,
            "yaw_5": half * linear.yaw_mean,
            "leftward_0": linear.leftward_half,
            "leftward_3": linear.leftward_product * driven_range(record).speed,
        }

    def details(self, linear: LinearMotion, record: Record) -> dict[str, Any]:
        """Return the range that was driven, and the constants outside of it."""
        driven = driven_range(record)
        return {
            "driven": {
                "speed_m_s": driven.speed,
                "contrast_low": driven.contrast_low,
                "contrast_high": driven.contrast_high,
            },
            "driven_ways": {
                name: {"speed_m_s": way.speed, "right": way.right, "left": way.left}
                for name, way in zip(WAYS, (driven.ahead, driven.back, driven.spot), strict=True)
                if way is not None
            },
            "constants": constant_values(linear),
        }

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        shrunk = generator.uniform(-0.15, 0.15, sum(TERMS))
        names = [p.name for p in self.parameters(known_robot, ())]
        values = dict(zip(names, shrunk.tolist(), strict=True))
        values["forward_0"], values["yaw_0"] = 1.0 - generator.uniform(0.0, 0.2, 2)
        values["yaw_0"] *= generator.uniform(0.5, 0.9)
        for name in ("forward_5", "yaw_5", "leftward_0", "leftward_3"):
            values[name] *= 0.3
        return list(values.values())


WAYS = ("ahead", "back", "spot")
"""Ways of driving that have ranges of their own."""
MIN_WAY = 0.02
"""Share of the samples in motion below which a way of driving counts as not driven [1]."""
TAIL = 0.02
"""Share of its samples left out at either end of a range of contrasts [1]."""
CHANGE = 0.1
"""Difference of a contrast from its mean, above which the belts go over to another one [1]."""


def driven_range(record: Record) -> DrivenRange:
    """Return the range of belt speeds in a record, without single samples."""
    left, right = average_sides(record)
    speed, contrast = (np.asarray(part) for part in speed_and_contrast(left, right))
    fastest = max(float(np.max(speed)), 1e-6)
    moving = speed > 0.1 * fastest
    sharp = np.abs(contrast[moving])
    on_the_spot = np.abs(contrast) > SPOT + 0.5 * SPOT_FADE
    at_once = np.asarray(speed_and_contrast(record.left, record.right)[1])
    held = moving & (np.abs(contrast - at_once) < CHANGE)  # not from one manoeuvre to the next
    ways = [held & ~on_the_spot & (sign * (left + right) > 0.0) for sign in (1.0, -1.0)]
    found = [
        _way(speed[chosen], contrast[chosen], MIN_WAY * moving.sum())
        for chosen in (*ways, held & on_the_spot)
    ]
    return DrivenRange(
        speed=fastest, contrast_low=float(sharp.min()), contrast_high=float(sharp.max()),
        **dict(zip(WAYS, found, strict=True)),
    )  # fmt: skip


def _way(speed: Array, contrast: Array, least: float) -> WayRange:
    """Return the range of a way of driving; none if it has fewer samples than `least`."""
    if speed.size < max(least, 1.0):
        return WayRange(speed=0.0, right=0.0, left=0.0)
    right, left = np.quantile(contrast, (TAIL, 1.0 - TAIL))
    return WayRange(speed=float(speed.max()), right=float(right), left=float(left))


def _rows(velocity: tuple[object, object, object]) -> Velocity:
    vx, vy, yaw_rate = (np.asarray(part) for part in velocity)
    return vx, vy, yaw_rate


for _family in (IcrSlipFamily(), IcrDriftFamily(), SmoothFamily()):
    FAMILIES.register(_family)
