"""Draw soil-ruts.png: the ruts of an S-curve, driven with the same belt speeds on sand and on snow.

python docs/pictures/make_ruts.py
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from grouser import Robot, load_robot, make_model
from grouser.description import parse_course
from grouser.drawing.rut_colours import RUTS, soil_colour
from grouser.models import command_sides, start_model

TARGET = Path(__file__).parent / "soil-ruts.png"
COURSE = """name = "plane"
[area]
x_m = [-0.6, 3.5]
y_m = [-0.6, 3.0]
[[terrain]]
kind = "plane"
[surfaces.ground]
soil = "{}"
[ruts]
cell_m = 0.01
"""
BELTS = ((0.2, 0.3), (0.3, 0.2))  # speeds of left and right in the two halves [m/s]
HALF = 8.0  # time of a half [s]
FIRM = 'name = "plane"\n[[terrain]]\nkind = "plane"\n'


def drive(robot: Robot, course: str) -> tuple[Any, NDArray[np.float64]]:
    """Return the plant after an S-curve, and the poses x, y, yaw on its way."""
    plant: Any = start_model(make_model("csm"), robot, parse_course(course, "plane.toml"))
    poses = []
    for left, right in BELTS:
        for _ in range(round(HALF / 0.1)):
            plant.advance(command_sides(robot, left, right), 0.1)
            poses.append((plant.motion.pose.x, plant.motion.pose.y, plant.motion.pose.yaw))
    return plant, np.array(poses)


def draw(axes: Axes, robot: Robot, soil: str, firm: NDArray[np.float64]) -> Any:
    """Draw the ruts by their depth, and the ways of both belts; return what a colour bar shows."""
    plant, poses = drive(robot, COURSE.format(soil))
    ruts = plant.ruts
    low = np.array((ruts.x, ruts.y)) - 0.5 * ruts.cell
    high = low + ruts.cell * np.array(ruts.depth.shape[::-1])
    colours = LinearSegmentedColormap.from_list("ruts", (soil_colour(soil), *RUTS[1:5]))
    image = axes.imshow(
        1e3 * ruts.depth, origin="lower", extent=(low[0], high[0], low[1], high[1]), cmap=colours,
        vmin=0.0, interpolation="nearest",
    )  # fmt: skip
    axes.plot(firm[:, 0], firm[:, 1], ":", color="k", linewidth=1.2, label="centre on firm ground")
    axes.plot(poses[:, 0], poses[:, 1], "--", color="k", linewidth=1.0, label="centre")
    for side in (0.5, -0.5):
        x, y = in_world(poses, 0.0, side * robot.gauge)
        label = "middle of a belt" if side > 0.0 else None
        axes.plot(x, y, color="w", linewidth=1.1, label=label)
        draw_belt(axes, robot, poses[-1], side * robot.gauge)
    axes.set(xlabel="x [m]", aspect="equal")
    axes.set_title(soil, loc="left", fontsize=10)
    return image


def draw_belt(axes: Axes, robot: Robot, pose: NDArray[np.float64], y: float) -> None:
    """Draw the contact of a belt at the end of the way."""
    half, width = 0.5 * robot.contact_length, 0.5 * robot.tracks[0].width
    corners = ((half, width), (-half, width), (-half, -width), (half, -width), (half, width))
    outline = [in_world(pose, along, y + across) for along, across in corners]
    axes.plot(*np.array(outline).T, color="k", linewidth=1.4)


def in_world(poses: NDArray[np.float64], x: float, y: float) -> Any:
    """Return where a point of the robot is, at one pose or many [m]."""
    cos, sin = np.cos(poses[..., 2]), np.sin(poses[..., 2])
    return poses[..., 0] + cos * x - sin * y, poses[..., 1] + sin * x + cos * y


def main() -> None:
    """Draw sand and snow."""
    robot = load_robot("absolem")
    _, firm = drive(robot, FIRM)
    figure = Figure(figsize=(11.0, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, soil in ((left, "dry-sand"), (right, "snow")):
        image = draw(axes, robot, soil, firm)
        figure.colorbar(image, ax=axes, label="depth of the rut [mm]", shrink=0.85)
    left.set_ylabel("y [m]")
    left.legend(loc="lower right", facecolor="#b8a37c", framealpha=0.9, fontsize=9)
    figure.savefig(TARGET, dpi=110)


if __name__ == "__main__":
    main()
