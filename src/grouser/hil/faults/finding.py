"""What a check of one promise found."""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """A measurement, and whether it is what was promised."""

    is_kept: bool
    """Whether the promise holds."""
    measured: str
    """What was measured, in words."""
    figures: dict[str, float] = field(default_factory=dict)
    """The numbers behind the words [unit as its name spells]."""


def after(ms: float, digits: int = 1) -> str:
    """Return when something happened, in words; an infinite time means never [ms]."""
    return f"after {ms:.{digits}f} ms" if math.isfinite(ms) else "never"
