"""A film as a file. The only door to PyAV."""

from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.storage import write_atomically

CODECS = {"libx264": {"crf": "20", "preset": "fast"}, "mpeg4": {"qscale": "3"}}
"""Encoders, the better first, and how they are set."""
MOST_FRAMES_PER_SECOND = 240.0
"""More than any screen shows [1/s]."""


class FilmFile:
    """An MP4 that grows picture by picture and gets its name when it is whole.

    As a context it is written at its end, also after an interrupt (Ctrl-C) if it has a picture:
    what was drawn can be played. Any other error leaves no file.
    """

    def __init__(
        self, path: str | Path, size: tuple[int, int], frames_per_second: float = 30.0
    ) -> None:
        """Begin a film.

        Args:
            path: Where to write.
            size: Width and height, both even [pixels].
            frames_per_second: How many pictures a second has when it is played [1/s].

        Raises:
            InvalidValue: The name does not end in .mp4, the place cannot be written, or a number
                is out of its range.
            MissingExtra: PyAV is not installed.
        """
        av = import_av()
        check_film(path, size, frames_per_second)
        self.path = Path(path)
        self.count = 0
        """How many pictures it has."""
        self.is_written = False
        """Whether the file is there."""
        self._av, self._content = av, BytesIO()
        self._container = av.open(self._content, mode="w", format="mp4")
        rate = Fraction(frames_per_second).limit_denominator(1001)
        name = next(codec for codec in CODECS if _can_encode(av, codec))
        self._stream: Any = self._container.add_stream(name, rate=rate, options=CODECS[name])
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "yuv420p"

    def add(self, pixels: NDArray[np.uint8]) -> None:
        """Append a picture (height, width, 3)."""
        frame = self._av.VideoFrame.from_ndarray(pixels, format="rgb24")
        self._container.mux(self._stream.encode(frame))
        self.count += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *reason: object) -> None:
        if kind is None or (issubclass(kind, KeyboardInterrupt) and self.count):
            self._container.mux(self._stream.encode(None))  # what the encoder still holds
            self._container.close()
            write_atomically(self.path, self._content.getvalue())
            self.is_written = True
        else:
            self._container.close()


def import_av() -> Any:
    """Return PyAV.

    Raises:
        MissingExtra: It is not installed.
    """
    require_extra("a film", "viewer", "av")
    import av  # here, because it is optional and slow to import

    return av


def check_film(path: str | Path, size: tuple[int, int], frames_per_second: float) -> None:
    """Refuse, before anything is drawn, a film that could not be written.

    Raises:
        InvalidValue: The name does not end in .mp4, or a number is out of its range.
    """
    if Path(path).suffix.lower() != ".mp4":
        raise InvalidValue("name of a film", str(path), "end in .mp4")
    if any(pixels < 2 or pixels % 2 for pixels in size):
        raise InvalidValue("size", size, "be two even numbers of pixels for a film")
    check_rate(frames_per_second)
    if Path(path).is_dir():
        raise InvalidValue("output", str(path), "be a file")


def check_rate(frames_per_second: float) -> None:
    """Refuse a rate that no film has.

    Raises:
        InvalidValue: It is out of its range.
    """
    if not 1.0 <= frames_per_second <= MOST_FRAMES_PER_SECOND:
        required = f"be from 1 to {MOST_FRAMES_PER_SECOND:g} pictures a second"
        raise InvalidValue("fps", frames_per_second, required)


def _can_encode(av: Any, name: str) -> bool:
    try:
        av.codec.Codec(name, "w")
    except ValueError:  # PyAV's error of an unknown codec is one, too
        return False
    return True
