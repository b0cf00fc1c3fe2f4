"""Skid steering with one slip ratio per track and a slip angle, and how to measure them.

Source: P0 (Low et al.), eqs 1, 2 and 5. Eqs 3 and 4 turn the velocity into the world frame;
`geometry.arc_displacement` and `geometry.euler_displacement` integrate them. Left out: any
dependence of the slip on speed, load or ground.

Frames: body is x forward, y left. A slip angle is positive when the robot drifts to the left;
the source does not state to which side it measured, so that sign is a convention.

Of all functions: `belt_left` v_l, `belt_right` v_r, `vx` and `vy` are speeds of belts and body,
positive forward and to the left [m/s], `yaw_rate` [rad/s]; `slip_left` a_l and `slip_right` a_r
are slip ratios [1], `slip_angle` is b [rad]; `width` is the equivalent wheelbase L, a lateral
distance [m]; `times` rise [s], `x` and `y` are in the world [m], `yaw` may be wrapped [rad].
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Scalar, rotate

SMALLEST_SPEED = 0.01
"""Speed below which a slip ratio or slip angle is not defined [m/s]."""
EVER = (-np.inf, np.inf)
"""The interval of time that contains every sample [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipRatios:
    """Slip ratio of each track, and slip angle."""

    left: Scalar
    """Slip ratio of the left track, 1 - ground speed / belt speed [1]."""
    right: Scalar
    """Slip ratio of the right track, 1 - ground speed / belt speed [1]."""
    angle: Scalar
    """Angle from the body's x axis to its velocity, positive drifts left [rad]."""


def slip_twist(
    belt_left: Scalar,
    belt_right: Scalar,
    slip_left: Scalar,
    slip_right: Scalar,
    slip_angle: Scalar,
    width: Scalar,
) -> tuple[Scalar, Scalar, Scalar]:
    """Return forward speed [m/s], leftward speed [m/s] and yaw rate [rad/s] from belts and slip.

    vx = (v_r (1 - a_r) + v_l (1 - a_l)) / 2        P0 eq 1
    vy = vx tan(b)                                  P0 eq 2
    yaw_rate = (v_r (1 - a_r) - v_l (1 - a_l)) / L  P0 eq 5
    """
    ground_left = belt_left * (1.0 - slip_left)
    ground_right = belt_right * (1.0 - slip_right)
    vx = 0.5 * (ground_right + ground_left)
    return vx, vx * np.tan(slip_angle), (ground_right - ground_left) / width


def wheel_speeds_for(
    vx: Scalar, yaw_rate: Scalar, slip_left: Scalar, slip_right: Scalar, width: Scalar
) -> tuple[Scalar, Scalar]:
    """Return the left and right belt speeds that give a forward speed and a yaw rate [m/s].

    v_l = (vx - yaw_rate L / 2) / (1 - a_l),  v_r = (vx + yaw_rate L / 2) / (1 - a_r)

    This is P0 eqs 1 and 5 solved for the belts; slip ratios must be smaller than 1.
    """
    from_turning = 0.5 * yaw_rate * width
    return (vx - from_turning) / (1.0 - slip_left), (vx + from_turning) / (1.0 - slip_right)


def is_straight(
    belt_left: Scalar, belt_right: Scalar, threshold: float = 0.05
) -> np.bool_ | NDArray[np.bool_]:
    """Return whether belt speeds are nearly equal, which counts as driving straight.

    |v_r - v_l| < threshold max(|v_l|, |v_r|)

    P0 measured one set of slip parameters driving straight and one turning; this chooses between
    them. The threshold is an assumption. Belts that stand count as turning, which has no effect.
    """
    fastest = np.maximum(np.abs(belt_left), np.abs(belt_right))
    return np.less(np.abs(belt_right - belt_left), threshold * fastest)


def estimate_slip(
    belt_left: Scalar,
    belt_right: Scalar,
    *,
    vx: Scalar,
    vy: Scalar,
    yaw_rate: Scalar,
    width: Scalar,
) -> SlipRatios:
    """Return the slip from a measured velocity, sample by sample.

    a_l = 1 - (vx - yaw_rate L / 2) / v_l,  a_r = 1 - (vx + yaw_rate L / 2) / v_r
    b = atan(vy / vx)

    This inverts `slip_twist`, forward and backward. A ratio is NaN where its belt is slower than
    `SMALLEST_SPEED`, the angle where the body is.
    """
    from_turning = 0.5 * yaw_rate * width
    # The sign of vx keeps the angle of a robot that drives backward near 0, not near pi.
    angle = np.arctan2(vy * np.copysign(1.0, vx), np.abs(vx))
    return SlipRatios(
        left=_slip_of_track(belt_left, vx - from_turning),
        right=_slip_of_track(belt_right, vx + from_turning),
        angle=np.where(np.hypot(vx, vy) < SMALLEST_SPEED, np.nan, angle)[()],
    )


def estimate_slip_from_poses(
    *,
    times: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    yaw: NDArray[np.float64],
    belt_left: NDArray[np.float64],
    belt_right: NDArray[np.float64],
    width: float,
    steady: tuple[float, float] = EVER,
) -> SlipRatios:
    """Return the mean slip over the steady part of a tracked drive.

    Poses are differentiated (second order, any spacing of samples) and turned into the body
    frame. Samples without a defined slip do not count. A robot that turns on the spot has no
    slip angle; it gets 0, as in P0 Table 3, where it would have no effect anyway.
    """
    if np.size(times) < 3:
        raise InvalidValue("times", np.size(times), "hold at least 3 samples")
    for name, column in {"x": x, "y": y, "yaw": yaw}.items():
        if not np.all(np.isfinite(column)):
            raise InvalidValue(name, "NaN or infinity", "be finite everywhere")
    heading = np.unwrap(yaw)
    vx_in_world, vy_in_world, yaw_rate = (
        np.gradient(column, times, edge_order=2) for column in (x, y, heading)
    )
    vx, vy = rotate(vx_in_world, vy_in_world, -heading)
    inside = (times >= steady[0]) & (times <= steady[1])
    slip = estimate_slip(belt_left, belt_right, vx=vx, vy=vy, yaw_rate=yaw_rate, width=width)
    angle = _mean_of_defined(slip.angle, inside)
    return SlipRatios(
        left=_mean_of_track("belt_left", slip.left, inside),
        right=_mean_of_track("belt_right", slip.right, inside),
        angle=0.0 if angle is None else angle,
    )


def average_slip(repeats: Sequence[SlipRatios]) -> SlipRatios:
    """Return the mean of the slips of several repeats of one manoeuvre."""
    if not repeats:
        raise InvalidValue("repeats", repeats, "hold at least one drive")
    names = ("left", "right", "angle")
    return SlipRatios(**{n: sum(getattr(r, n) for r in repeats) / len(repeats) for n in names})


def _slip_of_track(belt: Scalar, ground: Scalar) -> Scalar:
    """Return 1 - ground / belt, NaN where the belt is too slow."""
    moves = np.abs(belt) >= SMALLEST_SPEED
    return np.where(moves, 1.0 - ground / np.where(moves, belt, 1.0), np.nan)[()]


def _mean_of_track(name: str, slips: Scalar, inside: NDArray[np.bool_]) -> float:
    """Return the mean slip of one track."""
    mean = _mean_of_defined(slips, inside)
    if mean is None:
        raise InvalidValue(name, "slower", f"reach {SMALLEST_SPEED} m/s in the steady part")
    return mean


def _mean_of_defined(values: Scalar, inside: NDArray[np.bool_]) -> float | None:
    """Return the mean of the values that are inside and not NaN, None if there are none."""
    defined = np.asarray(values)[inside & np.isfinite(values)]
    return float(np.mean(defined)) if defined.size else None
