"""A stand-in for the real Tankbot, whose trajectories are lost: the model, a little different.

Motors a tenth stronger, the right one three hundredths weaker than the left, a tenth more inertia,
commands 20 ms late, and sensors with noise [A]. It shows what the error statistics measure; its
numbers say nothing about P3's robot.
"""

from dataclasses import replace

import numpy as np

from grouser.control import PoseGains
from grouser.log import Column, Log
from grouser.models.planar.constants import Constants, TorqueCurve
from grouser.papers.tankbot.manoeuvre import Manoeuvre
from grouser.papers.tankbot.run_manoeuvre import DURATION, run_manoeuvre, tankbot_constants

STRONGER, WEAKER_RIGHT, HEAVIER, LATE = 1.1, 0.97, 1.1, 2
"""Factors on motors, right motor and inertia [1]; samples of delay."""
NOISE = {"x": 0.001, "y": 0.001, "yaw": 0.002, "x_rate": 0.01, "y_rate": 0.005, "yaw_rate": 0.02}
"""Standard deviation of the sensors' noise [SI]."""


def twin_constants() -> Constants:
    """Return the constants of the stand-in."""
    published = tankbot_constants()
    left = _scaled(published.left_forward, STRONGER)
    right = _scaled(published.right_forward, STRONGER * WEAKER_RIGHT)
    return published._replace(
        inertia=published.inertia * HEAVIER,
        left_forward=left,
        left_backward=left,
        right_forward=right,
        right_backward=right,
    )


def run_twin(manoeuvre: Manoeuvre, seed: int = 0, duration: float = DURATION) -> Log:
    """Return what the sensors of the stand-in say during a manoeuvre."""
    gains = replace(PoseGains(), delay=LATE)
    log = run_manoeuvre(manoeuvre, gains, twin_constants(), duration=duration)
    generator = np.random.default_rng(seed)
    noisy = {
        name: Column(log[name] + generator.normal(0.0, sigma, len(log)), log.unit(name))
        for name, sigma in NOISE.items()
    }
    return log.with_columns(noisy)


def _scaled(curve: TorqueCurve, factor: float) -> TorqueCurve:
    dead_zone, jump, gain, limit = curve
    return dead_zone, jump * factor, gain * factor, limit * factor
