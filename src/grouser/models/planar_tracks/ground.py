"""The ground under a belt as numbers for compiled code: one row for each surface and drive.

On firm ground the strength is friction times pressure, and pressure is linear along and across the
robot. On soil it is that of the soil, with grousers that of the block between them or of each
alone, whichever is smaller. Strength and damping are those of the friction law `shear` of the
models in three dimensions.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.robot import Wheel
from grouser.description.soil import Soil
from grouser.description.surface import Surface
from grouser.description.track import Track
from grouser.laws.terramechanics import flow_value, plate_stiffness
from grouser.models.contact.traction.coulomb import coulomb_tables
from grouser.models.contact.traction.law import surface_numbers
from grouser.models.contact.traction.shear import ShearLaw, belt_strengths, calm
from grouser.models.standing import footprint

STIFFNESS, EXPONENT, CAP, STEEP, COHESION, FRICTION, COHESION_2, FRICTION_2 = range(8)
ACROSS, SHEAR, CALM, SOFT, WALL_WEIGHT, WALL_COHESION, SLIP_SINKS = range(8, 15)
FIELDS = 15
"""Columns of a row: Bekker's k and n; below which sinkage pressure is linear [m], and how steep
[Pa/m]; c [Pa] and tan(phi) [1] of two limits of the strength; strength across over along [1]; K
[m]; damping of what sticks (`calm`); whether there is soil;
passive force of a wall, per width times depth squared [N/m^3] and per width times depth [Pa];
whether slip sinks."""
FIRM = 1e9
"""Stiffness of firm ground, and the greatest secant stiffness of soil [Pa/m]."""
LEAST_SHEAR = 1e-6
"""Least K: less is Coulomb's law as well [m]."""


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
    firm, firm_shear = coulomb_tables(surfaces), surface_numbers(ShearLaw, surfaces)
    rows = np.zeros((len(surfaces), len(robot.drives), FIELDS))
    for i, surface in enumerate(surfaces):
        for row, drive in zip(rows[i], robot.drives, strict=True):
            if surface.soil is None:
                row[STIFFNESS] = row[STEEP] = FIRM
                row[EXPONENT], row[CAP] = 1.0, math.inf
                row[FRICTION] = row[FRICTION_2] = firm.friction[i]
                row[ACROSS], row[SHEAR] = firm.across[i], firm_shear[i]
            else:
                _set_soil(row, surface.soil, drive, bulldozing)
    if shear_modulus is not None:
        rows[..., SHEAR] = shear_modulus
    rows[..., SHEAR] = np.maximum(rows[..., SHEAR], LEAST_SHEAR)
    rows[..., CALM] = calm(rows[..., SHEAR])
    return rows


def _set_soil(row: NDArray[np.float64], soil: Soil, drive: Track | Wheel, bulldozing: bool) -> None:
    foot = footprint(drive)
    narrow = max(min(foot.width, foot.length), 1e-6)
    row[STIFFNESS], row[EXPONENT] = plate_stiffness(soil, narrow), soil.exponent
    _cap_stiffness(row)
    plain = [(soil.cohesion, math.tan(soil.friction_angle))]
    limits = belt_strengths(soil, drive) if isinstance(drive, Track) else plain
    row[COHESION], row[FRICTION] = limits[0]
    row[COHESION_2], row[FRICTION_2] = limits[-1]
    row[ACROSS], row[SHEAR] = 1.0, soil.shear_modulus
    row[SOFT], row[SLIP_SINKS] = 1.0, float(soil.slip_sinkage)
    if bulldozing:
        flow = float(flow_value(soil.friction_angle))
        row[WALL_WEIGHT] = 0.5 * soil.unit_weight * flow
        row[WALL_COHESION] = 2.0 * soil.cohesion * math.sqrt(flow)


def _cap_stiffness(row: NDArray[np.float64]) -> None:
    """Bound the secant stiffness p / z: it is infinite at no sinkage where n < 1."""
    k, n = row[STIFFNESS], row[EXPONENT]
    if n == 1.0:
        row[STIFFNESS] = row[STEEP] = min(k, FIRM)
        row[CAP] = math.inf
    elif n < 1.0:
        row[CAP] = (FIRM / k) ** (1.0 / (n - 1.0))
        row[STEEP] = FIRM
