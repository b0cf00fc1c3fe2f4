"""Panels as matplotlib pictures."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grouser.description import Course
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.log import Log
from grouser.report import colours
from grouser.report.panel import Heat, Panel
from grouser.report.time_series import make_panels
from grouser.storage import write_atomically

_DASHES = {"solid": "-", "dashed": "--", "dotted": ":", "dashdot": "-."}
_SYMBOLS = {"start": "o", "divergence": "x", "yes": "o", "no": "x"}
_LEGEND_COLUMNS = 4


def draw_matplotlib(panel: Panel, axes: Any) -> None:
    """Draw a panel into matplotlib axes, with the legend above the data."""
    named: dict[str, Any] = {} if panel.heat is None else _draw_heat(panel.heat, axes)
    for shape in panel.shapes:
        axes.fill(
            *shape.corners.T, facecolor=shape.fill, edgecolor=shape.edge, linewidth=0.8,
            hatch="///" if shape.hatched else None, zorder=1,
        )  # fmt: skip
    for line in panel.series:
        (artist,) = axes.plot(
            line.x, line.y, color=line.colour,
            linestyle="none" if line.dots else _DASHES[line.dash],
            marker="." if line.dots else "none", markersize=2.5,
            linewidth=0.8 if line.faint else 1.6, zorder=2 if line.faint else 3,
        )  # fmt: skip
        named.setdefault(line.name, artist)
    for mark in panel.marks:
        (artist,) = axes.plot(
            mark.x, mark.y, _SYMBOLS[mark.symbol], color=mark.colour, zorder=4,
            markersize=7, markeredgewidth=1.6, fillstyle="none", linestyle="none",
        )  # fmt: skip
        named.setdefault(mark.name, artist)
    for label in panel.labels:
        axes.annotate(
            label.text, (label.x, label.y), xytext=(0.0, 3.0), textcoords="offset points",
            ha="center", va="bottom", fontsize=7, color=colours.TEXT, zorder=5,
            bbox={"facecolor": "white", "alpha": 0.6, "edgecolor": "none", "pad": 1.0},
        )  # fmt: skip
    _format_axes(panel, axes)
    if panel.has_legend:
        axes.legend(
            [named[name] for name in panel.legend_names], panel.legend_names, loc="lower left",
            bbox_to_anchor=(0.0, 1.0), frameon=False, ncols=_LEGEND_COLUMNS, fontsize=8,
            borderaxespad=0.2, handlelength=2.4,
        )  # fmt: skip


def _draw_heat(heat: Heat, axes: Any) -> dict[str, Any]:
    """Draw a heat map; return the legend entries."""
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap
    from matplotlib.patches import Patch

    pair = (colours.NO_FILL, colours.YES_FILL)
    scale = LinearSegmentedColormap.from_list("scale", colours.SCALE)
    mesh = axes.pcolormesh(
        heat.x, heat.y, heat.values, shading="nearest", edgecolors="white", linewidth=0.6,
        cmap=ListedColormap(pair) if heat.names else scale, zorder=0,
        **({"vmin": 0.0, "vmax": 1.0} if heat.names else {}),
    )  # fmt: skip
    if heat.names is None:
        axes.figure.colorbar(mesh, ax=axes, label=heat.title)
        return {}
    return {name: Patch(color=colour) for name, colour in zip(heat.names, pair, strict=True)}


def _format_axes(panel: Panel, axes: Any) -> None:
    legend_rows = -(-len(panel.legend_names) // _LEGEND_COLUMNS) if panel.has_legend else 0
    title_gap = 6.0 + 14.0 * legend_rows
    axes.set_title(panel.title, loc="left", fontsize=10, fontweight="bold", pad=title_gap)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.heat is None:
        axes.grid(color="#ececec", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.ticklabel_format(style="plain", useOffset=False)  # an exponent would cover the legend
    if panel.x_names:
        axes.set_xticks(range(len(panel.x_names)), panel.x_names)
        axes.set_xlim(-0.5, len(panel.x_names) - 0.5)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if panel.equal_axes:
        axes.set_aspect("equal", adjustable="datalim")
    if panel.y_range:
        axes.set_ylim(panel.y_range)


PICTURE_SUFFIXES = (".png", ".svg")
MANY_PANELS = 7
"""Number of panels from which on there are three in a row."""
DOTS_PER_INCH = 150
"""Resolution of a PNG."""

# No TeX markup in texts; the same runs give the same bytes.
_SETTINGS: dict[Any, Any] = {"text.parse_math": False, "svg.hashsalt": "grouser", "font.size": 9}


def write_picture(
    runs: Mapping[str, Log],
    path: str | Path,
    course: Course | None = None,
    panels: Sequence[Panel] | None = None,
) -> None:
    """Write path, heading, slip and error of runs as one PNG or SVG file.

    The first log is the reference for errors if the course has no path. `course` is by default that
    of the first log with one. InvalidValue if the name ends in neither .png nor .svg.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in PICTURE_SUFFIXES:
        raise InvalidValue("name of a picture", str(path), "end in .png or .svg (a page: .html)")
    chosen = _choose(make_panels(runs, course)) if panels is None else tuple(panels)
    write_atomically(path, _render(chosen, suffix.removeprefix(".")))


def _choose(panels: tuple[Panel, ...]) -> tuple[Panel, ...]:
    """Return the plan, heading, slip, and the error against path or first run."""
    by_key = {panel.key: panel for panel in panels}
    error = "error" if "error" in by_key else "gap"
    return tuple(by_key[key] for key in ("plan", "yaw", "slip", error) if key in by_key)


def _render(panels: tuple[Panel, ...], kind: str) -> bytes:
    require_extra("a picture", "plots", "matplotlib")
    from matplotlib import rc_context  # here, because it is optional and slow to import
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = 1 if len(panels) == 1 else 2 if len(panels) < MANY_PANELS else 3
    rows = -(-len(panels) // columns)
    content = io.BytesIO()
    with rc_context(_SETTINGS):
        figure = Figure(figsize=(6.0 * columns, 4.2 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        for number, panel in enumerate(panels, start=1):
            draw_matplotlib(panel, figure.add_subplot(rows, columns, number))
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(content, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return content.getvalue()
