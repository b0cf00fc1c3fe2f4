"""A fit: estimates, and which family to prefer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.identify.families import FAMILIES
from grouser.identify.windows import HORIZONS, HoldOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with the interval that holds the true one with the stated confidence."""

    name: str
    """What it is."""
    value: float
    """Most likely value [unit as `unit` says]."""
    low: float
    """Lower end of the interval [unit as `unit` says]."""
    high: float
    """Upper end of the interval [unit as `unit` says]."""
    unit: str
    """SI unit; "1" for a ratio."""
    confidence: float = 0.95
    """Probability that the interval holds the true value [1]."""
    correlation: Mapping[str, float] = field(default_factory=dict)
    """With others of the same fit, by their names; empty if it is not told here [1]."""

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the interval."""
        return self.low <= value <= self.high


class Status(StrEnum):
    """How a fit ended."""

    COMPLETE = "complete"
    """Every parameter is known."""
    PARTIAL = "partial"
    """The log does not tell some parameters; those were kept as they were."""
    UNSETTLED = "not settled"
    """The search did not come to rest: do not trust the values."""
    DOUBTFUL = "doubtful"
    """The family does not describe the log: do not trust the values."""

    @property
    def is_trusted(self) -> bool:
        """Whether values may be used."""
        return self in (Status.COMPLETE, Status.PARTIAL)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Residuals:
    """What the fit leaves of one channel."""

    channel: str
    """Its name as a column of a log."""
    unit: str
    """Its unit."""
    time: NDArray[np.float64]
    """When, over all records; rows of a table of steady states count as seconds [s]."""
    values: NDArray[np.float64]
    """Observed less predicted, within windows [`unit`]."""
    scale: float
    """Standard deviation of the noise, by its median [`unit`]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """Parameters of one family, from one or more logs."""

    family: str
    """Name of the family."""
    model: str
    """Model of the catalogue that moves alike; empty if there is none."""
    status: Status
    """How the fit ended."""
    parameters: dict[str, Estimate]
    """What was found, by name, with intervals."""
    kept: dict[str, float]
    """What the log does not tell, and the value it was kept at [unit of each]."""
    correlation: NDArray[np.float64]
    """Between the estimates, in the order of `parameters` [1]."""
    residuals: tuple[Residuals, ...]
    """What is left, channel by channel."""
    hold_out: HoldOut
    """Errors on data that the fit has not seen."""
    entangled: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For each parameter that the log cannot tell, those that it cannot be told apart from."""
    doubts: tuple[str, ...] = ()
    """Why the fit should not be believed, in sentences; empty if it may be."""
    advice: tuple[str, ...] = ()
    """What the log does not tell, and what to drive next, in sentences."""
    samples: int = 0
    """Numbers that were fitted."""
    windows: int = 0
    """Independent pieces that they come from."""
    outliers: float = 0.0
    """Share of the numbers that are further off than four standard deviations [1]."""
    details: dict[str, Any] = field(default_factory=dict)
    """What a family has to say besides, as JSON knows it."""

    @property
    def values(self) -> dict[str, float]:
        """All values by name, found or kept [unit of each]."""
        return {**self.kept, **{name: e.value for name, e in self.parameters.items()}}

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as JSON knows it, without the residuals themselves."""
        hold = self.hold_out
        return {
            "family": self.family,
            "model": self.model,
            "status": str(self.status),
            "parameters": {
                e.name: {"value": e.value, "low": e.low, "high": e.high, "unit": e.unit}
                for e in self.parameters.values()
            },
            "kept": self.kept,
            "trusted": self.status.is_trusted,
            "cannot_tell": {name: list(others) for name, others in self.entangled.items()},
            "doubts": list(self.doubts),
            "correlation": {"names": list(self.parameters), "matrix": self.correlation.tolist()},
            "noise": {r.channel: {"value": r.scale, "unit": r.unit} for r in self.residuals},
            "hold_out": {
                "position_m": {f"{h:g} s": e for h, e in hold.position.items()},
                "heading_rad": {f"{h:g} s": e for h, e in hold.heading.items()},
                "per_metre": hold.per_metre,
                "starts": hold.starts,
            },
            "advice": list(self.advice),
            "samples": self.samples,
            "windows": self.windows,
            "outliers": self.outliers,
            **({"details": self.details} if self.details else {}),
        }


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
