"""Colours of soils, and of ruts by their depth."""

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from grouser.drawing.colours import EARTH, Colour

DEPTHS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Depth from which each colour of a rut is used [m]: the same for all soils, so that pictures of
different soils can be compared."""
RUTS: tuple[Colour, ...] = (
    (0.91, 0.71, 0.32),
    (0.90, 0.56, 0.20),
    (0.82, 0.41, 0.18),
    (0.68, 0.28, 0.21),
    (0.51, 0.19, 0.26),
    (0.34, 0.12, 0.28),
    (0.17, 0.07, 0.22),
)
"""Colour of a rut from each depth on; lighter is shallower, for colour-blind people too."""
SOILS: dict[str, Colour] = {
    "snow": (0.87, 0.93, 1.0),
    "sand": (0.87, 0.79, 0.62),
    "clay": (0.66, 0.54, 0.46),
    "loam": (0.62, 0.55, 0.44),
    "lunar": (0.62, 0.62, 0.63),
}
"""Colour of a soil by a word of its name; others are drawn as earth."""


def soil_colour(name: str) -> Colour:
    """Return the colour of a soil that nothing has pressed."""
    return next((colour for word, colour in SOILS.items() if word in name), EARTH)


def depth_bands(depth: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return for each depth [m] the number of its colour in `RUTS`, counted from 1; 0 for none."""
    return np.searchsorted(DEPTHS, depth, side="right")


def legend(deepest: float) -> list[tuple[Colour, str]]:
    """Return the colours of ruts up to a depth [m], each with its range in words."""
    used = bisect_right(DEPTHS, deepest)
    ends = [f"{1e3 * depth:g}" for depth in DEPTHS]
    words = [f"{low} to {high} mm" for low, high in zip(ends, ends[1:], strict=False)]
    return list(zip(RUTS, (*words, f"over {ends[-1]} mm"), strict=True))[:used]
