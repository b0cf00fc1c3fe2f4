"""Fits over many turning runs, and the checks that decide which runs to trust.

Source: P2 (Zhou et al. 2022), eqs 19 and 20, Tables 5 and 6. Its text says that runs 1 to 3 were
left out of the fits; its coefficients come out when run 1 alone is.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Scalar
from grouser.laws.straight_line import (
    StraightLine,
    fit_quality,
    fit_straight_line,
    points_to_fit,
)

WGS84_SEMI_MAJOR_AXIS = 6378137.0
"""Radius of the Earth's ellipsoid at the equator [m]."""
WGS84_ECCENTRICITY_SQUARED = 6.69437999014e-3
"""First eccentricity of the Earth's ellipsoid, squared [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """R0 = coefficient Ev_t^exponent, and how well it fits."""

    coefficient: float
    """Radius at a true speed difference of 1 m/s [m]."""
    exponent: float
    """Exponent of the true speed difference [1]."""
    r2: float
    """Share of the variance of the radius that the fit explains [1]."""
    rmse: float
    """Root of the squared residuals' sum divided by n - 2 [m]."""


def fit_speed_difference(apparent: ArrayLike, true: ArrayLike) -> StraightLine:
    """Return the line Ev_t = slope Ev_a + intercept through many runs, P2 eq 19.

    Args:
        apparent: Ev_a of each run [m/s].
        true: Ev_t of each run [m/s].

    Raises:
        InvalidValue: Fewer than three runs, a number that is not finite, or equal Ev_a.
    """
    return fit_straight_line(apparent, true, "apparent", "true")


def fit_radius_power_law(true_differences: ArrayLike, radii: ArrayLike) -> PowerLaw:
    """Return the power law R0(Ev_t) with the least squared residuals of the radius, P2 eq 20.

    Gauss-Newton, started from the straight line through the logarithms.

    Args:
        true_differences: Ev_t of each run, positive [m/s].
        radii: R0 of each run, positive [m].

    Raises:
        InvalidValue: Fewer than three runs, numbers that are not finite and positive, equal Ev_t,
            or runs that follow no power law.
    """
    x, y = points_to_fit(true_differences, radii, "true_differences", "radii")
    for name, values in (("true_differences", x), ("radii", y)):
        if not np.all(values > 0.0):
            raise InvalidValue(name, float(np.min(values)), "be positive everywhere")
    line = fit_straight_line(np.log(x), np.log(y), "true_differences", "radii")
    coefficient, exponent = float(np.exp(line.intercept)), line.slope
    for _ in range(100):
        basis = x**exponent
        jacobian = np.stack((basis, coefficient * basis * np.log(x)), axis=-1)
        step = np.linalg.lstsq(jacobian, y - coefficient * basis, rcond=None)[0]
        coefficient, exponent = coefficient + float(step[0]), exponent + float(step[1])
        if abs(step[0]) <= 1e-12 * abs(coefficient) + 1e-15 and abs(step[1]) <= 1e-12:
            break
    else:
        raise InvalidValue("radii", radii, "follow a power law of true_differences")
    r2, rmse = fit_quality(y, coefficient * x**exponent)
    return PowerLaw(coefficient=coefficient, exponent=exponent, r2=r2, rmse=rmse)


def is_width_credible(
    calculated_width: Scalar, width: float, tolerance: float = 0.1
) -> np.bool_ | NDArray[np.bool_]:
    """Tell whether a run was near enough to a circle: |B_c - B| <= tolerance.

    Args:
        calculated_width: B_c of a run [m].
        width: True width B [m].
        tolerance: Largest difference of the runs that P2 keeps [m].
    """
    return np.less_equal(np.abs(calculated_width - width), tolerance)


def path_length_from_coordinates(
    latitude: NDArray[np.float64], longitude: NDArray[np.float64]
) -> float:
    """Return the length of a path on the Earth's ellipsoid [m].

    ds = hypot(M dlat, N cos(lat) dlon), M and N the radii of curvature along the meridian and
    across it (WGS 84). A sphere would be off by up to half a percent, more than what this length
    is there to check. Height is left out.

    Args:
        latitude: Geodetic latitude of each sample [rad].
        longitude: Longitude of each sample [rad].
    """
    middle = 0.5 * (latitude[1:] + latitude[:-1])
    flattened = 1.0 - WGS84_ECCENTRICITY_SQUARED * np.sin(middle) ** 2
    across = WGS84_SEMI_MAJOR_AXIS / np.sqrt(flattened)
    along = across * (1.0 - WGS84_ECCENTRICITY_SQUARED) / flattened
    north = along * np.diff(latitude)
    east = across * np.cos(middle) * np.diff(np.unwrap(longitude))
    return float(np.sum(np.hypot(north, east)))


def path_length_error(from_speed: Scalar, from_coordinates: Scalar) -> Scalar:
    """Return E of P2 Table 5 as a fraction: positive if the speed gives the shorter path [1].

    E = (L_coordinates - L_speed) / L_coordinates

    Args:
        from_speed: Path length, integrated from the forward speed [m].
        from_coordinates: Path length, from latitude and longitude [m].
    """
    return (from_coordinates - from_speed) / from_coordinates
