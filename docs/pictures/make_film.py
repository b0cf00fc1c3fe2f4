"""A film of ten seconds: Absolem drives over the playground, in the look of `grouser render`.

Run it from the main folder: python docs/pictures/make_film.py. It writes film-look.webp.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from grouser.cli import main as grouser
from grouser.drawing.camera import FilmCamera
from grouser.drawing.film import Shot, _drawn
from grouser.drawing.playback import Playback
from grouser.log import read_log

HERE = Path(__file__).parent
FRAMES_PER_SECOND = 12.0
"""Pictures per second of the film [1/s]."""
SPEED = 2.0
"""Time of the drive per time of the film [1]."""
SIZE = (640, 360)
"""Width and height [pixels]."""


def main() -> None:
    """Simulate a drive, and write its film."""
    words = argparse.ArgumentParser()
    words.add_argument("--out", type=Path, default=HERE / "film-look.webp")
    words.add_argument("--log", type=Path, help="a log, instead of a new drive")
    words.add_argument("--course", default="playground")
    words.add_argument("--begin", type=float, default=0.0, help="time of the first picture [s]")
    words.add_argument("--azimuth", type=float, default=-0.9, help="direction of the view [rad]")
    words.add_argument("--quality", type=int, default=58)
    given = words.parse_args()
    log = given.log
    if log is None:
        log = Path("out") / "film.csv"
        chosen = ["--robot", "absolem", "--course", given.course, "--model", "csm"]
        grouser(["run", *chosen, "--out", str(log), "--overwrite"])
    playback = Playback(read_log(log))
    end = min(given.begin + 10.0 * SPEED, playback.end)
    camera = FilmCamera(azimuth=given.azimuth, elevation=-0.36, distance=1.55)
    shot = Shot(
        camera=camera, size=SIZE, frames_per_second=FRAMES_PER_SECOND, speed=SPEED,
        start=given.begin, end=end, smooth=True,
    )  # fmt: skip
    with _drawn(playback, shot, shot.times(playback)) as pictures:
        frames = [Image.fromarray(np.asarray(pixels)) for pixels in pictures]
    frames[0].save(
        given.out, save_all=True, append_images=frames[1:], quality=given.quality, method=4,
        duration=round(1000.0 / FRAMES_PER_SECOND), loop=0,
    )  # fmt: skip


if __name__ == "__main__":
    main()
