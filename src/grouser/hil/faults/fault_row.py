"""One row of the table of faults."""

from collections.abc import Callable
from dataclasses import dataclass

from grouser.hil.faults.finding import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """A fault, what must happen, and how to find out whether it does."""

    number: int
    """Its place in the table."""
    fault: str
    """What goes wrong."""
    behaviour: str
    """What must happen."""
    promise: str
    """In which figures."""
    check: Callable[[str], Finding]
    """Measures with everything in place (an empty word), or without one safety function."""
    twins: tuple[str, ...]
    """Safety functions without which the same measurement must show the fault."""
