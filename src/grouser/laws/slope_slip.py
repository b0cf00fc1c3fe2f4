"""Slip ratio as a linear function of the slope a robot climbs.

Source: P0 (Low et al.) reports that the ratio of each track grows about linearly between 8 and
28 degrees, in a figure alone. The default coefficient is therefore an assumption; replace it by
a fit. That the law also holds downhill, where the belt is overrun, is an assumption as well.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from grouser.geometry import Scalar
from grouser.laws.straight_line import fit_straight_line

DEFAULT_COEFFICIENT = float(0.005 / np.deg2rad(1.0))
"""Assumed growth of the slip ratio with slope, 0.005 per degree [1/rad]."""
LOWEST_SLIP = -0.5
"""Smallest slip ratio the law returns [1]."""
HIGHEST_SLIP = 0.95
"""Largest slip ratio the law returns [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeSlipFit:
    """Parameters of `slope_slip` for one track, from measurements."""

    alpha_flat: float
    """Slip ratio on level ground [1]."""
    coefficient: float
    """Growth of the slip ratio with slope [1/rad]."""
    alpha_flat_error: float
    """Standard error of `alpha_flat` [1]."""
    coefficient_error: float
    """Standard error of `coefficient` [1/rad]."""
    r2: float
    """Share of the variance of the slip ratio that the fit explains [1]."""


def slope_slip(alpha_flat: Scalar, coefficient: Scalar, slope: Scalar) -> Scalar:
    """Return the slip ratio of a track on a slope [1].

    a(s) = a_0 + k s, kept between `LOWEST_SLIP` and `HIGHEST_SLIP`

    Args:
        alpha_flat: Slip ratio on level ground [1].
        coefficient: Growth of the slip ratio with slope [1/rad].
        slope: Slope in the direction of travel, positive uphill [rad].
    """
    return np.clip(alpha_flat + coefficient * slope, LOWEST_SLIP, HIGHEST_SLIP)


def fit_slope_slip(slopes: ArrayLike, slips: ArrayLike) -> SlopeSlipFit:
    """Return the parameters of `slope_slip` that fit measured slip ratios best (least squares).

    Args:
        slopes: Slopes, positive uphill [rad].
        slips: Slip ratio of one track on each of them [1].

    Raises:
        InvalidValue: Fewer than three measurements, one that is not finite, or one slope only.
    """
    line = fit_straight_line(slopes, slips, "slopes", "slips")
    return SlopeSlipFit(
        alpha_flat=line.intercept,
        coefficient=line.slope,
        alpha_flat_error=line.intercept_error,
        coefficient_error=line.slope_error,
        r2=line.r2,
    )


def speed_on_slope(vx: Scalar, slope: Scalar) -> tuple[Scalar, Scalar]:
    """Return the horizontal and the upward speed of a robot that drives along a slope [m/s].

    Args:
        vx: Forward speed of the body [m/s].
        slope: Slope in the direction of travel, positive uphill; body pitch is its negative [rad].
    """
    return vx * np.cos(slope), vx * np.sin(slope)


def friction_to_hold(slope: Scalar) -> Scalar:
    """Return the friction coefficient that just holds a robot on a slope, |tan(slope)| [1]."""
    return np.abs(np.tan(slope))
