"""What is believed after a measurement."""

import numpy as np
from numpy.typing import NDArray

from grouser.control.fusion.belief import BIAS, RATE, SIZE, Belief
from grouser.control.fusion.carry_pose import carry_pose
from grouser.control.fusion.fusion_settings import FusionSettings
from grouser.geometry import Scalar, wrap_angle


def correct_by_gyro(belief: Belief, rate: Scalar, settings: FusionSettings) -> Belief:
    """Return what is believed after a reading of the gyroscope about body z [rad/s]."""
    slopes = np.zeros((1, SIZE))
    slopes[0, [RATE, BIAS]] = 1.0
    missing = rate - belief.mean[..., RATE] - belief.mean[..., BIAS]
    noise = np.array([[settings.gyro_noise**2]])
    corrected, _ = _correct(belief, np.asarray(missing)[..., None], slopes, noise)
    return corrected


def correct_by_pose(
    belief: Belief,
    pose: NDArray[np.float64],
    deviations: NDArray[np.float64],
    age: float,
    gate: float,
) -> tuple[Belief, NDArray[np.bool_]]:
    """Return what is believed after a camera told where the robot was, and whether it counted.

    Args:
        belief: What is believed now.
        pose: x, y and yaw that were seen (..., 3) [m and rad].
        deviations: Their standard deviations (..., 3) [m and rad].
        age: How long ago, within the last step [s].
        gate: Squared distance above which it does not count [1].
    """
    expected, slopes = carry_pose(belief.mean, -age)
    missing = pose - expected
    missing[..., 2] = wrap_angle(missing[..., 2])
    noise = np.eye(3) * np.square(deviations)[..., None, :]
    corrected, distance = _correct(belief, missing, slopes, noise)
    counts = distance <= gate
    return Belief(
        mean=np.where(counts[..., None], corrected.mean, belief.mean),
        covariance=np.where(counts[..., None, None], corrected.covariance, belief.covariance),
    ), counts


def _correct(
    belief: Belief,
    missing: NDArray[np.float64],
    slopes: NDArray[np.float64],
    noise: NDArray[np.float64],
) -> tuple[Belief, NDArray[np.float64]]:
    """Return the corrected belief, and the squared distance of what was measured [1]."""
    covariance = belief.covariance
    back = np.swapaxes(slopes, -1, -2)
    innovation = slopes @ covariance @ back + noise
    gain = np.swapaxes(np.linalg.solve(innovation, slopes @ covariance), -1, -2)
    mean = belief.mean + (gain @ missing[..., None])[..., 0]
    kept = np.eye(SIZE) - gain @ slopes
    # Joseph's form stays symmetric and positive, whatever rounding does.
    updated = kept @ covariance @ np.swapaxes(kept, -1, -2)
    updated = updated + gain @ noise @ np.swapaxes(gain, -1, -2)
    weighed = np.linalg.solve(innovation, missing[..., None])[..., 0]
    return Belief(mean=mean, covariance=updated), np.sum(missing * weighed, axis=-1)
