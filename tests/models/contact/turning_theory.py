"""Steady turning on level ground by statics: nothing here knows a contact engine.

Belts are strips with given loads. Friction is Coulomb's on an ellipse, with the force that takes
the most power: (mu_x^2 s_x, mu_y^2 s_y) / |(mu_x s_x, mu_y s_y)| times the load, against the slip
s. The steady twist balances forces and moment.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

from grouser.description import Robot

Places = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""x [m], y [m] and load of places under the belts."""


def strips(
    length: float, width: float, gauge: float, com_x: float = 0.0, *, along: int = 400,
    across: int = 12,
) -> Places:  # fmt: skip
    """Return places on two strips; the load is even across, and linear along to carry the mass."""
    x = ((np.arange(along) + 0.5) / along - 0.5) * length
    y = ((np.arange(across) + 0.5) / across - 0.5) * width
    x, y = (part.ravel() for part in np.meshgrid(x, y))
    load = 1.0 + com_x * x / np.mean(x * x)
    both = np.concatenate([x, x]), np.concatenate([y + 0.5 * gauge, y - 0.5 * gauge])
    return *both, np.concatenate([load, load]) / (2.0 * load.sum())


def turn_rate(
    places: Places, left: float, right: float, friction: tuple[float, float] = (1.0, 1.0)
) -> float:
    """Return the yaw rate at which friction under places has neither force nor moment [rad/s]."""
    x, y, load = places
    belt = np.where(y > 0.0, left, right)
    along, across = friction

    def left_over(twist: NDArray[np.float64], rounding: float) -> list[float]:
        vx, vy, rate = twist
        ahead, aside = vx - rate * y - belt, vy + rate * x
        size = np.sqrt((along * ahead) ** 2 + (across * aside) ** 2 + rounding**2)
        fx, fy = -load * along**2 * ahead / size, -load * across**2 * aside / size
        return [fx.sum() / along, fy.sum() / across, (x * fy - y * fx).sum()]

    twist = np.array([0.5 * (left + right), 0.0, 0.5 * (right - left) / np.ptp(y)])
    # Places that hold have a corner in their law: it is rounded, and sharpened step by step.
    speed = max(abs(left), abs(right))
    for rounding in speed * 10.0 ** -np.arange(1.0, 5.1, 0.5):
        found = root(left_over, twist, (rounding,), tol=1e-12)
        twist = found.x if found.success else root(left_over, twist, (rounding,), method="lm").x
    assert np.abs(left_over(twist, 1e-5 * speed)).max() < 1e-4 * max(along, across)
    return float(twist[2])


def even_turn_rate(robot: Robot, speed: float, friction: tuple[float, float] = (1.0, 1.0)) -> float:
    """Return the yaw rate on the spot of a robot whose tracks press evenly [rad/s]."""
    places = strips(robot.contact_length, robot.tracks[0].width, robot.gauge)
    return turn_rate(places, -speed, speed, friction)


def end_turn_rate(robot: Robot, speed: float) -> float:
    """Return the yaw rate on the spot of a robot that stands on the ends of its tracks [rad/s].

    w = v (B/2) / ((L/2)^2 + (B/2)^2): friction at (L/2, B/2) has no moment about the centre when
    the slip there points at the centre.
    """
    half_length, half_gauge = 0.5 * robot.contact_length, 0.5 * robot.gauge
    return speed * half_gauge / (half_length**2 + half_gauge**2)
