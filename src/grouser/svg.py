"""Small pictures for notebooks: shapes in metres as SVG, and a card of HTML around them.

All text is escaped: titles and names come from files. Nothing is loaded from elsewhere.
"""

import html
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

WIDTH, HEIGHT, MARGIN = 320, 200, 8
"""Largest width and height of a picture, and its empty edge [pixels]."""
MOST_POINTS = 500
"""Points of a line that are drawn; longer ones are thinned out."""
INK, HULL, BELT, FLIPPER = "#888888", "#e8963c", "#4a4d55", "#6b7890"
PATH, GROUND, PATCH = "#2a78d6", "#b3a58c", "#7fb4d8"
"""Colours, which can be seen on white and on black."""


class Sketch:
    """Shapes in one plane, horizontal and vertical axis in metres; drawn to the same scale."""

    def __init__(self) -> None:
        self._shapes: list[tuple[NDArray[np.float64], str, bool]] = []

    def fill(self, corners: ArrayLike, colour: str, opacity: float = 1.0) -> None:
        """Add a filled polygon of corners (n, 2) [m]."""
        style = f'fill="{colour}" fill-opacity="{opacity:g}" stroke="{INK}" stroke-width="0.7"'
        self._add(corners, style, closed=True)

    def disc(self, x: float, y: float, radius: float, colour: str) -> None:
        """Add a filled circle [m]."""
        angles = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)
        self.fill(
            np.column_stack((x + radius * np.cos(angles), y + radius * np.sin(angles))), colour
        )

    def line(self, points: ArrayLike, colour: str, width: float = 2.0) -> None:
        """Add a line through points (n, 2) [m]; it has gaps where they are not finite."""
        table = np.asarray(points, np.float64)
        table = table[:: max(1, -(-len(table) // MOST_POINTS))]
        style = f'fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"'
        finite = np.asarray(np.isfinite(table).all(axis=1))
        for run in np.split(np.arange(len(table)), np.flatnonzero(np.diff(finite)) + 1):
            if len(run) > 1 and finite[run[0]]:
                self._add(table[run], style, closed=False)

    def rectangle(self, x: tuple[float, float], y: tuple[float, float], colour: str) -> None:
        """Add a filled rectangle by its ranges [m]."""
        self.fill([(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])], colour)

    @property
    def span(self) -> float:
        """Larger one of width and height of all that was drawn; 0 if nothing was [m]."""
        if not self._shapes:
            return 0.0
        every = np.concatenate([points for points, _, _ in self._shapes])
        return float(np.ptp(every, axis=0).max())

    def to_svg(self) -> str:
        """Return the picture; empty if nothing was drawn."""
        if not self._shapes:
            return ""
        every = np.concatenate([points for points, _, _ in self._shapes])
        low, high = every.min(axis=0), every.max(axis=0)
        span = np.maximum(high - low, 1e-6 * max(1.0, float(np.abs(every).max())))
        scale = min((WIDTH - 2 * MARGIN) / span[0], (HEIGHT - 2 * MARGIN) / span[1])
        size = (high - low) * scale + 2 * MARGIN
        shapes = "".join(
            _shape((points - (low[0], high[1])) * (scale, -scale) + MARGIN, style, closed=closed)
            for points, style, closed in self._shapes
        )
        width, height = (f"{length:.0f}" for length in size)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">{shapes}</svg>'
        )

    def _add(self, points: ArrayLike, style: str, *, closed: bool) -> None:
        table = np.asarray(points, np.float64).reshape(-1, 2)
        if len(table) and np.isfinite(table).all():
            self._shapes.append((table, style, closed))


def _shape(points: NDArray[np.float64], style: str, *, closed: bool) -> str:
    tag = "polygon" if closed else "polyline"
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points.tolist())
    return f'<{tag} points="{places}" {style}/>'


def html_card(kind: str, title: str, rows: Mapping[str, object], pictures: Sequence[str]) -> str:
    """Return a card: a title, rows of names and values as text, and pictures."""
    lines = "".join(
        f'<tr><td style="text-align:left;opacity:0.7">{html.escape(name)}</td>'
        f'<td style="text-align:left">{html.escape(str(value))}</td></tr>'
        for name, value in rows.items()
        if value not in ("", None)
    )
    drawn = "".join(
        f'<div style="margin:4px 8px">{picture}</div>' for picture in pictures if picture
    )
    return (
        f'<div style="font-family:sans-serif;font-size:13px"><b>{html.escape(kind)} '
        f"{html.escape(title)}</b>"
        f'<div style="display:flex;align-items:center">{drawn}'
        f'<table style="border:none">{lines}</table></div></div>'
    )
