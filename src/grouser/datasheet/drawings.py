"""Drawings of a robot with dimensions: from the right side, from above, from the front."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from grouser import svg
from grouser.datasheet.dimensions import bounds_of
from grouser.description import Robot
from grouser.description.card import belt_outlines

INK, THIN, TEXT = "#1d2126", "#55606b", 10.0
"""Colours of lines and of dimensions, and height of letters [pixels]."""
OFFSET, ROOM = 20.0, 46.0
"""Distance of a dimension's line from the drawing, and room around it [pixels]."""
TALLEST = 170.0
"""Height of the tallest view without its dimensions [pixels]."""
VIEWS = ("side", "top", "front")
"""The views, in their order."""


@dataclass(slots=True)
class View:
    """Shapes in one plane in metres, horizontal and vertical, with dimensions in pixels."""

    scale: float
    """Pixels per metre [1/m]."""
    low: tuple[float, float]
    """Least horizontal and vertical coordinate [m]."""
    high: tuple[float, float]
    """Largest ones [m]."""
    parts: list[str] = field(default_factory=list)
    """Elements of the picture."""

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is in the picture [pixels]."""
        return ROOM + (x - self.low[0]) * self.scale, ROOM + (self.high[1] - y) * self.scale

    def polygon(self, corners: ArrayLike, colour: str, opacity: float = 1.0) -> None:
        """Add a filled polygon of corners (n, 2) [m]."""
        table = np.asarray(corners, np.float64).tolist()
        places = " ".join(f"{u:.1f},{v:.1f}" for u, v in (self.place(x, y) for x, y in table))
        self.parts.append(
            f'<polygon points="{places}" fill="{colour}" fill-opacity="{opacity:g}" '
            f'stroke="{INK}" stroke-width="0.8" stroke-linejoin="round"/>'
        )

    def box(self, x: tuple[float, float], y: tuple[float, float], colour: str) -> None:
        """Add a filled rectangle by its ranges [m]."""
        self.polygon([(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])], colour)

    def ground(self) -> None:
        """Add the line of the ground at height 0."""
        (u, v), (w, _) = self.place(self.low[0], 0.0), self.place(self.high[0], 0.0)
        self._line(u - 8.0, v, w + 8.0, v, INK, 1.2)

    def mass(self, x: float, y: float) -> None:
        """Mark the centre of mass [m]."""
        u, v = self.place(x, y)
        self.parts.append(
            f'<circle cx="{u:.1f}" cy="{v:.1f}" r="5" fill="#fff" stroke="{INK}"/>'
            f'<path d="M{u:.1f},{v:.1f} v-5 a5,5 0 0 1 5,5 z M{u:.1f},{v:.1f} v5 '
            f'a5,5 0 0 1 -5,-5 z" fill="{INK}"/>'
        )

    def across(self, first: float, last: float, level: int, words: str = "") -> None:
        """Add a horizontal dimension above the drawing; a higher level is farther out [m]."""
        (u, _), (w, _) = self.place(first, 0.0), self.place(last, 0.0)
        v = ROOM - OFFSET * (0.55 + 0.75 * level)
        for end in (u, w):
            self._line(end, v - 3.0, end, ROOM - 2.0, THIN, 0.5)
        self._line(u, v, w, v, THIN, 0.7, arrows=True)
        self._text(0.5 * (u + w), v - 3.0, words or millimetres(last - first))

    def up(self, first: float, last: float, level: int, words: str = "") -> None:
        """Add a vertical dimension to the right of the drawing [m]."""
        (_, u), (_, w) = self.place(0.0, first), self.place(0.0, last)
        edge = ROOM + (self.high[0] - self.low[0]) * self.scale
        v = edge + OFFSET * (0.55 + 0.75 * level)
        for end in (u, w):
            self._line(edge + 2.0, end, v + 3.0, end, THIN, 0.5)
        self._line(v, u, v, w, THIN, 0.7, arrows=True)
        text = words or millimetres(last - first)
        if abs(u - w) < 0.6 * TEXT * len(text):  # beside the line, where it has more room
            self._text(v + 5.0, 0.5 * (u + w) + 3.0, text, anchor="start")
        else:
            self._text(v - 3.0, 0.5 * (u + w), text, turned=True)

    def draw(self, title: str) -> str:
        """Return the picture."""
        width = (self.high[0] - self.low[0]) * self.scale + 2.0 * ROOM
        height = (self.high[1] - self.low[1]) * self.scale + 2.0 * ROOM
        self._text(0.5 * width, height - 8.0, title)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(title)}">'
            f"{''.join(self.parts)}</svg>"
        )

    def _line(
        self, u: float, v: float, w: float, z: float, colour: str, thick: float,
        arrows: bool = False,
    ) -> None:  # fmt: skip
        self.parts.append(
            f'<line x1="{u:.1f}" y1="{v:.1f}" x2="{w:.1f}" y2="{z:.1f}" stroke="{colour}" '
            f'stroke-width="{thick:g}"/>'
        )
        if arrows:
            length = math.hypot(w - u, z - v) or 1.0
            along = (w - u) / length, (z - v) / length
            for x, y, sign in ((u, v, 1.0), (w, z, -1.0)):
                self.parts.append(_arrow(x, y, sign * along[0], sign * along[1], colour))

    def _text(
        self, u: float, v: float, words: str, *, turned: bool = False, anchor: str = "middle"
    ) -> None:
        turn = f' transform="rotate(-90 {u:.1f} {v:.1f})"' if turned else ""
        self.parts.append(
            f'<text x="{u:.1f}" y="{v:.1f}" font-size="{TEXT:g}" text-anchor="{anchor}" '
            f'fill="{INK}"{turn}>{escape(words)}</text>'
        )


def _arrow(x: float, y: float, dx: float, dy: float, colour: str) -> str:
    """Return the head of an arrow whose tip is at (x, y) and which points against (dx, dy)."""
    ends = [(x + 5 * dx - 1.6 * dy, y + 5 * dy + 1.6 * dx)]
    ends += [(x + 5 * dx + 1.6 * dy, y + 5 * dy - 1.6 * dx)]
    points = " ".join(f"{u:.1f},{v:.1f}" for u, v in ((x, y), *ends))
    return f'<polygon points="{points}" fill="{colour}"/>'


def millimetres(length: float) -> str:
    """Return a length as drawings have it, in mm."""
    return f"{1e3 * length:.0f}" if length >= 0.02 else f"{1e3 * length:.1f}"


def fitting_scale(robots: Sequence[Robot], width: float) -> float:
    """Return the scale at which side, top and front view of each robot fit beside each other."""
    need = tall = 1e-3
    for robot in robots:
        rear, front, right, left, _, top = bounds_of(robot)
        need = max(need, 2.0 * (front - rear) + (left - right))
        tall = max(tall, left - right, top)
    return min(max(width - 6.0 * ROOM, 60.0) / need, TALLEST / tall)


def draw_views(robot: Robot, scale: float) -> dict[str, str]:
    """Return the three views as SVG by name, at a scale [pixels per metre]."""
    return {
        "side": _side(robot, scale), "top": _top(robot, scale), "front": _front(robot, scale),
    }  # fmt: skip


def _side(robot: Robot, scale: float) -> str:
    rear, front, _, _, low, top = bounds_of(robot)
    view = View(scale=scale, low=(rear, min(low, 0.0)), high=(front, top))
    (length, _, height), (x, _, z) = robot.body.size, robot.body.centre
    view.box((x - 0.5 * length, x + 0.5 * length), (z - 0.5 * height, z + 0.5 * height), svg.HULL)
    for outline, (middle, _), colour in belt_outlines(robot):
        if middle < 0.0:
            view.polygon(outline, colour)
    view.ground()
    at_x, _, at_z = robot.centre_of_mass
    view.mass(at_x, at_z)
    view.across(rear, front, 1)
    if robot.flippers:
        view.across(robot.rear, robot.front, 0)
    view.up(0.0, top, 1)
    view.up(0.0, at_z, 0)
    return view.draw("from the right [mm]")


def _top(robot: Robot, scale: float) -> str:
    rear, front, right, left, _, _ = bounds_of(robot)
    view = View(scale=scale, low=(rear, right), high=(front, left))
    (length, width, _), (x, y, _) = robot.body.size, robot.body.centre
    for outline, (middle, across), colour in belt_outlines(robot):
        ends = float(outline[:, 0].min()), float(outline[:, 0].max())
        view.box(ends, (middle - across, middle + across), colour)
    view.box((x - 0.5 * length, x + 0.5 * length), (y - 0.5 * width, y + 0.5 * width), svg.HULL)
    at_x, at_y, _ = robot.centre_of_mass
    view.mass(at_x, at_y)
    view.across(*ground_ends(robot), 0)
    view.up(right, left, 1)
    half = 0.5 * robot.gauge
    view.up(-half, half, 0)
    return view.draw("from above [mm]")


def ground_ends(robot: Robot) -> tuple[float, float]:
    """Return where the drives' length on the ground begins and ends, along x [m]."""
    runs = [track.loop.contact_run for track in robot.tracks]
    longest = max((run for run in runs if run), key=lambda run: run.length, default=None)
    if longest is not None:
        middle = float(longest.middle[0])
        return middle - 0.5 * longest.length, middle + 0.5 * longest.length
    places = [wheel.x for wheel in robot.wheels] or [0.0]
    return min(places), max(places)


def _front(robot: Robot, scale: float) -> str:
    _, _, right, left, low, top = bounds_of(robot)
    view = View(scale=scale, low=(right, min(low, 0.0)), high=(left, top))
    (_, width, height), (_, y, z) = robot.body.size, robot.body.centre
    view.box((y - 0.5 * width, y + 0.5 * width), (z - 0.5 * height, z + 0.5 * height), svg.HULL)
    for outline, (middle, across), colour in belt_outlines(robot):
        ends = float(outline[:, 1].min()), float(outline[:, 1].max())
        view.box((middle - across, middle + across), ends, colour)
    view.ground()
    view.across(right, left, 1)
    half = 0.5 * robot.gauge
    view.across(-half, half, 0)
    clear = z - 0.5 * height
    if clear > 0.0:
        view.up(0.0, clear, 0)
    return view.draw("from the front [mm]")
