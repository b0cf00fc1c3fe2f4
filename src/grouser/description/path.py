"""Reference paths of lines, arcs and turns, and their tables in files."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from grouser import limits
from grouser.description.schema import Degrees, Number, Positive, Table
from grouser.errors import InvalidValue, show_value
from grouser.geometry import Scalar, arc_displacement, rotate, running_length, wrap_angle

CHORD_ERROR = 5e-5
"""How far `Path.line`, which has chords for arcs, may be from the path [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """A line or an arc, driven after a turn in place (which may be none)."""

    turn: float = 0.0
    """Turn in place before it, positive to the left [rad]."""
    length: float = 0.0
    """Length; zero where there is only a turn [m]."""
    curvature: float = 0.0
    """One over its radius, positive to the left; zero for a line [1/m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corner:
    """A place where the path turns without moving."""

    at: float
    """Path length there [m]."""
    angle: float
    """How far it turns, positive to the left [rad]."""


class _Layout(NamedTuple):
    """Where each leg that moves starts and ends."""

    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    headings: NDArray[np.float64]
    curvatures: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Path:
    """Legs one after the other, measured by the path length s from the start.

    s is clipped to the path. Headings are not wrapped; at a corner, the heading is the one
    after the turn. Questions take numbers or arrays of any shape.
    """

    x: float = 0.0
    """Start along world x [m]."""
    y: float = 0.0
    """Start along world y [m]."""
    heading: float = 0.0
    """Direction at the start, before any turn in place [rad]."""
    legs: tuple[Leg, ...]
    """Lines, arcs and turns."""

    def __post_init__(self) -> None:
        least, most = limits.RANGES["m"]
        if not least <= self.length <= most:
            required = f"have lines or arcs of {least:g} to {most:g} m together"
            raise InvalidValue("path", f"{self.length:g} m", required)
        chords = sum(_chords(leg) for leg in self.legs)
        if chords > limits.CHORDS:
            required = f"be made of at most {limits.CHORDS:,} chords, with fewer or wider turns"
            raise InvalidValue("path", f"{chords:,}", required)

    @cached_property
    def length(self) -> float:
        """Length [m]."""
        return math.fsum(leg.length for leg in self.legs)

    @cached_property
    def corners(self) -> tuple[Corner, ...]:
        """Where it turns in place, in the order of driving; turns at one place are added."""
        angles: dict[float, float] = {}
        for number, leg in enumerate(self.legs):
            if leg.turn:
                at = math.fsum(before.length for before in self.legs[:number])
                angles[at] = angles.get(at, 0.0) + leg.turn
        return tuple(Corner(at=at, angle=angle) for at, angle in angles.items())

    @cached_property
    def line(self) -> shapely.LineString:
        """The path with chords for arcs, nowhere farther from it than `CHORD_ERROR`."""
        x, y, _ = self.at(self._line_stations)
        return shapely.LineString(np.stack((x, y), axis=-1))

    def at(self, s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Return x, y [m] and heading [rad] at path lengths, exactly."""
        layout, s = self._layout, np.clip(s, 0.0, self.length)
        leg = self._leg_at(s)
        ahead, heading = s - layout.starts[leg], layout.headings[leg]
        turned = layout.curvatures[leg] * ahead
        dx, dy = arc_displacement(ahead, 0.0, turned, heading, 1.0)
        heading = np.where(s < self.length, heading + turned, self._last_heading)
        return layout.x[leg] + dx, layout.y[leg] + dy, heading[()]

    def curvature(self, s: Scalar) -> Scalar:
        """Return one over the radius at path lengths, positive to the left [1/m]."""
        return self._layout.curvatures[self._leg_at(np.clip(s, 0.0, self.length))]

    def points(self, spacing: float) -> NDArray[np.float64]:
        """Return points (n, 2) of the path at most `spacing` apart, with ends and corners [m]."""
        layout = self._layout
        counts = np.ceil((layout.ends - layout.starts) / spacing)
        return np.stack(self.at(self._stations(counts))[:2], axis=-1)

    def distance(self, x: Scalar, y: Scalar) -> Scalar:
        """Return how far points are from the nearest of the path, within `CHORD_ERROR` [m]."""
        return shapely.distance(self.line, shapely.points(x, y))

    def nearest(
        self, x: Scalar, y: Scalar, near: Scalar | None = None, window: float = 0.3
    ) -> Scalar:
        """Return the path length of the point of the path that is nearest to (x, y) [m].

        A path that comes back to where it was has several near points; `near`, such as the last
        answer, selects one, looked for as far as `window` forward and backward [m].
        """
        layout = self._layout
        if near is None:
            # The polyline gives the leg; the exact point is on that leg or next to it.
            located = shapely.line_locate_point(self.line, shapely.points(x, y))
            leg = self._leg_at(np.interp(located, self._line_lengths, self._line_stations))
            first, last = np.maximum(leg - 1, 0), np.minimum(leg + 1, len(layout.starts) - 1)
            low, high = layout.starts[first], layout.ends[last]
        else:
            low = np.clip(np.subtract(near, window), 0.0, self.length)
            high = np.clip(np.add(near, window), 0.0, self.length)
            first, last = np.searchsorted(layout.ends, low), self._leg_at(high)
        count = int(np.max(last - first, initial=0)) + 1
        column = np.arange(count).reshape(-1, *(1,) * np.broadcast(x, y, low).ndim)
        legs = np.minimum(first + column, last)
        s, distance = self._project(legs, x, y, low, high)
        best = np.argmin(distance, axis=0, keepdims=True)
        return np.take_along_axis(np.broadcast_to(s, distance.shape), best, axis=0)[0][()]

    def _project(
        self, leg: NDArray[np.intp], x: Scalar, y: Scalar, low: Scalar, high: Scalar
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return, between `low` and `high`, the path length nearest on legs, and the distance.

        Seen from the start of a leg (u ahead, v left), the point of an arc that looks at
        (u, v) has turned by atan2(k u, 1 - k v); with k = 0 that is the line.
        """
        layout = self._layout
        start, curvature = layout.starts[leg], layout.curvatures[leg]
        length = layout.ends[leg] - start
        u, v = rotate(x - layout.x[leg], y - layout.y[leg], -layout.headings[leg])
        low, high = np.clip(low - start, 0.0, length), np.clip(high - start, 0.0, length)
        middle = 0.5 * (low + high)
        bent = np.where(curvature == 0.0, 1.0, curvature)
        turned = np.arctan2(curvature * u, 1.0 - curvature * v) - curvature * middle
        ahead = np.where(curvature == 0.0, u, middle + wrap_angle(turned) / bent)
        ahead = np.clip(ahead, low, high)
        du, dv = arc_displacement(ahead, 0.0, curvature * ahead, 0.0, 1.0)
        return start + ahead, np.hypot(u - du, v - dv)

    def _leg_at(self, s: Scalar) -> NDArray[np.intp]:
        """Return which leg is driven at path lengths; at a joint, the one that follows."""
        starts = self._layout.starts
        return np.minimum(np.searchsorted(starts, s, side="right") - 1, len(starts) - 1)

    @cached_property
    def _layout(self) -> _Layout:
        rows: list[tuple[float, ...]] = []
        x, y, heading = self.x, self.y, self.heading
        for number, leg in enumerate(self.legs):
            heading += leg.turn
            turn = leg.curvature * leg.length
            if leg.length > 0.0:
                start, end = (
                    math.fsum(before.length for before in self.legs[:upto])
                    for upto in (number, number + 1)
                )
                rows.append((start, end, x, y, heading, leg.curvature))
            dx, dy = arc_displacement(leg.length, 0.0, turn, heading, 1.0)
            x, y, heading = x + float(dx), y + float(dy), heading + turn
        return _Layout(*np.array(rows).T)

    @cached_property
    def _last_heading(self) -> float:
        turns = (leg.turn + leg.curvature * leg.length for leg in self.legs)
        return self.heading + math.fsum(turns)

    @cached_property
    def _line_stations(self) -> NDArray[np.float64]:
        """Path lengths of the vertices of `line`."""
        return self._stations(np.array([_chords(leg) for leg in self.legs if leg.length > 0.0]))

    @cached_property
    def _line_lengths(self) -> NDArray[np.float64]:
        """Length of `line` up to each of its vertices."""
        chords = np.linalg.norm(np.diff(shapely.get_coordinates(self.line), axis=0), axis=-1)
        return running_length(chords)

    def _stations(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return path lengths that divide each leg into `counts` equal parts (one at least)."""
        layout = self._layout
        parts = [
            np.linspace(start, end, max(int(count), 1), endpoint=False)
            for start, end, count in zip(layout.starts, layout.ends, counts, strict=True)
        ]
        return np.append(np.concatenate(parts), self.length)


def _chords(leg: Leg) -> int:
    """Return how many chords approximate a leg, none farther from it than `CHORD_ERROR`."""
    bend = abs(leg.curvature)
    most = 2.0 * math.acos(min(max(1.0 - CHORD_ERROR * bend, -1.0), 1.0))
    # Where the circle is so wide that its chord is as good, the angle is rounded to nothing.
    return max(math.ceil(bend * leg.length / most), 1) if most > 0.0 else 1


def _refuse_zero(angle: float) -> float:
    if angle == 0.0:
        raise ValueError("must turn left (above zero) or right (below zero), not 0")
    return angle


Turn = Annotated[Degrees, AfterValidator(_refuse_zero)]
"""A turn, positive to the left, written in degrees, kept in radians."""


class LineElement(Table):
    """A straight line."""

    length: Positive = Field(alias="line_m")
    """Length [m]."""

    def leg(self) -> Leg:
        """Return it as a part of a path."""
        return Leg(length=self.length)


class ArcElement(Table):
    """A part of a circle."""

    radius: Positive = Field(alias="arc_radius_m")
    """Radius of the circle [m]."""
    turn: Turn = Field(alias="turn_deg")
    """Change of heading, positive to the left [rad]."""

    def leg(self) -> Leg:
        """Return it as a part of a path."""
        return Leg(
            length=self.radius * abs(self.turn),
            curvature=math.copysign(1.0 / self.radius, self.turn),
        )


class TurnElement(Table):
    """A turn in place."""

    turn: Turn = Field(alias="turn_in_place_deg")
    """Change of heading, positive to the left [rad]."""

    def leg(self) -> Leg:
        """Return it as a part of a path."""
        return Leg(turn=self.turn)


ELEMENTS: dict[str, type[Table]] = {
    "line_m": LineElement,
    "arc_radius_m": ArcElement,
    "turn_in_place_deg": TurnElement,
}
"""The elements of a path by their distinguishing key."""


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
"""One of the elements, distinguished by its keys."""


class Route(Table):
    """The path from the start of the course, as a table `[path]`."""

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
        """Return the path from a start; InvalidValue if all waypoints are there."""
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
