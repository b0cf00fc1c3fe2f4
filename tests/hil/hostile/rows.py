"""One thing that a hostile board does, and what the host must do then."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.hil.hostile.board import HostileLink, Sabotage

COMMAND_TIMEOUT, LOOK = 0.1, 0.006
"""How long a command holds, and the time between two looks at the line [s]."""
AT = 0.4
"""Time of driving after which a board begins to lie [s]."""


@dataclass(frozen=True)
class Row:
    """One thing that a board does."""

    message: str
    """Where: a message, or what happens to all of them."""
    lie: str
    """What."""
    make: Callable[[], tuple[Sabotage, Callable[[HostileLink], bytes] | None]]
    """Makes the saboteur anew, and what is said besides."""
    within: float = COMMAND_TIMEOUT + LOOK
    """Time in which the host must stop [s]."""
    connects: bool = True
    """Whether the host may believe the handshake."""
    harmless: bool = False
    """Whether a host may drive on: nothing depends on what is false."""
    pauses: bool = False
    """Whether the host must ask for standstill meanwhile, where it may drive on later."""
    reason: str = ""
    """Pattern of why the host stops."""
    problem: str = ""
    """Pattern of why the run is not valid, where the host may drive on."""
    arms: bool = True
    """Whether the host drives; else it only watches."""
    speed: float = 0.1
    """Set-point [m/s]."""
    duration: float = 1.2
    """Time of driving that is asked for [s]."""

    @property
    def name(self) -> str:
        """The row in words."""
        return f"{self.message}: {self.lie}"
