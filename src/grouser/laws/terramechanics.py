"""Soft ground under a track: pressure, sinkage, strength, thrust, resistance and grousers.

Source, unless a function names another: M. G. Bekker, Introduction to Terrain-Vehicle Systems
(1969), and J. Y. Wong, Theory of Ground Vehicles (2008), chapter 2, as handed down in the textbook
form; the books were not at hand, so no equation numbers.

A plate or belt of width b (the smaller side of the loaded area) that carries the pressure p sinks
in by z, positive down:

    p = k z^n,   k = k_c / b + k_phi                                  pressure and sinkage
    p = k z_u^n - k_u (z_u - z),   k_u = k_0 + A_u z_u                unloading from z_u, reloading
    tau_max = c + p tan(phi)                                          strength (Mohr, Coulomb)
    tau = tau_max (1 - exp(-j / K))                                   shear (Janosi, Hanamoto)
    R_c = b k z^(n+1) / (n+1)                                         compaction of one track's rut
    R_b = b (gamma z^2 N / 2 + 2 c z sqrt(N)),   N = tan^2(45 deg + phi/2)   bulldozing, smooth wall

Left out: side flow of soil, rates (n, c and K are taken as constants), layers, and peaks of
pressure under road wheels, which raise sinkage.

Numbers may be arrays, which broadcast. Units: lengths, widths, sinkages and K [m], pressures and c
[Pa], forces and weights [N], slips and factors [1], angles [rad].
"""

from typing import Literal

import numpy as np

from grouser.description.soil import Soil
from grouser.geometry import Scalar

RELOAD_OVER_TANGENT = 20.0
"""Assumed stiffness of reloading over the tangent of the virgin curve, without data [1]."""
SHALLOWEST = 1e-6
"""Sinkage below which the tangent no longer grows: it is infinite at 0 where n < 1 [m]."""


# Pressure and sinkage.


def plate_stiffness(soil: Soil, width: Scalar) -> Scalar:
    """Return k = k_c / b + k_phi [N/m^(n+2)]."""
    return soil.cohesive_modulus / width + soil.frictional_modulus


def virgin_pressure(soil: Soil, sinkage: Scalar, width: Scalar) -> Scalar:
    """Return the pressure on ground that is loaded for the first time, 0 above it [Pa]."""
    return plate_stiffness(soil, width) * np.maximum(sinkage, 0.0) ** soil.exponent


def static_sinkage(soil: Soil, pressure: Scalar, width: Scalar) -> Scalar:
    """Return the sinkage at which virgin ground carries a pressure, (p / k)^(1/n) [m]."""
    return (np.maximum(pressure, 0.0) / plate_stiffness(soil, width)) ** (1.0 / soil.exponent)


def unloading_stiffness(soil: Soil, deepest: Scalar, width: Scalar) -> Scalar:
    """Return k_u = k_0 + A_u z_u, or 20 times the virgin tangent n k z_u^(n-1) [Pa/m]."""
    if soil.reload_stiffness > 0.0 or soil.reload_slope > 0.0:
        return soil.reload_stiffness + soil.reload_slope * deepest
    n, depth = soil.exponent, np.maximum(deepest, SHALLOWEST)
    return RELOAD_OVER_TANGENT * n * plate_stiffness(soil, width) * depth ** (n - 1.0)


def ground_pressure(soil: Soil, sinkage: Scalar, deepest: Scalar, width: Scalar) -> Scalar:
    """Return the pressure of ground that was sunk in to `deepest` before [Pa].

    Deeper it follows the virgin curve, above it the line of unloading down to zero.
    """
    unloaded = virgin_pressure(soil, deepest, width) - unloading_stiffness(soil, deepest, width) * (
        deepest - np.minimum(sinkage, deepest)
    )
    return np.where(
        np.asarray(sinkage) >= deepest,
        virgin_pressure(soil, sinkage, width),
        np.maximum(unloaded, 0.0),
    )[()]


def slip_sinkage(sinkage: Scalar, slip: Scalar) -> Scalar:
    """Return the sinkage of a track that slips, z (1 + i) / (1 - 0.5 i) [m].

    Reference:
        Lyasko's factor, as handed down; its source was not at hand.
    """
    return sinkage * (1.0 + slip) / (1.0 - 0.5 * slip)


# Strength and thrust.


def shear_strength(soil: Soil, pressure: Scalar) -> Scalar:
    """Return tau_max = c + p tan(phi) [Pa]."""
    return soil.cohesion + pressure * np.tan(soil.friction_angle)


def mobilised_share(shear_modulus: Scalar, slip: Scalar, length: Scalar) -> Scalar:
    """Return how much of its strength a track with uniform pressure uses [1].

    1 - (1 - exp(-x)) / x with x = i L / K: the mean of 1 - exp(-j / K) along the track, where the
    shear displacement j = i x grows from the end at which the belt enters. Odd in the slip.
    """
    x = np.abs(slip) * length / shear_modulus
    series = x / 2.0 - x * x / 6.0
    safe = np.where(x > 1e-4, x, 1.0)
    return np.sign(slip) * np.where(x > 1e-4, 1.0 + np.expm1(-safe) / safe, series)


def janosi_thrust(soil: Soil, weight: Scalar, area: Scalar, slip: Scalar, length: Scalar) -> Scalar:
    """Return the thrust of tracks with uniform pressure, (A c + W tan phi) x mobilised share [N].

    Args:
        soil: The soil.
        weight: Weight on the tracks [N].
        area: Area of contact of all of them [m^2].
        slip: 1 - ground speed / belt speed [1].
        length: Length of contact [m].
    """
    strength = area * soil.cohesion + weight * np.tan(soil.friction_angle)
    return strength * mobilised_share(soil.shear_modulus, slip, length)


# Resistance.


def flow_value(friction_angle: Scalar) -> Scalar:
    """Return N_phi = tan^2(45 deg + phi/2), passive over vertical pressure [1]."""
    return np.tan(np.pi / 4.0 + friction_angle / 2.0) ** 2


def compaction_resistance(soil: Soil, width: Scalar, sinkage: Scalar) -> Scalar:
    """Return the resistance of one track whose leading end sinks in by `sinkage` [N].

    The work b ∫ p dz on each metre of its rut. The inclined floor of the rut that a nose-up trim
    makes is part of it: what acts along that floor is not to be added once more.
    """
    rise = soil.exponent + 1.0
    return width * plate_stiffness(soil, width) * np.maximum(sinkage, 0.0) ** rise / rise


def bulldozing_resistance(soil: Soil, width: Scalar, sinkage: Scalar) -> Scalar:
    """Return the passive pressure on a smooth front of a height and width [N].

    Of a belt that moves sideways, `width` is the length of its outer side.
    """
    flow, depth = flow_value(soil.friction_angle), np.maximum(sinkage, 0.0)
    own_weight = 0.5 * soil.unit_weight * depth * depth * flow
    return width * (own_weight + 2.0 * soil.cohesion * depth * np.sqrt(flow))


# Grousers.

GrouserRule = Literal["block", "single"]


def block_shear_factors(height: Scalar, width: Scalar) -> tuple[Scalar, Scalar]:
    """Return Bekker's factors on cohesion and on weight for a block between grousers [1].

    1 + 2 h/b and 1 + 0.64 (h/b) arccot(h/b): soil is sheared on the plane of the tips, and on the
    walls at both sides of the block.
    """
    ratio = height / width
    return 1.0 + 2.0 * ratio, 1.0 + 0.64 * ratio * np.arctan2(width, height)


def block_shear_strength(
    soil: Soil, weight: Scalar, area: Scalar, width: Scalar, height: Scalar
) -> Scalar:
    """Return the greatest thrust of tracks whose grousers shear the soil as one block [N]."""
    of_cohesion, of_weight = block_shear_factors(height, width)
    plain = np.tan(soil.friction_angle)
    return area * soil.cohesion * of_cohesion + weight * plain * of_weight


def single_grouser_strength(soil: Soil, pressure: Scalar, width: Scalar, height: Scalar) -> Scalar:
    """Return the passive force of one grouser alone under a surcharge p [N].

    F_p = b (gamma h^2 N / 2 + p h N + 2 c h sqrt(N))
    """
    surcharge = width * pressure * height * flow_value(soil.friction_angle)
    return bulldozing_resistance(soil, width, height) + surcharge


def grouser_strength(
    soil: Soil,
    weight: float,
    length: float,
    width: float,
    height: float,
    spacing: float,
) -> tuple[float, GrouserRule]:
    """Return the greatest thrust of two tracks with grousers [N], and the rule that limits it.

    The smaller of block shear and of all grousers in contact, each alone: grousers that stand
    close shear a block, those that stand apart cut through.
    """
    area = 2.0 * length * width
    block = float(block_shear_strength(soil, weight, area, width, height))
    alone = float(single_grouser_strength(soil, weight / area, width, height))
    single = 2.0 * length / spacing * alone
    if block <= single:
        return block, "block"
    return single, "single"


# Turning.


def nikitin_coefficient(friction: Scalar, radius: Scalar, gauge: Scalar) -> Scalar:
    """Return the empirical coefficient of lateral resistance in a turn [1].

    mu_t = mu_max / (0.925 + 0.15 R/B); the moment of the lateral forces is then mu_t W L / 4.

    Reference:
        Nikitin, as handed down in textbooks of tracked vehicles; not read at the source.
    """
    return friction / (0.925 + 0.15 * radius / gauge)
