"""Dry friction after Coulomb: a disk, or an ellipse along and across the belt; and none at all.

The largest friction is proportional to the load. On an ellipse the force is that of maximum
dissipation: the point whose outward normal is the slip, not the one against the slip.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.description.surface import Surface
from grouser.models.contact.traction.hooks import implement, limit, ratio
from grouser.models.contact.traction.law import SurfaceKey
from grouser.models.lanes.lanes import gather

LEAST_RATIO = 1e-3
"""Smallest friction across over along; 0 would leave a row without any effect [1]."""


class CoulombTables(NamedTuple):
    """Friction of each surface."""

    friction: NDArray[np.float64]
    """Along the belt, over the load [1]."""
    across: NDArray[np.float64]
    """Across the belt, over that along it [1]."""


@dataclass(frozen=True, slots=True)
class CoulombLaw:
    """Dry friction."""

    name: ClassVar[str] = "coulomb"
    keys: ClassVar[Mapping[str, SurfaceKey]] = {}
    memory: ClassVar[bool] = False

    def tables(self, surfaces: Sequence[Surface]) -> CoulombTables:
        """Return the friction of the surfaces."""
        return coulomb_tables(surfaces)


def coulomb_tables(surfaces: Sequence[Surface]) -> CoulombTables:
    """Return friction along, and across over along."""
    along = np.array([surface.friction for surface in surfaces], np.float64)
    across = np.array([surface.friction_across for surface in surfaces], np.float64)
    # A surface that holds across but not along: along as little as the ratio's range allows.
    along = np.maximum(along, LEAST_RATIO * across)
    shares = across / np.maximum(along, 1e-12)
    return CoulombTables(along, np.where(along > 0.0, np.maximum(shares, LEAST_RATIO), 1.0))


@implement(ratio, CoulombTables)
def _ratio(law: Any, point: Any) -> Any:
    return gather(law.across, point.surface)


@implement(limit, CoulombTables)
def _limit(law: Any, point: Any) -> Any:
    return gather(law.friction, point.surface) * point.factor * point.load


class NoTables(NamedTuple):
    """Nothing to know of a surface."""

    nothing: NDArray[np.float64]
    """Empty."""


@dataclass(frozen=True, slots=True)
class FrictionlessLaw:
    """No friction."""

    name: ClassVar[str] = "frictionless"
    keys: ClassVar[Mapping[str, SurfaceKey]] = {}
    memory: ClassVar[bool] = False

    def tables(self, surfaces: Sequence[Surface]) -> NoTables:
        """Return nothing."""
        return NoTables(np.zeros(1))
