"""One number of an observation or an action."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A row of a table: what a number is called, what it means, and how far it goes."""

    name: str
    """What it is called."""
    unit: str
    """Its unit, such as `m/s`; `1` for a number without."""
    low: float
    """Smallest value; what is below is reported as this [unit]."""
    high: float
    """Largest value; what is above is reported as this [unit]."""
    meaning: str
    """What it is, in a few words."""
