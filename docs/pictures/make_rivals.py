"""Draw P1's other models on its staircase: Absolem climbs, seen from its left.

python docs/pictures/make_rivals.py
"""

from math import radians
from pathlib import Path

from grouser import load_course, load_robot, make_model
from grouser.drawing.at_rest import PlacedRobot, start_in_3d
from grouser.drawing.picture import View, render_picture
from grouser.models import command_sides

FOLDER = Path(__file__).parent
TICK = 0.01
PICTURES = {
    "wheels-staircase.png": "wheels:count=8",
    "frictionless-staircase.png": "frictionless",
    "plates-staircase.png": "plates:pitch=0.1,grousers=1",
}


def draw(name: str, model: str) -> None:
    """Drive up for a second, and draw where the robot is."""
    robot, course = load_robot("absolem"), load_course("staircase-stand")
    plant = start_in_3d(make_model(model), robot, course)
    for _ in range(round(1.0 / TICK)):
        plant.advance(command_sides(robot, 0.2, 0.2), TICK)
    view = View(azimuth=radians(-72.0), elevation=radians(-10.0), distance=1.25)
    size = (960, 540)
    render_picture(PlacedRobot.of(plant), FOLDER / name, view=view, size=size)


def main() -> None:
    """Draw all."""
    for name, model in PICTURES.items():
        draw(name, model)


if __name__ == "__main__":
    main()
