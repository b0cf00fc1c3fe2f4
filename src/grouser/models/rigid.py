"""Rigid bodies: masses and convex parts, in the frame of a body."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HULL = "hull"
"""Name of the body that carries everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inertia:
    """Mass of a rigid body."""

    mass: float
    """Mass [kg]."""
    centre: NDArray[np.float64]
    """Centre of mass (3) in the body's frame [m]."""
    moments: NDArray[np.float64]
    """Inertia tensor (3, 3) about the centre, in the body's frame [kg m^2]."""


def combine_inertias(parts: Sequence[Inertia]) -> Inertia:
    """Return the inertia of parts that are fixed to each other."""
    mass = sum(part.mass for part in parts)
    centre = sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass
    moments = np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        moments += part.moments + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Inertia(mass=mass, centre=centre, moments=moments)


def box_inertia(mass: float, size: Sequence[float], centre: Sequence[float]) -> Inertia:
    """Return the inertia of a uniform box."""
    squares = np.square(size)
    moments = np.diag(mass / 12.0 * (squares.sum() - squares))
    return Inertia(mass=mass, centre=np.array(centre, np.float64), moments=moments)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvexShape:
    """A convex part of the hull."""

    name: str
    """Name in contacts and drawings."""
    vertices: NDArray[np.float64]
    """Corners (m, 3) in the body frame [m]."""
