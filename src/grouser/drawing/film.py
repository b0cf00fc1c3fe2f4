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

from grouser import interrupts
from grouser.drawing.camera import FilmCamera
from grouser.drawing.canvas import Canvas
from grouser.drawing.picture import check_picture, save_picture
from grouser.drawing.playback import Playback
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.geometry import Array
from grouser.models.ground.ruts import RutGrid
from grouser.storage import write_atomically

CODECS = {"libx264": {"crf": "20", "preset": "fast"}, "mpeg4": {"qscale": "3"}}
"""Encoders with their options, the best first."""
MAX_FRAMES_PER_SECOND = 240.0
"""Largest frame rate of a film [1/s]."""


class FilmFile:
    """An MP4 file, written at the end of its context, also after an interrupt; not after errors."""

    def __init__(
        self, path: str | Path, size: tuple[int, int], frames_per_second: float = 30.0
    ) -> None:
        """Start to encode an .mp4 file of an even size [pixels] and a frame rate [1/s]."""
        av = import_av()
        check_film(path, size, frames_per_second)
        self.path = Path(path)
        self.count = 0
        """Number of pictures so far."""
        self.is_written = False
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
            with interrupts.held():
                self._container.mux(self._stream.encode(None))  # flush the encoder
                self._container.close()
                write_atomically(self.path, self._content.getvalue())
                self.is_written = True
        else:
            self._container.close()


def import_av() -> Any:
    """Return PyAV."""
    require_extra("a film", "viewer", "av")
    import av  # optional, and slow to import

    return av


def check_film(path: str | Path, size: tuple[int, int], frames_per_second: float) -> None:
    """Raise InvalidValue if a film cannot be written, before anything is rendered."""
    if Path(path).suffix.lower() != ".mp4":
        raise InvalidValue("name of a film", str(path), "end in .mp4")
    if any(pixels < 2 or pixels % 2 for pixels in size):
        raise InvalidValue("size", size, "be two even numbers of pixels for a film")
    check_rate(frames_per_second)
    if Path(path).is_dir():
        raise InvalidValue("output", str(path), "be a file")


def check_rate(frames_per_second: float) -> None:
    """Raise InvalidValue if a frame rate is out of its range."""
    if not 1.0 <= frames_per_second <= MAX_FRAMES_PER_SECOND:
        required = f"be from 1 to {MAX_FRAMES_PER_SECOND:g} pictures a second"
        raise InvalidValue("fps", frames_per_second, required)


def _can_encode(av: Any, name: str) -> bool:
    try:
        av.codec.Codec(name, "w")
    except ValueError:  # PyAV's UnknownCodecError is a ValueError
        return False
    return True


TRAIL_POINTS = 600
"""Largest number of points of the trail of a robot."""
LIFT = 0.01
"""Height of the trail above the ground, in robot extents [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """Which part of a log a film or picture shows, and how."""

    start: float | None = None
    """Time of the log at which the film starts; its first row if None [s]."""
    end: float | None = None
    """Time of the log at which the film ends, or of a picture; its last row if None [s]."""
    speed: float = 1.0
    """Time of the log per time of the film [1]."""
    frames_per_second: float = 30.0
    """Frame rate of the film [1/s]."""
    size: tuple[int, int] = (1280, 720)
    """Width and height [pixels]."""
    camera: FilmCamera = FilmCamera()
    with_trail: bool = True
    """Whether the trail of the robot is drawn."""
    smooth: bool | None = None
    """Whether to use anti-aliasing, which takes more than twice the time; if None, only for
    pictures."""

    def times(self, playback: Playback) -> Array:
        """Return the time of the log of each picture [s]; InvalidValue if outside of the log."""
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
    """Write a film of a log as an MP4; return the number of pictures.

    An interrupt (Ctrl-C) ends the film and keeps the pictures so far, fewer than `Shot.times`;
    before the first picture, KeyboardInterrupt is raised. `show` is called with the share that is
    written.
    """
    shot = shot or Shot()
    times = shot.times(playback)
    film = FilmFile(path, shot.size, shot.frames_per_second)
    try:
        with _drawn(playback, shot, times) as pictures, film:
            for pixels in pictures:
                film.add(pixels)
                show(film.count / len(times))
                interrupts.check()
    except KeyboardInterrupt:
        if not film.is_written:
            raise
    return film.count


def write_still(playback: Playback, path: str | Path, shot: Shot | None = None) -> None:
    """Write a PNG of the robot at the end of a shot."""
    shot = shot or Shot()
    check_picture(path)
    end = playback.end if shot.end is None else _inside("at", shot.end, playback)
    with _drawn(playback, shot, np.array([end])) as pictures:
        save_picture(next(pictures), path)


@contextmanager
def _drawn(playback: Playback, shot: Shot, times: Array) -> Iterator[Iterator[NDArray[np.uint8]]]:
    """Yield an iterator that renders the pictures, with a canvas open meanwhile."""
    smooth = len(times) == 1 if shot.smooth is None else shot.smooth
    ruts = _ruts(playback, float(times[0]))
    options = {"smooth": smooth, "ruts": ruts, "dressed": True}
    with Canvas.of(playback.robot, playback.course, shot.size, **options) as canvas:
        yield _draw(canvas, playback, shot, times)


def _draw(
    canvas: Canvas, playback: Playback, shot: Shot, times: Array
) -> Iterator[NDArray[np.uint8]]:
    seen = times if len(times) > 1 else np.linspace(playback.start, times[0], TRAIL_POINTS)
    whole_way = shot.camera.kind != "follow"
    camera_poses = shot.camera.camera_poses(
        playback.poses(seen if whole_way else times),
        extent=canvas.extent,
        aspect=shot.size[0] / shot.size[1],
        frames_per_second=shot.frames_per_second,
    )
    begin = playback.start if shot.start is None else shot.start
    marks = np.linspace(begin, times[-1], TRAIL_POINTS)
    way = _way(playback, marks, LIFT * canvas.extent)
    for time, camera_pose in zip(times, camera_poses, strict=False):
        frame = playback.frame(float(time))
        canvas.place(frame.pose, frame.belt_travels, frame.flipper_angles)
        if (ruts := _ruts(playback, float(time))) is not None:
            canvas.show_ruts(ruts)
        trail = None
        if shot.with_trail:
            here = _way(playback, np.array([time]), LIFT * canvas.extent)
            trail = np.concatenate((way[marks < time], here))
        yield canvas.draw(camera_pose, trail)


def _ruts(playback: Playback, time: float) -> RutGrid | None:
    """Return the ruts at a time of a log [s]; None without soft ground."""
    if playback.ruts is None:
        return None
    playback.ruts.compute(time)
    return playback.ruts.at(time)


def _way(playback: Playback, times: Array, lift: float) -> Array:
    poses = playback.poses(times)
    x, y, z = (np.asarray(getattr(poses, name)) for name in ("x", "y", "z"))
    if playback.ruts is not None:  # a robot that has sunk in leaves its trail above
        z = np.fmax(z, playback.course.terrain.height(x, y))
    return np.stack((x, y, z + lift), axis=1)


def _inside(name: str, time: float, playback: Playback) -> float:
    if not playback.start - 1e-9 <= time <= playback.end + 1e-9:
        required = f"lie within the log, {playback.start:.6g} to {playback.end:.6g} s"
        raise InvalidValue(name, time, required)
    return time
