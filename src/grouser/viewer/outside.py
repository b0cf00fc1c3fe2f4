"""Whoever else lets a robot move, such as a board in the loop: the page only shows it."""

from typing import Protocol

from grouser.log import Log
from grouser.models import Motion


class Outside(Protocol):
    """A robot that moves elsewhere, looked at from any thread."""

    def look(self) -> tuple[float, Motion] | None:
        """Return its time [s] and how it moves now; None before it has begun."""
        ...

    def log(self) -> Log | None:
        """Return what it did so far; None before it has begun."""
        ...

    def stop(self) -> None:
        """Stop its motors at once. A second time does nothing."""
        ...
