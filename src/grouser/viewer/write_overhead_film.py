"""A log as the camera of a rig would have filmed it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.errors import InvalidValue
from grouser.identify.camera.encode_picture import encode_picture
from grouser.identify.camera.film_times import write_times
from grouser.identify.camera.marker_patterns import marker_patterns
from grouser.models.contact.overhead_canvas import OverheadCanvas
from grouser.storage import write_atomically
from grouser.viewer.film_file import FilmFile
from grouser.viewer.playback import Playback

LIGHTEST = 255


class _Folder:
    """Pictures in a folder, one file each."""

    def __init__(self, path: Path) -> None:
        if path.is_file() or (path.is_dir() and any(path.iterdir())):
            raise InvalidValue("--out", str(path), "be a new or an empty folder, or end in .mp4")
        self._path, self.count = path, 0

    def add(self, pixels: NDArray[np.uint8]) -> None:
        write_atomically(self._path / f"{self.count:06}.png", encode_picture(pixels))
        self.count += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        pass


def overhead_times(playback: Playback, rig: Rig) -> NDArray[np.float64]:
    """Return when the camera takes its pictures of a log: from its start, at its rate [s]."""
    count = int(playback.duration * rig.camera.rate + 1e-6) + 1
    return playback.start + np.arange(count, dtype=np.float64) / rig.camera.rate


def write_overhead_film(
    playback: Playback,
    rig: Rig,
    path: str | Path,
    *,
    grain: float = 0.0,
    seed: int = 0,
    smooth: bool = True,
    show: Callable[[float], None] = lambda share: None,
) -> int:
    """Write a film and its times; return how many pictures it has.

    An interrupt (Ctrl-C) ends it and keeps what was drawn, with its times. One before the first
    picture goes on to the caller.

    Args:
        playback: What happened.
        rig: The camera, the floor and the markers.
        path: Where to write: a film (.mp4), or a folder of pictures.
        grain: Standard deviation of the noise of each pixel, of 255 [1].
        seed: Seed of that noise.
        smooth: Whether edges are smoothed, which takes more than twice the time.
        show: Is told which share of the film is drawn.

    Raises:
        InvalidValue: The place cannot be written.
        MissingExtra: OpenCV, or PyAV for a film, is not installed.
        GrouserError: No library was found that draws without a screen.
    """
    times, generator = overhead_times(playback, rig), np.random.default_rng(seed)
    path = Path(path)
    width, height = rig.camera.size
    film = FilmFile(path, (width, height), rig.camera.rate) if path.suffix else _Folder(path)
    try:
        with (
            OverheadCanvas(
                playback.robot, playback.course, rig, marker_patterns(rig), smooth=smooth
            ) as canvas,
            film,
        ):
            for pixels in _draw(canvas, playback, times):
                film.add(_add_grain(pixels, grain, generator))
                show(film.count / len(times))
    except KeyboardInterrupt:
        if not film.count:
            raise
    write_times(path, times[: film.count], rig)
    return film.count


def _draw(
    canvas: OverheadCanvas, playback: Playback, times: NDArray[np.float64]
) -> Iterator[NDArray[np.uint8]]:
    for time in times:
        frame = playback.frame(float(time))
        yield canvas.draw(frame.pose, frame.belt_travels, frame.flipper_angles)


def _add_grain(
    pixels: NDArray[np.uint8], grain: float, generator: np.random.Generator
) -> NDArray[np.uint8]:
    if not grain:
        return pixels
    noise = generator.standard_normal(pixels.shape, dtype=np.float32) * np.float32(grain)
    return np.clip(np.rint(pixels + noise), 0, LIGHTEST).astype(np.uint8)
