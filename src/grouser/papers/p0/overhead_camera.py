"""P0's camera above the floor, for many robots at once: one coded marker on each.

Its numbers are those of the rig `tp100-overhead`; it looks straight down, and just sees the length
of the floor. Left out: lens, perspective and the delay of the camera, which
`grouser.simulation.OverheadCamera` has; the floor's grid is taken as known exactly.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import load_rig
from grouser.laws.rigid_fit import rigid_fit
from grouser.papers.p0.stand_ins import Tracks

_RIG = load_rig("tp100-overhead")
RATE = _RIG.camera.rate
"""Pictures per second [1/s]."""
PIXEL = _RIG.floor.size[0] / _RIG.camera.size[0]
"""Floor that a pixel shows [m]."""
CORNER_NOISE = _RIG.camera.corner_noise
"""Standard deviation of a corner, each way [pixels]."""
MARKER = _RIG.markers[0].side
"""Side of the marker [m]."""
_CORNERS = 0.5 * MARKER * np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)])


def film(tracks: Tracks, random: Generator) -> Tracks:
    """Return where the camera sees robots: at its own times, with its noise."""
    times = np.arange(0.0, tracks.time[-1], 1.0 / RATE)
    x, y, yaw = (
        _at(times, tracks.time, values) for values in (tracks.x, tracks.y, tracks.yaw)
    )  # fmt: skip
    cos, sin = np.cos(yaw)[..., np.newaxis], np.sin(yaw)[..., np.newaxis]
    ahead, left = _CORNERS.T
    corners = (cos * ahead - sin * left + x[..., np.newaxis],
               sin * ahead + cos * left + y[..., np.newaxis])  # fmt: skip
    sigma = CORNER_NOISE * PIXEL
    seen = [axis + random.normal(0.0, sigma, axis.shape) for axis in corners]
    x, y, yaw = rigid_fit(_CORNERS, np.stack(seen, axis=-1))
    return Tracks(time=times, x=x, y=y, yaw=np.unwrap(yaw, axis=0))


def _at(
    times: NDArray[np.float64], known: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.stack([np.interp(times, known, column) for column in values.T], axis=-1)
