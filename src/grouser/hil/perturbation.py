"""How a real robot may differ from its description: slip by a fifth, width by three percent."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

SLIP_SPREAD, WIDTH_SPREAD = 0.2, 0.03
"""How far slip ratios and the equivalent wheelbase may be off, either way [1]."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Factors on what the robot's file says; numbers, or one for each of many robots."""

    left: NDArray[np.float64]
    """On the slip ratio of the left track [1]."""
    right: NDArray[np.float64]
    """On the slip ratio of the right track [1]."""
    width: NDArray[np.float64]
    """On the equivalent wheelbase [1]."""
    names: tuple[str, ...]
    """What each robot is called."""

    def __len__(self) -> int:
        return len(self.names)


def corners() -> Perturbation:
    """Return the nominal robot, and every corner of what may be off.

    First come those where both tracks slip more or both less, as on another floor; then those
    where one slips more and the other less, which bends every straight line.
    """
    slips = [(+1, +1), (-1, -1), (+1, -1), (-1, +1)]
    signs = [(0, 0, 0), *((*slip, width) for slip, width in product(slips, (+1, -1)))]
    table = np.array(signs, dtype=np.float64)
    names = tuple(_name(*sign) if any(sign) else "nominal" for sign in signs)
    return Perturbation(
        left=1.0 + SLIP_SPREAD * table[:, 0],
        right=1.0 + SLIP_SPREAD * table[:, 1],
        width=1.0 + WIDTH_SPREAD * table[:, 2],
        names=names,
    )


def draws(count: int, random: Generator) -> Perturbation:
    """Return robots drawn evenly from what may be off, with one floor under both tracks."""
    slip = random.uniform(1.0 - SLIP_SPREAD, 1.0 + SLIP_SPREAD, count)
    width = random.uniform(1.0 - WIDTH_SPREAD, 1.0 + WIDTH_SPREAD, count)
    return Perturbation(slip, slip, width, tuple(f"draw {n}" for n in range(count)))


def _name(left: int, right: int, width: int) -> str:
    percent = round(100 * SLIP_SPREAD)
    slips = f"slip {percent * left:+d}/{percent * right:+d} %"
    return f"{slips}, L {round(100 * WIDTH_SPREAD) * width:+d} %"
