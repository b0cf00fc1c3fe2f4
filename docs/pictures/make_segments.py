"""Draw segments-staircase.png and segments-step.png: grousers on edges.

python docs/pictures/make_segments.py
"""

from math import radians
from pathlib import Path

from grouser import load_course, load_robot, make_model
from grouser.drawing.at_rest import PlacedRobot, start_in_3d
from grouser.drawing.picture import View, render_picture
from grouser.models import Command

FOLDER = Path(__file__).parent
TICK = 0.01


def draw(
    name: str, robot_name: str, course_name: str, view: View, *, speed: float, duration: float,
    front: float = 0.0,
) -> None:  # fmt: skip
    """Drive straight on with the front flippers raised by `front` degrees, and draw the end."""
    robot, course = load_robot(robot_name), load_course(course_name)
    plant = start_in_3d(make_model("segments"), robot, course)
    angles = (radians(-front), radians(-front), 0.0, 0.0)[: len(robot.flippers)]
    command = Command(belt_speeds=(speed,) * len(robot.drives), flipper_angles=angles)
    for _ in range(round(duration / TICK)):
        plant.advance(command, TICK)
    render_picture(PlacedRobot.of(plant), FOLDER / name, view=view)


def main() -> None:
    """Draw both."""
    view = View(azimuth=radians(-65.0), elevation=radians(-10.0), distance=1.2)
    draw("segments-staircase.png", "packbot510", "staircase-stand", view, speed=0.1, duration=1.0)
    view = View(azimuth=radians(-75.0), elevation=radians(-8.0), distance=1.15)
    draw(
        "segments-step.png", "quince", "step:height_m=0.24", view, speed=0.1, duration=6.0,
        front=45.0,
    )  # fmt: skip


if __name__ == "__main__":
    main()
