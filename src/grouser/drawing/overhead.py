"""Films of a log as an overhead camera of a rig would record them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Rig, Robot
from grouser.drawing.camera import CameraPose
from grouser.drawing.canvas import LARGEST, Canvas
from grouser.drawing.film import FilmFile
from grouser.drawing.markers import encode_picture, marker_patterns, write_times
from grouser.drawing.playback import Playback
from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose
from grouser.laws.camera import PinholeCamera, overhead_view, undistort
from grouser.models.rigid import HULL
from grouser.storage import write_atomically

FLOOR, LINE = (0.80, 0.83, 0.85, 1.0), (0.10, 0.10, 0.11, 1.0)
"""Colours of the floor and of its lines."""
SHEET = 2e-4
"""Half the thickness of the drawn floor, and of the lines on it [m]."""
PLATE = 1e-3
"""Half the thickness of a marker plate [m]."""
PIXELS_PER_CELL = 40
"""Resolution of the texture of a marker [pixels per cell]."""


class OverheadCanvas:
    """Renders a robot on a course as seen by the camera of a rig; holds OpenGL until `close`."""

    def __init__(
        self,
        robot: Robot,
        course: Course,
        rig: Rig,
        patterns: Mapping[int, NDArray[np.uint8]],
        *,
        smooth: bool = True,
    ) -> None:
        """Prepare to render; `patterns` are the cells of each marker, 0 black, 255 white."""
        self.view = overhead_view(rig)
        """Camera model of the rendered pictures."""
        width, height = rig.camera.size
        self._size = width, height
        drawn, self._map = _resampling(self.view, self._size)
        half_angle = np.arctan(0.5 * drawn[1] / self.view.focal)
        distance = rig.camera.height / np.cos(rig.camera.tilt)
        x, y, z = (float(place) for place in self.view.position + distance * self.view.rotation[2])
        self._camera_pose = CameraPose(
            middle=(x, y, z),
            azimuth=float(0.5 * np.pi + rig.camera.yaw),
            elevation=float(rig.camera.tilt - 0.5 * np.pi),
            distance=float(distance),
        )
        decorate = partial(
            _decorate, rig=rig, patterns=patterns, field_of_view=float(np.degrees(2.0 * half_angle))
        )
        self._canvas = Canvas.of(robot, course, drawn, smooth=smooth, decorate=decorate)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def draw(
        self, pose: Pose, belt_travels: Sequence[float], flipper_angles: Sequence[float]
    ) -> NDArray[np.uint8]:
        """Return the pixels (height, width, 3), at belt travels [m] and flipper angles [rad]."""
        self._canvas.place(pose, belt_travels, flipper_angles)
        pixels = self._canvas.draw(self._camera_pose)
        return pixels if self._map is None else _blend(pixels, self._map)

    def close(self) -> None:
        """Release the OpenGL context."""
        self._canvas.close()


def _decorate(
    spec: mujoco.MjSpec,
    *,
    rig: Rig,
    patterns: Mapping[int, NDArray[np.uint8]],
    field_of_view: float,
) -> None:
    spec.visual.global_.fovy = field_of_view
    for light in spec.lights:
        light.castshadow = False  # diffuse light, as in a hall
    _add_floor(spec, rig)
    hull = next(body for body in spec.bodies if body.name == HULL)
    for marker in rig.markers:
        name = f"marker{marker.id}"
        _add_pattern(spec, name, patterns[marker.id], marker.margin / marker.side)
        half = 0.5 * marker.side + marker.margin
        back = marker.rotation.apply((0.0, 0.0, -PLATE))
        hull.add_geom(
            name=f"{HULL}/{name}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[half, half, PLATE],
            pos=(np.array(marker.position) + back).tolist(),
            quat=marker.rotation.as_quat(scalar_first=True).tolist(),
            material=name,
            mass=0.0,
            contype=0,
            conaffinity=0,
        )


def _add_floor(spec: mujoco.MjSpec, rig: Rig) -> None:
    floor = rig.floor
    (x, y), (length, width) = floor.centre, floor.size
    boxes = [(x, y, SHEET, length, width, FLOOR)]
    crossings = floor.crossings()
    boxes += [(at, y, 3.0 * SHEET, floor.line, width, LINE) for at in crossings[:, 0, 0]]
    boxes += [(x, at, 3.0 * SHEET, length, floor.line, LINE) for at in crossings[0, :, 1]]
    for number, (at_x, at_y, at_z, along, across, colour) in enumerate(boxes):
        spec.worldbody.add_geom(
            name=f"floor{number}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.5 * along, 0.5 * across, SHEET],
            pos=[float(at_x), float(at_y), at_z],
            rgba=list(colour),
            contype=0,
            conaffinity=0,
        )


def _add_pattern(spec: mujoco.MjSpec, name: str, cells: NDArray[np.uint8], margin: float) -> None:
    """Add a material with a marker and its white border of width `margin` times its side."""
    black = np.kron(cells, np.ones((PIXELS_PER_CELL, PIXELS_PER_CELL), dtype=np.uint8))
    # Rounding the border to whole pixels moves the edge of a 50 mm marker by at most 0.1 mm.
    border = round(margin * len(black))
    grey = np.pad(black, border, constant_values=255)
    texture = spec.add_texture(
        name=name,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        width=len(grey),
        height=len(grey),
        nchannel=3,
    )
    texture.data = np.repeat(grey[:, :, None], 3, axis=2).tobytes()
    material = spec.add_material(name=name, texuniform=False, texrepeat=[1.0, 1.0], specular=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def _resampling(view: PinholeCamera, size: tuple[int, int]) -> tuple[tuple[int, int], Array | None]:
    """Return the size of the rendered picture, and the position of each final pixel in it.

    MuJoCo has no lens distortion and a centred principal point, so a larger picture is rendered and
    resampled. The positions are None if no resampling is needed.
    """
    width, height = size
    middle = 0.5 * (width - 1), 0.5 * (height - 1)
    if not any(view.distortion) and view.centre == middle:
        return size, None
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).astype(float)
    flat = undistort((grid - np.array(view.centre)) / view.focal, view.distortion) * view.focal
    half = np.ceil(np.max(np.abs(flat), axis=(0, 1))) + 2.0
    drawn = int(2 * half[0]), int(2 * half[1])
    if not max(drawn) <= LARGEST:
        raise InvalidValue("distortion of the lens", view.distortion, "not fold the picture over")
    return drawn, flat + (half - 0.5)


def _blend(pixels: NDArray[np.uint8], places: Array) -> NDArray[np.uint8]:
    """Return the pixels at fractional positions, by bilinear interpolation."""
    corner = places.astype(np.intp)
    x, y = corner[..., 0], corner[..., 1]
    right, down = np.moveaxis((places - corner).astype(np.float32)[..., None, :], -1, 0)
    above = pixels[y, x] * (1.0 - right) + pixels[y, x + 1] * right
    below = pixels[y + 1, x] * (1.0 - right) + pixels[y + 1, x + 1] * right
    return np.rint(above * (1.0 - down) + below * down).astype(np.uint8)


class _Folder:
    """A film as a folder of pictures, one file each."""

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


def overhead_times(playback: Playback, rig: Rig) -> Array:
    """Return the times of the camera's pictures: from the start of the log, at its rate [s]."""
    count = int(playback.duration * rig.camera.rate + 1e-6) + 1
    return playback.start + np.arange(count, dtype=np.float64) / rig.camera.rate


def write_overhead_film(
    playback: Playback,
    rig: Rig,
    path: str | Path,
    *,
    noise: float = 0.0,
    seed: int = 0,
    smooth: bool = True,
    show: Callable[[float], None] = lambda share: None,
) -> int:
    """Write a film and the times of its pictures; return the number of pictures.

    An interrupt (Ctrl-C) ends the film and keeps the pictures so far, with their times; before the
    first picture, KeyboardInterrupt is raised. `path` is a file (.mp4) or a folder of pictures;
    `noise` is the standard deviation of the noise of each pixel, of 255 [1].
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
            for time in times:
                frame = playback.frame(float(time))
                pixels = canvas.draw(frame.pose, frame.belt_travels, frame.flipper_angles)
                film.add(_add_noise(pixels, noise, generator))
                show(film.count / len(times))
    except KeyboardInterrupt:
        if not film.count:
            raise
    write_times(path, times[: film.count], rig)
    return film.count


def _add_noise(
    pixels: NDArray[np.uint8], noise: float, generator: np.random.Generator
) -> NDArray[np.uint8]:
    if not noise:
        return pixels
    errors = generator.standard_normal(pixels.shape, dtype=np.float32) * np.float32(noise)
    return np.clip(np.rint(pixels + errors), 0, 255).astype(np.uint8)
