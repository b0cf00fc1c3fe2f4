"""A part of the table: cases that are compared with one of them."""

from collections.abc import Callable
from dataclasses import dataclass

from grouser.bench.case import Case
from grouser.bench.choice import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the table."""

    name: str
    """What `--only` calls it."""
    summary: str
    """What is measured, in a few words."""
    quantity: str
    """What the values are."""
    unit: str
    """Unit of the values; 1 for none."""
    reference: str
    """What ratios are over, in words."""
    cases: Callable[[Choice], list[Case]]
    """Says what there is to measure."""
    is_rate: bool = True
    """Whether more is better: of all samples the best counts."""
    most_repeats: int | None = None
    """How often to measure at most, where the same comes out every time; None for no limit."""
