"""Odd functions of one number as tables of cubics: a tenth of the time of sines and arc tangents.

The number is squeezed to u = |w| / (1 + |w|), in which the magic formula is smooth
from rest to full slip, so that evenly spaced cubics are exact to 1e-9 of the largest force.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from grouser.laws.magic_formula import magic_formula
from grouser.models.planar.compiled import compiled

INTERVALS = 1024
"""Cubics of a table [1]."""


@cache
def slip_curve(B: float, C: float, E: float) -> NDArray[np.float64]:
    """Return the table of the magic formula for D = 1, over B times a slip ratio."""
    return _tabulate(lambda stretched: magic_formula(stretched / B, B, C, 1.0, E))


@cache
def drift_curve(B: float, C: float, E: float) -> NDArray[np.float64]:
    """Return the same for an angle, over B times its tangent."""
    return _tabulate(lambda stretched: magic_formula(np.arctan(stretched / B), B, C, 1.0, E))


def _tabulate(function: Callable[[Any], Any]) -> NDArray[np.float64]:
    squeezed = np.linspace(0.0, 1.0, INTERVALS + 1)
    values = function(squeezed / np.maximum(1.0 - squeezed, 1e-15))
    cubics = CubicSpline(np.arange(INTERVALS + 1.0), values).c.T
    return np.ascontiguousarray(cubics).ravel()


@compiled
def look_up(curves: Any, which: int, number: float) -> float:
    """Return the value of one of some tabulated functions."""
    size = abs(number)
    place = size / (1.0 + size) * INTERVALS
    interval = min(int(place), INTERVALS - 1)
    rest = place - interval
    at = np.uint64(4 * (which * INTERVALS + interval))  # unsigned: never counted from the end
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    value = ((curves[at] * rest + curves[at + one]) * rest + curves[at + two]) * rest + curves[
        at + three
    ]
    return value if number >= 0.0 else -value


_PER_QUARTER = 2.0 / np.pi


@compiled
def cos_sin(angle: float) -> tuple[float, float]:
    """Return cosine and sine, by the polynomials of the Cephes library [rad]."""
    quarters = np.floor(angle * _PER_QUARTER + 0.5)
    # A quarter turn in three parts, so that what is left of a large angle is exact.
    rest = angle - quarters * 1.57079625129699707031e0
    rest = rest - quarters * 7.54978941586159635336e-8
    rest = rest - quarters * 5.39030285815811905290e-15
    z = rest * rest
    sin = rest + rest * z * (
        ((((1.58962301576546568060e-10 * z - 2.50507477628578072866e-8) * z
           + 2.75573136213857245213e-6) * z - 1.98412698295895385996e-4) * z
         + 8.33333333332211858878e-3) * z - 1.66666666666666307295e-1
    )  # fmt: skip
    cos = 1.0 - 0.5 * z + z * z * (
        ((((-1.13585365213876817300e-11 * z + 2.08757008419747316778e-9) * z
           - 2.75573141792967388112e-7) * z + 2.48015872888517045348e-5) * z
         - 1.38888888888730564116e-3) * z + 4.16666666666665929218e-2
    )  # fmt: skip
    turn = int(quarters) & 3
    if turn & 1:
        cos, sin = -sin, cos
    if turn & 2:
        cos, sin = -cos, -sin
    return cos, sin
