"""Logs for several tests."""

import numpy as np
import pytest

from grouser.log import Column, Log, Provenance


@pytest.fixture
def log() -> Log:
    """A short drive with awkward numbers in it."""
    return Log(
        {
            "tick": Column(np.array([0, 1, 2**60 + 1]), "1"),
            "time": Column(np.array([0.0, 0.1, 0.30000000000000004]), "s"),
            "x": Column(np.array([-0.0, np.nan, 5e-324]), "m"),
            "belt_speed.left": Column(np.array([0.1, np.inf, -1e308]), "m/s"),
            "slip.right": Column(np.array([0.0, 0.25, 1.0]), "1"),
            "flipper_angle.front left": Column(np.array([0.0, 1.0, 2.0]), "rad"),
        },
        Provenance(robot="tp100", robot_text='a = "b, c"\nd = 1\n', seed=7, dt=0.1),
    )
