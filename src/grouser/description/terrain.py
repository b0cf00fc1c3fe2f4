"""Terrain: heights, slopes, friction and risers under a robot."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.solids import (
    VOID,
    Index,
    Patch,
    Plane,
    Slab,
    Solid,
    Tops,
    index_footprints,
)
from grouser.description.surface import GROUND, Surface
from grouser.errors import UnknownName
from grouser.geometry import Pose, Scalar

LEAST_HEIGHT = 1e-3
"""A face lower than this is no riser [m]."""
BESIDE = 1e-6
"""How far from a face the ground beside it is looked up [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Riser:
    """A vertical face, seen from above a line."""

    start: tuple[float, float]
    """One end of the line; the high side is to the left of the way from start to end [m]."""
    end: tuple[float, float]
    """The other end of the line [m]."""
    low: float
    """Height of the ground at its foot; where that is not level, at the middle [m]."""
    high: float
    """Height of its upper edge [m]."""
    normal_to_high: tuple[float, float]
    """Unit vector across the face, from its low side to its high side [1]."""

    @property
    def height(self) -> float:
        """Height [m]."""
        return self.high - self.low


class _Face:
    """One side of a slab, seen from above a line; the slab is to its left."""

    def __init__(self, start: NDArray[np.float64], end: NDArray[np.float64]) -> None:
        direction = (end - start) / np.linalg.norm(end - start)
        along_x, along_y = direction.tolist()
        self.start: tuple[float, float] = tuple(start.tolist())
        self.span: tuple[float, float] = tuple((end - start).tolist())
        self.inward = 0.0 - along_y, along_x

    def beside(self, fraction: float, distance: float) -> tuple[float, float]:
        """Return a point at a fraction of the face, moved inward by a distance."""
        return (
            self.start[0] + fraction * self.span[0] + distance * self.inward[0],
            self.start[1] + fraction * self.span[1] + distance * self.inward[1],
        )


def find_risers(slab: Slab, terrain: "Terrain", near: Sequence[Slab]) -> tuple[Riser, ...]:
    """Return the risers that a level slab makes in a terrain.

    A riser is a stretch of a side of the slab that is seen: nothing covers the slab there, and
    just outside the ground is lower by more than 1 mm. Where there is no ground outside, the
    foot of the riser is the underside of the slab. Where a slope leads onto the slab, the two
    sides that continue the sides of the slope count as little as those of the slope itself.
    `near` are the slabs that touch it or cover some of it, seen from above.
    """
    corners = slab.footprint.corners
    faces = [_Face(corners[i], corners[(i + 1) % 4]) for i in range(4)]
    continues = [_continues_slope(face, slab, terrain) for face in faces]
    risers: list[Riser] = []
    for i, face in enumerate(faces):
        if not (continues[i - 1] or continues[(i + 1) % 4]):
            risers += _risers_of_face(face, slab, terrain, near)
    return tuple(risers)


def _continues_slope(face: _Face, slab: Slab, terrain: "Terrain") -> bool:
    """Return whether a slope outside the middle of the face leads onto the slab."""
    outside = face.beside(0.5, -BESIDE)
    neighbour = terrain.solid_at(*outside)
    return (
        isinstance(neighbour, Slab)
        and not neighbour.is_level
        and abs(float(terrain.height(*outside)) - slab.top_end) < LEAST_HEIGHT
    )


def _risers_of_face(
    face: _Face, slab: Slab, terrain: "Terrain", near: Sequence[Slab]
) -> Iterator[Riser]:
    stretches: list[tuple[float, float, float]] = []
    for first, last in pairwise(_breaks(face, near)):
        low = _foot(face, 0.5 * (first + last), slab, terrain)
        if low is None:
            continue
        if stretches and stretches[-1][1] == first and abs(stretches[-1][2] - low) < 1e-9:
            first = stretches.pop()[0]
        stretches.append((first, last, low))
    for first, last, low in stretches:
        yield Riser(
            start=face.beside(first, 0.0),
            end=face.beside(last, 0.0),
            low=low,
            high=slab.top_end,
            normal_to_high=face.inward,
        )


def _foot(face: _Face, fraction: float, slab: Slab, terrain: "Terrain") -> float | None:
    """Return the height at the foot of the face, or nothing where there is no riser."""
    covered = float(terrain.height(*face.beside(fraction, BESIDE))) > slab.top_end + 1e-9
    low = float(terrain.height(*face.beside(fraction, -BESIDE)))
    low = slab.bottom if math.isnan(low) else low
    return None if covered or slab.top_end - low <= LEAST_HEIGHT else low


def _breaks(face: _Face, slabs: Iterable[Slab]) -> list[float]:
    """Return the fractions of a face where it may pass into or out of the sides of slabs."""
    (start_x, start_y), (span_x, span_y) = face.start, face.span
    breaks = {0.0, 1.0}
    for slab in slabs:
        sides = zip(
            (slab.footprint.along, slab.footprint.across),
            (0.5 * slab.footprint.length, 0.5 * slab.footprint.width),
            strict=True,
        )
        for (a, b, c), half in sides:
            at_start, change = a * start_x + b * start_y + c, a * span_x + b * span_y
            if abs(change) > 1e-9:
                breaks |= {round((side - at_start) / change, 12) for side in (-half, half)}
    return sorted(fraction for fraction in breaks if 0.0 <= fraction <= 1.0)


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
        return self._by_surface["friction"][self.surface(x, y)]

    def friction_across(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the coefficient of friction across a track [1]."""
        return self._by_surface["friction_across"][self.surface(x, y)]

    def slip_factor(self, x: Scalar, y: Scalar) -> Scalar:
        """Return slip as a multiple of that on the surface where it was measured [1]."""
        return self._by_surface["slip_factor"][self.surface(x, y)]

    def solid_at(self, x: float, y: float) -> Solid | None:
        """Return the solid on top at one point, or nothing."""
        winner, _ = self._tops.highest(x, y)
        return None if winner == VOID else self._ordered[int(winner) - 1]

    @cached_property
    def planes(self) -> tuple[Plane, ...]:
        """The solids without end."""
        return tuple(solid for solid in self.solids if isinstance(solid, Plane))

    @cached_property
    def slabs(self) -> tuple[Slab, ...]:
        """The blocks."""
        return tuple(solid for solid in self.solids if isinstance(solid, Slab))

    @cached_property
    def fields(self) -> tuple[HeightField, ...]:
        """The height fields."""
        return tuple(solid for solid in self.solids if isinstance(solid, HeightField))

    @cached_property
    def meshes(self) -> tuple[Mesh, ...]:
        """The closed meshes."""
        return tuple(solid for solid in self.solids if isinstance(solid, Mesh))

    @property
    def has_ground(self) -> bool:
        """Whether there is ground to drive on: planes, or height fields, which end somewhere."""
        return bool(self.planes or self.fields)

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
        if not self.slabs:
            return {}
        slabs, others = index_footprints(self.slabs).neighbours(0.0)
        near = np.split(others, np.searchsorted(slabs, np.arange(1, len(self.slabs))))
        return {
            slab: find_risers(slab, self, [self.slabs[other] for other in near[number].tolist()])
            for number, slab in enumerate(self.slabs)
            if slab.is_level
        }

    @cached_property
    def _ordered(self) -> tuple[Solid, ...]:
        return self.planes + self.slabs + self.fields + self.meshes

    @cached_property
    def _tops(self) -> Tops:
        return Tops(self.planes, self.slabs, self.fields, self.meshes)

    @cached_property
    def _surface_of_solid(self) -> NDArray[np.intp]:
        order = {name: number for number, name in enumerate(self.surfaces)}
        return np.array([-1, *(order[solid.surface] for solid in self._ordered)])

    @cached_property
    def _surface_of_patch(self) -> tuple[int, ...]:
        order = list(self.surfaces)
        return tuple(order.index(patch.surface) for patch in self.patches)

    @cached_property
    def _by_surface(self) -> dict[str, NDArray[np.float64]]:
        """Numbers of the surfaces by name; they end with NaN, which is what index -1 finds."""
        return {
            name: np.array([*(getattr(s, name) for s in self.surfaces.values()), np.nan])
            for name in ("friction", "friction_across", "slip_factor")
        }
