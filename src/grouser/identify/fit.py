"""What a log has told about a family's parameters."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.identify.estimate import Estimate
from grouser.identify.hold_out import HoldOut


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
