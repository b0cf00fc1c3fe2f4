"""The closed path of a belt in the plane of its track.

Frame: x forward, z up, seen from the robot's right side. Headings and turns are angles about y,
as everywhere: a heading of 0 points forward, pi/2 down, pi rearward, 3 pi/2 up; a positive turn
is clockwise in this view. A loop runs as the belt does when the robot drives forward: rearward
below, up behind, forward above, down in front; its turns add up to +2 pi.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Scalar, running_length


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A straight piece of a loop."""

    x: float
    """Start along x [m]."""
    z: float
    """Start along z [m]."""
    heading: float
    """Direction of travel about y, 0 forward, pi/2 down [rad]."""
    length: float
    """Length [m]."""
    turn: ClassVar[float] = 0.0
    """Change of heading along it, 0 for a line [rad]."""
    curvature: ClassVar[float] = 0.0
    """Change of heading per length, 0 for a line [rad/m]."""

    @property
    def middle(self) -> tuple[float, float]:
        """The point half-way [m]."""
        half = 0.5 * self.length
        return self.x + half * math.cos(self.heading), self.z - half * math.sin(self.heading)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """A circular piece of a loop."""

    x: float
    """Start along x [m]."""
    z: float
    """Start along z [m]."""
    heading: float
    """Direction of travel at its start, about y, 0 forward, pi/2 down [rad]."""
    radius: float
    """Radius of its circle [m]."""
    turn: float
    """Change of heading along it, positive about y [rad]."""

    @property
    def length(self) -> float:
        """Length [m]."""
        return self.radius * abs(self.turn)

    @property
    def curvature(self) -> float:
        """Change of heading per length [rad/m]."""
        return math.copysign(1.0 / self.radius, self.turn)

    @property
    def centre(self) -> tuple[float, float]:
        """Centre of its circle [m]."""
        to_centre = math.copysign(self.radius, self.turn)
        return (
            self.x - to_centre * math.sin(self.heading),
            self.z - to_centre * math.cos(self.heading),
        )


Segment: TypeAlias = Line | Arc
"""A piece of a loop."""


@dataclass(frozen=True)
class Loop:
    """A closed path of lines and arcs; a place on it is the distance `s` along the belt."""

    segments: tuple[Segment, ...]
    """The pieces in the order in which the belt runs through them."""

    @cached_property
    def starts(self) -> NDArray[np.float64]:
        """Distance along the belt at which each segment starts [m]."""
        lengths = [segment.length for segment in self.segments]
        return running_length(lengths)[:-1]

    @cached_property
    def length(self) -> float:
        """Length of the belt [m]."""
        return math.fsum(segment.length for segment in self.segments)

    def segment_index_at(self, s: Scalar) -> NDArray[np.intp]:
        """Return which segment holds the place `s`; places repeat with the belt's length."""
        return np.searchsorted(self.starts, np.mod(s, self.length), side="right") - 1

    def point_at(self, s: Scalar) -> tuple[Scalar, Scalar]:
        """Return the point (x, z) at distance `s` along the belt [m]."""
        index, along = self._locate(s)
        x, z, heading, curvature = self._columns[:, index]
        # The chord of an arc points half-way between its first and last heading.
        half_turn = 0.5 * curvature * along
        chord = along * np.sinc(half_turn / np.pi)
        return x + chord * np.cos(heading + half_turn), z - chord * np.sin(heading + half_turn)

    def heading_at(self, s: Scalar) -> Scalar:
        """Return the direction of travel about y at `s` [rad]."""
        index, along = self._locate(s)
        _, _, heading, curvature = self._columns[:, index]
        return heading + curvature * along

    def normal_at(self, s: Scalar) -> tuple[Scalar, Scalar]:
        """Return the unit vector (x, z) that points out of the loop at `s` [1]."""
        heading = self.heading_at(s)
        return np.sin(heading), np.cos(heading)

    def outline(self, points_per_arc: int = 16) -> NDArray[np.float64]:
        """Return points (x, z), one row each, that draw the loop; the last joins the first [m]."""
        places = [
            start
            + np.arange(count := points_per_arc if segment.turn else 1) * segment.length / count
            for start, segment in zip(self.starts, self.segments, strict=True)
        ]
        return np.column_stack(self.point_at(np.concatenate(places)))

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """The rearmost and foremost x, the lowest and highest z [m]."""
        places = [
            start + (quarter - segment.heading) / segment.curvature if segment.turn else start
            for start, segment in zip(self.starts, self.segments, strict=True)
            for quarter in (segment.heading, *_quarters(segment))
        ]
        x, z = self.point_at(np.array(places))
        return float(np.min(x)), float(np.max(x)), float(np.min(z)), float(np.max(z))

    @property
    def contact_run(self) -> Line | None:
        """The lowest straight piece, which lies on the ground; None if all is round."""
        lines = [segment for segment in self.segments if isinstance(segment, Line)]
        # Rounding lets runs at the same height tie although they were computed.
        return min(lines, key=lambda a: (round(a.middle[1], 9), -a.length), default=None)

    @property
    def end_arcs(self) -> tuple[Arc, Arc]:
        """The arcs before and behind the contact run: where the belt comes down, and goes up."""
        run = self.contact_run
        first = self.segments.index(run) if run else 0
        around = self.segments[first:] + self.segments[:first]
        arcs = [segment for segment in around if isinstance(segment, Arc)]
        return arcs[-1], arcs[0]

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        return np.array([(s.x, s.z, s.heading, s.curvature) for s in self.segments]).T

    def _locate(self, s: Scalar) -> tuple[NDArray[np.intp], Scalar]:
        index = self.segment_index_at(s)
        return index, np.mod(s, self.length) - self.starts[index]


def _quarters(segment: Segment) -> list[float]:
    """Return the headings on an arc at which it is foremost, lowest, rearmost or highest [rad]."""
    first, last = sorted((segment.heading, segment.heading + segment.turn))
    quarter = 0.5 * math.pi
    numbers = range(math.ceil(first / quarter), math.floor(last / quarter) + 1)
    return [number * quarter for number in numbers] if segment.turn else []
