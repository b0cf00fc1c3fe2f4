"""Light of the sun and of the sky on the ground, as far as obstacles let it through."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, map_coordinates

from grouser.description import Course
from grouser.description.solids import Plane
from grouser.drawing.look.glb import Image
from grouser.drawing.look.pictures import encode

TO_SUN = (-0.50, 0.60, 0.80)
"""Direction from the ground to the sun, in the world frame; not of length 1."""
SUNLIGHT, SKYLIGHT = np.array((1.02, 0.97, 0.88)), np.array((0.46, 0.50, 0.57))
"""Linear light that a surface gets from the sun, if it faces it, and from the whole sky."""
MARGIN = 1.3
"""Width of the ground around obstacles on which shadows fall [m]."""
MOST_PIXELS, FINEST = 640, 0.012
"""Most pixels along each side, and least side of a pixel [m]."""
REACHES = ((0.03, 0.30), (0.10, 0.22), (0.30, 0.14))
"""Distances at which obstacles hide the sky [m], and how much they hide there [1]."""
LONGEST = 2.5
"""Longest shadow [m]."""


def to_sun() -> NDArray[np.float64]:
    """Return the unit vector from the ground to the sun, in the world frame."""
    return np.array(TO_SUN) / np.linalg.norm(TO_SUN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shade:
    """Light on the ground in a rectangle along the axes of the world."""

    x: tuple[float, float]
    """Smallest and largest world x [m]."""
    y: tuple[float, float]
    """Smallest and largest world y [m]."""
    sun: NDArray[np.float64]
    """Share of the sun that reaches each place (rows, columns), rows along y [1]."""
    sky: NDArray[np.float64]
    """Share of the sky that each place sees [1]."""

    def at(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
        """Return the shares of sun and sky at places; 1 outside of the rectangle [1]."""
        rows, columns = self.sun.shape
        row = (y - self.y[0]) / (self.y[1] - self.y[0]) * rows - 0.5
        column = (x - self.x[0]) / (self.x[1] - self.x[0]) * columns - 0.5
        options = {"order": 1, "mode": "constant", "cval": 1.0}
        sun, sky = (
            map_coordinates(part, (row, column), **options) for part in (self.sun, self.sky)
        )
        return sun, sky

    def picture(self, *, with_sun: bool) -> Image:
        """Return black with the opacity that darkens level ground as the obstacles do.

        Without the sun it has the hidden sky only, for a page that casts the sun's shadows itself.
        """
        up = to_sun()[2]
        full = float(np.mean(SKYLIGHT + up * SUNLIGHT))
        sun = self.sun if with_sun else np.ones_like(self.sun)
        seen = self.sky if with_sun else self.sky**1.4
        light = (np.mean(SKYLIGHT) * seen + up * np.mean(SUNLIGHT) * sun) / full
        # Pages blend colours as they are shown.
        alpha = 1.0 - np.clip(light, 0.0, 1.0) ** (1.0 / 2.2)
        rows, columns = alpha.shape
        edge = np.minimum.outer(_to_edge(rows), _to_edge(columns))
        pixels = np.zeros((rows, columns, 4), dtype=np.uint8)
        pixels[..., 3] = np.round(255.0 * alpha * np.clip(edge / 12.0, 0.0, 1.0))
        return Image(content=encode(pixels[::-1]))


def _to_edge(count: int) -> NDArray[np.float64]:
    place = np.arange(count, dtype=np.float64)
    return np.minimum(place, count - 1 - place)


def shade_ground(course: Course, plane: Plane | None = None) -> Shade | None:
    """Return the light around the obstacles of a course; None where there are none."""
    solids = [solid for solid in course.terrain.solids if not isinstance(solid, Plane)]
    if not solids:
        return None
    corners = np.concatenate([solid.footprint.corners for solid in solids])
    (x0, y0), (x1, y1) = corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN
    pixel = max(FINEST, float(max(x1 - x0, y1 - y0)) / MOST_PIXELS)
    columns, rows = math.ceil((x1 - x0) / pixel), math.ceil((y1 - y0) / pixel)
    x, y = np.meshgrid(
        x0 + (np.arange(columns) + 0.5) * pixel, y0 + (np.arange(rows) + 0.5) * pixel
    )
    a, b, c = (0.0, 0.0, 0.0) if plane is None else plane.top
    height = np.nan_to_num(np.asarray(course.terrain.height(x, y)) - (a * x + b * y + c))
    return Shade(
        x=(float(x0), float(x0 + columns * pixel)), y=(float(y0), float(y0 + rows * pixel)),
        sun=_sunlit(height, pixel), sky=_open(height, pixel),
    )  # fmt: skip


def _open(height: NDArray[np.float64], pixel: float) -> NDArray[np.float64]:
    """Return how much of the sky each place sees: less beside what is higher."""
    seen = np.ones_like(height)
    for reach, share in REACHES:
        blurred = gaussian_filter(height, reach / pixel, mode="nearest")
        seen -= share * np.clip((blurred - height) / (0.45 * reach), 0.0, 1.0)
    return np.clip(seen, 0.0, 1.0)


def _sunlit(height: NDArray[np.float64], pixel: float) -> NDArray[np.float64]:
    """Return how much of the sun each place sees: the height field is shifted towards it."""
    level = np.hypot(*TO_SUN[:2])
    along_x, along_y, rise = TO_SUN[0] / level, TO_SUN[1] / level, TO_SUN[2] / level
    longest = min(float(np.ptp(height)) / rise, LONGEST)
    lit, last = np.ones_like(height), (0, 0)
    for step in range(1, math.ceil(longest / pixel) + 1):
        shift = round(along_y * step), round(along_x * step)
        if shift == last:
            continue
        last, away = shift, step * pixel
        moved = _shifted(height, shift)
        over = moved - height - rise * away
        lit = np.minimum(lit, np.clip(0.5 - over / (0.010 + 0.10 * away), 0.0, 1.0))
    return gaussian_filter(lit, 0.8)


def _shifted(height: NDArray[np.float64], shift: tuple[int, int]) -> NDArray[np.float64]:
    """Return for each pixel the height `shift` rows and columns further on; edges are repeated."""
    rows, columns = (
        np.clip(np.arange(count) + by, 0, count - 1)
        for count, by in zip(height.shape, shift, strict=True)
    )
    return height[rows][:, columns]


def light_on(
    normals: NDArray[np.float64], sun: NDArray[np.float64], sky: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the linear light (n, 3) on surfaces with these normals, by their shares of both.

    Scaled so that level ground under the open sky has at most 1.
    """
    facing = np.clip(normals @ to_sun(), 0.0, 1.0)
    above = 0.62 + 0.38 * normals[:, 2]
    light = SKYLIGHT * (above * sky)[:, None] + SUNLIGHT * (facing * sun)[:, None]
    return light / float(np.max(SKYLIGHT + to_sun()[2] * SUNLIGHT))
