"""Pieces given end to end become a closed loop, if they close."""

import math
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from grouser.description.loop import Arc, Line, Loop, Segment
from grouser.errors import InvalidValue

Piece: TypeAlias = tuple[float, float]
"""Length and turn [m, rad]; a piece without turn is a line."""

GAP_ALLOWED = 1e-4
"""How far the end of a loop may be from its start [m]."""
TURN_ALLOWED = 1e-6
"""How far the turns of a loop may be from one full turn [rad]."""


def loop_along(start: tuple[float, float], heading: float, pieces: Iterable[Piece]) -> Loop:
    """Return the loop that joins pieces end to end.

    Args:
        start: Where the first piece starts, (x, z) [m].
        heading: Direction of travel there, about y, 0 forward, pi/2 down [rad].
        pieces: Length and turn of each [m, rad].

    Raises:
        InvalidValue: The pieces do not close, or do not turn once around in the belt's sense.
    """
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
    _require_one_turn(now - heading)
    _require_closed(segments, (start[0] - x, start[1] - z))
    return Loop(tuple(segments))


def _require_one_turn(turn: float) -> None:
    if abs(turn - 2.0 * math.pi) > TURN_ALLOWED:
        way = "rearward below, up behind, forward above, down in front"
        raise InvalidValue("the sum of turn_deg", math.degrees(turn), f"be 360 ({way})")


def _require_closed(segments: list[Segment], gap: tuple[float, float]) -> None:
    distance = math.hypot(*gap)
    if distance > GAP_ALLOWED:
        raise InvalidValue(
            "the gap in mm between the end of the last segment and the start of the loop",
            float(f"{1000.0 * distance:.6g}"),
            f"be at most {1000.0 * GAP_ALLOWED:g}{_cure(segments, gap)}",
        )


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
