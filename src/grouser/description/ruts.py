"""Ruts: the grid in which a course keeps how deep belts have pressed its soil."""

from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field

from grouser import limits
from grouser.description.schema import Degrees, Number, Positive, Table
from grouser.description.surface import Rectangle


class RutLane(Table):
    """A rut that is there from the start, as a table `[[ruts.lanes]]`. Placed by its middle."""

    x: Number = Field(alias="x_m", default=0.0)
    """Its middle along world x [m]."""
    y: Number = Field(alias="y_m", default=0.0)
    """Its middle along world y [m]."""
    yaw: Degrees = Field(alias="yaw_deg", default=0.0)
    """Direction of its length, counter-clockwise from world x [rad]."""
    length: Positive = Field(alias="length_m")
    """Size along `yaw` [m]."""
    width: Positive = Field(alias="width_m")
    """Size across `yaw` [m]."""
    depth: Positive = Field(alias="depth_m")
    """Greatest sinkage that made it [m]."""

    @property
    def footprint(self) -> Rectangle:
        """The rectangle that it covers in the world."""
        return Rectangle(x=self.x, y=self.y, yaw=self.yaw, length=self.length, width=self.width)


class Ruts(Table):
    """How a course keeps ruts, as a table `[ruts]`; they are only where there is a soil."""

    on: bool = True
    """Whether belts leave ruts."""
    cell: Annotated[Positive, Ge(limits.RUT_CELL[0]), Le(limits.RUT_CELL[1])] = Field(
        alias="cell_m", default=0.02
    )
    """Side of a cell of the grid; a fifth of a belt's width is enough [m]."""
    lanes: tuple[RutLane, ...] = Field(default=(), max_length=limits.PIECES)
    """Ruts that are there from the start; where they overlap, the deepest counts."""
