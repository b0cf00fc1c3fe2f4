"""Where a robot is and how large, for those who look at it."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.models.contact.scene import Scene


def measure_robot(scene: Scene, data: mujoco.MjData) -> tuple[NDArray[np.float64], float]:
    """Return the middle of the robot as it stands, and its size from end to end [m].

    Both are those of a box along the hull around balls around its parts: somewhat too large.
    """
    hull = scene.tables.hull
    origin, rotation = data.xpos[hull], data.xmat[hull].reshape(3, 3)
    places_in_hull = (data.geom_xpos[scene.tables.is_robot] - origin) @ rotation
    reach = scene.model.geom_rbound[scene.tables.is_robot][:, None]
    low, high = (places_in_hull - reach).min(axis=0), (places_in_hull + reach).max(axis=0)
    return origin + rotation @ (0.5 * (low + high)), float(np.max(high - low))
