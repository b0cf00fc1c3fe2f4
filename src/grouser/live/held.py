"""The newest value from outside, until it is too old."""

import math
from typing import Generic, TypeVar

T = TypeVar("T")


class Held(Generic[T]):
    """Keeps the newest value, such as a command; one that is too old does not count.

    Times are of one clock, the caller's choice. One thread may put values, another take them.
    """

    def __init__(self, timeout: float) -> None:
        """Let values count for `timeout` [s]."""
        self._timeout = timeout
        self._kept: tuple[T, float] | None = None  # one object: threads see all of it or nothing

    def put(self, value: T, now: float) -> None:
        """Keep a value instead of the one before."""
        self._kept = (value, now)

    def drop(self) -> None:
        """Forget the value."""
        self._kept = None

    @property
    def newest(self) -> T | None:
        """The value, however old; None if there is none."""
        kept = self._kept
        return None if kept is None else kept[0]

    def age(self, now: float) -> float:
        """Return how long ago the value was put; infinite if there is none [s]."""
        kept = self._kept
        return math.inf if kept is None else now - kept[1]

    def take(self, now: float) -> T | None:
        """Return the value; None if there is none, or it is too old."""
        kept = self._kept
        return None if kept is None or now - kept[1] > self._timeout else kept[0]
