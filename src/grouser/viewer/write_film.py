"""A log as a film or as a picture, drawn without a screen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.models.contact.canvas import Canvas
from grouser.models.contact.render import check_picture, save_picture
from grouser.viewer.film_camera import FilmCamera
from grouser.viewer.film_file import FilmFile, check_rate
from grouser.viewer.playback import Playback

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
