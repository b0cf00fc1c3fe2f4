"""A robot seen from above at some places of its run."""

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.geometry import Pose, running_length
from grouser.log import Log

LEAST_GAP = 1.5
"""Way between two outlines, as a multiple of the robot's length [1]."""

_ATTITUDE = ("roll", "pitch", "yaw")


def robot_outlines(
    robot: Robot, log: Log, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a line around the robot at places evenly spread along its way, the last among them.

    Each outline has a stroke from its middle to its front; NaN separates it from the next.

    Args:
        robot: Whose outline, flippers not counted.
        log: Its run; has x, y and yaw.
        count: At how many places at most; they are fewer where outlines would overlap.

    Returns:
        x and y of the line [m].
    """
    rows = _spread(log, count, LEAST_GAP * (robot.front - robot.rear))
    attitude = {name: log[name][rows] if name in log else np.zeros(len(rows)) for name in _ATTITUDE}
    in_world = Pose(**attitude).rotation.as_matrix() @ _outline(robot).T
    x, y = log["x"][rows], log["y"][rows]
    return (x[:, np.newaxis] + in_world[:, 0]).ravel(), (y[:, np.newaxis] + in_world[:, 1]).ravel()


def _spread(log: Log, count: int, least: float) -> NDArray[np.intp]:
    """Return rows between which the robot drove equally far, and at least so far [m]."""
    poses = np.stack([log[name] for name in ("x", "y", *_ATTITUDE) if name in log])
    known = np.flatnonzero(np.isfinite(poses).all(axis=0))
    if not known.size:
        return known
    steps = np.hypot(np.diff(log["x"][known]), np.diff(log["y"][known]))
    driven = running_length(steps)
    count = min(count, 1 + int(driven[-1] / least))
    wanted = np.linspace(driven[-1], 0.0, count)[:0:-1]
    # The first row that is as far as wanted; a stop keeps the robot there for many.
    return np.append(known[np.searchsorted(driven, wanted)], known[-1])


def _outline(robot: Robot) -> NDArray[np.float64]:
    """Return a closed line and a stroke (n, 3) in the body frame, each ended by NaN [m]."""
    tracks = [abs(drive.y) + 0.5 * drive.width for drive in robot.drives]
    side = max(*tracks, 0.5 * robot.body.size[1])
    rear, front = robot.rear, robot.front
    gap = (np.nan, np.nan, np.nan)
    return np.array(
        [
            (rear, -side, 0.0), (front, -side, 0.0), (front, side, 0.0), (rear, side, 0.0),
            (rear, -side, 0.0), gap, (0.5 * (rear + front), 0.0, 0.0), (front, 0.0, 0.0), gap,
        ]
    )  # fmt: skip
