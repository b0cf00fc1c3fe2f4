"""Where robots are beside the path that they follow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.envs.task import LoadedTask
from grouser.geometry import Pose, wrap_angle

PREVIEWS = (0.5, 1.0)
"""Distances ahead on the path whose bearing is observed, in robot lengths [1]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathView:
    """The path as robots see it; an entry per robot."""

    s: NDArray[np.float64]
    """Path length of the nearest point [m]."""
    offset: NDArray[np.float64]
    """Lateral offset, positive to the left of the path [m]."""
    heading: NDArray[np.float64]
    """Heading, positive to the left of the path [rad]."""
    distance: NDArray[np.float64]
    """Distance from the nearest point [m]."""
    bearings: NDArray[np.float64]
    """Direction of the points `PREVIEWS` ahead, from the robot's heading; a row for each [rad]."""


def view_path(loaded: LoadedTask, pose: Pose, s: NDArray[np.float64]) -> PathView:
    """Return the path as seen from poses, given the path length of the nearest points [m]."""
    ahead = np.array((0.0, *PREVIEWS))[:, None] * loaded.length
    x, y, headings = (np.asarray(values) for values in loaded.path.at(s + ahead))
    dx, dy, heading = pose.x - x[0], pose.y - y[0], headings[0]
    directions = np.arctan2(y[1:] - pose.y, x[1:] - pose.x)
    return PathView(
        s=s,
        offset=dy * np.cos(heading) - dx * np.sin(heading),
        heading=np.asarray(wrap_angle(pose.yaw - heading)),
        distance=np.hypot(dx, dy),
        bearings=np.asarray(wrap_angle(directions - pose.yaw)),
    )
