"""How a file gives the loop of a belt: by pulleys, or by segments end to end."""

import math
from functools import cached_property
from itertools import combinations
from typing import Self

from pydantic import Field, model_validator

from grouser import limits
from grouser.description.loop import Loop
from grouser.description.loop_along import Piece, loop_along
from grouser.description.loop_around import loop_around
from grouser.description.schema import Degrees, Mistakes, Number, Positive, Table
from grouser.errors import InvalidValue


class Pulley(Table):
    """A circle that the belt runs around."""

    x: Number = Field(alias="x_m")
    """Centre along x [m]."""
    z: Number = Field(alias="z_m")
    """Centre along z [m]."""
    radius: Positive = Field(alias="radius_m")
    """Radius of the belt's outer side on it, grousers not counted [m]."""


class SegmentShape(Table):
    """A piece of a loop: a line with its length, or an arc with its radius and turn."""

    line: Positive | None = Field(default=None, alias="line_m")
    """Length of a line [m]."""
    arc_radius: Positive | None = Field(default=None, alias="arc_radius_m")
    """Radius of an arc [m]."""
    turn: Degrees | None = Field(default=None, alias="turn_deg")
    """How far an arc turns about y; positive keeps its centre inside the loop [rad]."""

    @model_validator(mode="after")
    def _is_line_or_arc(self) -> Self:
        is_line = self.line is not None and self.arc_radius is None and self.turn is None
        is_arc = self.line is None and self.arc_radius is not None and bool(self.turn)
        if not (is_line or is_arc):
            raise ValueError("give either line_m, or arc_radius_m and a turn_deg other than 0")
        return self

    @property
    def piece(self) -> Piece:
        """Its length and turn [m, rad]."""
        turn = self.turn or 0.0
        return self.line or (self.arc_radius or 0.0) * abs(turn), turn


class LoopShape(Table):
    """A closed loop in the track's plane: x forward, z up.

    Either `pulleys` in their order around the loop, or `segments` from `start_m` on, in the
    belt's direction of travel: rearward below, up behind, forward above, down in front.
    """

    pulleys: tuple[Pulley, ...] = Field(default=(), max_length=limits.TRACKS)
    """At least two circles; the belt is the outer tangent loop around them."""
    segments: tuple[SegmentShape, ...] = Field(default=(), max_length=limits.PIECES)
    """Lines and arcs that follow each other smoothly and close."""
    start: tuple[Number, Number] | None = Field(default=None, alias="start_m")
    """Where the first segment starts, along x and z [m]."""
    heading: Degrees = Field(default=math.pi, alias="heading_deg")
    """Direction of travel there, about y: 0 forward, 90 deg down, 180 deg rearward [rad]."""

    @cached_property
    def loop(self) -> Loop:
        """The loop itself."""
        if self.pulleys:
            return loop_around([(p.x, p.z, p.radius) for p in self.pulleys])
        return loop_along(self.start or (0.0, 0.0), self.heading, [s.piece for s in self.segments])

    @model_validator(mode="after")
    def _is_closed(self) -> Self:
        if bool(self.pulleys) == bool(self.segments):
            raise ValueError("give either pulleys, or segments with start_m")
        mistakes = self._mistakes_of_pulleys() if self.pulleys else self._mistakes_of_segments()
        if mistakes:
            raise Mistakes(mistakes)
        try:
            _ = self.loop
        except InvalidValue as error:
            raise ValueError(str(error)) from None
        return self

    def _mistakes_of_pulleys(self) -> list[str]:
        mistakes = []
        if self.start is not None or "heading" in self.model_fields_set:
            mistakes.append("pulleys need neither start_m nor heading_deg, which are for segments")
        if len(self.pulleys) < 2:
            mistakes.append("pulleys must be at least two, not one")
        for (i, a), (j, b) in combinations(enumerate(self.pulleys), 2):
            distance, difference = math.hypot(b.x - a.x, b.z - a.z), abs(b.radius - a.radius)
            if distance <= difference:
                inner, outer = (i, j) if a.radius <= b.radius else (j, i)
                mistakes.append(
                    f"pulleys[{inner}] lies inside pulleys[{outer}]: their centres are "
                    f"{distance:.6g} m apart and must be more than {difference:.6g} m apart"
                )
        return mistakes

    def _mistakes_of_segments(self) -> list[str]:
        return ["start_m is missing: segments need a place to start"] if self.start is None else []
