"""Skid steering by instantaneous centres of rotation (ICR), one per track; equivalent wheelbase.

Source: Martínez et al. 2005, as used by P1 (Pecka et al. 2017), with the axes of this project: body
x forward, y left. A track's ICR is the point, carried by the body, where its belt would rest on the
ground: (x, left_y) for the left track, (x, right_y) for the right one. The points lie outside the
tracks and depend on the ground. They may move with speed and curvature, linearly, as fitted to a
robot:

    y = y_0 + a s + b c for each track,  x = x_0 + d s

with s = |V_r + V_l| / 2 of the belts and their contrast c = |V_r - V_l| / (|V_r| + |V_l|), which is
0 when driving straight and 1 on the spot. Left out: how the ICRs move with load.

P0 (Low et al., eq 7) describes the same widening by an equivalent wheelbase, the track distance of
the ideal robot that turns like the skidding one. In spite of its name it is a lateral distance. Its
factor gamma is found by experiment; P0 gives the result (0.2742 m) and not the factor, so
`solve_gamma` finds it:

    w = b / 2 - gamma dy,  l = a / 2 - dx,  L = 2 (w^2 + l^2) / w

with the `length` a of the track contact, the distance of the tracks b (`width`, `gauge`) and the
offsets dx, dy from the centre of mass to the geometric centre [m]. Belt speeds are positive
forward [m/s], positions of ICRs are in the body frame [m].
"""

from dataclasses import dataclass

import numpy as np

from grouser.errors import InvalidValue
from grouser.geometry import Scalar

STRAIGHT_BELOW = 1e-9
"""Difference of belt speeds [m/s] or yaw rate [rad/s] below which a motion is straight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackIcrs:
    """Instantaneous centres of rotation of the tracks in the body frame."""

    left_y: Scalar
    """Lateral position of the left track's ICR, usually positive [m]."""
    right_y: Scalar
    """Lateral position of the right track's ICR, usually negative [m]."""
    x: Scalar = 0.0
    """Position of all ICRs ahead of the body origin [m]."""

    def __post_init__(self) -> None:
        if not np.all(self.width > 0.0):
            raise InvalidValue("left_y", self.left_y, f"be larger than right_y = {self.right_y!r}")

    @property
    def width(self) -> Scalar:
        """Distance between the two ICRs: the gauge of the ideal robot that turns alike [m]."""
        return self.left_y - self.right_y

    @property
    def eccentricity(self) -> Scalar:
        """How far the ICRs are off the middle, (y_l + y_r) / (y_l - y_r) [1]."""
        return (self.left_y + self.right_y) / self.width

    def width_ratio(self, gauge: Scalar) -> Scalar:
        """Return chi = (y_l - y_r) / gauge, 1 for an ideal differential drive [1]."""
        return self.width / gauge


@dataclass(frozen=True, slots=True)
class SteeringEfficiency:
    """Effective width in turns over true width: yaw_rate = (V_r - V_l) / (chi B).

    Both chi and its inverse eta are called steering efficiency in the literature; P1 only fixes
    that 1 means a differential drive. P0's equivalent wheelbase contains chi already.
    """

    chi: Scalar
    """Effective width over true width, 1 is ideal, larger is worse [1]."""

    def __post_init__(self) -> None:
        if not np.all(self.chi > 0.0):
            raise InvalidValue("chi", self.chi, "be positive")

    @property
    def eta(self) -> Scalar:
        """Inverse of chi: 1 is ideal, smaller is worse [1]."""
        return 1.0 / self.chi

    def effective_width(self, gauge: Scalar) -> Scalar:
        """Return the gauge of the ideal robot that turns like this one [m]."""
        return self.chi * gauge

    def icrs(self, gauge: Scalar, eccentricity: Scalar = 0.0, x: Scalar = 0.0) -> TrackIcrs:
        """Return the ICRs that a robot of this efficiency has."""
        half_width = 0.5 * self.effective_width(gauge)
        return TrackIcrs(
            left_y=half_width * (1.0 + eccentricity),
            right_y=-half_width * (1.0 - eccentricity),
            x=x,
        )


def icr_twist(
    belt_left: Scalar, belt_right: Scalar, left_y: Scalar, right_y: Scalar, x: Scalar = 0.0
) -> tuple[Scalar, Scalar, Scalar]:
    """Return forward speed [m/s], leftward speed [m/s] and yaw rate [rad/s] from belt speeds.

    yaw_rate = (V_r - V_l) / (y_l - y_r)
    vx = (V_r y_l - V_l y_r) / (y_l - y_r)
    vy = -x yaw_rate

    Belts that differ by less than `STRAIGHT_BELOW` do not turn the robot.
    """
    difference = belt_right - belt_left
    turning = np.where(np.abs(difference) < STRAIGHT_BELOW, 0.0, difference)
    yaw_rate = turning / (left_y - right_y)
    vx = (belt_right * left_y - belt_left * right_y) / (left_y - right_y)
    return vx, -x * yaw_rate, yaw_rate


LEAST_ICR_OFFSET = 0.05
"""How near a centre may come to the middle, over the gauge: centres never cross [1] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IcrMotion:
    """Shift of the centres with speed; zero for constant centres."""

    left_y_per_speed: Scalar = 0.0
    """Of the left centre along y, per speed [s]."""
    right_y_per_speed: Scalar = 0.0
    """Of the right centre along y, per speed [s]."""
    left_y_per_contrast: Scalar = 0.0
    """Of the left centre along y, from straight to on the spot [m]."""
    right_y_per_contrast: Scalar = 0.0
    """Of the right centre along y, from straight to on the spot [m]."""
    x_per_speed: Scalar = 0.0
    """Of both along x, per speed [s]."""


def moving_icrs(
    belt_left: Scalar, belt_right: Scalar, icrs: TrackIcrs, motion: IcrMotion, gauge: float
) -> tuple[Scalar, Scalar, Scalar]:
    """Return left_y, right_y and x of the centres at these belt speeds [m]."""
    total = np.abs(belt_left) + np.abs(belt_right)
    contrast = np.abs(belt_right - belt_left) / np.where(total > 0.0, total, 1.0)
    speed = 0.5 * np.abs(belt_right + belt_left)
    left = motion.left_y_per_speed * speed + motion.left_y_per_contrast * contrast
    right = motion.right_y_per_speed * speed + motion.right_y_per_contrast * contrast
    return (
        np.maximum(icrs.left_y + left, LEAST_ICR_OFFSET * gauge),
        np.minimum(icrs.right_y + right, -LEAST_ICR_OFFSET * gauge),
        icrs.x + motion.x_per_speed * speed,
    )


def equivalent_wheelbase(
    length: Scalar, width: Scalar, offset_x: Scalar, offset_y: Scalar, gamma: Scalar
) -> Scalar:
    """Return the equivalent wheelbase L of P0 eq 7 [m]."""
    half_width = 0.5 * width - gamma * offset_y
    half_length = 0.5 * length - offset_x
    if not np.all(half_width > 0.0):
        raise InvalidValue("gamma", gamma, "keep width / 2 - gamma offset_y positive")
    return 2.0 * (half_width**2 + half_length**2) / half_width


def solve_gamma(
    wheelbase: float, length: float, width: float, offset_x: float, offset_y: float
) -> float:
    """Return the gamma that gives a measured equivalent wheelbase [1].

    P0 eq 7 is quadratic in w: 2 w^2 - L w + 2 l^2 = 0. Of its two roots the one nearest b / 2
    counts; the other would move the centre of turning by centimetres for an offset of millimetres.

    Raises:
        InvalidValue: The wheelbase is smaller than 4 l, the least that eq 7 can give, or the
            lateral offset is zero, so that gamma has no effect.
    """
    if offset_y == 0.0:
        raise InvalidValue("offset_y", offset_y, "differ from zero, or gamma has no effect")
    half_length = abs(0.5 * length - offset_x)
    if not wheelbase >= 4.0 * half_length:
        raise InvalidValue("wheelbase", wheelbase, f"be at least {4.0 * half_length:.6g} m")
    spread = np.sqrt(wheelbase**2 - 16.0 * half_length**2)
    roots = 0.25 * (wheelbase - spread), 0.25 * (wheelbase + spread)
    half_width = min(roots, key=lambda root: abs(root - 0.5 * width))
    return float((0.5 * width - half_width) / offset_y)
