"""The reference path as a course file writes it."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from grouser import limits
from grouser.description.path import Leg, Path
from grouser.description.schema import Degrees, Number, Positive, Table
from grouser.errors import show_value
from grouser.geometry import wrap_angle


def _refuse_zero(angle: float) -> float:
    if angle == 0.0:
        raise ValueError("must turn left (above zero) or right (below zero), not 0")
    return angle


Turn = Annotated[Degrees, AfterValidator(_refuse_zero)]
"""A turn, positive to the left, written in degrees, kept in radians."""


class LineElement(Table):
    """A straight line."""

    length: Positive = Field(alias="line_m")
    """How long it is [m]."""

    def leg(self) -> Leg:
        """Return it as a part of a path."""
        return Leg(length=self.length)


class ArcElement(Table):
    """A part of a circle."""

    radius: Positive = Field(alias="arc_radius_m")
    """Radius of the circle [m]."""
    turn: Turn = Field(alias="turn_deg")
    """By how much the heading changes, positive to the left [rad]."""

    def leg(self) -> Leg:
        """Return it as a part of a path."""
        return Leg(
            length=self.radius * abs(self.turn),
            curvature=math.copysign(1.0 / self.radius, self.turn),
        )


class TurnElement(Table):
    """A turn in place."""

    turn: Turn = Field(alias="turn_in_place_deg")
    """By how much the heading changes, positive to the left [rad]."""

    def leg(self) -> Leg:
        """Return it as a part of a path."""
        return Leg(turn=self.turn)


ELEMENTS: dict[str, type[Table]] = {
    "line_m": LineElement,
    "arc_radius_m": ArcElement,
    "turn_in_place_deg": TurnElement,
}
"""The elements of a path by the key that tells them apart."""


def _choose_element(content: Any) -> Any:
    if isinstance(content, Table):
        return content
    if not isinstance(content, Mapping):
        raise ValueError(f"must be a table such as {{line_m = 1.0}}, not {show_value(content)}")
    kinds = [element for key, element in ELEMENTS.items() if key in content]
    if len(kinds) != 1:
        raise ValueError(
            f"must have one of {', '.join(ELEMENTS)}, not {', '.join(content) or 'none'}"
        )
    return kinds[0].model_validate(content, by_alias=True, by_name=False)


AnyElement = Annotated[LineElement | ArcElement | TurnElement, BeforeValidator(_choose_element)]
"""One of the elements, told apart by its keys."""


class Route(Table):
    """What to follow from the start of the course, as a table `[path]`."""

    elements: tuple[AnyElement, ...] = Field(default=(), max_length=limits.PIECES)
    """Lines, arcs and turns in place, one after the other."""
    waypoints: tuple[tuple[Number, Number], ...] = Field(
        alias="waypoints_m", default=(), max_length=limits.WAYPOINTS
    )
    """Points of the world to drive to on straight lines, turning in place at each [m]."""

    @model_validator(mode="after")
    def _check(self) -> "Route":
        if bool(self.elements) == bool(self.waypoints):
            raise ValueError("needs either elements or waypoints_m")
        if self.elements and all(isinstance(element, TurnElement) for element in self.elements):
            raise ValueError("needs a line or an arc; turns in place alone are no path")
        return self

    def lay(self, x: float, y: float, heading: float) -> Path:
        """Return the path from a start.

        Raises:
            InvalidValue: All waypoints are at the start.
        """
        legs = [element.leg() for element in self.elements]
        legs += self._legs_to_waypoints(x, y, heading)
        return Path(x=x, y=y, heading=heading, legs=tuple(legs))

    def _legs_to_waypoints(self, x: float, y: float, heading: float) -> list[Leg]:
        legs: list[Leg] = []
        for next_x, next_y in self.waypoints:
            length = math.hypot(next_x - x, next_y - y)
            if length > 0.0:
                turn = float(wrap_angle(math.atan2(next_y - y, next_x - x) - heading))
                legs.append(Leg(turn=turn, length=length))
                x, y, heading = next_x, next_y, heading + turn
        return legs
