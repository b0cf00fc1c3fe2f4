"""All of P3's identification, run on the virtual treadmill with noisy sensors."""

from dataclasses import dataclass

import numpy as np

from grouser.identify import Estimate
from grouser.identify.force_curves import (
    derive_factor,
    identify_friction,
    identify_lateral,
    identify_longitudinal,
)
from grouser.identify.lifted_step import identify_step, pool_estimates
from grouser.papers.tankbot.lifted_tracks import step_voltages
from grouser.papers.tankbot.tilt_sweeps import pull, sweep_pitch, sweep_roll

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
