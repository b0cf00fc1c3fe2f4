"""Shear: strength that builds up with the slip of a patch, on firm ground and on soils.

The ground's strength c A + N tan(phi) is mobilised over a displacement K (Janosi). Default is the
mobilised share q of the strength, a vector in the unit disk: dq/dt = (s - |s| q) / K for a piece of
the belt that slips at s, and the stress acts against q. `wong` is the form of Wong and Chiang: the
displacement j of a piece of the belt adds up, and 1 - exp(-|j| / K) of the strength acts against s.
With K -> 0 both are Coulomb's friction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.soil import Soil
from grouser.description.surface import Surface
from grouser.description.track import Belt
from grouser.errors import InvalidValue
from grouser.laws.slope import GRAVITY
from grouser.laws.terramechanics import block_shear_factors, flow_value, plate_stiffness
from grouser.models.contact.compiled import inlined
from grouser.models.contact.traction.coulomb import coulomb_tables
from grouser.models.contact.traction.hooks import (
    creep,
    implement,
    limit,
    mobilise,
    ratio,
    soil_of,
    stress,
)
from grouser.models.contact.traction.law import RESISTS, SurfaceKey, surface_numbers
from grouser.models.lanes.formula import Term, formula, larger, smaller, sqrt, where
from grouser.models.lanes.lanes import select
from grouser.models.lanes.places import look_up
from grouser.models.parameters import Range

LEAST_MODULUS = 1e-6
"""Shear modulus in place of 0 [m]."""
CALM_SLIP, CALM_SHARE = 1e-3, 0.01
"""Slip above which the damping of patches fades that are near their strength [m/s], and the largest
share of the strength that it adds there [1]."""
CALM_BELT = 0.02
"""Share of a belt's speed that counts as slip there: what moves needs no damping [1]."""
MOST_BESIDE = 20.0
"""Most that soil beside a belt adds to its strength across, over its own [1]."""
MOST_COHESION = 20.0
"""Largest strength by cohesion over the load [1]."""
FORGETS = 1e-30
"""What stays mobilised without a load, which would give work back that was not done [1]."""
MOST_SHEAR = 50.0
"""Displacement over the shear modulus at which all strength is mobilised [1]."""
KEYS: Mapping[str, SurfaceKey] = {"shear_modulus": SurfaceKey(0.0, Range(0.0, 1.0, "m"))}

(C_MODULUS, C_ACROSS, C_COHESION, C_FRICTION, C_COHESION_2, C_FRICTION_2, C_CALM, C_SOIL,
 C_STIFFNESS, C_EXPONENT, C_RELOAD, C_RELOAD_SLOPE, C_PUSH_WEIGHT, C_PUSH_COHESION,
 C_SLIP_SINKAGE, COLUMNS) = range(16)  # fmt: skip
"""Shear modulus, strength across over along, two limits of the strength (per area and per load),
damping (`calm`); of soils: whether it is one, modulus
and exponent of pressure, reloading, pressure on a front that is pushed, whether slip sinks."""


class ShearTables(NamedTuple):
    """Numbers of each surface under the belts of a robot."""

    numbers: NDArray[np.float64]
    """Columns C_... of each surface, one surface after another [their units]."""
    form: NDArray[np.float64]
    """0 for the mobilised share, 1 for Wong's displacement."""


@dataclass(frozen=True, slots=True)
class ShearLaw:
    """Strength that builds up with slip."""

    name: ClassVar[str] = "shear"
    keys: ClassVar[Mapping[str, SurfaceKey]] = KEYS
    memory: ClassVar[bool] = True
    form: ClassVar[float] = 0.0
    """0 for the mobilised share, 1 for Wong's displacement [1]."""
    robot: Robot | None = None
    """Whose belts are on the ground; their grousers and their own friction on soils."""

    def tables(self, surfaces: Sequence[Surface]) -> ShearTables:
        """Return the numbers of the surfaces."""
        firm = coulomb_tables(surfaces)
        moduli = np.maximum(surface_numbers(self, surfaces), LEAST_MODULUS)
        table = np.zeros((len(surfaces), COLUMNS))
        table[:, C_MODULUS], table[:, C_ACROSS] = moduli, firm.across
        table[:, C_FRICTION] = table[:, C_FRICTION_2] = firm.friction
        for row, surface in zip(table, surfaces, strict=True):
            if surface.soil is not None:
                row[:] = soil_columns(surface.soil, self.robot)
        table[:, C_CALM] = calm(table[:, C_MODULUS])
        return ShearTables(table.ravel(), np.array([self.form]))


@dataclass(frozen=True, slots=True)
class WongLaw(ShearLaw):
    """Strength that builds up with displacement, after Wong and Chiang."""

    name: ClassVar[str] = "wong"
    form: ClassVar[float] = 1.0
    """As of `ShearLaw` [1]."""


def soil_columns(soil: Soil, robot: Robot | None) -> NDArray[np.float64]:
    """Return the columns of a soil under the widest belt of a robot.

    Raises:
        InvalidValue: There is no robot, or it has no belts.
    """
    if robot is None:
        raise InvalidValue("law", "shear", "be given the robot whose belts are on the soil")
    if not robot.tracks:
        required = "have tracks where the ground is soil (tracks-planar also has wheels on it)"
        raise InvalidValue("robot", robot.name, required)
    belt = max(robot.tracks, key=lambda track: track.width)
    row = np.zeros(COLUMNS)
    row[C_MODULUS], row[C_ACROSS], row[C_SOIL] = soil.shear_modulus, 1.0, 1.0
    limits = belt_strengths(soil, belt)
    row[C_COHESION], row[C_FRICTION] = limits[0]
    row[C_COHESION_2], row[C_FRICTION_2] = limits[-1]
    row[C_STIFFNESS], row[C_EXPONENT] = plate_stiffness(soil, belt.width), soil.exponent
    row[C_RELOAD], row[C_RELOAD_SLOPE] = soil.reload_stiffness, soil.reload_slope
    flow = flow_value(soil.friction_angle)
    row[C_PUSH_WEIGHT] = 0.5 * soil.unit_weight * flow
    row[C_PUSH_COHESION] = 2.0 * soil.cohesion * np.sqrt(flow)
    row[C_SLIP_SINKAGE] = soil.slip_sinkage
    return row


def belt_strengths(soil: Soil, belt: Belt) -> list[tuple[float, float]]:
    """Return limits of a belt's strength on soil, per area [Pa] and per load [1]; least counts.

    A belt without grousers has its own adhesion and friction, if it states them. Grousers shear the
    soil as one block, or cut through it one by one.
    """
    slope = float(np.tan(soil.friction_angle))
    if belt.grousers is None:
        own = belt.soil_contact
        return [
            (soil.cohesion, slope)
            if own is None
            else (own.adhesion, float(np.tan(own.friction_angle)))
        ]
    high, pitch = belt.grousers.height, belt.pitch or belt.width
    of_cohesion, of_weight = block_shear_factors(high, belt.width)
    flow = flow_value(soil.friction_angle)
    alone = 0.5 * soil.unit_weight * high * high * flow + 2.0 * soil.cohesion * high * np.sqrt(flow)
    return [
        (soil.cohesion * float(of_cohesion), slope * float(of_weight)),
        (float(alone) / pitch, high * float(flow) / pitch),
    ]


def calm(moduli: Any) -> Any:
    """Return the square of the damping per slip of a patch whose strength is its load [s^2/m^2].

    Half of critical damping of a robot that its ground holds like a spring.
    """
    return 0.25 / (moduli * GRAVITY)


@formula
def strength(load: Term, area: Term, first: Any, second: Any) -> Any:
    """Return the smaller of two strengths, per area and per load; none without a load.

    Cohesion needs ground that is pressed: it counts up to a multiple of the load.
    """
    most = MOST_COHESION * load
    one = smaller(area * first[0], most) + load * first[1]
    other = smaller(area * second[0], most) + load * second[1]
    return where(load > 0.0, smaller(one, other), 0.0 * load)


def damping(slip: Any, mean: Any, number: Any, speed: Any, loads: Any) -> Any:
    """Return the damping of a patch: share of its strength per slip [s/m].

    `number` is that of `calm`; `loads` are strength and load. A belt that runs needs none. Where
    little strength is mobilised, damping stays within the strength; else it fades with slip.
    """
    most, load = loads
    per_slip = sqrt(number * larger(load, 0.0) / larger(most, 1e-12))
    fades = smaller(CALM_SHARE / larger(per_slip, 1e-6), CALM_SLIP)
    square, runs = fades * fades, CALM_BELT * speed
    left = larger(1.0 - sqrt(mean[0] * mean[0] + mean[1] * mean[1]), 0.0)
    share = larger(square / (square + slip * slip), left / (1.0 + per_slip * slip))
    return per_slip * share * (square / (square + runs * runs))


@formula
def mobilised_creep(slip: Any, mean: Any, numbers: Any, loads: Any, step: Term) -> Any:
    """Return slip per impulse, and slip without one along and across, of a patch of cells."""
    modulus, number, speed = numbers
    along, across, swirl = slip
    size = sqrt(along * along + across * across + swirl * swirl)
    fade = 1.0 / (1.0 + step * size / modulus)
    stiff = fade * step / modulus + damping(size, mean, number, speed, loads)
    free = fade / stiff
    return 1.0 / (larger(loads[0], 1e-9) * stiff), free * mean[0], free * mean[1]


@formula
def wong_creep(slip: Any, share: Term, bound: Term) -> Any:
    """Return slip per impulse of a patch whose stress acts against slip, and its bound."""
    along, across, swirl = slip
    size = sqrt(along * along + across * across + swirl * swirl)
    most = bound * share
    return (size + 1e-9) / larger(most, 1e-9), most


@formula
def factor_and_gain(slip: Any, modulus: Term, step: Term) -> Any:
    """Return by which factor mobilised shares shrink in a step, and what they gain per slip."""
    along, across, swirl = slip
    size = sqrt(along * along + across * across + swirl * swirl)
    return 1.0 / (1.0 + step * size / modulus), step / modulus


@formula
def wong_stress(along: Term, across: Term) -> Any:
    """Return 1 - exp(-|j|): the share of the strength that a displacement has mobilised."""
    j = smaller(sqrt(along * along + across * across), MOST_SHEAR) * (1.0 / 64.0)
    left = (1.0 - 0.5 * j + j * j * (1.0 / 12.0)) / (1.0 + 0.5 * j + j * j * (1.0 / 12.0))
    for _ in range(6):
        left = left * left
    return 1.0 - left, 0.0 * j


@inlined
def column(law: Any, surface: Any, which: int) -> Any:
    """Return a number of a surface."""
    return look_up(law.numbers, surface, which, COLUMNS)


@implement(ratio, ShearTables)
def _ratio(law: Any, point: Any) -> Any:
    across = column(law, point.surface, C_ACROSS)
    return select(point.place <= RESISTS, 0.0 * across, across)  # it acts along the belt only


@implement(limit, ShearTables)
def _limit(law: Any, point: Any) -> Any:
    surface = point.surface
    first = column(law, surface, C_COHESION), column(law, surface, C_FRICTION)
    second = column(law, surface, C_COHESION_2), column(law, surface, C_FRICTION_2)
    own = strength(point.load, point.area * point.step, first, second) * point.factor
    return select(point.place <= RESISTS, point.area, own)


@implement(soil_of, ShearTables)
def _soil_of(law: Any, surface: Any) -> Any:
    carries = (
        column(law, surface, C_STIFFNESS),
        column(law, surface, C_EXPONENT),
        column(law, surface, C_RELOAD),
        column(law, surface, C_RELOAD_SLOPE),
    )
    pushed = (column(law, surface, C_PUSH_WEIGHT), column(law, surface, C_PUSH_COHESION))
    return (column(law, surface, C_SOIL), carries, pushed,
            column(law, surface, C_SLIP_SINKAGE))  # fmt: skip


@implement(creep, ShearTables)
def _creep(law: Any, point: Any, bound: Any, mean: Any) -> Any:
    slip = (point.slip_along, point.slip_across, point.swirl)
    if law.form[0] > 0.0:
        yields, bound = wong_creep(slip, mean[0], bound)
        return yields, 0.0 * yields, 0.0 * yields, bound
    surface = point.surface
    numbers = (column(law, surface, C_MODULUS), column(law, surface, C_CALM), point.belt_speed)
    yields, along, across = mobilised_creep(slip, mean, numbers, (bound, point.load), point.step)
    return yields, along, across, bound


@implement(mobilise, ShearTables)
def _mobilise(law: Any, point: Any) -> Any:
    slip = (point.slip_along, point.slip_across, point.swirl)
    modulus = column(law, point.surface, C_MODULUS)
    fade, gain = factor_and_gain(slip, modulus, point.step)
    if law.form[0] > 0.0:
        fade = 1.0 + 0.0 * fade
    return select(point.load > 0.0, fade, FORGETS + 0.0 * fade), gain


@implement(stress, ShearTables)
def _stress(law: Any, along: Any, across: Any) -> Any:
    if law.form[0] > 0.0:
        return wong_stress(along, across)
    return along, across
