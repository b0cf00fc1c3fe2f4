"""Which family to use: the cheapest one that predicts held-out blocks as well as the best."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from grouser.geometry import Array
from grouser.identify.families import FAMILIES
from grouser.identify.fit import Fit, Status

MAX_EXCESS_ERROR = 0.25
"""Largest relative excess of an error over the best one, whatever its uncertainty [1]."""
TOLERANCE = 1.5
"""Largest excess over the best error that counts as none, over its standard error: less than the
1.64 of one-sided 95 % limits [1]."""
MIN_BLOCKS = 3
"""Fewest blocks that families are compared on."""
DRAWS = 999
"""Number of bootstrap samples of blocks."""
CONFIDENCE = 0.9
"""Confidence of the limits of an error, and of a difference of errors [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """Mean prediction error of a family with block-bootstrap limits."""

    value: float
    """Mean error of the centre of a track [unit of the hold-out]."""
    low: float
    """Lower 90 % limit [unit of the hold-out]."""
    high: float
    """Upper 90 % limit [unit of the hold-out]."""
    excess: float
    """Mean error less that of the best family [unit of the hold-out]."""
    excess_low: float
    """Its lower 90 % limit [unit of the hold-out]."""
    excess_high: float
    """Its upper 90 % limit [unit of the hold-out]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The family to use, and why."""

    family: str
    """Name of the family; empty if none can be recommended."""
    best: str
    """Family with the least error; empty if there is none."""
    as_good: tuple[str, ...]
    """Families whose error is as good as the best one's, the cheapest first."""
    sentence: str
    errors: Mapping[str, Error] = field(default_factory=dict)
    """Error of each family that was judged."""
    dropped: Mapping[str, str] = field(default_factory=dict)
    """Why a family cannot be recommended, by name."""


def recommend(fits: Mapping[str, Fit], reason: str = "") -> Recommendation:
    """Return the cheapest family that predicts held-out blocks as well as the best one.

    As well means: over all blocks, the mean difference of the errors is at most `TOLERANCE` of its
    standard errors, and the error is larger by at most `MAX_EXCESS_ERROR`. `reason` is why nothing
    could be judged, if that is known.
    """
    judged = {name: fit for name, fit in fits.items() if np.isfinite(fit.hold_out.score)}
    if not judged:
        why = reason or "no stretch of the log was long enough to hold out and predict"
        return _none(f"nothing could be judged: {why}", {name: why for name in fits})
    tables = {name: block_errors(fit) for name, fit in judged.items()}
    dropped = {name: _why_dropped(fit) for name, fit in fits.items() if not fit.status.is_trusted}
    dropped |= {name: "it was not judged" for name in fits if name not in judged}
    for name in _better_though_not_converged(judged, dropped, tables):
        del dropped[name]
    able = [name for name in judged if name not in dropped]
    if not able:
        states = "; ".join(f"{name}: {why}" for name, why in dropped.items())
        return _none(f"no family describes the log ({states})", dropped)
    best = min(able, key=lambda name: judged[name].hold_out.score)
    errors = {name: compare_errors(tables[name], tables[best]) for name in judged}
    good = [name for name in able if name == best or _is_as_good(tables[name], tables[best])]
    good.sort(key=lambda name: (FAMILIES[name].cost, judged[name].hold_out.score))
    return Recommendation(
        family=good[0], best=best, as_good=tuple(good), errors=errors, dropped=dropped,
        sentence=_sentence(good[0], best, judged, errors),
    )  # fmt: skip


def _better_though_not_converged(
    fits: Mapping[str, Fit], dropped: Mapping[str, str], tables: Mapping[str, Array]
) -> list[str]:
    """Return families whose fit did not converge, but that predict clearly better than all others.

    Held-out errors judge what a fit found, whether or not its last steps were small.
    """
    rest = [name for name in fits if name not in dropped]
    late = [name for name in dropped if name in fits and fits[name].status == Status.NOT_CONVERGED]
    if not rest:
        return late
    best = min(rest, key=lambda name: fits[name].hold_out.score)
    return [n for n in late if compare_errors(tables[best], tables[n]).excess_low > 0.0]


def _sentence(chosen: str, best: str, fits: Mapping[str, Fit], errors: Mapping[str, Error]) -> str:
    hold = fits[chosen].hold_out
    error = f"{hold.score:.3g} {hold.unit} within {hold.horizon:g} s"
    if fits[chosen].status == Status.NOT_CONVERGED:
        error += "; its fit did not converge, so its values may be off by more than their intervals"
    if chosen == best:
        return f"{chosen}: it predicts held-out data best ({error})"
    price = errors[chosen]
    return (
        f"{chosen}: it predicts held-out data ({error}) as well as {best} "
        f"({fits[best].hold_out.score:.3g} {hold.unit}), within the noise of the comparison, and "
        f"is cheaper; the price is {price.excess:.2g} {hold.unit} ({price.excess_low:.2g} to "
        f"{price.excess_high:.2g})"
    )


def _why_dropped(fit: Fit) -> str:
    if fit.status == Status.NOT_CONVERGED:
        return "its fit did not converge"
    return " ".join(fit.doubts) or f"its fit is {fit.status}"


def _none(why: str, dropped: Mapping[str, str]) -> Recommendation:
    return Recommendation(family="", best="", as_good=(), sentence=f"none: {why}", dropped=dropped)


def block_errors(fit: Fit) -> Array:
    """Return the mean error of each block, and the number of its predictions (2, block)."""
    hold = fit.hold_out
    known = np.isfinite(hold.errors)
    count = int(hold.blocks.max()) + 1 if hold.blocks.size else 0
    total = np.bincount(hold.blocks[known], hold.errors[known], minlength=count)
    cases = np.bincount(hold.blocks[known], minlength=count).astype(np.float64)
    return np.stack([total / np.maximum(cases, 1), cases])


def compare_errors(ours: Array, best: Array) -> Error:
    """Return the mean of errors by block, and its excess over other ones, with limits."""
    known = (ours[1] > 0) & (best[1] > 0)
    ours, best = ours[:, known], best[:, known]
    rows = np.random.default_rng(0).integers(0, ours.shape[1], (DRAWS, ours.shape[1]))
    weights = ours[1] / ours[1].sum()
    shares = weights[rows] / weights[rows].sum(axis=1, keepdims=True)
    tails = (0.5 - 0.5 * CONFIDENCE, 0.5 + 0.5 * CONFIDENCE)
    low, high = np.quantile(np.sum(shares * ours[0][rows], axis=1), tails)
    gap = ours[0] - best[0]
    excess = np.quantile(np.sum(shares * gap[rows], axis=1), tails)
    return Error(
        value=float(weights @ ours[0]), low=float(low), high=float(high),
        excess=float(weights @ gap), excess_low=float(excess[0]), excess_high=float(excess[1]),
    )  # fmt: skip


def _is_as_good(ours: Array, best: Array) -> bool:
    """Return whether errors by block are as good as the best ones."""
    known = (ours[1] > 0) & (best[1] > 0)
    if known.sum() < MIN_BLOCKS:
        return False
    weights = ours[1, known] / ours[1, known].sum()
    gap = (ours[0] - best[0])[known]
    mean = float(weights @ gap)
    spread = float(
        np.sqrt(np.sum(weights**2 * (gap - mean) ** 2) * known.sum() / (known.sum() - 1))
    )
    near = float(weights @ ours[0][known]) <= (1.0 + MAX_EXCESS_ERROR) * float(
        weights @ best[0][known]
    )
    return near and mean <= TOLERANCE * spread
