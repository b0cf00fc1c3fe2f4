"""A parameter that was identified, and how well it is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field


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
