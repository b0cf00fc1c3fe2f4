"""Skid steering by instantaneous centres of rotation (ICR), one per track.

Source: Martínez et al. 2005, as used by P1 (Pecka et al. 2017), with the axes of this project:
body x forward, y left. A track's ICR is the point, carried by the body, where its belt would
rest on the ground: (x, left_y) for the left track, (x, right_y) for the right one. The points lie
outside the tracks and depend on the ground. Left out: how they move with speed and load.
"""

from dataclasses import dataclass

import numpy as np

from grouser.errors import InvalidValue
from grouser.geometry import Scalar

STRAIGHT_BELOW = 1e-9
"""Difference of belt speeds [m/s] or yaw rate [rad/s] below which a motion is straight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackIcrs:
    """Where the tracks' instantaneous centres of rotation lie in the body frame."""

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
    """How much wider than it is a robot behaves when it turns: yaw_rate = (V_r - V_l) / (chi B).

    Both chi and its inverse eta are called steering efficiency in the literature; P1 only fixes
    that 1 means a differential drive. P0's equivalent wheelbase contains chi already.
    """

    chi: Scalar
    """Effective width over true width, 1 is ideal, larger is worse [1]."""

    def __post_init__(self) -> None:
        if not np.all(self.chi > 0.0):
            raise InvalidValue("chi", self.chi, "be positive")

    @classmethod
    def from_width(cls, effective_width: Scalar, gauge: Scalar) -> "SteeringEfficiency":
        """Return the efficiency of a robot that turns as if it were `effective_width` wide.

        Args:
            effective_width: Equivalent wheelbase, apparent width or distance of the ICRs [m].
            gauge: True distance between the tracks [m].
        """
        return cls(chi=effective_width / gauge)

    @classmethod
    def from_icrs(cls, icrs: TrackIcrs, gauge: Scalar) -> "SteeringEfficiency":
        """Return the efficiency of a robot with these ICRs and this true distance of tracks [m]."""
        return cls(chi=icrs.width_ratio(gauge))

    @property
    def eta(self) -> Scalar:
        """Inverse of chi: 1 is ideal, smaller is worse [1]."""
        return 1.0 / self.chi

    def effective_width(self, gauge: Scalar) -> Scalar:
        """Return the gauge of the ideal robot that turns like this one [m]."""
        return self.chi * gauge

    def icrs(self, gauge: Scalar, eccentricity: Scalar = 0.0, x: Scalar = 0.0) -> TrackIcrs:
        """Return the ICRs that a robot of this efficiency has.

        Args:
            gauge: True distance between the tracks [m].
            eccentricity: How far the ICRs are off the middle [1].
            x: Position of the ICRs ahead of the body origin [m].
        """
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

    Args:
        belt_left: Speed of the left belt, positive drives forward [m/s].
        belt_right: Speed of the right belt, positive drives forward [m/s].
        left_y: Lateral position of the left track's ICR [m].
        right_y: Lateral position of the right track's ICR [m].
        x: Position of all ICRs ahead of the body origin [m].
    """
    difference = belt_right - belt_left
    turning = np.where(np.abs(difference) < STRAIGHT_BELOW, 0.0, difference)
    yaw_rate = turning / (left_y - right_y)
    vx = (belt_right * left_y - belt_left * right_y) / (left_y - right_y)
    return vx, -x * yaw_rate, yaw_rate


def icr_belt_speeds(
    vx: Scalar, yaw_rate: Scalar, left_y: Scalar, right_y: Scalar
) -> tuple[Scalar, Scalar]:
    """Return the left and right belt speeds that give a forward speed and a yaw rate [m/s].

    V_l = vx - yaw_rate y_l,  V_r = vx - yaw_rate y_r

    Args:
        vx: Forward speed of the body origin [m/s].
        yaw_rate: Yaw rate [rad/s].
        left_y: Lateral position of the left track's ICR [m].
        right_y: Lateral position of the right track's ICR [m].
    """
    return vx - yaw_rate * left_y, vx - yaw_rate * right_y


def body_icr(vx: Scalar, vy: Scalar, yaw_rate: Scalar) -> tuple[Scalar, Scalar]:
    """Return where the body's own centre of rotation lies in the body frame, x and y [m].

    x = -vy / yaw_rate,  y = vx / yaw_rate

    A body that does not turn has none: both are infinite.

    Args:
        vx: Forward speed of the body origin [m/s].
        vy: Leftward speed of the body origin [m/s].
        yaw_rate: Yaw rate [rad/s].
    """
    straight = np.abs(yaw_rate) < STRAIGHT_BELOW
    divisor = np.where(straight, 1.0, yaw_rate)
    x, y = np.where(straight, np.inf, -vy / divisor), np.where(straight, np.inf, vx / divisor)
    return x[()], y[()]


def identify_icrs(
    belt_left: Scalar, belt_right: Scalar, vx: Scalar, vy: Scalar, yaw_rate: Scalar
) -> TrackIcrs:
    """Return the constant ICRs that explain logged motion best (least squares).

    y_l from V_l = vx - yaw_rate y_l, y_r from V_r = vx - yaw_rate y_r, x from vy = -x yaw_rate

    One sample that turns is enough and gives the ICRs of that instant.

    Args:
        belt_left: Speed of the left belt [m/s].
        belt_right: Speed of the right belt [m/s].
        vx: Forward speed [m/s].
        vy: Leftward speed [m/s].
        yaw_rate: Yaw rate [rad/s].

    Raises:
        InvalidValue: The robot never turns, so its ICRs are at infinity.
    """
    turning = np.sum(np.square(yaw_rate))
    if not turning > STRAIGHT_BELOW**2:
        raise InvalidValue(
            "yaw_rate", float(np.max(np.abs(yaw_rate))), "differ from zero somewhere"
        )
    return TrackIcrs(
        left_y=float(np.sum(yaw_rate * (vx - belt_left)) / turning),
        right_y=float(np.sum(yaw_rate * (vx - belt_right)) / turning),
        x=float(-np.sum(yaw_rate * vy) / turning),
    )


def friction_direction(
    x_in_body: Scalar, y_in_body: Scalar, vx: Scalar, vy: Scalar, yaw_rate: Scalar
) -> tuple[Scalar, Scalar]:
    """Return the unit vector along which a contact point of a turning body wants to move [1].

    t = w z^ x (p - p_ICR) / |...|, which is the velocity of the point made a unit vector

    Written with velocities it also holds for straight motion, where the ICR is at infinity. It
    is a right angle to the line from the ICR, and zero at the ICR itself.

    Args:
        x_in_body: Where the contact is, ahead of the body origin [m].
        y_in_body: Where the contact is, to the left of the body origin [m].
        vx: Forward speed the body is to have [m/s].
        vy: Leftward speed the body is to have [m/s].
        yaw_rate: Yaw rate the body is to have [rad/s].
    """
    ahead, leftward = vx - yaw_rate * y_in_body, vy + yaw_rate * x_in_body
    speed = np.hypot(ahead, leftward)
    divisor = np.where(speed > 0.0, speed, 1.0)
    return ahead / divisor, leftward / divisor
