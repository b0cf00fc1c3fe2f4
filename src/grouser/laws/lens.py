"""How a lens bends what a pinhole would see.

Source: the polynomial of Brown (1966) and Conrady (1919) in the order k1, k2, p1, p2, k3, which is
that of most calibration programs. Places are on the plane at distance 1 before the pinhole, x to
the right and y down. Left out: fish-eye lenses and shutters that roll.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ROUNDS = 50
"""Most rounds in which `undistort` improves its answer; each gains about half a digit."""
CLOSE = 1e-12
"""Change below which it ends [1]."""


def distort(places: NDArray[np.float64], coefficients: Sequence[float]) -> NDArray[np.float64]:
    """Return where a lens puts what a pinhole would see at `places` (..., 2) [1].

    x' = x (1 + k1 r2 + k2 r2^2 + k3 r2^3) + 2 p1 x y + p2 (r2 + 2 x^2)
    y' = y (1 + k1 r2 + k2 r2^2 + k3 r2^3) + p1 (r2 + 2 y^2) + 2 p2 x y

    Args:
        places: On the plane at distance 1 [1].
        coefficients: k1, k2, p1, p2, k3 [1].
    """
    k1, k2, p1, p2, k3 = coefficients
    x, y = places[..., 0], places[..., 1]
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return np.stack(
        (
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        ),
        axis=-1,
    )


def undistort(places: NDArray[np.float64], coefficients: Sequence[float]) -> NDArray[np.float64]:
    """Return what a pinhole would see where a lens shows `places` (..., 2) [1].

    Inverts `distort` by stepping back what it adds, which converges for lenses whose picture does
    not fold over.
    """
    if not any(coefficients):
        return places
    found = places
    for _ in range(ROUNDS):
        excess = distort(found, coefficients) - places
        found = found - excess
        if not np.max(np.abs(excess), initial=0.0) > CLOSE:
            break
    return found
