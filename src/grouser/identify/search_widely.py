"""A first search for the neighbourhood of the best values: covariance matrix adaptation."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.extras import require_extra
from grouser.identify.hold_out import choose_training
from grouser.identify.misfit import Misfit
from grouser.identify.record import Observation, Record
from grouser.identify.soft_loss import first_scale, loss
from grouser.identify.windows import cut_windows, window_length

Array = NDArray[np.float64]
ROUNDS, SAMPLES = 6, 6
"""Rounds, and sets of values in each: all of a round move as one batch."""
SPREAD = 0.25
"""Standard deviation of the first samples, over the span [1]."""
WINDOWS = 6
"""How many windows of each record, from its beginning, the search looks at."""


def search_widely(
    misfit: Misfit, start: Array, tell: Callable[[str], None], seed: int = 0
) -> Array:
    """Return better values of the family's own parameters.

    Args:
        misfit: What to minimise.
        start: Where to begin, all parameters.
        tell: Is told how far it is.
        seed: Of the samples.

    Raises:
        MissingExtra: cma is not installed.
    """
    require_extra("the search of a contact model's parameters", "identify", "cma")
    import cma

    misfit = _beginning(misfit)
    own = misfit.family.parameters(misfit.setting, misfit.records)
    span = np.array([p.span for p in own])
    low, high = (np.array([getattr(p, name) for p in own]) for name in ("low", "high"))
    first = start[: len(own)]

    def whole(shares: Array) -> Array:
        sets = np.repeat(start[None], len(shares), axis=0)
        sets[:, : len(own)] = np.clip(first + shares * span, low, high)
        return sets

    # One scale for the whole search, that of the start, lets the losses be compared.
    per = first_scale(misfit, misfit.residuals(start[None])[0])[misfit.channel]
    options = {
        "bounds": [((low - first) / span).tolist(), ((high - first) / span).tolist()],
        "popsize": SAMPLES,
        "seed": seed + 1,  # zero would take the clock
        "verbose": -9,
        "maxiter": ROUNDS,
    }
    strategy = cma.CMAEvolutionStrategy(np.zeros(len(own)), SPREAD, options)
    best, least = np.zeros(len(own)), np.inf
    for number in range(ROUNDS):
        shares = np.array(strategy.ask())
        losses = loss(misfit.residuals(whole(shares)) / per)
        strategy.tell(list(shares), losses.tolist())
        if losses.min() < least:
            best, least = shares[int(np.argmin(losses))], float(losses.min())
        tell(f"search, round {number + 1} of {ROUNDS}")
    return whole(best[None])[0]


def _beginning(misfit: Misfit) -> Misfit:
    """Return the first windows alone: a neighbourhood needs few, and each costs its simulation."""
    length = window_length(misfit.records)
    cut = [_cut(record, (WINDOWS + 1) * length) for record in misfit.records]
    windows = [cut_windows(short, length, used) for short, used in cut]
    if not sum(map(len, windows)):
        return misfit
    records = tuple(short for short, _ in cut)
    return Misfit(misfit.family, records, tuple(windows), misfit.setting)


def _cut(record: Record, duration: float) -> tuple[Record, NDArray[np.bool_]]:
    """Return the beginning of a record, and which of its observations a fit may see."""
    seen = record.observation
    end = record.time[0] + duration
    observed = seen.time <= end
    early = Observation(kind=seen.kind, time=seen.time[observed], values=seen.values[:, observed])
    short = record.first(int(np.searchsorted(record.time, end, side="right")))
    return replace(short, observation=early), choose_training(record)[observed]
