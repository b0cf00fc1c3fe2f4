"""One number of an observation or action."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """Name, unit, range and meaning of one number of an observation or action."""

    name: str
    """Its name."""
    unit: str
    """Its unit, such as `m/s`; `1` if it has none."""
    low: float
    """Smallest value; smaller ones are clipped [unit]."""
    high: float
    """Largest value; larger ones are clipped [unit]."""
    meaning: str
    """Its meaning in a few words."""
