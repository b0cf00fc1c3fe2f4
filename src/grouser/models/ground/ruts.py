"""Ruts: what belts have pressed into soft ground."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class RutGrid:
    """Greatest sinkage of the ground, on a grid of the world."""

    x: float
    """Centre of the first cell, along x [m]."""
    y: float
    """Centre of the first cell, along y [m]."""
    cell: float
    """Size of a cell [m]."""
    depth: NDArray[np.float64]
    """Greatest sinkage so far; rows along y, columns along x [m]."""

    def copy(self) -> "RutGrid":
        """Return the ruts as they are now; those of a plant go on growing."""
        return RutGrid(x=self.x, y=self.y, cell=self.cell, depth=self.depth.copy())


@runtime_checkable
class HasRuts(Protocol):
    """What a plant offers whose ground may be soft."""

    @property
    def ruts(self) -> RutGrid | None:
        """Ruts so far, a view of what grows with every step; None without soil."""
        ...


def ruts_of(plant: object) -> RutGrid | None:
    """Return the ruts of a plant, a view that goes on growing; None if it has no soil."""
    return plant.ruts if isinstance(plant, HasRuts) else None
