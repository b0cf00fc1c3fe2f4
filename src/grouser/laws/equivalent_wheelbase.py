"""Equivalent wheelbase: the track distance of the ideal robot that turns like a skidding one.

Source: P0 (Low et al.), eq 7. In spite of its name it is a lateral distance. The factor gamma is
found by experiment; P0 gives the result (0.2742 m) and not the factor, so `solve_gamma` finds it.

    w = b / 2 - gamma dy,  l = a / 2 - dx,  L = 2 (w^2 + l^2) / w
"""

import numpy as np

from grouser.errors import InvalidValue
from grouser.geometry import Scalar


def equivalent_wheelbase(
    length: Scalar, width: Scalar, offset_x: Scalar, offset_y: Scalar, gamma: Scalar
) -> Scalar:
    """Return the equivalent wheelbase L of P0 eq 7 [m].

    Args:
        length: Geometric length a of the track contact [m].
        width: Distance b between the tracks [m].
        offset_x: From the centre of mass to the geometric centre along x, dx [m].
        offset_y: From the centre of mass to the geometric centre along y, dy [m].
        gamma: Weight of the lateral offset [1].

    Raises:
        InvalidValue: Gamma shrinks the effective half width w to nothing.
    """
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

    Args:
        wheelbase: Equivalent wheelbase, measured [m].
        length: Geometric length a of the track contact [m].
        width: Distance b between the tracks [m].
        offset_x: From the centre of mass to the geometric centre along x, dx [m].
        offset_y: From the centre of mass to the geometric centre along y, dy [m].

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
