"""P3's identification on the tilting treadmill: forces by the weight, slips by the sensors.

Held in place on a treadmill that is rolled, the robot stands at the angle whose lateral force
balances its weight: F_L = m g sin(theta) cos(psi), alpha = -psi (P3 eq 5, with the cosine). On
one that is pitched, each track carries half the weight's component. Pulled with locked tracks,
both slip fully.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.identify.force_curves import Sweep, SweepNoise
from grouser.laws.grade_force import GRAVITY
from grouser.models.planar.constants import Constants, pack_constants
from grouser.papers.tankbot.manoeuvre import MANOEUVRES
from grouser.papers.tankbot.run_manoeuvre import run_many, tankbot_constants

SETTLING_ROLLED, SETTLING_PITCHED = 40.0, 10.0
"""Time to come to rest on the tilted treadmill [s]."""
NOISE = SweepNoise()
"""Of what is measured."""


def sweep_roll(generator: Generator, constants: Constants | None = None) -> Sweep:
    """Return the lateral force over the angle of drift, from rolls of up to 10 degrees."""
    constants = tankbot_constants() if constants is None else constants
    rolls = np.deg2rad(np.linspace(-10.0, 10.0, 41))
    yaw = _settle(constants, 0.0 * rolls, rolls, SETTLING_ROLLED)[:, 2]
    force = np.asarray(constants.mass) * GRAVITY * np.sin(rolls) * np.cos(yaw)
    measured = -yaw + generator.normal(0.0, NOISE.angle, yaw.size)
    return Sweep(slip=measured, force=force + generator.normal(0.0, NOISE.force, yaw.size))


def sweep_pitch(generator: Generator, constants: Constants | None = None) -> Sweep:
    """Return the force of one track over its slip, from pitches of up to 6 degrees."""
    constants = tankbot_constants() if constants is None else constants
    slopes = np.deg2rad(np.linspace(-6.0, 6.0, 41))
    slip = _settle(constants, slopes, 0.0 * slopes, SETTLING_PITCHED)[:, 13]
    force = 0.5 * np.asarray(constants.mass) * GRAVITY * np.sin(slopes)
    measured = slip + generator.normal(0.0, NOISE.slip, slip.size)
    return Sweep(slip=measured, force=force + generator.normal(0.0, NOISE.force, slip.size))


def pull(
    generator: Generator, constants: Constants | None = None, repeats: int = 10
) -> NDArray[np.float64]:
    """Return what it takes to hold the robot on the belt with locked tracks, some times [N]."""
    from grouser.models.planar.closed_loop import describe

    constants = tankbot_constants() if constants is None else constants
    packed = pack_constants(constants, 1)
    row = np.empty(17)
    describe((0.0,) * 8, 0.0, 0.0, packed.records[0], packed.curves, row)
    return -(row[10] + row[11]) + generator.normal(0.0, NOISE.force, repeats)


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
