"""Messages in CDR, the encoding of ROS 2, for many rows at once.

The messages of one topic differ only in numbers. A layout has the bytes that are common to them,
and the places of the numbers, which are filled in for all rows by numpy.

Reference:
    OMG, DDS Interoperability Wire Protocol 2.2, chapter 10 (plain CDR, little-endian)
"""

from typing import Any

import numpy as np

ENCAPSULATION = b"\x00\x01\x00\x00"
"""First bytes of a message: plain CDR, little-endian. Alignment counts from its end."""


class Layout:
    """Bytes of a message, and the places of numbers that differ; built field by field."""

    def __init__(self) -> None:
        self._bytes = bytearray(ENCAPSULATION)
        self._places: dict[str, tuple[Any, int]] = {}

    def constant(self, kind: str, *values: float) -> "Layout":
        """Append numbers that are the same in all messages."""
        dtype = np.dtype(kind)
        self._align(dtype.itemsize)
        self._bytes += np.array(values, dtype).tobytes()
        return self

    def text(self, words: str) -> "Layout":
        """Append a text."""
        content = words.encode() + b"\0"
        self.constant("<u4", len(content))
        self._bytes += content
        return self

    def numbers(self, name: str, count: int, kind: str = "<f8") -> "Layout":
        """Append numbers that differ, `count` in a row."""
        dtype = np.dtype(kind)
        self._align(dtype.itemsize)
        self._places[name] = (dtype, (count,)), len(self._bytes)
        self._bytes += bytes(count * dtype.itemsize)
        return self

    def header(self, frame: str) -> "Layout":
        """Append a std_msgs/Header; the time stamp is in the numbers `sec` and `nanosec`."""
        return self.numbers("sec", 1, "<i4").numbers("nanosec", 1, "<u4").text(frame)

    def content(self) -> bytes:
        """Return a message; numbers that differ are 0."""
        return bytes(self._bytes)

    def dtype(self) -> np.dtype[Any]:
        """Return the type of a message in an array, with the numbers that differ as fields."""
        return np.dtype(
            {
                "names": list(self._places),
                "formats": [kind for kind, _ in self._places.values()],
                "offsets": [place for _, place in self._places.values()],
                "itemsize": len(self._bytes),
            }
        )

    def _align(self, size: int) -> None:
        self._bytes += bytes(-(len(self._bytes) - len(ENCAPSULATION)) % size)


def split_stamp(stamps: np.ndarray) -> dict[str, np.ndarray]:
    """Return the numbers of headers, by time stamps [ns]."""
    seconds, rest = np.divmod(stamps, 1_000_000_000)
    return {"sec": seconds[:, np.newaxis], "nanosec": rest[:, np.newaxis]}
