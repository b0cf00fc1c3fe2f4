"""One line of the table, before it is measured."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What one measurement says."""

    value: float
    """How much [unit of the section]."""
    step: float | None = None
    """Time of one step, of what has steps [s]."""
    note: str = ""
    """What else belongs to the case, and is only known when it runs."""


Probe: TypeAlias = Callable[[], Sample]
"""Measures once, and can be called again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something that can be measured again and again."""

    name: str
    """What it is called in the table; unique in its section."""
    start: Callable[[], Probe]
    """Makes ready what is not to be timed."""
    reference: str = ""
    """Name of the case of the same section that it is compared with; the first if empty."""
