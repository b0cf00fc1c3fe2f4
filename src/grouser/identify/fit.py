"""Result of a fit: estimates with intervals, and which family to prefer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.identify.families import FAMILIES
from grouser.identify.windows import PREDICTION_HORIZONS, HoldOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with its confidence interval."""

    name: str
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
    """Correlation with other parameters of the fit, by name; empty if not known here [1]."""

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the interval."""
        return self.low <= value <= self.high


class Status(StrEnum):
    """How a fit ended."""

    COMPLETE = "complete"
    """Every parameter was identified."""
    PARTIAL = "partial"
    """Some parameters are unidentifiable in this log and keep their start values."""
    NOT_CONVERGED = "not settled"
    """The solver did not converge: do not use the values."""
    DOUBTFUL = "doubtful"
    """The family does not describe the log: do not use the values."""

    @property
    def is_trusted(self) -> bool:
        """Whether values may be used."""
        return self in (Status.COMPLETE, Status.PARTIAL)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Residuals:
    """Residuals of one channel."""

    channel: str
    """Name of the column."""
    unit: str
    time: NDArray[np.float64]
    """Times, over all records; the row index for steady states [s]."""
    values: NDArray[np.float64]
    """Observed less predicted, within windows [`unit`]."""
    scale: float
    """Standard deviation of the noise, from the median absolute residual [`unit`]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """Parameters of one family, from one or more logs."""

    family: str
    model: str
    """Simulation model with this motion; empty if there is none."""
    status: Status
    parameters: dict[str, Estimate]
    """Identified parameters with intervals, by name."""
    fixed: dict[str, float]
    """Values of the parameters that were not fitted, by name [unit of each]."""
    correlation: NDArray[np.float64]
    """Between the estimates, in the order of `parameters` [1]."""
    residuals: tuple[Residuals, ...]
    hold_out: HoldOut
    """Prediction errors on held-out data."""
    unidentifiable: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Unidentifiable parameters, each with the parameters it cannot be separated from."""
    doubts: tuple[str, ...] = ()
    """Reasons not to use the fit, in sentences; empty if there are none."""
    advice: tuple[str, ...] = ()
    """Unidentifiable parameters and manoeuvres to drive next, in sentences."""
    samples: int = 0
    """Number of fitted measurements."""
    windows: int = 0
    """Number of independent windows."""
    outliers: float = 0.0
    """Share of residuals beyond four standard deviations [1]."""
    details: dict[str, Any] = field(default_factory=dict)
    """Further results of a family, as plain JSON values."""

    @property
    def values(self) -> dict[str, float]:
        """All values by name, fitted or fixed [unit of each]."""
        return {**self.fixed, **{name: e.value for name, e in self.parameters.items()}}

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as plain JSON values, without the residuals themselves."""
        hold = self.hold_out
        return {
            "family": self.family,
            "model": self.model,
            "status": str(self.status),
            "parameters": {
                e.name: {"value": e.value, "low": e.low, "high": e.high, "unit": e.unit}
                for e in self.parameters.values()
            },
            "kept": self.fixed,
            "trusted": self.status.is_trusted,
            "cannot_tell": {name: list(others) for name, others in self.unidentifiable.items()},
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


OVERLAPPING_STARTS = 5
"""Number of overlapping predictions, a second apart, that count as one independent sample."""
MAX_EXCESS_ERROR = 0.25
"""Largest relative excess of an error over the best one, whatever its uncertainty [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The family to use, and why."""

    family: str
    """Name of the family; empty if none can be recommended."""
    best: str
    """Family with the least error; empty if there is none."""
    as_good: tuple[str, ...]
    """Families whose error is within one standard error of the best one's, the cheapest first."""
    sentence: str


def recommend(fits: Mapping[str, Fit]) -> Recommendation:
    """Return the cheapest family that predicts held-out data as well as the best one.

    As well means: over all starts, the mean difference of the errors is at most one standard error
    of that difference, and the error is larger by at most `MAX_EXCESS_ERROR`.
    """
    if not any(np.isfinite(fit.hold_out.score) for fit in fits.values()):
        return _none(f"the log has no {PREDICTION_HORIZONS[0]:g} s of held-out data to predict")
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
        why = f"{chosen}: it predicts held-out data best ({error})"
    else:
        theirs = trusted[best].hold_out.score
        why = (
            f"{chosen}: it predicts held-out data ({error}) as well as {best} "
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
    overlaps = fit.residuals and "time_offset" in fit.values
    independent = max(gap.size / OVERLAPPING_STARTS, 1.0) if overlaps else gap.size
    near = fit.hold_out.score <= (1.0 + MAX_EXCESS_ERROR) * best.hold_out.score
    return near and float(gap.mean()) <= float(gap.std()) / np.sqrt(independent)
