"""Panels as interactive plotly figures."""

from html import escape
from typing import Any

import numpy as np

from grouser.extras import require_extra
from grouser.report import colours
from grouser.report.panel import Heat, Mark, Panel, Series, Shape


def draw_heat(heat: Heat) -> list[Any]:
    """Return a heat map as plotly traces, with one for each legend entry."""
    from plotly import graph_objects as go  # here, because it is optional and slow to import

    pair = (colours.NO_FILL, colours.YES_FILL)
    shades = np.linspace(0.0, 1.0, len(colours.SCALE))
    scale = list(zip(shades.tolist(), colours.SCALE, strict=True))
    if heat.names is not None:
        scale = [(place, pair[half]) for half in (0, 1) for place in (0.5 * half, 0.5 + 0.5 * half)]
    grid = go.Heatmap(
        x=heat.x, y=heat.y, z=heat.values, text=_words(heat), hoverinfo="text",
        colorscale=scale, xgap=1, ygap=1, showscale=heat.names is None,
        colorbar={"title": {"text": escape(heat.title), "side": "right"}, "outlinewidth": 0,
                  "xpad": 28},  # room for the buttons
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
    """Return the hover texts of the cells."""

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


_DASHES = {"solid": "solid", "dashed": "dash", "dotted": "dot", "dashdot": "dashdot"}
_SYMBOLS = {
    "start": "circle-open",
    "divergence": "x-thin-open",
    "yes": "circle-open",
    "no": "x-thin-open",
}
_AXIS = {
    "automargin": True,
    "gridcolor": "#ececec",
    "zerolinecolor": "#d0d0d0",
    "linecolor": "#999999",
    "showline": True,
    "ticks": "outside",
    "tickcolor": "#999999",
}


def draw_plotly(panel: Panel) -> Any:
    """Return a panel as a plotly figure, without its title."""
    require_extra("a page", "plots", "plotly")
    from plotly import graph_objects as go  # here, because it is optional and slow to import

    figure = go.Figure(
        data=[
            *([] if panel.heat is None else draw_heat(panel.heat)),
            *(go.Scatter(**_shape(shape)) for shape in panel.shapes),
            *(go.Scatter(**_line(line)) for line in panel.series),
            *(go.Scatter(**_mark(mark, panel)) for mark in panel.marks),
        ]
    )
    for label in panel.labels:
        figure.add_annotation(
            text=escape(label.text).replace("\n", "<br>"), x=label.x, y=label.y,
            showarrow=False, yanchor="bottom", yshift=2,
            font={"size": 11, "color": colours.TEXT}, bgcolor="rgba(255,255,255,0.6)",
        )  # fmt: skip
    figure.update_layout(**_layout(panel))
    return figure


def _layout(panel: Panel) -> dict[str, Any]:
    y_axis = {**_AXIS, "title": {"text": panel.y_label, "standoff": 10}}
    x_axis = {**_AXIS, "title": {"text": panel.x_label}}
    if panel.x_names:
        places, names = list(range(len(panel.x_names))), [escape(n) for n in panel.x_names]
        x_axis |= {"tickmode": "array", "tickvals": places, "ticktext": names}
        x_axis["range"] = (-0.5, len(names) - 0.5)
    if panel.equal_axes:
        y_axis |= {"scaleanchor": "x", "scaleratio": 1, "constrain": "domain"}
        x_axis |= {"constrain": "domain"}
    if panel.y_range:
        y_axis["range"] = panel.y_range
    return {
        "xaxis": x_axis,
        "yaxis": y_axis,
        "showlegend": panel.has_legend,
        "legend": {"orientation": "h", "x": 0.0, "y": 1.0, "xanchor": "left", "yanchor": "bottom"},
        "modebar": {"orientation": "v"},
        "hovermode": "closest" if panel.equal_axes or panel.heat else "x unified",
        "template": "none",
        "plot_bgcolor": "white",
        "paper_bgcolor": "white",
        "margin": {"l": 56, "r": 36, "t": 8, "b": 48},
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": colours.TEXT},
        "autosize": True,
    }


def _shape(shape: Shape) -> dict[str, Any]:
    closed = [*range(len(shape.corners)), 0]
    pattern = {"shape": "/", "fgcolor": shape.edge, "bgcolor": shape.fill, "size": 7}
    return {
        "x": shape.corners[closed, 0],
        "y": shape.corners[closed, 1],
        "mode": "lines",
        "fill": "toself",
        "fillcolor": shape.fill,
        "line": {"color": shape.edge, "width": 1},
        "name": escape(shape.name),
        "hoverinfo": "skip",
        "showlegend": False,
        **({"fillpattern": pattern} if shape.hatched else {}),
    }


def _line(line: Series) -> dict[str, Any]:
    return {
        "x": line.x,
        "y": line.y,
        "mode": "markers" if line.dots else "lines",
        "marker": {"color": line.colour, "size": 3},
        "name": escape(line.name),
        "line": {"color": line.colour, "width": 1 if line.faint else 2, "dash": _DASHES[line.dash]},
        "showlegend": bool(line.name),
        **({} if line.name else {"hoverinfo": "skip"}),
    }


def _mark(mark: Mark, panel: Panel) -> dict[str, Any]:
    first_of_name = next(other for other in panel.marks if other.name == mark.name)
    return {
        "x": [mark.x],
        "y": [mark.y],
        "mode": "markers",
        "marker": {
            "symbol": _SYMBOLS[mark.symbol],
            "size": 11,
            "color": mark.colour,
            "line": {"width": 2, "color": mark.colour},
        },
        "name": escape(mark.name),
        "hovertemplate": f"{escape(mark.words or mark.name)}<extra></extra>",
        "legendgroup": escape(mark.name),
        "showlegend": mark is first_of_name,
    }
