"""Loops from pulleys or segments."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Self, TypeAlias

import numpy as np
from pydantic import Field, model_validator

from grouser import limits
from grouser.description.loop import Arc, Line, Loop, Segment
from grouser.description.schema import Degrees, Mistakes, Number, Positive, Table
from grouser.errors import InvalidValue

Circle: TypeAlias = tuple[float, float, float]
"""A pulley: x and z of its centre, and its radius [m]."""


def loop_around(pulleys: Sequence[Circle]) -> Loop:
    """Return the outer tangent loop around pulleys, which starts with its contact run.

    Along a tangent, the outward normal n is the same on both pulleys, so that
    n . (c2 - c1) = r1 - r2.
    """
    circles = _in_order_of_travel(pulleys)
    headings = [
        _tangent_heading(*pair) for pair in zip(circles, circles[1:] + circles[:1], strict=True)
    ]
    turns = [_turn(headings[i - 1], headings[i]) for i in range(len(circles))]
    if abs(math.fsum(turns) - 2.0 * math.pi) > 1e-6:
        required = "be listed in their order around the belt, each touched by it from inside"
        raise InvalidValue("pulleys", list(pulleys), required)
    segments: list[Segment] = []
    for i, (circle, turn) in enumerate(zip(circles, turns, strict=True)):
        following = circles[(i + 1) % len(circles)]
        start = _touch_point(circle, headings[i])
        end = _touch_point(following, headings[i])
        if turn:
            x, z = _touch_point(circle, headings[i] - turn)
            segments.append(Arc(x=x, z=z, heading=headings[i] - turn, radius=circle[2], turn=turn))
        segments.append(
            Line(x=start[0], z=start[1], heading=headings[i], length=math.dist(start, end))
        )
    return Loop(_start_with_contact_run(_merge_lines(segments)))


def _in_order_of_travel(pulleys: Sequence[Circle]) -> list[Circle]:
    """Return the pulleys clockwise, as the belt meets them."""
    x, z = np.array(pulleys)[:, 0], np.array(pulleys)[:, 1]
    double_area = float(np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z))
    return list(reversed(pulleys)) if double_area > 0.0 else list(pulleys)


def _tangent_heading(first: Circle, second: Circle) -> float:
    dx, dz = second[0] - first[0], second[1] - first[1]
    distance = math.hypot(dx, dz)
    if distance <= abs(first[2] - second[2]):
        raise InvalidValue("pulleys", [first, second], "not lie inside one another")
    return math.atan2(-dz, dx) + math.asin((first[2] - second[2]) / distance)


def _touch_point(circle: Circle, heading: float) -> tuple[float, float]:
    x, z, radius = circle
    return x + radius * math.sin(heading), z + radius * math.cos(heading)


def _turn(before: float, after: float) -> float:
    """Return the turn from one heading to the next, not negative; noise around 0 is 0 [rad]."""
    turn = math.fmod(after - before + 4.0 * math.pi, 2.0 * math.pi)
    return 0.0 if min(turn, 2.0 * math.pi - turn) < 1e-9 else turn


def _merge_lines(segments: list[Segment]) -> list[Segment]:
    """Join lines that follow each other where a pulley only touches the belt."""
    first = next(i for i, segment in enumerate(segments) if isinstance(segment, Arc))
    merged: list[Segment] = []
    for segment in segments[first:] + segments[:first]:
        last = merged[-1] if merged else None
        if isinstance(last, Line) and isinstance(segment, Line):
            length = last.length + segment.length
            merged[-1] = Line(x=last.x, z=last.z, heading=last.heading, length=length)
        else:
            merged.append(segment)
    return merged


def _start_with_contact_run(segments: list[Segment]) -> tuple[Segment, ...]:
    """Rotate the list, and count headings up from the first, between 0 and 2 pi."""
    run = Loop(tuple(segments)).contact_run
    first = segments.index(run) if run else 0
    heading = segments[first].heading % (2.0 * math.pi)
    rotated: list[Segment] = []
    for segment in segments[first:] + segments[:first]:
        rotated.append(replace(segment, heading=heading))
        heading += segment.turn
    return tuple(rotated)


Piece: TypeAlias = tuple[float, float]
"""Length and turn [m, rad]; a piece without turn is a line."""

GAP_ALLOWED = 1e-4
"""How far the end of a loop may be from its start [m]."""
TURN_ALLOWED = 1e-6
"""How far the turns of a loop may be from one full turn [rad]."""


def loop_along(start: tuple[float, float], heading: float, pieces: Iterable[Piece]) -> Loop:
    """Return the loop that joins pieces end to end, from a start (x, z) [m] and heading [rad]."""
    segments: list[Segment] = []
    (x, z), now = start, heading
    for length, turn in pieces:
        if turn:
            segments.append(Arc(x=x, z=z, heading=now, radius=length / abs(turn), turn=turn))
        else:
            segments.append(Line(x=x, z=z, heading=now, length=length))
        chord = length * float(np.sinc(turn / (2.0 * math.pi)))
        x += chord * math.cos(now + 0.5 * turn)
        z -= chord * math.sin(now + 0.5 * turn)
        now += turn
    if abs(now - heading - 2.0 * math.pi) > TURN_ALLOWED:
        way = "rearward below, up behind, forward above, down in front"
        raise InvalidValue("the sum of turn_deg", math.degrees(now - heading), f"be 360 ({way})")
    gap = start[0] - x, start[1] - z
    if math.hypot(*gap) > GAP_ALLOWED:
        raise InvalidValue(
            "the gap in mm between the end of the last segment and the start of the loop",
            float(f"{1000.0 * math.hypot(*gap):.6g}"),
            f"be at most {1000.0 * GAP_ALLOWED:g}{_cure(segments, gap)}",
        )
    return Loop(tuple(segments))


def _cure(segments: list[Segment], gap: tuple[float, float]) -> str:
    """Return which lengths would close the gap: of one line if that can do it, else of all."""
    lines = [(i, segment) for i, segment in enumerate(segments) if isinstance(segment, Line)]
    for chosen in [*([line] for line in lines), lines]:
        lengths = _closing_lengths([line for _, line in chosen], gap)
        if lengths is not None:
            indices = [index for index, _ in chosen]
            pairs = zip(indices, lengths, strict=True)
            wanted = (f"segments[{i}].line_m = {length:.6g}" for i, length in pairs)
            return f" ({' and '.join(wanted)} would close it)"
    return ""


def _closing_lengths(lines: list[Line], gap: tuple[float, float]) -> list[float] | None:
    """Return the lengths nearest to the present ones that close the gap, if there are any [m]."""
    steps = np.array([[math.cos(line.heading), -math.sin(line.heading)] for line in lines]).T
    if not steps.size:
        return None
    change, *_ = np.linalg.lstsq(steps, np.array(gap), rcond=None)
    lengths = [line.length + float(d) for line, d in zip(lines, change, strict=True)]
    closes = math.dist(steps @ change, gap) <= GAP_ALLOWED
    return lengths if closes and min(lengths) > 0.0 else None


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
        mistakes = self._mistakes_of_pulleys() if self.pulleys else []
        if self.segments and self.start is None:
            mistakes = ["start_m is missing: segments need a place to start"]
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
