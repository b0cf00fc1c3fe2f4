"""The camera above the floor: a coded marker on the robot, found by its four corners.

All numbers are assumptions, for a camera 2.5 m above the middle that just sees 8 ft of floor.
Left out: lens, perspective and the delay of the camera; the floor's grid is taken as known exactly.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.hil.stand_ins import Tracks

RATE = 30.0
"""Pictures per second [1/s]."""
PIXEL = 2.4384 / 1920
"""Floor that a pixel shows [m]."""
CORNER_NOISE = 0.5
"""Standard deviation of a corner, each way [pixels]."""
MARKER = 0.05
"""Side of the marker [m]."""
_CORNERS = 0.5 * MARKER * np.array([1 + 1j, 1 - 1j, -1 - 1j, -1 + 1j])


def film(tracks: Tracks, random: Generator) -> Tracks:
    """Return where the camera sees robots: at its own times, with its noise.

    The pose is the rigid one that fits the four corners best.
    """
    times = np.arange(0.0, tracks.time[-1], 1.0 / RATE)
    x, y, yaw = (
        _at(times, tracks.time, values) for values in (tracks.x, tracks.y, tracks.yaw)
    )  # fmt: skip
    turned = np.exp(1j * yaw)[..., np.newaxis] * _CORNERS
    sigma = CORNER_NOISE * PIXEL
    noise = random.normal(0.0, sigma, turned.shape) + 1j * random.normal(0.0, sigma, turned.shape)
    seen = (x + 1j * y)[..., np.newaxis] + turned + noise
    centre = seen.mean(axis=-1)
    # The best rotation of corners about their centre is the angle of a sum of complex numbers.
    heading = np.angle(((seen - centre[..., np.newaxis]) * np.conj(_CORNERS)).sum(axis=-1))
    return Tracks(time=times, x=centre.real, y=centre.imag, yaw=np.unwrap(heading, axis=0))


def _at(
    times: NDArray[np.float64], known: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.stack([np.interp(times, known, column) for column in values.T], axis=-1)
