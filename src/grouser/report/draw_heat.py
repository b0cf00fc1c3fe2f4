"""Colours on a grid, for pages."""

from html import escape
from typing import Any

import numpy as np

from grouser.report import colours
from grouser.report.panel import Heat


def draw_heat(heat: Heat) -> list[Any]:
    """Return a grid of colours as plotly traces, with one for each name in the legend."""
    from plotly import graph_objects as go  # here, because it is optional and slow to import

    pair = (colours.NO_FILL, colours.YES_FILL)
    shades = np.linspace(0.0, 1.0, len(colours.SCALE))
    scale = list(zip(shades.tolist(), colours.SCALE, strict=True))
    if heat.names is not None:
        scale = [(place, pair[half]) for half in (0, 1) for place in (0.5 * half, 0.5 + 0.5 * half)]
    grid = go.Heatmap(
        x=heat.x, y=heat.y, z=heat.values, text=_words(heat), hoverinfo="text",
        colorscale=scale, xgap=1, ygap=1, showscale=heat.names is None,
        colorbar={"title": {"text": escape(heat.title), "side": "right"}, "outlinewidth": 0},
        **({"zmin": 0.0, "zmax": 1.0} if heat.names else {}),
    )  # fmt: skip
    keys = [
        go.Scatter(
            x=[None], y=[None], mode="markers", name=escape(name),
            marker={"symbol": "square", "size": 14, "color": colour},
        )
        for name, colour in zip(heat.names or (), pair, strict=False)
    ]  # fmt: skip
    return [grid, *keys]


def _words(heat: Heat) -> list[list[str]]:
    """Return what the reader sees who points at a cell."""

    def cell(x: float, y: float, value: float) -> str:
        if not np.isfinite(value):
            words = "no result"
        elif heat.names:
            words = heat.names[int(value)]
        else:
            words = f"{value:.4g}"
        return escape(f"{x:g}, {y:g}: {words}")

    rows = zip(heat.y, heat.values, strict=True)
    return [[cell(x, y, value) for x, value in zip(heat.x, row, strict=True)] for y, row in rows]
