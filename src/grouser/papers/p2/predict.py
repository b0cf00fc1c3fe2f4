"""Ways to predict the radius of a turn from the speeds of four wheels, and their errors.

Fits of P2 are made without the run that they predict. Intervals are of a bootstrap over runs.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array
from grouser.laws.icr import equivalent_wheelbase
from grouser.laws.turning_experiment import fit_radius_power_law, fit_speed_difference
from grouser.laws.turning_geometry import (
    radius_by_power_law,
    radius_from_wheel_speeds,
    true_speed_difference,
    turning_radius,
)
from grouser.papers.p2.tables import (
    LENGTH,
    WIDTH,
    credible_runs,
    read_columns,
    rebuild_wheel_speeds,
)

FITTED = slice(1, None)
"""Runs that P2's fits follow from: all but the first."""
TIGHT, WIDE = 32.0, 38.0
"""Radius below which, and above which, a turn of P2's 19 counts as tight and as wide: between them
Table 6 has none [m]."""
DRAWS, COVERED = 2000, (0.05, 0.95)
"""Draws of a bootstrap [1], and the quantiles of its interval [1]."""


def printed_radii() -> Array:
    """Return R0 of all 26 runs [m]."""
    return read_columns("table5.csv")["R0_m"]


def relative_errors(radii: Array) -> Array:
    """Return the errors of predicted radii of all 26 runs [%]."""
    return 100.0 * (radii / printed_radii() - 1.0)


def without_slip(width: float = WIDTH) -> Array:
    """Return radii as if wheels of this width did not slip: eq 7 with Ev_a [m]."""
    speeds = rebuild_wheel_speeds(read_columns("table5.csv"))
    return np.asarray(radius_from_wheel_speeds(speeds, width, slope=1.0, intercept=0.0))


def by_closed_form() -> Array:
    """Return radii with the width B + L²/B of four wheels that skid evenly, P0 eq 7 [m]."""
    return without_slip(float(equivalent_wheelbase(LENGTH, WIDTH, 0.0, 0.0, 0.0)))


def by_both_fits() -> tuple[Array, Array]:
    """Return radii by eq 7 with eq 19, and by eq 20, each fitted to all runs but its own [m]."""
    runs = read_columns("table5.csv")
    apparent, true, radii = runs["Ev_a_mps"], runs["Ev_t_mps"], runs["R0_m"]
    mean_speed = np.mean(np.array(list(rebuild_wheel_speeds(runs))), axis=0)
    first, second = np.empty(len(radii)), np.empty(len(radii))
    for run in range(len(radii)):
        others = np.setdiff1d(np.arange(len(radii))[FITTED], [run])
        line = fit_speed_difference(apparent[others], true[others])
        power = fit_radius_power_law(true[others], radii[others])
        difference = true_speed_difference(apparent[run], line.slope, line.intercept)
        first[run] = turning_radius(mean_speed[run], 0.5 * difference, WIDTH)
        second[run] = radius_by_power_law(difference, power.coefficient, power.exponent)
    return first, second


def mean_error(radii: Array, *, among: NDArray[np.bool_] | None = None) -> float:
    """Return the mean size of errors in P2's 19 runs, or in some of them [%]."""
    kept = credible_runs() if among is None else credible_runs() & among
    return float(np.abs(relative_errors(radii)[kept]).mean())


def tight_runs() -> NDArray[np.bool_]:
    """Return which runs are tight turns."""
    return printed_radii() < TIGHT


def wide_runs() -> NDArray[np.bool_]:
    """Return which runs are wide turns."""
    return printed_radii() > WIDE


def bootstrap(
    measure: Callable[[NDArray[np.intp]], Array], runs: NDArray[np.intp], seed: int
) -> tuple[float, float]:
    """Return the 90 % interval of a number over draws of runs with replacement.

    Args:
        measure: Returns the number of each draw, rows of numbers of runs.
        runs: Numbers of the runs to draw from [1].
        seed: Seed of the draws [1].
    """
    draws = np.random.default_rng(seed).choice(runs, (DRAWS, len(runs)))
    low, high = np.quantile(measure(draws), COVERED)
    return float(low), float(high)


def error_interval(
    radii: Array, seed: int, *, among: NDArray[np.bool_] | None = None
) -> tuple[float, float]:
    """Return the 90 % interval of `mean_error` [%]."""
    kept = credible_runs() if among is None else credible_runs() & among
    sizes = np.abs(relative_errors(radii))
    return bootstrap(lambda draws: sizes[draws].mean(axis=1), np.flatnonzero(kept), seed)


def line_intervals(
    apparent: Array, true: Array, seed: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the 90 % intervals of slope [1] and intercept [m/s] of a line through the runs."""
    runs = np.arange(len(true))[FITTED]

    def slopes(draws: NDArray[np.intp]) -> Array:
        x, y = apparent[draws], true[draws]
        x_mean, y_mean = x.mean(axis=1, keepdims=True), y.mean(axis=1, keepdims=True)
        return ((x - x_mean) * (y - y_mean)).sum(axis=1) / ((x - x_mean) ** 2).sum(axis=1)

    def intercepts(draws: NDArray[np.intp]) -> Array:
        return true[draws].mean(axis=1) - slopes(draws) * apparent[draws].mean(axis=1)

    return bootstrap(slopes, runs, seed), bootstrap(intercepts, runs, seed)
