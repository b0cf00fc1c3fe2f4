"""What is believed one step later, from belt speeds."""

import numpy as np
from numpy.typing import NDArray

from grouser.control.fusion.belief import (
    ANGLE,
    BIAS,
    EXCESS_L,
    EXCESS_R,
    RATE,
    SIZE,
    SLIP_L,
    SLIP_R,
    YAW,
    Belief,
    V,
    X,
    Y,
)
from grouser.control.fusion.carry_pose import carry_pose
from grouser.control.fusion.fusion_settings import FusionSettings
from grouser.geometry import Scalar

_SIDES = ((SLIP_L, EXCESS_L, -1.0), (SLIP_R, EXCESS_R, 1.0))
_WANDERING = (BIAS, SLIP_L, SLIP_R, ANGLE)


def predict_belief(
    belief: Belief, left: Scalar, right: Scalar, duration: float, settings: FusionSettings
) -> Belief:
    """Return what is believed after a step.

    An encoder that had counted e too much, and counts n too much now, saw the belt run faster
    than it did by (n - e) / dt. With the belt speeds so corrected, P0 eqs 1 and 5 give speed and
    yaw rate, and an arc the new pose.

    Args:
        belief: What is believed before.
        left: Belt speed on the left over the step, measured [m/s].
        right: Belt speed on the right, likewise [m/s].
        duration: Length of the step [s].
        settings: How well that is measured.
    """
    moved, slopes, noise = _speeds(belief.mean, left, right, duration, settings)
    pose, carried = carry_pose(moved, duration)
    mean = moved.copy()
    mean[..., [X, Y, YAW]] = pose
    # What changes first is speed and yaw rate; the pose follows them.
    slopes[..., [X, Y, YAW], :] = carried @ slopes
    spread = noise.copy()
    spread[..., [X, Y, YAW], :] = carried @ noise
    sideways = settings.side_wander * np.sqrt(duration)
    spread[..., X, -1] = -sideways * np.sin(moved[..., YAW])
    spread[..., Y, -1] = sideways * np.cos(moved[..., YAW])
    covariance = slopes @ belief.covariance @ _turn(slopes) + spread @ _turn(spread)
    wander = (settings.bias_wander, *2 * (settings.slip_wander,), settings.angle_wander)
    covariance[..., _WANDERING, _WANDERING] += duration * np.square(wander)
    return Belief(mean=mean, covariance=covariance)


def _speeds(
    mean: NDArray[np.float64],
    left: Scalar,
    right: Scalar,
    duration: float,
    settings: FusionSettings,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the state with new speeds, its slopes over the old one, and over the noises.

    Noises (..., 11, 7) are in standard deviations: two counts, two belts, speed, yaw rate, and
    a shift to the side that only the pose feels.
    """
    moved, shape = mean.copy(), mean.shape[:-1]
    slopes = np.broadcast_to(np.eye(SIZE), (*shape, SIZE, SIZE)).copy()
    noise = np.zeros((*shape, SIZE, 7))
    for row in (V, RATE, EXCESS_L, EXCESS_R):
        slopes[..., row, :] = 0.0
        moved[..., row] = 0.0
    for side, ((slip, excess, sign), belt) in enumerate(zip(_SIDES, (left, right), strict=True)):
        speed = belt + mean[..., excess] / duration
        grip = 1.0 - mean[..., slip]
        for row, share in ((V, 0.5), (RATE, sign / settings.width)):
            moved[..., row] += share * speed * grip
            slopes[..., row, slip] = -share * speed
            slopes[..., row, excess] = share * grip / duration
            noise[..., row, side] = -share * grip / duration * settings.travel_noise
            noise[..., row, 2 + side] = share * grip * settings.belt_noise
        noise[..., excess, side] = settings.travel_noise
    noise[..., V, 4] = settings.speed_wander / np.sqrt(duration)
    noise[..., RATE, 5] = settings.turn_wander / np.sqrt(duration)
    return moved, slopes, noise


def _turn(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.swapaxes(matrix, -1, -2)
