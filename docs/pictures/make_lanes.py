"""Draw lanes.png: Absolem at the start of each test lane.

python docs/pictures/make_lanes.py
"""

from math import radians
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from grouser import load_course, load_robot
from grouser.description.load import course_names
from grouser.drawing.camera import CameraPose
from grouser.drawing.canvas import Canvas

TARGET = Path(__file__).parent / "lanes.png"
SIZE = 440, 260
COLUMNS = 4


def draw(name: str) -> NDArray[np.uint8]:
    """Return the picture of a lane with the robot at its start."""
    robot, course = load_robot("absolem"), load_course(name)
    assert course.path is not None
    length, start = course.path.length, course.start_pose
    top = max(outline.height for outline in course.outlines()) if course.features else 0.0
    top = 0.0 if np.isnan(top) else top
    camera = CameraPose(
        middle=(0.4 * length, 0.0, 0.4 * top),
        azimuth=radians(62.0),
        elevation=radians(-26.0),
        distance=0.62 * length + 1.2 + top,
    )
    with Canvas.of(robot, course, SIZE) as canvas:
        belts = [0.0] * (len(robot.tracks) + len(robot.flippers))
        canvas.place(start, belts, [flipper.rest_angle for flipper in robot.flippers])
        return canvas.draw(camera)


def main() -> None:
    """Draw all lanes beside one another."""
    lanes = [name for name in course_names() if name.startswith("lane-")]
    rows = -(-len(lanes) // COLUMNS)
    figure = Figure(figsize=(COLUMNS * 4.0, rows * 2.6), layout="constrained")
    FigureCanvasAgg(figure)
    for number, name in enumerate(lanes):
        axes = figure.add_subplot(rows, COLUMNS, number + 1)
        axes.imshow(draw(name))
        axes.set_title(name, fontsize=10, loc="left")
        axes.axis("off")
    figure.savefig(TARGET, dpi=100, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
