"""Seamless pictures of surfaces and of the sky, made of filtered noise.

Each texture is a function of nothing but its size: the same picture on every machine, without a
file. All of them repeat without a seam to the right and below.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Field: TypeAlias = NDArray[np.float64]
"""One number for each pixel (rows, columns)."""
Pixels: TypeAlias = NDArray[np.uint8]
"""Red, green and blue of each pixel (rows, columns, 3)."""
Tone: TypeAlias = tuple[float, float, float]
"""Red, green and blue, or changes of them, from 0 to 255."""

SIZE = 512
"""Side of a texture [pixels]."""
HAZE: Tone = (214, 222, 230)
"""Colour of the horizon."""
ZENITH: Tone = (74, 128, 196)
"""Colour of the sky straight above."""


def noise(size: int, slope: float, seed: int, stretch: tuple[float, float] = (1.0, 1.0)) -> Field:
    """Return seamless noise with mean 0 and deviation 1.

    Its amplitude falls as frequency**-slope; `stretch` multiplies the frequencies of rows and
    columns, which makes grains short in that direction [1].
    """
    rng = np.random.default_rng(seed)
    rows = np.fft.fftfreq(size)[:, None] * size * stretch[0]
    columns = np.fft.rfftfreq(size)[None, :] * size * stretch[1]
    frequency = np.hypot(rows, columns)
    frequency[0, 0] = 1.0
    spectrum = np.fft.rfft2(rng.standard_normal((size, size))) / frequency**slope
    spectrum[0, 0] = 0.0
    field = np.fft.irfft2(spectrum, (size, size))
    return field / field.std()


def paint(base: Tone, *layers: tuple[NDArray[Any], Sequence[float]]) -> Pixels:
    """Return a picture: a colour, plus fields times changes of colour."""
    out = np.tile(np.asarray(base, dtype=np.float64), (*layers[0][0].shape, 1))
    for field, change in layers:
        out += field[..., None] * np.asarray(change, dtype=np.float64)
    return np.clip(out, 0.0, 255.0).astype(np.uint8)


def cells(size: int, across: int, seed: int) -> tuple[Field, Field, NDArray[np.intp]]:
    """Return cells around scattered points, `across` of them along each side: stones, or scales.

    These are each pixel's distances to the nearest and the second nearest point [pixels], and the
    number of the nearest.
    """
    rng = np.random.default_rng(seed)
    step = size / across
    grid = np.stack(np.meshgrid(np.arange(across), np.arange(across), indexing="ij"), axis=-1)
    points = (grid + rng.uniform(0.1, 0.9, grid.shape)) * step
    at = np.stack(np.meshgrid(np.arange(size), np.arange(size), indexing="ij"), axis=-1) + 0.5
    home = (at / step).astype(np.intp)
    near = np.full((2, size, size), np.inf)
    number = np.zeros((size, size), dtype=np.intp)
    for row in (-1, 0, 1):
        for column in (-1, 0, 1):
            cell = (home + (row, column)) % across
            gap = np.abs(points[cell[..., 0], cell[..., 1]] - at)
            gap = np.minimum(gap, size - gap)  # the picture closes on itself
            away = np.hypot(gap[..., 0], gap[..., 1])
            closer = away < near[0]
            near[1] = np.where(closer, near[0], np.minimum(near[1], away))
            near[0] = np.where(closer, away, near[0])
            number = np.where(closer, cell[..., 0] * across + cell[..., 1], number)
    return near[0], near[1], number


def pavement(size: int = SIZE) -> Pixels:
    """Return concrete slabs, two along each side: their joints are a grid of one metre."""
    fine, coarse, stains = noise(size, 0.35, 1), noise(size, 1.3, 2), noise(size, 1.9, 3)
    slab = size // 2
    place = np.arange(size) % slab
    edge = np.minimum(place, slab - 1 - place) * (512.0 / size)
    line = np.minimum(edge[:, None], edge[None, :])
    joint = np.clip(1.0 - line / 1.6, 0.0, 1.0)
    worn = np.exp(-line / 9.0)
    tone = np.kron(np.random.default_rng(5).normal(0.0, 1.0, (2, 2)), np.ones((slab, slab)))
    return paint(
        (168, 165, 158),
        (fine, (5.0, 5.0, 4.8)), (coarse, (3.5, 3.5, 3.2)), (stains, (-3.0, -3.0, -2.6)),
        (tone, (2.6, 2.5, 2.2)), (worn, (-10.0, -10.0, -10.0)), (joint, (-58.0, -56.0, -52.0)),
    )  # fmt: skip


def concrete(size: int = SIZE) -> Pixels:
    """Return cast concrete with pores."""
    fine, coarse = noise(size, 0.3, 13), noise(size, 1.5, 14)
    pores = (noise(size, 0.5, 16) > 2.9).astype(np.float64)
    return paint(
        (186, 183, 176), (fine, (4.5, 4.5, 4.5)), (coarse, (6.0, 6.0, 5.4)), (pores, (-32.0,) * 3)
    )


def neutral(size: int = SIZE) -> Pixels:
    """Return a rubber mat with dimples: a surface of which only the name is known."""
    fine, coarse = noise(size, 0.4, 23), noise(size, 1.4, 24)
    place = np.abs(np.arange(size) % (size // 16) / (size / 16) - 0.5)
    dimples = np.clip(1.0 - np.hypot(place[:, None], place[None, :]) / 0.22, 0.0, 1.0)
    return paint(
        (112, 118, 126), (fine, (4.0,) * 3), (coarse, (3.5,) * 3), (dimples, (17.0, 17.0, 18.0))
    )


def asphalt(size: int = SIZE) -> Pixels:
    """Return asphalt: dark binder, lighter grains."""
    fine, coarse = noise(size, 0.1, 33), noise(size, 1.4, 34)
    grains = np.clip(noise(size, 0.5, 35) - 1.1, 0.0, 2.0)
    return paint((82, 83, 86), (fine, (9.0,) * 3), (coarse, (4.0,) * 3), (grains, (26.0,) * 3))


def wood(size: int = SIZE) -> Pixels:
    """Return planks along the columns, each with its own grain."""
    grain, rings = noise(size, 1.0, 43, (0.3, 6.0)), noise(size, 1.7, 44, (0.35, 3.0))
    planks = 4
    shift = np.random.default_rng(45).permutation(planks) * (size // 3)
    grain = np.concatenate(
        [np.roll(part, s, 1) for part, s in zip(np.split(grain, planks), shift, strict=True)]
    )
    place = np.arange(size) % (size // planks)
    edge = np.minimum(place, size // planks - 1 - place) * (512.0 / size)
    seam = np.repeat(np.clip(1.0 - edge / 1.5, 0.0, 1.0)[:, None], size, axis=1)
    tone = np.repeat(np.random.default_rng(46).normal(0.0, 1.0, planks), size // planks)
    return paint(
        (186, 146, 98),
        (grain, (12.0, 11.0, 9.0)), (np.sin(4.0 * rings), (5.0, 5.0, 4.0)),
        (np.repeat(tone[:, None], size, axis=1), (7.0, 6.0, 5.0)), (seam, (-30.0, -26.0, -20.0)),
    )  # fmt: skip


def earth(size: int = SIZE) -> Pixels:
    """Return dry earth with crumbs."""
    fine, coarse = noise(size, 0.6, 53), noise(size, 1.4, 54)
    stones = np.clip(noise(size, 0.8, 55) - 2.0, 0.0, 1.5)
    return paint(
        (134, 110, 82),
        (fine, (13.0, 12.0, 10.0)),
        (coarse, (11.0, 9.5, 7.5)),
        (stones, (40.0,) * 3),
    )


def grass(size: int = SIZE) -> Pixels:
    """Return short grass: blades in two directions, dry spots."""
    one, other = noise(size, 0.75, 63, (1.0, 3.0)), noise(size, 0.75, 64, (2.4, 1.0))
    dry = np.clip(noise(size, 1.5, 65), 0.0, 2.0)
    deep = np.minimum(one, other)
    return paint(
        (96, 122, 60),
        (np.maximum(one, other), (17.0, 19.0, 10.0)), (deep, (11.0, 13.0, 7.0)),
        (dry, (14.0, 7.0, 6.0)),
    )  # fmt: skip


def sand(size: int = SIZE) -> Pixels:
    """Return sand: grains, and ripples of the wind."""
    fine, ripples = noise(size, 0.15, 73), noise(size, 2.0, 74, (5.0, 1.0))
    return paint((208, 184, 142), (fine, (8.0, 8.0, 7.0)), (ripples, (7.0, 7.0, 6.0)))


def gravel(size: int = SIZE) -> Pixels:
    """Return rounded stones of several greys."""
    near, next_one, number = cells(size, 28, 83)
    round_top = np.clip((next_one - near) / (0.5 * size / 28), 0.0, 1.0) ** 0.6
    tone = np.random.default_rng(84).normal(0.0, 1.0, 28 * 28)[number]
    warm = np.random.default_rng(85).normal(0.0, 1.0, 28 * 28)[number]
    return paint(
        (70, 68, 64),
        (round_top, (76.0, 74.0, 70.0)), (tone * round_top, (17.0, 17.0, 17.0)),
        (warm * round_top, (6.0, 2.0, -4.0)), (noise(size, 0.3, 86), (5.0,) * 3),
    )  # fmt: skip


def mud(size: int = SIZE) -> Pixels:
    """Return wet mud with darker puddles."""
    fine, coarse = noise(size, 1.0, 93), noise(size, 1.6, 94)
    puddles = np.clip((noise(size, 1.9, 95) - 0.5) / 0.35, 0.0, 1.0)
    return paint(
        (98, 74, 50),
        (fine, (9.0, 8.0, 6.0)), (coarse, (10.0, 8.5, 6.0)), (puddles, (-24.0, -17.0, -8.0)),
    )  # fmt: skip


def clay(size: int = SIZE) -> Pixels:
    """Return clay that has dried and cracked."""
    near, next_one, number = cells(size, 9, 103)
    crack = np.clip(1.0 - (next_one - near) / 3.2, 0.0, 1.0)
    tone = np.random.default_rng(104).normal(0.0, 1.0, 81)[number]
    return paint(
        (164, 128, 102),
        (noise(size, 0.7, 105), (8.0, 7.0, 6.0)), (tone, (5.0, 4.0, 3.0)),
        (crack, (-62.0, -54.0, -46.0)),
    )  # fmt: skip


def snow(size: int = SIZE) -> Pixels:
    """Return snow with soft drifts."""
    fine, drifts = noise(size, 0.3, 113), noise(size, 1.9, 114, (1.6, 1.0))
    return paint((222, 228, 236), (fine, (4.0, 4.0, 3.5)), (drifts, (6.0, 5.0, 3.5)))


def ice(size: int = SIZE) -> Pixels:
    """Return ice with white veins and clouds."""
    clouds, field = noise(size, 1.8, 123), noise(size, 1.7, 124)
    veins = np.clip(1.0 - np.abs(field) / 0.03, 0.0, 1.0)
    return paint((176, 205, 222), (clouds, (10.0, 7.0, 5.0)), (veins, (52.0, 36.0, 26.0)))


def regolith(size: int = SIZE) -> Pixels:
    """Return grey dust with small craters, as on the moon."""
    fine, coarse = noise(size, 0.5, 133), noise(size, 1.5, 134)
    near, _, _ = cells(size, 7, 135)
    pit = np.exp(-((near / 9.0) ** 2)) - 0.5 * np.exp(-(((near - 13.0) / 5.0) ** 2))
    return paint((142, 141, 139), (fine, (10.0,) * 3), (coarse, (7.0,) * 3), (pit, (-26.0,) * 3))


MAKERS: dict[str, Callable[[int], Pixels]] = {
    "pavement": pavement, "concrete": concrete, "neutral": neutral, "asphalt": asphalt,
    "wood": wood, "earth": earth, "grass": grass, "sand": sand, "gravel": gravel, "mud": mud,
    "clay": clay, "snow": snow, "ice": ice, "regolith": regolith,
}  # fmt: skip
"""Texture of each material, by its name."""


def sky(width: int = 1024) -> Pixels:
    """Return the upper half of the sky: each column a direction, the last row the horizon.

    Haze at the horizon, blue above, thin clouds between; it closes on itself to the right.
    """
    height = width // 4
    up = np.linspace(90.0, 0.0, height)[:, None] * np.ones((1, width))
    share = (np.clip(up / 60.0, 0.0, 1.0) ** 0.55)[..., None]
    out = np.asarray(HAZE) + share * (np.asarray(ZENITH) - np.asarray(HAZE))
    field = noise(width, 1.7, 141, (1.0, 2.2))[:height] + 0.1 * noise(width, 1.1, 142)[:height]
    thick = np.clip(field - 0.35, 0.0, 1.5) / 1.5
    thick *= np.clip((up - 2.0) / 10.0, 0.0, 1.0) * np.clip((80.0 - up) / 30.0, 0.0, 1.0) * 0.7
    out += thick[..., None] * (np.array((250.0, 251.0, 252.0)) - out)
    return np.clip(out, 0.0, 255.0).astype(np.uint8)
