"""P3's identification on a virtual treadmill.

Held in place on a treadmill that is rolled, the robot stands at the angle whose lateral force
balances its weight: F_L = m g sin(theta) cos(psi), alpha = -psi (P3 eq 5, with the cosine). On
one that is pitched, each track carries half the weight's component. Pulled with locked tracks,
both slip fully.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.identify import Estimate
from grouser.identify.treadmill import (
    SPEED_NOISE,
    Sweep,
    SweepNoise,
    VoltageStep,
    derive_factor,
    identify_friction,
    identify_lateral,
    identify_longitudinal,
    identify_step,
    pool_estimates,
)
from grouser.laws.slope import GRAVITY
from grouser.models.planar.constants import Constants, pack_constants
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_many, tankbot_constants

SETTLING_ROLLED, SETTLING_PITCHED = 40.0, 10.0
"""Time to come to rest on the tilted treadmill [s]."""
SWEEP_NOISE = SweepNoise()
"""Of what is measured."""


def sweep_roll(generator: Generator, constants: Constants | None = None) -> Sweep:
    """Return the lateral force over the angle of drift, from rolls of up to 10 degrees."""
    constants = tankbot_constants() if constants is None else constants
    rolls = np.deg2rad(np.linspace(-10.0, 10.0, 41))
    yaw = _settle(constants, 0.0 * rolls, rolls, SETTLING_ROLLED)[:, 2]
    force = np.asarray(constants.mass) * GRAVITY * np.sin(rolls) * np.cos(yaw)
    measured = -yaw + generator.normal(0.0, SWEEP_NOISE.angle, yaw.size)
    return Sweep(slip=measured, force=force + generator.normal(0.0, SWEEP_NOISE.force, yaw.size))


def sweep_pitch(generator: Generator, constants: Constants | None = None) -> Sweep:
    """Return the force of one track over its slip, from pitches of up to 6 degrees."""
    constants = tankbot_constants() if constants is None else constants
    slopes = np.deg2rad(np.linspace(-6.0, 6.0, 41))
    slip = _settle(constants, slopes, 0.0 * slopes, SETTLING_PITCHED)[:, 13]
    force = 0.5 * np.asarray(constants.mass) * GRAVITY * np.sin(slopes)
    measured = slip + generator.normal(0.0, SWEEP_NOISE.slip, slip.size)
    return Sweep(slip=measured, force=force + generator.normal(0.0, SWEEP_NOISE.force, slip.size))


def pull(
    generator: Generator, constants: Constants | None = None, repeats: int = 10
) -> NDArray[np.float64]:
    """Return what it takes to hold the robot on the belt with locked tracks, some times [N]."""
    from grouser.models.planar.integrate import describe

    constants = tankbot_constants() if constants is None else constants
    packed = pack_constants(constants, 1)
    row = np.empty(17)
    describe((0.0,) * 8, 0.0, 0.0, packed.records[0], packed.curves, row)
    return -(row[10] + row[11]) + generator.normal(0.0, SWEEP_NOISE.force, repeats)


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


PERIOD, STEP_DURATION = 0.01, 1.0
"""Of the samples, and of a step [s]."""


def step_voltages(
    generator: Generator, voltages: NDArray[np.float64], constants: Constants | None = None
) -> list[VoltageStep]:
    """Return the measured speeds of both lifted tracks after a step to each voltage."""
    from grouser.models.planar.advance import advance_all

    constants = tankbot_constants() if constants is None else constants
    # In the air: forces too small to matter.
    lifted = constants._replace(track_limit=1e-9, lateral_limit=1e-9, ground_speed=0.0)
    packed = pack_constants(lifted, voltages.size)
    states, commands = np.zeros((voltages.size, 8)), np.stack((voltages, voltages), axis=1)
    grades = np.zeros((voltages.size, 3))
    grades[:, 2] = 1.0
    ticks = np.arange(round(STEP_DURATION / PERIOD) + 1, dtype=np.float64)
    time: NDArray[np.float64] = ticks * PERIOD
    speeds = np.zeros((time.size, voltages.size, 2))
    for k in range(1, time.size):
        advance_all(states, True, commands, grades, packed, PERIOD, 0.001)
        speeds[k] = states[:, 6:]
    speeds += generator.normal(0.0, SPEED_NOISE, speeds.shape)
    return [
        VoltageStep(side=side, voltage=float(voltage), time=time, speed=speeds[:, k, number])
        for number, side in enumerate(("left", "right"))
        for k, voltage in enumerate(voltages)
    ]


VOLTAGES = (-10.0, -6.0, -4.0, -2.0, -1.5, -0.5, 0.5, 1.5, 2.0, 4.0, 6.0, 10.0)
"""Steps with lifted tracks [V]."""
MASS = 46.8
"""P3, text [kg]."""
PRINTED = {
    "C_alpha": 4000.0, "D": 80.0, "E": -0.5, "B": 38.5, "C_lambda": 3000.0, "S_h": 0.025,
    "D_l": 61.0, "B_l": 29.8, "mu": 0.15, "J": 0.1,
}  # fmt: skip
"""P3 Tables 1 and 2 and text, in the units of the estimates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identification:
    """What the experiments gave."""

    parameters: dict[str, Estimate]
    """Parameters of P3's Tables 1 and 2, friction and inertia, by name."""
    motor_gains: tuple[Estimate, ...]
    """K(V) of each side and voltage."""


def identify_tankbot(seed: int = 0) -> Identification:
    """Return all parameters, from experiments whose noise comes from `seed`."""
    generator = np.random.default_rng(seed)
    lateral = identify_lateral(sweep_roll(generator))
    pitched, pulls = sweep_pitch(generator), pull(generator)
    longitudinal = identify_longitudinal(pitched, pulls)
    steps = step_voltages(generator, np.array(VOLTAGES))
    found = [identify_step(step) for step in steps]
    inertia = pool_estimates([J for _, J in found if J is not None], "J")
    return Identification(
        parameters={
            **lateral,
            "B": derive_factor("B", lateral["C_alpha"], lateral["D"], 1.3, "1/rad"),
            **longitudinal,
            "B_l": derive_factor("B_l", longitudinal["C_lambda"], longitudinal["D_l"], 1.65, "1"),
            "mu": identify_friction(pulls, MASS),
            "J": inertia,
        },
        motor_gains=tuple(K for K, _ in found),
    )
