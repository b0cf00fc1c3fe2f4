"""Turning experiments of P2: one left turn evaluated, and fits over many of them.

Source: P2 (Zhou et al. 2022), eqs 13-20, Tables 2 to 6. A run is what an inertial navigation system
and four wheel-speed sensors record during a turn. In the published runs wheel 1 is rear and 2 is
front. For a right turn negate yaw and leftward speed; outer wheels are then the left ones. P2's
text states that runs 1 to 3 were left out of the fits; its coefficients follow if only run 1 is.

Symbols, units and names of arguments are those of `turning_geometry`; `yaw_change` is Y [rad],
`lengths` are paths of wheels, `outer` and `inner` those without slip, widths and radii are in [m].
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import curve_fit
from scipy.stats import linregress

from grouser.errors import InvalidValue
from grouser.geometry import Array, Scalar
from grouser.laws.turning_geometry import (
    SMALLEST_APPARENT,
    FourWheels,
    apparent_speed_difference,
    radius_by_power_law,
    wheel_radii,
)

DROPPED = 5
"""How many values at each end of a turn P2 leaves out of the mean radius."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningRun:
    """What was recorded during a left turn, one value per sample."""

    times: NDArray[np.float64]
    """Times of the samples, increasing [s]."""
    speed: NDArray[np.float64]
    """Forward speed u of the centre of gravity [m/s]."""
    yaw: NDArray[np.float64]
    """Heading, counter-clockwise positive, wrapped or not [rad]."""
    wheel_speeds: FourWheels
    """Speed of each wheel's rim [m/s]."""
    leftward_speed: Scalar = 0.0
    """Leftward speed of the centre of gravity, negative in a left turn [m/s]."""

    def __post_init__(self) -> None:
        columns = {"times": self.times, "speed": self.speed, "yaw": self.yaw}
        columns |= {f"wheel_speeds.{name}": v for name, v in self.wheel_speeds._asdict().items()}
        for name, values in columns.items():
            if np.shape(values) != (self.times.size,):
                raise InvalidValue(name, np.shape(values), f"hold {self.times.size} samples")
            if not np.all(np.isfinite(values)):
                raise InvalidValue(name, "NaN or infinity", "be finite everywhere")
        if not np.all(np.diff(self.times) > 0.0):
            raise InvalidValue("times", "a sample not later than the one before", "increase")

    def between(self, start: float, end: float = np.inf) -> "TurningRun":
        """Return the part of the run from time `start` to time `end` [s]."""
        inside = (self.times >= start) & (self.times <= end)
        leftward = np.broadcast_to(self.leftward_speed, self.times.shape)
        return TurningRun(
            times=self.times[inside],
            speed=self.speed[inside],
            yaw=self.yaw[inside],
            wheel_speeds=FourWheels(*(np.asarray(v)[inside] for v in self.wheel_speeds)),
            leftward_speed=leftward[inside],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningResult:
    """Quantities of the turn of one run."""

    radius: float
    """True turning radius R0, eq 15 [m]."""
    calculated_width: float
    """B_c: equals the true width if the path was a circle [m]."""
    offset: float
    """D: how far the turning centre lies ahead of the centre of gravity, eq 8 [m]."""
    wheel_radii: FourWheels
    """Distance of each wheel from the turning centre, 1 front, 2 rear, eq 12 [m]."""
    yaw_change: float
    """Change of heading Y [rad]."""
    duration: float
    """How long the turn took [s]."""
    standard_lengths: tuple[float, float]
    """Paths of outer and inner wheels without slippage, eq 16 [m]."""
    standard_speeds: tuple[float, float]
    """Mean speeds of outer and inner wheels without slippage, eq 16 [m/s]."""
    wheel_lengths: FourWheels
    """Path that each wheel's rim rolled [m]."""
    wheel_speeds: FourWheels
    """Mean speed of each wheel's rim [m/s]."""
    slippage: FourWheels
    """Slippage ratio of each wheel, eq 17 [1]."""
    true_difference: float
    """Ev_t, eq 18 [m/s]."""
    apparent_difference: float
    """Ev_a, eq 18 [m/s]."""
    apparent_width: tuple[float, float]
    """Least and largest width that the wheel speeds suggest, eq 14 [m]."""


def process_turning_run(
    run: TurningRun, length: float, width: float, dropped_at_start: int = DROPPED
) -> TurningResult:
    """Return all that P2 derives from one turn alone, no straight drive before (Tables 2 to 5).

    `dropped_at_start` values at the start and `DROPPED` at the end do not count in the mean radius.
    """
    yaw = np.unwrap(run.yaw)
    counted = slice(1 + dropped_at_start, run.times.size - DROPPED)
    _check_turn(run, yaw, counted)
    distances, yaw_changes = distance_travelled(run.speed, run.times), yaw - yaw[0]
    share = np.broadcast_to(run.leftward_speed, run.times.shape)[counted] / run.speed[counted]
    circle = turning_circle(distances[counted], yaw_changes[counted], share, width)
    radius, calculated_width, offset = map(float, circle)
    yaw_change, duration = float(yaw_changes[-1]), float(run.times[-1] - run.times[0])
    lengths = FourWheels(
        *(float(distance_travelled(speed, run.times)[-1]) for speed in run.wheel_speeds)
    )
    speeds = FourWheels(*(path / duration for path in lengths))
    outer, inner = map(float, standard_lengths(radius, width, yaw_change))
    narrowest, widest = map(float, apparent_width_range(lengths, yaw_change))
    return TurningResult(
        radius=radius,
        calculated_width=calculated_width,
        offset=offset,
        wheel_radii=FourWheels(*map(float, wheel_radii(radius, offset, length, width))),
        yaw_change=yaw_change,
        duration=duration,
        standard_lengths=(outer, inner),
        standard_speeds=(outer / duration, inner / duration),
        wheel_lengths=lengths,
        wheel_speeds=speeds,
        slippage=slippage_ratios(lengths, outer, inner),
        true_difference=(outer - inner) / duration,
        apparent_difference=float(apparent_speed_difference(speeds)),
        apparent_width=(narrowest, widest),
    )


def turning_circle(
    distances: Array, yaw_changes: Array, leftward_share: Array, width: float
) -> tuple[Scalar, Scalar, Scalar]:
    """Return R0 (eq 15), B_c and D (eq 8) [m] of one turn, or of many in rows.

    `distances` [m] and `yaw_changes` [rad] are those since the start at the samples that count,
    `leftward_share` is the leftward over the forward speed there [1].

    P2 does not print how it found B_c, and with eq 16 alone it would always be B. Eq 13 with the
    wheels' standard speeds u (1 +- B / 2 R) and the radius R of each sample (eq 15 without the
    mean) gives B on a circle, and another width when the heading does not grow in proportion to
    the path, which is what P2 uses B_c for.
    """
    radii = distances / yaw_changes
    turned = np.trapezoid(1.0 / radii, distances, axis=-1)
    widths = width * turned / (yaw_changes[..., -1] - yaw_changes[..., 0])
    return np.mean(radii, axis=-1), widths, np.mean(-radii * leftward_share, axis=-1)


def start_of_turn(run: TurningRun, smallest: float = SMALLEST_APPARENT) -> float:
    """Return the time [s] from which outer wheels stay faster than inner by `smallest` [m/s]."""
    straight = np.atleast_1d(apparent_speed_difference(run.wheel_speeds) < smallest)
    if straight[-1]:
        raise InvalidValue("wheel_speeds", "a straight end", f"end {smallest} m/s faster outside")
    first = np.flatnonzero(straight)[-1] + 1 if np.any(straight) else 0
    return float(run.times[first])


def distance_travelled(speed: Scalar, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance from the first sample to each sample, by the trapezoidal rule [m]."""
    values = np.asarray(speed)
    steps = 0.5 * (values[..., 1:] + values[..., :-1]) * np.diff(times)
    return np.concatenate((np.zeros_like(values[..., :1]), np.cumsum(steps, axis=-1)), axis=-1)


def apparent_width(outer_length: Scalar, inner_length: Scalar, yaw_change: Scalar) -> Scalar:
    """Return B = (L_xo - L_xi) / Y, P2 eq 13: the width of a vehicle without slip [m]."""
    return (outer_length - inner_length) / yaw_change


def apparent_width_range(lengths: FourWheels, yaw_change: Scalar) -> tuple[Scalar, Scalar]:
    """Return the least and the largest `apparent_width` of four wheels, P2 eq 14 [m]."""
    o1, o2, i1, i2 = lengths
    return (
        apparent_width(np.minimum(o1, o2), np.maximum(i1, i2), yaw_change),
        apparent_width(np.maximum(o1, o2), np.minimum(i1, i2), yaw_change),
    )


def standard_lengths(radius: Scalar, width: Scalar, yaw_change: Scalar) -> tuple[Scalar, Scalar]:
    """Return the paths of outer and inner wheels without slip, (R0 +- B / 2) Y, P2 eq 16 [m]."""
    return (radius + 0.5 * width) * yaw_change, (radius - 0.5 * width) * yaw_change


def slippage_ratios(lengths: FourWheels, outer: Scalar, inner: Scalar) -> FourWheels:
    """Return the slippage ratio of each wheel, P2 eq 17 [1].

    sl_o = L_xo / L_xo^t,  sl_i = L_xi^t / L_xi: above 1 where outer wheels spin and inner
    wheels drag.
    """
    return FourWheels(
        o1=lengths.o1 / outer, o2=lengths.o2 / outer, i1=inner / lengths.i1, i2=inner / lengths.i2
    )


def _check_turn(run: TurningRun, yaw: NDArray[np.float64], counted: slice) -> None:
    """Raise InvalidValue if the samples that count are too few, stand or turn right."""
    needed = counted.start + DROPPED + 2
    if run.times.size < needed:
        raise InvalidValue("times", run.times.size, f"hold at least {needed} samples")
    if not np.all(run.speed[counted] > 0.0):
        raise InvalidValue("speed", float(np.min(run.speed[counted])), "be positive in the turn")
    yaw_changes = (yaw - yaw[0])[counted]
    if not (np.all(yaw_changes > 0.0) and yaw_changes[-1] > yaw_changes[0]):
        raise InvalidValue("yaw", float(np.min(yaw_changes)), "grow from its start (a left turn)")


@dataclass(frozen=True, slots=True, kw_only=True)
class StraightLine:
    """y = slope x + intercept, and how well it fits."""

    slope: float
    """Change of y per change of x [unit of y per unit of x]."""
    intercept: float
    """Value of y at x = 0 [unit of y]."""
    r2: float
    """Share of the variance of y that the line explains [1]."""
    rmse: float
    """Root of the squared residuals' sum divided by n - 2 [unit of y]."""


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
    """Return the line Ev_t = slope Ev_a + intercept through many runs, P2 eq 19."""
    return _fit_straight_line(apparent, true, "apparent", "true")


def fit_radius_power_law(true_differences: ArrayLike, radii: ArrayLike) -> PowerLaw:
    """Return the power law R0(Ev_t) with the least squared residuals of the radius, P2 eq 20.

    Least squares, started from the straight line through the logarithms.
    """
    x, y = _points_to_fit(true_differences, radii, "true_differences", "radii")
    for name, values in (("true_differences", x), ("radii", y)):
        if not np.all(values > 0.0):
            raise InvalidValue(name, float(np.min(values)), "be positive everywhere")
    line = _fit_straight_line(np.log(x), np.log(y), "true_differences", "radii")
    start = float(np.exp(line.intercept)), line.slope
    try:
        found, _ = curve_fit(radius_by_power_law, x, y, p0=start, ftol=1e-15, xtol=1e-15)
    except RuntimeError as error:
        raise InvalidValue("radii", radii, "follow a power law of true_differences") from error
    r2, rmse = _fit_quality(y, np.asarray(radius_by_power_law(x, *found)))
    return PowerLaw(coefficient=float(found[0]), exponent=float(found[1]), r2=r2, rmse=rmse)


def _fit_straight_line(x: ArrayLike, y: ArrayLike, x_name: str, y_name: str) -> StraightLine:
    """Return the line with the least sum of squared residuals in y; errors use these names."""
    abscissae, ordinates = _points_to_fit(x, y, x_name, y_name)
    if np.ptp(abscissae) == 0.0:
        raise InvalidValue(x_name, float(abscissae[0]), "take at least two different values")
    line: Any = linregress(abscissae, ordinates)
    slope, intercept = float(line.slope), float(line.intercept)
    r2, rmse = _fit_quality(ordinates, slope * abscissae + intercept)
    return StraightLine(slope=slope, intercept=intercept, r2=r2, rmse=rmse)


def _points_to_fit(
    x: ArrayLike, y: ArrayLike, x_name: str, y_name: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return x and y as arrays if two parameters can be fitted to them."""
    abscissae, ordinates = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if abscissae.ndim != 1 or abscissae.size < 3:
        raise InvalidValue(x_name, abscissae.size, "hold at least 3 values")
    if ordinates.shape != abscissae.shape:
        raise InvalidValue(y_name, ordinates.size, f"hold as many values as {x_name}")
    for name, values in ((x_name, abscissae), (y_name, ordinates)):
        if not np.all(np.isfinite(values)):
            raise InvalidValue(name, float(values[~np.isfinite(values)][0]), "be finite everywhere")
    return abscissae, ordinates


def _fit_quality(measured: NDArray[np.float64], fitted: NDArray[np.float64]) -> tuple[float, float]:
    """Return R^2 and the root mean square error, with n - 2 degrees of freedom."""
    unexplained = float(np.sum((measured - fitted) ** 2))
    total = float(np.sum((measured - measured.mean()) ** 2))
    # A line through equal values explains all there is to explain.
    r2 = 1.0 - unexplained / total if np.ptp(measured) > 0.0 else 1.0
    return r2, float(np.sqrt(unexplained / (measured.size - 2)))


def is_width_credible(
    calculated_width: Scalar, width: float, tolerance: float = 0.1
) -> np.bool_ | NDArray[np.bool_]:
    """Return whether a run was near enough to a circle: |B_c - B| <= tolerance."""
    return np.less_equal(np.abs(calculated_width - width), tolerance)


def path_length_error(from_speed: Scalar, from_coordinates: Scalar) -> Scalar:
    """Return E of P2 Table 5 as a fraction: positive if the speed gives the shorter path [1].

    E = (L_coordinates - L_speed) / L_coordinates
    """
    return (from_coordinates - from_speed) / from_coordinates
