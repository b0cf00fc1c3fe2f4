"""One number about a run."""

from dataclasses import dataclass

NEGLIGIBLE_DIGITS = 9
"""Digits after the point beyond which a number is the rounding of a zero."""


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
        number = f"{round(self.value, NEGLIGIBLE_DIGITS) + 0.0:.4g}"
        return number if self.unit == "1" else f"{number} {self.unit}"
