"""Draw step.png: TP100 on a step of 37 mm, from the side, at the end of each phase.

python docs/pictures/make_step.py
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from grouser import load_robot
from grouser.laws.step_climb import StepClimb
from grouser.laws.step_path import StepPose

TARGET = Path(__file__).parent / "step.png"
HEIGHT = 0.037
BELT, GROUND, WEIGHT = "#0072b2", "#dcc7a6", "#d55e00"


def draw(axes: Axes, climb: StepClimb, pose: StepPose, outline: np.ndarray, title: str) -> None:
    """Draw ground, track and centre of mass [mm]."""
    axes.fill([-220, 0, 0, 180, 180, -220], [0, 0, 37, 37, -12, -12], color=GROUND)
    cos, sin = np.cos(pose.nose_up), np.sin(pose.nose_up)
    middle = np.array((pose.x, pose.z))
    turned = 1000.0 * (middle + outline @ np.array(((cos, sin), (-sin, cos))))
    axes.plot(*turned.T, color=BELT)
    x = 1000.0 * float(climb.com_x_in_world(pose))
    z = 1000.0 * float(pose.z + climb.com_x * sin + climb.com_z * cos)
    axes.plot(x, z, "o", color=WEIGHT, markersize=4)
    axes.plot([x, x], [z, -12], color=WEIGHT, linewidth=0.8, linestyle=":")
    axes.set_title(title, loc="left", fontsize=9)
    axes.set(xlim=(-220, 180), ylim=(-12, 150), aspect="equal")
    axes.set_xlabel("X from the riser [mm]", fontsize=8)
    axes.set_ylabel("Z [mm]", fontsize=8)
    axes.tick_params(labelsize=7)


def main() -> None:
    """Draw six places of the climb."""
    robot = load_robot("tp100")
    radius, distance = robot.wheel_radius, robot.wheel_distance
    com_x, _, com_z = robot.centre_of_mass
    climb = StepClimb(
        radius=radius, wheel_distance=distance, height=HEIGHT, com_x=com_x, com_z=com_z - radius
    )
    outline = robot.tracks[0].loop.outline() - (0.0, radius)
    outline = np.vstack((outline, outline[:1]))
    tipping = 0.5 * climb.tip_nose_up
    run = climb.tip_run - 0.1 * tipping / climb.tip_rate  # the belt runs on at 0.1 m/s meanwhile
    cases = (
        ("0 approach ends: the wheel touches", climb.grounded(0.0)),
        ("1 riser ends: wheel centre at the edge", climb.grounded(climb.riser_end_travel)),
        ("2 edge ends: the straight run takes over", climb.grounded(climb.edge_end_travel)),
        ("3 pitch-up ends: weight above the edge", climb.grounded(climb.end_travel)),
        ("4 tip: turns about the edge", climb.on_edge(run, tipping)),
        ("5 level ends: rear tangent point at the edge", climb.on_edge(0.0, 0.0)),
    )
    figure = Figure(figsize=(11.0, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (title, pose) in zip(figure.subplots(2, 3).flat, cases, strict=True):
        draw(axes, climb, pose, outline, f"{title}, {np.rad2deg(pose.nose_up):.1f}°")
    figure.savefig(TARGET, dpi=120)


if __name__ == "__main__":
    main()
