"""Pictures of a film with their times."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from grouser.drawing.markers import import_cv2, read_times
from grouser.errors import GrouserError, InvalidValue, Unreadable
from grouser.storage import hint_at_file

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
"""Suffixes of pictures in a folder."""
DEVICE = "camera:"
"""Prefix of a camera as a source, followed by its number."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One picture."""

    time: float
    """Time of the picture [s]."""
    pixels: NDArray[np.uint8]
    """Its pixels (height, width, 3) in blue, green, red."""


class Frames:
    """A source of pictures, open until `close`; iterate over it once."""

    def __init__(
        self,
        source: str | Path,
        rate: float = 30.0,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open a video file, a folder of pictures, or `camera:N`.

        `rate` applies to a folder without a file of times [1/s]; `clock` gives the time of arrival
        of a camera's picture [s].
        """
        self._cv2, self._clock, self._rate = import_cv2(), clock, rate
        self.source = str(source)
        self.count: int | None = None
        """Number of pictures; None for a camera."""
        self._video: Any = None
        self._files: list[Path] = []
        self._times: NDArray[np.float64] | None = None
        if self.source.startswith(DEVICE):
            self._open_device(self.source.removeprefix(DEVICE))
            return
        if Path(source).is_dir():
            files = (f for f in Path(source).iterdir() if f.suffix.lower() in PICTURES)
            self._files = sorted(files)
            self.count = len(self._files)
            if not self.count:
                raise InvalidValue("folder", self.source, f"hold pictures ({', '.join(PICTURES)})")
        elif Path(source).is_file():
            self._open(self.source)
            self.count = int(self._video.get(self._cv2.CAP_PROP_FRAME_COUNT))
            if not self._video.isOpened() or self.count < 1:
                raise GrouserError(f"{source} cannot be read as a video; MP4 with H.264 would work")
        else:
            would_work = "give a video file, a folder of pictures, or camera:N"
            hint = hint_at_file(source)
            raise Unreadable(source, f"there is no such file{hint}; {would_work}")
        self._times, _ = read_times(source)
        if self._times is not None and len(self._times) != self.count:
            found = f"{len(self._times)} times for {self.count} pictures"
            raise InvalidValue(f"times beside {self.source}", found, "be one for each picture")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Frame]:
        return self._from_folder() if self._files else self._from_video()

    def close(self) -> None:
        """Release the file or the camera."""
        if self._video is not None:
            self._video.release()

    def _open_device(self, number: str) -> None:
        if not number.isdigit():
            raise InvalidValue("camera", number, "be a whole number, as in camera:0")
        self._open(int(number))
        if not self._video.isOpened():
            raise GrouserError(f"there is no camera {number}; camera:0 is the first")

    def _open(self, video: str | int) -> None:
        # OpenCV would log to stderr; errors are raised here instead.
        logging = self._cv2.utils.logging
        logging.setLogLevel(logging.LOG_LEVEL_SILENT)
        self._video = self._cv2.VideoCapture(video)

    def _from_folder(self) -> Iterator[Frame]:
        for number, file in enumerate(self._files):
            pixels = self._cv2.imread(str(file), self._cv2.IMREAD_COLOR)
            if pixels is None:
                raise GrouserError(f"{file} cannot be read as a picture")
            moment = number / self._rate if self._times is None else float(self._times[number])
            yield Frame(time=moment, pixels=pixels)

    def _from_video(self) -> Iterator[Frame]:
        began, number = None, 0
        while self._video.grab():
            arrived = self._clock()
            began = arrived if began is None else began
            shown = 1e-3 * self._video.get(self._cv2.CAP_PROP_POS_MSEC)
            is_there, pixels = self._video.retrieve()
            if not is_there:
                break
            if self.count is None:
                moment = arrived - began
            else:
                moment = shown if self._times is None else float(self._times[number])
            number += 1
            yield Frame(time=moment, pixels=pixels)
