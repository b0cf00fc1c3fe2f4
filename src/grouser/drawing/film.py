"""Films of a log."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from grouser.drawing.camera import FilmCamera
from grouser.drawing.canvas import Canvas
from grouser.drawing.picture import check_picture, save_picture
from grouser.drawing.playback import Playback
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


TRAIL_POINTS = 600
"""Most points of the way that a robot has come."""
LIFT = 0.01
"""How far that way is drawn above the ground, in sizes of the robot [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What is seen of a log, and how."""

    start: float | None = None
    """Where the film begins, on the time line of the log; its first row if None [s]."""
    end: float | None = None
    """Where it ends, and when a picture is taken; its last row if None [s]."""
    speed: float = 1.0
    """Seconds of the log in a second of the film [1]."""
    frames_per_second: float = 30.0
    """Pictures in a second of the film [1/s]."""
    size: tuple[int, int] = (1280, 720)
    """Width and height [pixels]."""
    camera: FilmCamera = FilmCamera()
    """From where."""
    with_trail: bool = True
    """Whether the way that the robot has come is drawn."""
    smooth: bool | None = None
    """Whether edges are smoothed, which takes more than twice the time; None does it for pictures
    and not for films."""

    def times(self, playback: Playback) -> NDArray[np.float64]:
        """Return the time of each picture of a film, on the time line of the log [s].

        Raises:
            InvalidValue: The stretch is not inside the log, or a number is out of its range.
        """
        if not 0.001 <= self.speed <= 1000.0:
            raise InvalidValue("speed", self.speed, "be from 0.001 to 1000")
        check_rate(self.frames_per_second)
        start = playback.start if self.start is None else _inside("from", self.start, playback)
        end = playback.end if self.end is None else _inside("to", self.end, playback)
        if end < start:
            raise InvalidValue("to", end, f"not be before {start:g} s, where the film begins")
        count = int((end - start) / self.speed * self.frames_per_second + 1e-6) + 1
        return start + self.speed / self.frames_per_second * np.arange(count, dtype=np.float64)


def write_film(
    playback: Playback,
    path: str | Path,
    shot: Shot | None = None,
    show: Callable[[float], None] = lambda share: None,
) -> int:
    """Write a log as an MP4; return how many pictures it has.

    An interrupt (Ctrl-C) ends it and keeps what was drawn: fewer pictures than `Shot.times`. One
    before the first picture goes on to the caller.

    Args:
        playback: What to show.
        path: Where to write, ending in .mp4.
        shot: How to show it.
        show: Is told which share of the film is drawn.

    Raises:
        InvalidValue: The name does not end in .mp4, or a number is out of its range.
        MissingExtra: PyAV is not installed.
        GrouserError: No library was found that draws without a screen.
    """
    shot = shot or Shot()
    times = shot.times(playback)
    film = FilmFile(path, shot.size, shot.frames_per_second)
    try:
        with _drawn(playback, shot, times) as pictures, film:
            for pixels in pictures:
                film.add(pixels)
                show(film.count / len(times))
    except KeyboardInterrupt:
        if not film.is_written:
            raise
    return film.count


def write_still(playback: Playback, path: str | Path, shot: Shot | None = None) -> None:
    """Write a PNG of the robot at the end of a shot.

    Args:
        playback: What to show.
        path: Where to write, ending in .png.
        shot: How to show it; its end says when.

    Raises:
        InvalidValue: The name does not end in .png, or a number is out of its range.
        MissingExtra: The package that writes pictures is not installed.
        GrouserError: No library was found that draws without a screen.
    """
    shot = shot or Shot()
    check_picture(path)
    end = playback.end if shot.end is None else _inside("at", shot.end, playback)
    with _drawn(playback, shot, np.array([end])) as pictures:
        save_picture(next(pictures), path)


@contextmanager
def _drawn(
    playback: Playback, shot: Shot, times: NDArray[np.float64]
) -> Iterator[Iterator[NDArray[np.uint8]]]:
    """Open a canvas for all pictures, and yield what draws them."""
    smooth = len(times) == 1 if shot.smooth is None else shot.smooth
    with Canvas.of(playback.robot, playback.course, shot.size, smooth=smooth) as canvas:
        yield _draw(canvas, playback, shot, times)


def _draw(
    canvas: Canvas, playback: Playback, shot: Shot, times: NDArray[np.float64]
) -> Iterator[NDArray[np.uint8]]:
    seen = times if len(times) > 1 else np.linspace(playback.start, times[0], TRAIL_POINTS)
    whole_way = shot.camera.kind != "follow"
    sights = shot.camera.sights(
        playback.poses(seen if whole_way else times),
        across=canvas.across,
        aspect=shot.size[0] / shot.size[1],
        frames_per_second=shot.frames_per_second,
    )
    begin = playback.start if shot.start is None else shot.start
    marks = np.linspace(begin, times[-1], TRAIL_POINTS)
    way = _way(playback, marks, LIFT * canvas.across)
    for time, sight in zip(times, sights, strict=False):
        frame = playback.frame(float(time))
        canvas.place(frame.pose, frame.belt_travels, frame.flipper_angles)
        trail = None
        if shot.with_trail:
            here = _way(playback, np.array([time]), LIFT * canvas.across)
            trail = np.concatenate((way[marks < time], here))
        yield canvas.draw(sight, trail)


def _way(playback: Playback, times: NDArray[np.float64], lift: float) -> NDArray[np.float64]:
    poses = playback.poses(times)
    return np.stack((poses.x, poses.y, np.asarray(poses.z) + lift), axis=1)


def _inside(name: str, time: float, playback: Playback) -> float:
    slack = 1e-9
    if not playback.start - slack <= time <= playback.end + slack:
        required = f"lie within the log, {playback.start:.6g} to {playback.end:.6g} s"
        raise InvalidValue(name, time, required)
    return time
