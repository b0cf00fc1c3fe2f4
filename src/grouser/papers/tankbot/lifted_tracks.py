"""P3's steps of voltage with lifted tracks, on the virtual robot."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.identify.lifted_step import SPEED_NOISE, VoltageStep
from grouser.models.planar.constants import Constants, pack_constants
from grouser.papers.tankbot.run_manoeuvre import tankbot_constants

PERIOD, DURATION = 0.01, 1.0
"""Of the samples, and of a step [s]."""


def step_voltages(
    generator: Generator, voltages: NDArray[np.float64], constants: Constants | None = None
) -> list[VoltageStep]:
    """Return the measured speeds of both lifted tracks after a step to each voltage."""
    from grouser.models.planar.integrate import advance_all

    constants = tankbot_constants() if constants is None else constants
    # In the air: forces too small to matter.
    lifted = constants._replace(track_limit=1e-9, lateral_limit=1e-9, ground_speed=0.0)
    packed = pack_constants(lifted, voltages.size)
    states, asked = np.zeros((voltages.size, 8)), np.stack((voltages, voltages), axis=1)
    grades = np.zeros((voltages.size, 3))
    grades[:, 2] = 1.0
    ticks = np.arange(round(DURATION / PERIOD) + 1, dtype=np.float64)
    time: NDArray[np.float64] = ticks * PERIOD
    speeds = np.zeros((time.size, voltages.size, 2))
    for k in range(1, time.size):
        advance_all(states, True, asked, grades, packed, PERIOD, 0.001)
        speeds[k] = states[:, 6:]
    speeds += generator.normal(0.0, SPEED_NOISE, speeds.shape)
    return [
        VoltageStep(side=side, voltage=float(voltage), time=time, speed=speeds[:, k, number])
        for number, side in enumerate(("left", "right"))
        for k, voltage in enumerate(voltages)
    ]
