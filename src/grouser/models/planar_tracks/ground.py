"""The ground under a belt as numbers for compiled code: one row for each surface and drive.

On firm ground the strength is friction times pressure, and pressure is linear along and across the
robot. On soil it is that of the soil, with grousers that of the block between them or of each alone,
whichever is smaller at the robot's mean pressure; across the belt grousers add nothing.
"""

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.robot import Wheel
from grouser.description.surface import Surface
from grouser.description.track import Track
from grouser.laws.slope import GRAVITY
from grouser.laws.terramechanics import (
    SoilNumbers,
    block_shear_factors,
    flow_value,
    plate_stiffness,
)
from grouser.models.contact.traction.law import SurfaceKey, surface_numbers
from grouser.models.parameters import Range
from grouser.models.planar_tracks.lines import footprint

STIFFNESS, EXPONENT, CAP, STEEP, COHESION, FRICTION, ACROSS, SHEAR, CALM, FADE = range(10)
SOFT, WALL_WEIGHT, WALL_COHESION, SLIP_SINKS = range(10, 14)
FIELDS = 14
"""Columns of a row: Bekker's k and n; below which sinkage pressure is linear [m], and how steep
[Pa/m]; c [Pa], tan(phi), strength across over along [1]; K [m]; damping of what sticks [s/m] and
slip above which it fades [m/s]; whether there is soil; passive force of a wall, per width times
depth squared [N/m^3] and per width times depth [Pa]; whether slip sinks."""
FIRM = 1e9
"""Stiffness of firm ground, and the greatest secant stiffness of soil [Pa/m]."""
LEAST_SHEAR = 1e-6
"""Least K: less is Coulomb's law as well [m]."""
LEAST_RATIO = 1e-3
"""Least strength across over along [1]."""
CREEP = 1e-3
"""Slip above which the damping of what sticks fades at most [m/s]."""
MOST_DAMPING = 0.01
"""Most that this damping may add to the strength [1]."""


class ShearKeys:
    """Numbers of firm surfaces that the model reads, as friction laws do."""

    name: ClassVar[str] = "shear"
    keys: ClassVar[Mapping[str, SurfaceKey]] = {
        "shear_modulus": SurfaceKey(0.0, Range(0.0, 1.0, "m"))
    }


def ground_table(
    surfaces: Sequence[Surface], robot: Robot, shear_modulus: float | None, bulldozing: bool
) -> NDArray[np.float64]:
    """Return the rows of all surfaces (first axis) under all drives (second axis).

    Args:
        surfaces: The surfaces, in the order of their numbers.
        robot: The robot, for its weight and belts.
        shear_modulus: K of all of them; of each one's own if None [m].
        bulldozing: Whether soil is pushed ahead and aside.

    Raises:
        UnknownName: A surface has a number for friction laws that is not one of ours.
        InvalidValue: Such a number is out of its range.
    """
    feet = [footprint(drive) for drive in robot.drives]
    area = sum(foot.length * foot.width for foot in feet)
    pressure = GRAVITY * robot.mass / area
    firm_shear = surface_numbers(ShearKeys, surfaces)
    rows = np.empty((len(surfaces), len(feet), FIELDS))
    for i, surface in enumerate(surfaces):
        soil: SoilNumbers | None = getattr(surface, "soil", None)
        for k, drive in enumerate(robot.drives):
            if soil is None:
                row = _firm_row(surface, float(firm_shear[i]))
            else:
                row = _soil_row(soil, drive, pressure, bulldozing)
            if shear_modulus is not None:
                row[SHEAR] = shear_modulus
            rows[i, k] = _calmed(row, pressure)
    return rows


def _firm_row(surface: Surface, shear_modulus: float) -> NDArray[np.float64]:
    row = np.zeros(FIELDS)
    along = max(surface.friction, LEAST_RATIO * surface.friction_across)
    row[STIFFNESS] = row[STEEP] = FIRM
    row[EXPONENT], row[CAP] = 1.0, math.inf
    row[FRICTION], row[SHEAR] = along, shear_modulus
    row[ACROSS] = max(surface.friction_across / along, LEAST_RATIO) if along > 0.0 else 1.0
    return row


def _soil_row(
    soil: SoilNumbers, drive: Track | Wheel, pressure: float, bulldozing: bool
) -> NDArray[np.float64]:
    row, foot = np.zeros(FIELDS), footprint(drive)
    narrow = max(min(foot.width, foot.length), 1e-6)
    row[STIFFNESS], row[EXPONENT] = plate_stiffness(soil, narrow), soil.exponent
    _cap_stiffness(row)
    cohesion, friction = soil_grip(soil, drive, pressure)
    row[COHESION], row[FRICTION], row[SHEAR] = cohesion, friction, soil.shear_modulus
    across = _plain_grip(soil, drive)
    strength = cohesion + friction * pressure
    row[ACROSS] = max((across[0] + across[1] * pressure) / max(strength, 1e-9), LEAST_RATIO)
    row[SOFT], row[SLIP_SINKS] = 1.0, float(getattr(soil, "slip_sinkage", False))
    if bulldozing:
        flow = float(flow_value(soil.friction_angle))
        row[WALL_WEIGHT] = 0.5 * soil.unit_weight * flow
        row[WALL_COHESION] = 2.0 * soil.cohesion * math.sqrt(flow)
    return row


def soil_grip(soil: SoilNumbers, drive: Track | Wheel, pressure: float) -> tuple[float, float]:
    """Return cohesion [Pa] and friction [1] along a belt, with its grousers if it has any."""
    grousers = drive.grousers if isinstance(drive, Track) else None
    if grousers is None or not isinstance(drive, Track) or not drive.pitch:
        return _plain_grip(soil, drive)
    of_cohesion, of_weight = block_shear_factors(grousers.height, drive.width)
    tangent = math.tan(soil.friction_angle)
    block = float(soil.cohesion * of_cohesion), float(tangent * of_weight)
    flow, height = float(flow_value(soil.friction_angle)), grousers.height
    wall = 0.5 * soil.unit_weight * height * flow + 2.0 * soil.cohesion * math.sqrt(flow)
    single = height / drive.pitch * wall, height / drive.pitch * flow
    return min(block, single, key=lambda grip: grip[0] + grip[1] * pressure)


def _plain_grip(soil: SoilNumbers, drive: Track | Wheel) -> tuple[float, float]:
    """Return cohesion and friction of the belt's own material, or of the soil if not stated."""
    own = getattr(drive, "soil_contact", None)
    if own is not None and getattr(drive, "grousers", None) is None:
        return own.adhesion, math.tan(own.friction_angle)
    return soil.cohesion, math.tan(soil.friction_angle)


def _cap_stiffness(row: NDArray[np.float64]) -> None:
    """Bound the secant stiffness p / z: it is infinite at no sinkage where n < 1."""
    k, n = row[STIFFNESS], row[EXPONENT]
    if n == 1.0:
        row[STIFFNESS] = row[STEEP] = min(k, FIRM)
        row[CAP] = math.inf
    elif n < 1.0:
        row[CAP] = (FIRM / k) ** (1.0 / (n - 1.0))
        row[STEEP] = FIRM


def _calmed(row: NDArray[np.float64], pressure: float) -> NDArray[np.float64]:
    """Add the damping of what sticks: half the period of a mass that the ground holds."""
    K = row[SHEAR] = max(row[SHEAR], LEAST_SHEAR)
    grip = row[FRICTION] + row[COHESION] / pressure
    time = 0.5 * math.sqrt(K / (GRAVITY * grip)) if grip > 1e-6 else 0.0
    row[CALM] = time / K
    row[FADE] = min(CREEP, MOST_DAMPING / row[CALM]) if time > 0.0 else CREEP
    return row
