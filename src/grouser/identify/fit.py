"""Result of a fit: estimates with intervals, prediction errors and their limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.identify.judge import HoldOut
from grouser.identify.prediction_limits import PredictionLimits


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
    limits: PredictionLimits | None = None
    """90 % limits of predictions by horizon; None if nothing could be judged."""
    unidentifiable: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Unidentifiable parameters, each with the parameters it cannot be separated from."""
    doubts: tuple[str, ...] = ()
    """Reasons not to use the fit, in sentences; empty if there are none."""
    advice: tuple[str, ...] = ()
    """Unidentifiable parameters and manoeuvres to drive next, in sentences."""
    samples: int = 0
    """Number of fitted measurements."""
    windows: int = 0
    """Number of fitted windows."""
    clusters: int = 0
    """Number of groups of windows that intervals count as independent."""
    outliers: float = 0.0
    """Share of residuals beyond four standard deviations [1]."""
    unexplained: float = 0.0
    """Rms residual over rms motion [1]."""
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
                "median": hold.medians,
                "horizon_s": hold.horizon,
                "score": hold.score,
                "quantity": hold.quantity,
                "per_metre": hold.per_metre,
                "starts": hold.starts,
                "blocks": int(np.unique(hold.blocks).size),
            },
            "limits": None if self.limits is None else self.limits.to_dict(),
            "advice": list(self.advice),
            "samples": self.samples,
            "windows": self.windows,
            "clusters": self.clusters,
            "outliers": self.outliers,
            "unexplained": self.unexplained,
            **({"details": self.details} if self.details else {}),
        }
