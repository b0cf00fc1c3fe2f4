"""Draw kernel-slice.png: a belt of Absolem as the kernel has it, on a face and across an edge.

python docs/pictures/make_kernel.py
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Ellipse, Rectangle

from grouser import load_course, load_robot
from grouser.models.contact.engine import StepOptions
from grouser.models.contact.native import layout
from grouser.models.contact.native.tables import build_tables
from grouser.models.contact.scene import make_scene
from grouser.models.contact.tracks import belts
from grouser.models.ground.ground import build_ground

TARGET = Path(__file__).parent / "kernel-slice.png"
BELT, GROUND, LOAD, FRICTION, EDGE = "#0072b2", "#dcc7a6", "#d55e00", "#009e73", "#000000"
CROSSING = (0.30, -0.05), (0.20, 0.15)
"""Where the edge crosses the strip, seen from above: start and way, over the run's length [1]."""


def read_link() -> tuple[np.ndarray, np.ndarray]:
    """Return the row of Absolem's left belt in the kernel's tables, and the rows of its spots."""
    scene = make_scene(load_robot("absolem"), load_course("flat"), belts(patches=4))
    ground = build_ground(scene.course.terrain, reach=1.0)
    tables = build_tables(scene, ground, StepOptions(), 0)
    at = int(tables.layout[layout.AT_OF_LINKS])
    link = tables.numbers[at : at + layout.LINK]
    at = int(tables.layout[layout.AT_OF_SPOTS])
    spots = tables.numbers[at:].copy()
    first, end = int(link[layout.FIRST]), int(link[layout.END])
    rows = spots[: end * layout.SPOT_WIDTH].reshape(-1, layout.SPOT_WIDTH)
    return link, rows[first:end]


def crossing(link: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the edge of the picture meets the sides of the strip, from the rear circle."""
    (start, _), (way, _) = CROSSING
    length, half = link[layout.LENGTH], 0.5 * (link[layout.Y1] - link[layout.Y0])
    right = np.array((start * length, -half))
    return right, right + np.array((way * length, 2.0 * half))


def draw_side(axes: Axes, link: np.ndarray, spots: np.ndarray) -> None:
    """Draw circles, runs and loads in the plane of the belt, over an edge [mm]."""
    radius, length = 1e3 * link[layout.RA], 1e3 * link[layout.LENGTH]
    right, left = (1e3 * place[0] for place in crossing(link))
    axes.fill([-110, 640, 640, -110], [-14, -14, 0, 0], color=GROUND, linewidth=0)
    axes.plot([right, left], [0, 0], color=EDGE, linewidth=4, solid_capstyle="butt")
    middle, line = 0.5 * (right + left), {"arrowstyle": "-", "linewidth": 0.7}
    axes.annotate(
        "edge, between the sides",
        (middle, -1),
        (middle, -34),
        ha="center",
        fontsize=8,
        arrowprops=line,
    )
    for centre, name in ((0.0, "A"), (length, "B")):
        axes.add_patch(Circle((centre, radius), radius, fill=False, color=BELT))
        axes.plot(centre, radius, "+", color=BELT)
        axes.text(centre, radius + 12, f"circle {name}", ha="center", fontsize=8, color=BELT)
    for z in (0.0, 2.0 * radius):
        axes.plot([0, length], [z, z], color=BELT)
    axes.text(0.5 * length, 2.0 * radius + 6, "run", ha="center", fontsize=8, color=BELT)
    for place in sorted({*spots[:, layout.AT_LOAD]}):
        axes.plot(place * length, 0.0, "o", color=LOAD, markersize=6)
        arrow = {"arrowstyle": "<-", "color": LOAD}
        axes.annotate("", (place * length, 2), (place * length, 34), arrowprops=arrow)
    title = "From the side: the profile of a link, and where loads act"
    axes.set_title(title, loc="left", fontsize=9)
    axes.set(xlim=(-110, 640), ylim=(-45, 2.0 * radius + 25), aspect="equal")
    axes.set_ylabel("z [mm]", fontsize=8)


def draw_patch(axes: Axes, spot: np.ndarray, link: np.ndarray) -> None:
    """Draw the cell of a spot, its load, its friction and how far its slip spreads [mm]."""
    length, width = 1e3 * link[layout.LENGTH], 1e3 * (link[layout.Y1] - link[layout.Y0])
    middle = 500.0 * (link[layout.Y0] + link[layout.Y1])
    cell = 1e6 * spot[layout.SPOT_AREA] / (0.5 * width)
    x, y = spot[layout.AT_RUB] * length, 1e3 * spot[layout.Y_RUB] - middle
    begin = min(max(spot[layout.AT_LOAD] * length - 0.5 * cell, 0.0), length - cell)
    axes.add_patch(Rectangle((begin, y - 0.25 * width), cell, 0.5 * width, fill=False, color="0.6"))
    spread = 2e3 * spot[layout.SPREAD_LONG], 2e3 * spot[layout.SPREAD_WIDE]
    axes.add_patch(Ellipse((x, y), *spread, color=FRICTION, alpha=0.2))
    load = spot[layout.AT_LOAD] * length, 1e3 * spot[layout.Y_LOAD] - middle
    axes.plot([load[0], x], [load[1], y], color="0.5", linewidth=0.7, linestyle=":")
    axes.plot(*load, "o", color=LOAD, markersize=6)
    axes.plot(x, y, "x", color=FRICTION, markersize=7)


def draw_above(axes: Axes, link: np.ndarray, spots: np.ndarray) -> None:
    """Draw the run that lies on the ground, as a strip of patches, seen from above [mm]."""
    length, width = 1e3 * link[layout.LENGTH], 1e3 * (link[layout.Y1] - link[layout.Y0])
    axes.add_patch(Rectangle((0, -0.5 * width), length, width, fill=False, color=BELT, linewidth=2))
    for spot in spots:
        draw_patch(axes, spot, link)
    ends = 1e3 * np.array(crossing(link))
    far = ends + np.outer((-0.45, 0.45), ends[1] - ends[0])
    axes.plot(*far.T, color=EDGE, linewidth=1.2)
    axes.plot(*ends.T, "s", color=EDGE, markersize=6)
    named = (
        ("o", LOAD, "load of a patch"),
        ("x", FRICTION, "its friction; shaded: radii of gyration"),
        ("s", EDGE, "where an edge of the ground crosses the sides"),
    )
    for marker, color, label in named:
        axes.plot([], [], marker, color=color, label=label)
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.22)}
    axes.legend(**place, ncols=3, fontsize=8, frameon=False)
    title = "From above: the run on the ground is a strip of patches"
    axes.set_title(title, loc="left", fontsize=9)
    axes.set(xlim=(-110, 640), ylim=(-0.5 * width - 45, 0.5 * width + 45), aspect="equal")
    axes.set_ylabel("y [mm]", fontsize=8)
    axes.set_xlabel("along the link [mm]", fontsize=8)


def main() -> None:
    """Draw both views."""
    link, spots = read_link()
    figure = Figure(figsize=(9.0, 6.3), layout="constrained")
    FigureCanvasAgg(figure)
    side, above = figure.subplots(2, 1, height_ratios=(250, 190))
    draw_side(side, link, spots)
    draw_above(above, link, spots)
    for axes in (side, above):
        axes.tick_params(labelsize=7)
    figure.savefig(TARGET, dpi=120)


if __name__ == "__main__":
    main()
