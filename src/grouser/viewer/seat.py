"""Who drives: one person at a time, and only for as long as the page is heard of."""

from collections.abc import Callable
from time import monotonic

from grouser.control import LET_GO, Sticks

PATIENCE = 0.4
"""How long sticks that are held count without being heard of again [s]."""


class Seat:
    """The driver's seat. Who sits in it drives; all others watch.

    A page repeats what it holds several times within `PATIENCE`, so that a tab that hangs, or a
    network that is gone, stops the robot as surely as a key that is let go.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._sticks, self._heard = LET_GO, 0.0
        self.driver: int | None = None
        """Who sits in it, or nobody."""

    def take(self, who: int) -> bool:
        """Sit down if the seat is free; return whether `who` drives."""
        if self.driver is None:
            self.driver, self._sticks = who, LET_GO
        return self.driver == who

    def hand_over(self, who: int) -> None:
        """Let `who` drive, whoever drove before."""
        self.driver, self._sticks = who, LET_GO

    def leave(self, who: int) -> None:
        """Get up; whoever drove lets go of everything."""
        if self.driver == who:
            self.driver, self._sticks = None, LET_GO

    def hold(self, who: int, sticks: Sticks) -> bool:
        """Take what `who` holds if it is the driver's; return whether it is.

        Reaching for the sticks of a free seat is sitting down.
        """
        if self.driver is None and not sticks.is_released:
            self.take(who)
        if self.driver != who:
            return False
        self._sticks, self._heard = sticks, self._now()
        return True

    @property
    def sticks(self) -> Sticks:
        """What the driver holds now."""
        if self._sticks.is_released or self._now() - self._heard > PATIENCE:
            return LET_GO
        return self._sticks
