"""What the belts of a simulated board really did: only a simulation can know."""

import numpy as np
from numpy.typing import NDArray

from grouser.hil.board import BoardStep

EVERY_US = 10_000
"""Time between two samples [us]."""


class TrueBelts:
    """Watches a board in lockstep and integrates the true belt speeds."""

    def __init__(self) -> None:
        self._time_us = 0
        self._speeds = (0.0, 0.0)
        self._travels = [0.0, 0.0]
        self._samples: list[tuple[float, float]] = [(0.0, 0.0)]

    def __call__(self, step: BoardStep) -> None:
        """Note a step of the board."""
        half = 0.5e-6 * (step.time_us - self._time_us)
        for side in (0, 1):
            self._travels[side] += half * (self._speeds[side] + step.belt_speeds[side])
        self._speeds, self._time_us = step.belt_speeds, step.time_us
        while len(self._samples) * EVERY_US <= step.time_us:
            self._samples.append((self._travels[0], self._travels[1]))

    @property
    def speeds(self) -> NDArray[np.float64]:
        """Mean belt speeds between samples (n, 2), left and right [m/s]."""
        return np.diff(np.array(self._samples), axis=0) / (EVERY_US * 1e-6)
