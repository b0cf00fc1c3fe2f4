"""Counters that wrap on the wire and do not wrap here."""


class Unwrapped:
    """A counter of so many bits, carried on beyond its wrap.

    A value is taken to be the one nearest to the last, so it may also step back a little.
    """

    def __init__(self, bits: int) -> None:
        self._size = 1 << bits
        self.value: int | None = None
        """The last value; None before the first."""

    def update(self, wrapped: int) -> int:
        """Return the counter for what the wire said."""
        if self.value is None:
            self.value = wrapped
        else:
            half = self._size // 2
            self.value += (wrapped - self.value + half) % self._size - half
        return self.value
