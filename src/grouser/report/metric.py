"""One number about a run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """A number with a name and a unit, for terminals, pages and machines."""

    name: str
    """What was measured."""
    value: float | None
    """How much it is; None if it never came to that [unit as `unit` says]."""
    unit: str
    """SI unit; "1" for a ratio or a count."""

    @property
    def text(self) -> str:
        """The number to four digits with its unit, for a person."""
        if self.value is None:
            return "never"
        return f"{self.value:.4g}" if self.unit == "1" else f"{self.value:.4g} {self.unit}"
