"""90 % limits of predictions, from errors on blocks that the fit had not seen.

The error of a prediction has a part that persists, because a robot slips more on this ground than
on the average, and a part that decays relative to the distance, because slip varies from metre to
metre. With the travel u of the faster belt,

    sigma^2(u) = a^2 u^2 + b^2 u + n^2

The limit is sigma times the 90 % quantile of the errors over it, by horizon, each block with the
same weight, in the first or in the second half of the drive, whichever is larger: a ground changes,
and so does a robot. Turning on the spot, belts run little while the body may go aside, so the limit
is there at least the 90 % quantile of the errors of such turns. Parameter intervals do not enter:
they say how well a mean is known, not how far a single drive goes off.

Coverage is cross-validated: the errors of each fold are compared with limits from the other folds.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from grouser.geometry import Array
from grouser.identify.driven import SPOT_CONTRAST
from grouser.identify.judge import Cases, HoldOut

CONFIDENCE = 0.9
"""Probability that an error is within its limit [1]."""
MIN_BLOCKS = 8
"""Number of blocks below which there are no limits."""
MIN_HALF = 10
"""Number of predictions in a half of a drive below which that half has no quantile of its own."""
MIN_COVERAGE = 0.87
"""Share of the held-out errors inside the limits of the other folds below which they are not to
be relied on [1]."""
LEAST_VARIANCE = 1e-12
"""Variance below which errors are rounding [m^2 or rad^2]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitAt:
    """Limit of one quantity at one horizon."""

    horizon: float
    """Time ahead [s]."""
    limit: float
    """90 % of the errors are smaller, at the median travel [m or rad]."""
    coverage: float
    """Share of the held-out errors inside the limits of the other folds [1]."""
    count: int
    """Number of predictions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowingLimit:
    """How the limit of one quantity grows with the travel of the faster belt."""

    quantity: str
    """`position` or `heading`."""
    unit: str
    persistent: float
    """Part of the standard deviation that grows with travel: a above [`unit`/m]."""
    decaying: float
    """Part that grows with its root: b above [`unit`/m^0.5]."""
    noise: float
    """Part that does not grow: n above [`unit`]."""
    horizons: tuple[float, ...]
    """Horizons of `quantiles` [s]."""
    quantiles: tuple[float, ...]
    """90 % quantile of errors over their standard deviation, by horizon [1]."""
    on_the_spot: tuple[float, ...]
    """Least limit of turns on the spot, by horizon; 0 where none were judged [`unit`]."""
    table: tuple[LimitAt, ...] = ()
    """Limits at the horizons that were judged."""

    def at(
        self, travel: Array | float, horizon: Array | float, contrast: Array | float = 0.0
    ) -> Array:
        """Return the limit after a travel of the faster belt [m] in a time [s].

        `contrast` is the part of that travel that only turns the robot [1].
        """
        usual = self._deviation(travel) * np.interp(horizon, self.horizons, self.quantiles)
        least = np.interp(horizon, self.horizons, self.on_the_spot)
        return np.where(np.asarray(contrast) > SPOT_CONTRAST, np.maximum(usual, least), usual)

    def of(self, cases: Cases, chosen: NDArray[np.bool_]) -> Array:
        """Return the limits of some predictions."""
        length = np.where(cases.horizon > 0.0, cases.horizon, cases.length)[chosen]
        return self.at(cases.travel[chosen], length, cases.contrast[chosen])

    def _deviation(self, travel: Array | float) -> Array:
        u = np.maximum(np.asarray(travel, dtype=np.float64), 0.0)
        return np.sqrt((self.persistent * u) ** 2 + self.decaying**2 * u + self.noise**2)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionLimits:
    """Limits of position and heading; one is None if it was not observed."""

    position: GrowingLimit | None
    heading: GrowingLimit | None

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as plain JSON values."""
        found: dict[str, Any] = {"confidence": CONFIDENCE}
        for limit in (self.position, self.heading):
            if limit is not None:
                found[limit.quantity] = {
                    "unit": limit.unit,
                    "persistent_per_metre": limit.persistent,
                    "decaying_per_root_metre": limit.decaying,
                    "noise": limit.noise,
                    "quantiles": dict(
                        zip((f"{h:g} s" for h in limit.horizons), limit.quantiles, strict=True)
                    ),
                    "on_the_spot_at_least": dict(
                        zip((f"{h:g} s" for h in limit.horizons), limit.on_the_spot, strict=True)
                    ),
                    "by_horizon": {
                        f"{row.horizon:g} s": {
                            "limit": row.limit, "coverage": row.coverage, "count": row.count
                        }
                        for row in limit.table
                    },
                }  # fmt: skip
        return found


def find_limits(hold_out: HoldOut, fold: NDArray[np.intp]) -> PredictionLimits | None:
    """Return the limits of a fit's predictions; `fold` is that of each block."""
    cases = hold_out.cases
    if cases is None or np.unique(cases.block).size < MIN_BLOCKS:
        return None
    found = {}
    for quantity, unit, errors in (
        ("position", "m", hold_out.position_errors),
        ("heading", "rad", np.abs(hold_out.heading_errors)),
    ):
        known = np.isfinite(errors) & (cases.horizon > 0.0)
        found[quantity] = None
        if np.unique(cases.block[known]).size >= MIN_BLOCKS:
            found[quantity] = _with_coverage(quantity, unit, cases, errors, known, fold)
    if found["position"] is None and found["heading"] is None:
        return None
    return PredictionLimits(**found)


def _with_coverage(
    quantity: str,
    unit: str,
    cases: Cases,
    errors: Array,
    known: NDArray[np.bool_],
    fold: NDArray[np.intp],
) -> GrowingLimit:
    inside = np.full(errors.size, np.nan)
    of_case = fold[cases.block]
    for number in np.unique(of_case[known]):
        held, rest = known & (of_case == number), known & (of_case != number)
        if rest.any():
            limit = _fit_limit(quantity, unit, cases, errors, rest)
            inside[held] = errors[held] <= limit.of(cases, held)
    whole = _fit_limit(quantity, unit, cases, errors, known)
    rows = []
    for horizon in whole.horizons:
        chosen = known & (cases.horizon == horizon) & np.isfinite(inside)
        if chosen.any():
            share = float(np.mean(inside[chosen]))
            travel = float(np.median(cases.travel[chosen]))
            rows.append(
                LimitAt(
                    horizon=horizon, limit=float(whole.at(travel, horizon)), coverage=share,
                    count=int(chosen.sum()),
                )
            )  # fmt: skip
    return replace(whole, table=tuple(rows))


def _fit_limit(
    quantity: str, unit: str, cases: Cases, errors: Array, used: NDArray[np.bool_]
) -> GrowingLimit:
    u, e, horizon = cases.travel[used], errors[used], cases.horizon[used]
    weight = _weights(cases.block[used])
    terms = np.stack([u**2, u, np.ones_like(u)], axis=1)
    # Each case counts by its relative error, so that long horizons do not hide short ones.
    about = np.maximum(terms @ nnls(terms * weight[:, None], e**2 * weight)[0], LEAST_VARIANCE)
    root = weight**0.5 / about
    a, b, n = np.sqrt(nnls(terms * root[:, None], e**2 * root)[0])
    horizons = tuple(sorted(set(horizon.tolist())))
    plain = GrowingLimit(
        quantity=quantity, unit=unit, persistent=float(a), decaying=float(b),
        noise=max(float(n), LEAST_VARIANCE**0.5), horizons=horizons,
        quantiles=(1.0,) * len(horizons), on_the_spot=(0.0,) * len(horizons),
    )  # fmt: skip
    ratio, block = e / plain.at(u, horizon), cases.block[used]
    late = np.searchsorted(np.unique(block), block) >= 0.5 * np.unique(block).size
    quantiles, floors = [], []
    for chosen in (horizon == h for h in horizons):
        parts = [part for part in (chosen & late, chosen & ~late) if part.sum() >= MIN_HALF]
        quantiles.append(max(_quantile(ratio[p], weight[p]) for p in (chosen, *parts)))
        spot = chosen & (cases.contrast[used] > SPOT_CONTRAST)
        floors.append(_quantile(e[spot], weight[spot]) if spot.any() else 0.0)
    return replace(plain, quantiles=tuple(quantiles), on_the_spot=tuple(floors))


def _weights(block: NDArray[np.intp]) -> Array:
    """Return weights that sum to 1, the same for each block."""
    _, back, counts = np.unique(block, return_inverse=True, return_counts=True)
    return 1.0 / (counts[back] * counts.size)


def _quantile(values: Array, weights: Array) -> float:
    """Return the weighted quantile that a new value exceeds with at most 1 - CONFIDENCE."""
    order = np.argsort(values)
    total = np.cumsum(weights[order]) / weights.sum()
    # One block more, whose error is not known, counts as outside.
    wanted = min(CONFIDENCE * (1.0 + 1.0 / values.size), 1.0)
    return float(values[order][min(np.searchsorted(total, wanted - 1e-12), values.size - 1)])
