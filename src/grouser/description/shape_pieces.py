"""Pieces of terrain that are round: logs, pipes, posts, cones."""

import math
from typing import Annotated, Literal, Self, TypeAlias

from annotated_types import Ge, Le
from pydantic import AfterValidator, Field, model_validator

from grouser.description.convex_shapes import place_shape, round_shape
from grouser.description.mesh import Mesh
from grouser.description.piece import PlacedPiece
from grouser.description.pieces import Tilt, register_piece
from grouser.description.schema import NotNegative, Positive

MOST_FACETS = 128
"""Flat faces around a round piece, at most [1]."""


def _are_whole(count: int) -> int:
    if count % 4:
        raise ValueError(f"must be a multiple of 4, such as 24, not {count}")
    return count


Facets: TypeAlias = Annotated[int, Ge(8), Le(MOST_FACETS), AfterValidator(_are_whole)]
"""Number of flat faces that stand for a round one."""


class RoundPiece(PlacedPiece):
    """A round piece, made of flat faces; 24 of them lie within 0.9 % of its radius."""

    facets: Facets = 24
    """Number of flat faces around it; their corners lie on the circle [1]."""

    @property
    def features(self) -> frozenset[str]:
        """A shape that may overhang."""
        return frozenset({"mesh"})


@register_piece
class CylinderPiece(RoundPiece):
    """A log, pipe or post; placed by its middle, its lowest line or corner on its base."""

    kind: Literal["cylinder"] = "cylinder"
    """Kind of the piece."""
    diameter: Positive = Field(alias="diameter_m")
    """Diameter [m]."""
    length: Positive = Field(alias="length_m")
    """Size along its axis [m]."""
    standing: bool = False
    """Whether its axis points up; else it lies, its axis along its direction."""
    pitch: Tilt = Field(alias="pitch_deg", default=0.0)
    """Angle by which it is tilted, its front end down [rad]."""

    def solids(self) -> tuple[Mesh, ...]:
        """Return the cylinder."""
        radius = 0.5 * self.diameter
        points, triangles = round_shape(radius, radius, self.length, self.facets)
        if not self.standing:
            # Up becomes ahead, and behind becomes up: a turn by a quarter, without rounding.
            x, y, z = points.T
            points = points.copy()
            points[:, 0], points[:, 1], points[:, 2] = z.copy(), y.copy(), -x.copy()
        return (place_shape(self, (points, triangles), pitch=self.pitch),)


@register_piece
class ConePiece(RoundPiece):
    """A cone, or a truncated one, upright on its base; placed by its middle."""

    kind: Literal["cone"] = "cone"
    """Kind of the piece."""
    diameter: Positive = Field(alias="diameter_m")
    """Diameter at its foot [m]."""
    height: Positive = Field(alias="height_m")
    """Height [m]."""
    top_diameter: NotNegative = Field(alias="top_diameter_m", default=0.0)
    """Diameter at its top; 0 for a tip [m]."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.top_diameter > self.diameter:
            raise ValueError(
                f"top_diameter_m must be at most diameter_m, {self.diameter:g}, "
                f"not {self.top_diameter:g}"
            )
        return self

    @property
    def angle(self) -> float:
        """Angle at which its side rises [rad]."""
        return math.atan2(self.height, 0.5 * (self.diameter - self.top_diameter))

    def solids(self) -> tuple[Mesh, ...]:
        """Return the cone."""
        shape = round_shape(0.5 * self.diameter, 0.5 * self.top_diameter, self.height, self.facets)
        return (place_shape(self, shape),)
