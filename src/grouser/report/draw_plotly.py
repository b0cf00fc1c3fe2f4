"""Drawing a panel with plotly, for pages."""

from html import escape
from typing import Any

from grouser.extras import require_extra
from grouser.report import colours
from grouser.report.draw_heat import draw_heat
from grouser.report.panel import Mark, Panel, Series, Shape

_DASHES = {"solid": "solid", "dashed": "dash", "dotted": "dot", "dashdot": "dashdot"}
_SYMBOLS = {
    "start": "circle-open",
    "parting": "x-thin-open",
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
    """Return a panel as a plotly figure; its title is left to the page around it.

    Raises:
        MissingExtra: plotly is not installed.
    """
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
