"""A belt around pulleys becomes a closed loop."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from grouser.description.loop import Arc, Line, Loop, Segment
from grouser.errors import InvalidValue

Circle: TypeAlias = tuple[float, float, float]
"""A pulley: x and z of its centre, and its radius [m]."""


def loop_around(pulleys: Sequence[Circle]) -> Loop:
    """Return the outer tangent loop around pulleys, which starts with its contact run.

    Along a tangent, the outward normal n is the same on both pulleys, so that
    n . (c2 - c1) = r1 - r2.

    Args:
        pulleys: At least two, in their order around the loop, either way round.

    Raises:
        InvalidValue: A pulley lies inside another, or the belt cannot touch all in this order.
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
