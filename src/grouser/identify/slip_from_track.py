"""Slip ratios of a robot from its belt speeds and a track of where it was."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.optimize import least_squares
from scipy.stats import t as student

from grouser.errors import InvalidLog
from grouser.geometry import arc_displacement
from grouser.identify.estimate import Estimate
from grouser.identify.find_belts import find_belts
from grouser.laws.slip_odometry import SMALLEST_SPEED, is_straight, slip_twist
from grouser.log import Log

SOFT = 0.003
"""Distance above which a pose of the track counts less [m]."""
CALM = 0.3
"""Over how long measured speeds are smoothed to tell straight driving from turning [s]."""
LEVER = 0.1
"""Distance at which a turn weighs as much as a shift [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipFit:
    """What a track tells about slip."""

    estimates: dict[str, Estimate]
    """`slip_left`, `slip_right` and, if it drove straight, `slip_angle`."""
    position_error: float
    """Root of the mean squared distance between track and odometry with this slip [m]."""
    poses: int
    """How many poses of the track were used."""


def slip_from_track(
    log: Log, track: Log, *, width: float, left: str = "left", right: str = "right"
) -> SlipFit:
    """Return the slip with which odometry follows a track.

    Belt speeds are integrated over P0 eqs 1 to 5, and the path is compared with the track itself:
    nothing is differentiated. Unknown are both ratios, the angle of straight driving (P0 has
    none in turns) and the pose at the start; far outliers count little.

    Args:
        log: Time and belt speeds.
        track: Time, x, y and yaw, on the same time line.
        width: Equivalent wheelbase [m].
        left: Name of the left drive in the log.
        right: Name of the right drive in the log.

    Raises:
        InvalidLog: A column is missing, the two do not overlap, or a belt never moves.
    """
    belts = _belts(log, left, right)
    seen = np.isfinite(track["x"] + track["y"] + track["yaw"])
    seen &= (track.time >= log.time[0] - 1e-9) & (track.time <= log.time[-1] + 1e-9)
    if np.count_nonzero(seen) < 10:
        found = f"{np.count_nonzero(seen)} poses within the time of the log"
        raise InvalidLog("track", f"it has {found}, but slip takes 10")
    times = track.time[seen]
    wanted = np.stack((track["x"][seen], track["y"][seen], np.unwrap(track["yaw"][seen])), axis=1)
    straight = _drives_straight(log, left, right)
    turns_only = not straight.any()

    def residuals(unknowns: NDArray[np.float64]) -> NDArray[np.float64]:
        angles = np.where(straight, 0.0 if turns_only else unknowns[5], 0.0)
        path = _integrate(log.time, belts, unknowns[:2], angles, unknowns[2:5], width)
        there = np.stack([np.interp(times, log.time, axis) for axis in path], axis=1)
        return ((there - wanted) * np.array((1.0, 1.0, LEVER))).ravel()

    first = np.array([0.0, 0.0, *wanted[0], *(() if turns_only else (0.0,))])
    found = least_squares(residuals, first, loss="soft_l1", f_scale=SOFT, x_scale="jac")
    return _report(found, residuals(found.x), turns_only)


def _drives_straight(log: Log, left: str, right: str) -> NDArray[np.bool_]:
    """Return when the robot drives straight: not by encoders, which speak in steps."""
    families = ("belt_speed", "belt_speed_commanded")
    asked = next((f for f in families if f"{f}.{left}" in log and f"{f}.{right}" in log), None)
    if asked is not None:
        speeds = np.stack((log[f"{asked}.{left}"], log[f"{asked}.{right}"]))
    else:
        rows = max(round(CALM / float(np.median(np.diff(log.time)))), 1)
        speeds = uniform_filter1d(find_belts(log, (left,), (right,)), rows, axis=1)
    moves = np.max(np.abs(speeds), axis=0) >= SMALLEST_SPEED
    return np.asarray(is_straight(*speeds)) & moves


def _belts(log: Log, left: str, right: str) -> NDArray[np.float64]:
    belts = find_belts(log, (left,), (right,))
    for name, speeds in zip((left, right), belts, strict=True):
        if not np.any(np.abs(speeds) >= SMALLEST_SPEED):
            raise InvalidLog("log", f"belt {name!r} never moves, so that its slip is not known")
    return belts


def _integrate(
    times: NDArray[np.float64],
    belts: NDArray[np.float64],
    slips: NDArray[np.float64],
    angles: NDArray[np.float64],
    start: NDArray[np.float64],
    width: float,
) -> tuple[NDArray[np.float64], ...]:
    """Return x, y and yaw by odometry; row k has the belt speeds that led there."""
    (left, right), (slip_left, slip_right) = belts[:, 1:], slips
    vx, vy, yaw_rate = slip_twist(left, right, slip_left, slip_right, angles[1:], width)
    steps = np.diff(times)
    yaw = start[2] + np.concatenate(([0.0], np.cumsum(yaw_rate * steps)))
    dx, dy = arc_displacement(vx, vy, yaw_rate, yaw[:-1], steps)  # type: ignore[arg-type]
    x, y = (
        at + np.concatenate(([0.0], np.cumsum(way)))
        for at, way in zip(start[:2], (dx, dy), strict=True)
    )
    return x, y, yaw


def _report(found: object, left_over: NDArray[np.float64], turns_only: bool) -> SlipFit:
    jacobian: NDArray[np.float64] = found.jac  # type: ignore[attr-defined]
    values: NDArray[np.float64] = found.x  # type: ignore[attr-defined]
    poses = len(left_over) // 3
    freedom = max(len(left_over) - len(values), 1)
    # The robust spread of what is left over: outliers widen nothing.
    spread = 1.4826 * float(np.median(np.abs(left_over)))
    widening = _persistence(left_over.reshape(-1, 3), spread)
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * spread**2 * widening
    half = student.ppf(0.975, freedom) * np.sqrt(np.diag(covariance))
    places = {"slip_left": (0, "1"), "slip_right": (1, "1")}
    if not turns_only:
        places["slip_angle"] = (5, "rad")
    estimates = {
        name: Estimate(
            name=name,
            value=float(values[k]),
            low=float(values[k] - half[k]),
            high=float(values[k] + half[k]),
            unit=unit,
        )
        for name, (k, unit) in places.items()
    }
    distances = left_over.reshape(-1, 3)[:, :2]
    error = float(np.sqrt(np.mean(np.sum(distances**2, axis=1))))
    return SlipFit(estimates=estimates, position_error=error, poses=poses)


def _persistence(left_over: NDArray[np.float64], spread: float) -> float:
    """Return how many poses count as one, because what is left over lasts from pose to pose.

    (1 + r) / (1 - r) with the correlation r of neighbours, outliers cut off.
    """
    calm = np.clip(left_over, -3.0 * spread, 3.0 * spread)
    both = float(np.sum(calm[1:] * calm[:-1]))
    alone = float(np.sum(calm * calm)) or 1.0
    neighbours = min(max(both / alone, 0.0), 0.98)
    return (1.0 + neighbours) / (1.0 - neighbours)
