"""Draw csm-pallet.png and csm-staircase.png: Absolem on its way, seen from behind and the left.

python docs/pictures/make_csm.py
"""

from math import radians
from pathlib import Path

from grouser import load_course, load_robot, make_model
from grouser.drawing.at_rest import PlacedRobot, start_in_3d
from grouser.drawing.picture import View, render_picture
from grouser.models import Command

FOLDER = Path(__file__).parent
TICK = 0.01


def draw(name: str, course_name: str, *, speed: float, duration: float, front: float) -> None:
    """Drive straight on with the front flippers lifted by `front` degrees, and draw the end."""
    robot, course = load_robot("absolem"), load_course(course_name)
    plant = start_in_3d(make_model("csm"), robot, course)
    angles = (radians(-front), radians(-front), 0.0, 0.0)
    command = Command(belt_speeds=(speed, speed), flipper_angles=angles)
    for _ in range(round(duration / TICK)):
        plant.advance(command, TICK)
    view = View(azimuth=radians(-35.0), elevation=radians(-16.0), distance=1.65)
    render_picture(PlacedRobot.of(plant), FOLDER / name, view=view)


def main() -> None:
    """Draw both."""
    draw("csm-pallet.png", "pallet", speed=0.2, duration=3.5, front=30.0)
    draw("csm-staircase.png", "staircase", speed=0.25, duration=6.0, front=35.0)


if __name__ == "__main__":
    main()
