"""How the tracks' forces follow their slip, as measured (P3)."""

from typing import Annotated

from annotated_types import Gt, Le
from pydantic import Field

from grouser.description.schema import Friction, Number, Positive, Table


class ForceCurve(Table):
    """A magic formula: F = D sin(C atan(B s - E (B s - atan(B s)))) over a slip s."""

    stiffness_factor: Positive
    """B, for slips in radians or as a ratio [1]."""
    shape_factor: Positive
    """C [1]."""
    largest_force: Positive = Field(alias="largest_force_N")
    """D [N]."""
    curvature_factor: Annotated[Number, Le(1.0)] = 0.0
    """E [1]."""


class Traction(Table):
    """Forces of the whole robot across, and of each track along, on one surface."""

    friction: Annotated[Friction, Gt(0.0)]
    """Coefficient of friction of the surface on which they were measured [1]."""
    lateral: ForceCurve
    """Force of the whole robot across, over its sideslip angle."""
    track: ForceCurve
    """Force of one track along, over its slip ratio."""
    shift: Number = 0.0
    """Horizontal shift of that slip ratio, which stands for rolling resistance [1]."""
