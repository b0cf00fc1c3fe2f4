"""Which of several fits to use: the cheapest that predicts as well as the best."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grouser.identify.families import FAMILIES
from grouser.identify.fit import Fit, Status
from grouser.identify.hold_out import HORIZONS

NEIGHBOURS = 5
"""Starts of predictions that overlap and so count as one, with starts a second apart."""
MUCH = 0.25
"""By which share an error may be larger at most, however uncertain the difference is [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The family to use, and why."""

    family: str
    """Its name; empty if none can be recommended."""
    best: str
    """The family with the least error; empty likewise."""
    as_good: tuple[str, ...]
    """Families whose error is within one standard error of the best one's, the cheapest first."""
    sentence: str
    """Why, for a person."""


def recommend(fits: Mapping[str, Fit]) -> Recommendation:
    """Return the cheapest family that is as good as the best on data that no fit has seen.

    As good means: start by start, the error is on average larger by no more than one standard
    error of that difference, and over all starts by no more than `MUCH`.

    Args:
        fits: Fits of several families to the same records, by family.
    """
    if not any(np.isfinite(fit.hold_out.score) for fit in fits.values()):
        return _none(f"the log holds no {HORIZONS[0]:g} s to predict that no fit has seen")
    judged = {
        name: fit
        for name, fit in fits.items()
        if fit.status != Status.DOUBTFUL and np.isfinite(fit.hold_out.score)
    }
    trusted = {name: fit for name, fit in judged.items() if fit.status.is_trusted} or judged
    if not trusted:
        states = ", ".join(f"{name} is {fit.status}" for name, fit in fits.items())
        return _none(f"no family describes the log ({states})")
    ranked = sorted(trusted, key=lambda name: trusted[name].hold_out.score)
    best = ranked[0]
    good = [name for name in trusted if _is_as_good(trusted[name], trusted[best])]
    good.sort(key=lambda name: (FAMILIES[name].cost, trusted[name].hold_out.score))
    chosen, hold = good[0], trusted[good[0]].hold_out
    unit = "m" if hold.quantity == "position" else "rad"
    error = f"{hold.score:.3g} {unit} after {hold.horizon:g} s"
    if chosen == best:
        why = f"{chosen}: it predicts best what no fit has seen ({error})"
    else:
        theirs = trusted[best].hold_out.score
        why = (
            f"{chosen}: it predicts what no fit has seen ({error}) as well as {best} "
            f"({theirs:.3g} {unit}), within one standard error, and is cheaper"
        )
    return Recommendation(family=chosen, best=best, as_good=tuple(good), sentence=why)


def _none(why: str) -> Recommendation:
    return Recommendation(family="", best="", as_good=(), sentence=f"none: {why}")


def _is_as_good(fit: Fit, best: Fit) -> bool:
    ours, theirs = np.sqrt(fit.hold_out.errors), np.sqrt(best.hold_out.errors)
    if fit is best or ours.shape != theirs.shape or not ours.size:
        return fit is best
    gap = (ours - theirs)[np.isfinite(ours - theirs)]
    if not gap.size:
        return False
    independent = max(gap.size / NEIGHBOURS, 1.0) if fit.residuals and _overlaps(fit) else gap.size
    near = fit.hold_out.score <= (1.0 + MUCH) * best.hold_out.score
    return near and float(gap.mean()) <= float(gap.std()) / np.sqrt(independent)


def _overlaps(fit: Fit) -> bool:
    """Return whether starts follow each other in time, so that predictions share their way."""
    return "time_offset" in fit.parameters or "time_offset" in fit.kept
