"""P3's identification on the tilting treadmill: forces by the weight, slips by the sensors.

Held in place on a treadmill that is rolled, the robot stands at the angle whose lateral force
balances its weight: F_L = m g sin(theta) cos(psi), alpha = -psi (P3 eq 5, with the cosine). On
one that is pitched, each track carries half the weight's component. Pulled with locked tracks,
both slip fully. C and C_l, E_l are taken as given, as in P3.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.identify import Estimate, fit_curve
from grouser.laws.grade_force import GRAVITY
from grouser.laws.magic_formula import magic_formula, stiffness_factor
from grouser.models.planar.constants import Constants, pack_constants
from grouser.papers.tankbot.manoeuvre import MANOEUVRES
from grouser.papers.tankbot.run_manoeuvre import run_many, tankbot_constants

SETTLING_ROLLED, SETTLING_PITCHED = 40.0, 10.0
"""Time to come to rest on the tilted treadmill [s]."""
ANGLE_NOISE, SLIP_NOISE, FORCE_NOISE = float(np.deg2rad(0.02)), 3e-4, 0.3
"""Of a measured heading [rad], slip [1] and force [N] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Measured points of a force curve."""

    slip: NDArray[np.float64]
    """Slip angle [rad] or slip ratio [1], as the sensors said."""
    force: NDArray[np.float64]
    """Force of the robot, or of one track [N]."""


def sweep_roll(generator: Generator, constants: Constants | None = None) -> Sweep:
    """Return the lateral force over the angle of drift, from rolls of up to 10 degrees."""
    constants = tankbot_constants() if constants is None else constants
    rolls = np.deg2rad(np.linspace(-10.0, 10.0, 41))
    yaw = _settle(constants, 0.0 * rolls, rolls, SETTLING_ROLLED)[:, 2]
    force = np.asarray(constants.mass) * GRAVITY * np.sin(rolls) * np.cos(yaw)
    measured = -yaw + generator.normal(0.0, ANGLE_NOISE, yaw.size)
    return Sweep(slip=measured, force=force + generator.normal(0.0, FORCE_NOISE, yaw.size))


def sweep_pitch(generator: Generator, constants: Constants | None = None) -> Sweep:
    """Return the force of one track over its slip, from pitches of up to 6 degrees."""
    constants = tankbot_constants() if constants is None else constants
    slopes = np.deg2rad(np.linspace(-6.0, 6.0, 41))
    slip = _settle(constants, slopes, 0.0 * slopes, SETTLING_PITCHED)[:, 13]
    force = 0.5 * np.asarray(constants.mass) * GRAVITY * np.sin(slopes)
    measured = slip + generator.normal(0.0, SLIP_NOISE, slip.size)
    return Sweep(slip=measured, force=force + generator.normal(0.0, FORCE_NOISE, slip.size))


def pull(
    generator: Generator, constants: Constants | None = None, repeats: int = 10
) -> NDArray[np.float64]:
    """Return what it takes to hold the robot on the belt with locked tracks, some times [N]."""
    from grouser.models.planar.closed_loop import describe

    constants = tankbot_constants() if constants is None else constants
    packed = pack_constants(constants, 1)
    row = np.empty(17)
    describe((0.0,) * 8, 0.0, 0.0, packed.records[0], packed.curves, row)
    return -(row[10] + row[11]) + generator.normal(0.0, FORCE_NOISE, repeats)


def identify_lateral(sweep: Sweep, C: float = 1.3) -> dict[str, Estimate]:
    """Return C_alpha, D and E of the lateral force (P3 Table 1)."""

    def curve(angle: NDArray[np.float64], slope: float, peak: float, E: float) -> object:
        return -np.asarray(magic_formula(angle, stiffness_factor(slope, C, peak), C, peak, E))

    guess = {"C_alpha": (3000.0, "N/rad"), "D": (float(np.max(sweep.force)), "N"), "E": (0.1, "1")}
    return fit_curve(curve, sweep.slip, sweep.force, ANGLE_NOISE, FORCE_NOISE, guess)


def identify_longitudinal(
    sweep: Sweep, pulls: NDArray[np.float64], C_l: float = 1.65
) -> dict[str, Estimate]:
    """Return C_lambda, S_h and D_l of a track's force (P3 Table 2), from pitches and pulls."""

    def curve(slip: NDArray[np.float64], slope: float, shift: float, peak: float) -> object:
        B = stiffness_factor(slope, C_l, peak)
        return magic_formula(slip + shift, B, C_l, peak, 0.0)

    locked = np.full(pulls.size, -1.0)
    x_noise = np.concatenate((np.full(sweep.slip.size, SLIP_NOISE), np.zeros(pulls.size)))
    y_noise = np.concatenate(
        (np.full(sweep.slip.size, FORCE_NOISE), np.full(pulls.size, 0.5 * FORCE_NOISE))
    )
    guess = {"C_lambda": (2000.0, "N"), "S_h": (0.01, "1"), "D_l": (50.0, "N")}
    return fit_curve(
        curve,
        np.concatenate((sweep.slip, locked)),
        np.concatenate((sweep.force, -0.5 * pulls)),
        x_noise,
        y_noise,
        guess,
    )


def identify_friction(pulls: NDArray[np.float64], mass: float) -> Estimate:
    """Return the coefficient of kinetic friction from pulls [N] at a mass [kg]."""
    ratios = pulls / (mass * GRAVITY)
    level = {"mu": (0.1, "1")}
    return fit_curve(
        lambda x, mu: mu + 0.0 * x, np.zeros(ratios.size), ratios, 0.0,
        FORCE_NOISE / (mass * GRAVITY), level,
    )["mu"]  # fmt: skip


def _settle(
    constants: Constants,
    slopes: NDArray[np.float64],
    rolls: NDArray[np.float64],
    duration: float,
) -> NDArray[np.float64]:
    """Return the last row of the history of a robot held on each of some tilted treadmills."""
    hold = replace(MANOEUVRES["step-x"], x=0.0)
    hold = replace(hold, slope=slopes, roll=rolls)  # pyright: ignore[reportArgumentType]
    # Softer across than P3's gains, which swing for long near the largest lateral force.
    gains = PoseGains(y_p=20.0)
    _, history = run_many(hold, gains, constants, count=slopes.size, duration=duration, every=100)
    return history[:, -1]
