"""Skid steering with constant slip and drift, and with slip that is smooth in speed and curvature.

With belt speeds V_l and V_r, their mean v, half their difference d, the speed s = |v| + |d| of the
faster belt and the contrast c = d / s (0 when driving straight, 1 on the spot):

    constants   vx = icr_twist((1 - i_l) V_l, (1 - i_r) V_r),  vy = -x yaw_rate - k vx yaw_rate
    smooth      vx       = v (a0 + a1 s' + a2 c^2 + a3 s' c^2 + a4 d'^2) + a5 d
                yaw_rate = 2 / B (d (b0 + b1 s' + b2 c^2 + b3 s' c^2 + b4 v'^2) + b5 v)
                vy       = d (e0 + e1 s' + e2 c^2) + v d' (e3 + e4 s')

with the gauge B, and s', v' and d' over the fastest speed S that was driven. The constants are
Martínez et al. 2005 with a slip ratio i for each side and a sideslip that grows with the yaw rate
(k); the smooth terms extend them by what logs of real skid-steer robots show: belts slip more the
faster and the sharper a robot turns. Odd terms in d make the law symmetric but for a5 and b5, which
are the difference of the two sides.

A polynomial means nothing where it was not measured. Outside the range of speed and contrast that
was driven, the smooth law goes over into the constants within `BLEND` of that range. Ahead, back
and on the spot have ranges of their own, and contrasts a sign: arcs in reverse are not known from
arcs ahead.
"""

import math
from dataclasses import dataclass

import numpy as np

from grouser.geometry import Scalar, clamp
from grouser.laws.icr import icr_twist

BLEND = 0.15
"""Width of the transition to the constants: over the fastest speed, and in contrast [1] [A]."""
SPOT = 0.75
"""Size of the contrast above which the range on the spot begins to count [1]."""
SPOT_FADE = 0.1
"""Width in contrast of the transition to it [1]."""
TERMS = (6, 6, 5)
"""Number of coefficients of forward speed, yaw rate and leftward speed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkidConstants:
    """Slip ratios, centres of rotation and drift that do not depend on the motion."""

    slip_left: Scalar = 0.0
    """Slip ratio of the left side [1]."""
    slip_right: Scalar = 0.0
    """Slip ratio of the right side [1]."""
    left_y: Scalar
    """Lateral position of the left centre of rotation [m]."""
    right_y: Scalar
    """Lateral position of the right centre of rotation [m]."""
    x: Scalar = 0.0
    """Position of the centres ahead of the body origin [m]."""
    drift: Scalar = 0.0
    """Angle of sideslip per yaw rate, outward positive: k above [s]."""

    def twist(self, left: Scalar, right: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Return forward speed [m/s], leftward speed [m/s] and yaw rate [rad/s]."""
        vx, vy, yaw_rate = icr_twist(
            (1.0 - self.slip_left) * left, (1.0 - self.slip_right) * right,
            self.left_y, self.right_y, self.x,
        )  # fmt: skip
        return vx, vy - self.drift * vx * yaw_rate, yaw_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class WayRange:
    """The part of a range that was driven ahead, back or on the spot."""

    speed: float
    """Speed of the faster belt, at most; 0 if it was not driven [m/s]."""
    right: float = -1.0
    """Contrast c, at least: negative to the right [1]."""
    left: float = 1.0
    """Contrast c, at most: positive to the left [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrivenRange:
    """The range of belt speeds that a law was fitted to."""

    speed: float
    """Speed S of the faster belt, at most [m/s]."""
    contrast_low: float = 0.0
    """Size of the contrast c, at least [1]."""
    contrast_high: float = 1.0
    """Size of the contrast c, at most [1]."""
    ahead: WayRange | None = None
    """What was driven ahead; all of the above if None."""
    back: WayRange | None = None
    """What was driven in reverse; all of the above if None."""
    spot: WayRange | None = None
    """What was driven on the spot; all of the above if None."""

    def weight(self, left: Scalar, right: Scalar) -> Scalar:
        """Return 1 inside the range, 0 beyond it by `BLEND` or more, and linear between [1]."""
        return 1.0 - clamp(self.beyond(left, right) / BLEND, 0.0, 1.0)

    def beyond(self, left: Scalar, right: Scalar) -> Scalar:
        """Return how far belts are beyond the range: in speed over S, or in contrast [1]."""
        speed, contrast = speed_and_contrast(left, right)
        size, mean = abs(contrast), 0.5 * (left + right)
        beyond = speed / self.speed - 1.0
        for excess in (self.contrast_low - size, size - self.contrast_high):
            beyond = clamp(excess, beyond, math.inf)
        if self.ahead is None and self.back is None and self.spot is None:
            return beyond
        ahead, back, spot = (
            beyond if way is None else self._beyond_way(way, speed, contrast)
            for way in (self.ahead, self.back, self.spot)
        )
        is_one = isinstance(left, float) and isinstance(right, float)
        own = (ahead if mean >= 0.0 else back) if is_one else np.where(mean >= 0.0, ahead, back)
        fade = clamp((size - SPOT) / SPOT_FADE, 0.0, 1.0)
        return clamp(own + fade * (spot - own), beyond, math.inf)

    def _beyond_way(self, way: WayRange, speed: Scalar, contrast: Scalar) -> Scalar:
        beyond = (speed - way.speed) / self.speed
        for excess in (way.right - contrast, contrast - way.left):
            beyond = clamp(excess, beyond, math.inf)
        return beyond


def speed_and_contrast(left: Scalar, right: Scalar) -> tuple[Scalar, Scalar]:
    """Return the speed of the faster belt [m/s], and the contrast of the belts [1]."""
    if isinstance(left, float) and isinstance(right, float):
        # The same numbers, faster for one robot.
        speed = max(abs(left), abs(right))
        return speed, 0.5 * (right - left) / (speed or 1.0)
    speed = np.maximum(np.abs(left), np.abs(right))
    return speed, 0.5 * (right - left) / np.where(speed > 0.0, speed, 1.0)


def smooth_terms(
    left: Scalar, right: Scalar, fastest: float
) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...], tuple[Scalar, ...]]:
    """Return the terms whose coefficients are a, b (times 2 / gauge) and e above [m/s]."""
    mean, half = 0.5 * (left + right), 0.5 * (right - left)
    speed, contrast = speed_and_contrast(left, right)
    share, sharp = speed / fastest, contrast * contrast
    common = (1.0, share, sharp, share * sharp)
    mean_share, half_share = mean / fastest, half / fastest
    # Products, not powers: one robot and many then have the same bits.
    forward = (*(mean * f for f in common), mean * (half_share * half_share), half)
    yaw = (*(half * f for f in common), half * (mean_share * mean_share), mean)
    aside = mean * half_share
    return forward, yaw, (half, half * share, half * sharp, aside, aside * share)


def smooth_twist(
    left: Scalar,
    right: Scalar,
    coefficients: tuple[tuple[Scalar, ...], tuple[Scalar, ...], tuple[Scalar, ...]],
    constants: SkidConstants,
    driven: DrivenRange,
    gauge: float,
) -> tuple[Scalar, Scalar, Scalar]:
    """Return forward speed [m/s], leftward speed [m/s] and yaw rate [rad/s].

    `coefficients` are a, b and e [1], with as many numbers as `TERMS`.
    """
    terms = smooth_terms(left, right, driven.speed)
    vx, yaw, vy = (
        sum(c * term for c, term in zip(part, of_part, strict=True))
        for part, of_part in zip(coefficients, terms, strict=True)
    )
    weight = driven.weight(left, right)
    far = constants.twist(left, right)
    return (
        weight * vx + (1.0 - weight) * far[0],
        weight * vy + (1.0 - weight) * far[1],
        weight * (2.0 / gauge * yaw) + (1.0 - weight) * far[2],
    )
