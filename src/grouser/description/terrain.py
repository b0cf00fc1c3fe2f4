"""The ground of a course, asked at any number of points at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from grouser.description.heightfield import HeightField
from grouser.description.riser import Riser, find_risers
from grouser.description.solid import Patch, Plane, Slab, Solid
from grouser.description.surface import GROUND, Surface
from grouser.description.tops import VOID, Index, Tops
from grouser.errors import UnknownName
from grouser.geometry import Pose, Scalar


@dataclass(frozen=True, kw_only=True, eq=False)
class Terrain:
    """Solids, of which the highest is the ground, and patches that change its surface.

    Points come as numbers or as arrays of any shape; answers have that shape. Where there is
    no solid, height, normal and friction are NaN. The edge above a vertical face belongs to the
    higher side.
    """

    solids: tuple[Solid, ...]
    """Everything to stand on."""
    patches: tuple[Patch, ...] = ()
    """Rectangles with another surface; where several overlap, the last counts."""
    surfaces: Mapping[str, Surface] = field(
        default_factory=lambda: MappingProxyType({GROUND: Surface()})
    )
    """The surfaces by name; their order gives the index that `surface` answers with."""

    def __post_init__(self) -> None:
        for part in chain(self.solids, self.patches):
            if part.surface not in self.surfaces:
                raise UnknownName("surface", part.surface, self.surfaces)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the height of the ground [m]."""
        return self._tops.highest(x, y)[1]

    def at(self, x: Scalar, y: Scalar) -> tuple[Scalar, NDArray[np.float64]]:
        """Return the height of the ground [m] and its unit normal (..., 3), which points up."""
        winner, height = self._tops.highest(x, y)
        rise_x, rise_y = self._tops.gradient(winner, x, y)
        norm = np.sqrt(1.0 + rise_x * rise_x + rise_y * rise_y)
        return height, np.stack(((0.0 - rise_x) / norm, (0.0 - rise_y) / norm, 1.0 / norm), -1)

    def pose_at(self, x: Scalar, y: Scalar, yaw: Scalar) -> Pose:
        """Return the pose of a body that lies on the tangent plane of the ground at (x, y)."""
        winner, height = self._tops.highest(x, y)
        rise_x, rise_y = self._tops.gradient(winner, x, y)
        cos, sin = np.cos(yaw), np.sin(yaw)
        rise_ahead, rise_left = rise_x * cos + rise_y * sin, rise_y * cos - rise_x * sin
        roll = np.arctan2(rise_left, np.hypot(1.0, rise_ahead))
        return Pose(x=x, y=y, z=height, roll=roll, pitch=0.0 - np.arctan(rise_ahead), yaw=yaw)

    def surface(self, x: Scalar, y: Scalar) -> Index:
        """Return which of the surfaces lies on top, by index; -1 where there is nothing."""
        winner, _ = self._tops.highest(x, y)
        index = self._surface_of_solid[winner]
        for patch, number in zip(self.patches, self._surface_of_patch, strict=True):
            painted = patch.footprint.contains(x, y) & (winner != VOID)
            index = np.where(painted, number, index)
        return int(index) if np.ndim(index) == 0 else index

    def friction(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the coefficient of friction along a track [1]."""
        return self._frictions[self.surface(x, y)]

    def friction_across(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the coefficient of friction across a track [1]."""
        return self._frictions_across[self.surface(x, y)]

    def slip_factor(self, x: Scalar, y: Scalar) -> Scalar:
        """Return slip as a multiple of that on the surface where it was measured [1]."""
        return self._slip_factors[self.surface(x, y)]

    def solid_at(self, x: float, y: float) -> Solid | None:
        """Return the solid on top at one point, or nothing."""
        winner, _ = self._tops.highest(x, y)
        return None if winner == VOID else self._ordered[int(winner) - 1]

    @property
    def planes(self) -> tuple[Plane, ...]:
        """The solids without end."""
        return tuple(solid for solid in self.solids if isinstance(solid, Plane))

    @property
    def slabs(self) -> tuple[Slab, ...]:
        """The blocks."""
        return tuple(solid for solid in self.solids if isinstance(solid, Slab))

    @property
    def fields(self) -> tuple[HeightField, ...]:
        """The height fields."""
        return tuple(solid for solid in self.solids if isinstance(solid, HeightField))

    @property
    def has_ground(self) -> bool:
        """Whether there is ground everywhere."""
        return bool(self.planes)

    @cached_property
    def is_flat(self) -> bool:
        """Whether all there is, beside patches, is one level plane at height zero."""
        match self.solids:
            case (Plane() as plane,):
                return plane.is_level and plane.z == 0.0
            case _:
                return False

    @cached_property
    def risers(self) -> tuple[Riser, ...]:
        """The vertical faces of level slabs, to climb or to fall from; see `find_risers`."""
        return tuple(chain.from_iterable(self._risers_by_slab.values()))

    @cached_property
    def smooth(self) -> "Terrain":
        """The terrain without the level slabs that make risers: ground, ramps, fields."""
        return Terrain(
            solids=tuple(s for s in self.solids if not self._risers_by_slab.get(s)),
            patches=self.patches,
            surfaces=self.surfaces,
        )

    @cached_property
    def _risers_by_slab(self) -> dict[Solid, tuple[Riser, ...]]:
        return {slab: find_risers(slab, self) for slab in self.slabs if slab.is_level}

    @cached_property
    def _ordered(self) -> tuple[Solid, ...]:
        return self.planes + self.slabs + self.fields

    @cached_property
    def _tops(self) -> Tops:
        return Tops(self.planes, self.slabs, self.fields)

    @cached_property
    def _surface_of_solid(self) -> NDArray[np.intp]:
        order = list(self.surfaces)
        return np.array([-1, *(order.index(solid.surface) for solid in self._ordered)])

    @cached_property
    def _surface_of_patch(self) -> tuple[int, ...]:
        order = list(self.surfaces)
        return tuple(order.index(patch.surface) for patch in self.patches)

    # Surface tables end with NaN, which is what index -1 finds.
    @cached_property
    def _frictions(self) -> NDArray[np.float64]:
        return np.array([*(s.friction for s in self.surfaces.values()), np.nan])

    @cached_property
    def _frictions_across(self) -> NDArray[np.float64]:
        return np.array([*(s.friction_across for s in self.surfaces.values()), np.nan])

    @cached_property
    def _slip_factors(self) -> NDArray[np.float64]:
        return np.array([*(s.slip_factor for s in self.surfaces.values()), np.nan])
