"""Draw tracks-planar.png: sprocket forces over the radius of turns, thrust over slip on soils.

python docs/pictures/make_tracks.py
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from grouser import Robot, load_robot, make_model
from grouser.description import parse_course
from grouser.description.soil import load_soil
from grouser.geometry import Pose
from grouser.laws.skid_steering import SkidVehicle, steady_turn
from grouser.laws.terramechanics import mobilised_share, shear_strength
from grouser.models import command_sides, start_model

FOLDER = Path(__file__).parent
PLANE = 'name = "plane"\n[[terrain]]\nkind = "plane"\nslope_deg = {}\n[surfaces.ground]\n{}\n'
SPEED = 0.2  # [m/s]


def drive(robot: Robot, words: str, course: str, left: Any, right: Any, pose: Pose) -> Any:
    """Return the plant after twenty seconds."""
    model = make_model(f"tracks-planar:longest_step=0.01,{words}")
    plant: Any = start_model(model, robot, parse_course(course, "plane.toml"), pose)
    for _ in range(200):
        plant.advance(command_sides(robot, left, right), 0.1)
    return plant


def draw_turns(axes: Axes) -> None:
    """Draw quadratures as lines, and the model as points."""
    robot = load_robot("tankbot")
    radii = robot.gauge * np.geomspace(0.7, 40.0, 12)
    cases = [
        ("mobilised", 0.0, "0.4"), ("mobilised", 0.005, "tab:blue"), ("wong", 0.005, "tab:cyan"),
        ("mobilised", 0.025, "tab:red"), ("wong", 0.025, "tab:orange"),
    ]  # fmt: skip
    for form, K, colour in cases:
        vehicle = SkidVehicle(
            length=robot.contact_length, gauge=robot.gauge, width=0.1, friction=0.7,
            shear_modulus=K, form=form, com_height=robot.centre_of_mass[2],
        )  # fmt: skip
        steady = steady_turn(vehicle, radii, SPEED)
        surface = f"friction = 0.7\n[surfaces.ground.law]\nshear_modulus = {K}"
        belts = steady.left_speed, steady.right_speed
        zeros = np.zeros(len(radii))
        poses = Pose(x=zeros, y=zeros, yaw=zeros)
        plant = drive(robot, f"form={form}", PLANE.format(0.0, surface), *belts, poses)
        name = "Coulomb" if K == 0.0 else f"{form}, K {1e3 * K:g} mm"
        axes.plot(radii / robot.gauge, steady.right.along, color=colour, label=name)
        twist = plant.motion.twist
        found = plant.thrusts[:, 1, 0] / (9.81 * robot.mass)
        axes.plot(twist.vx / twist.yaw_rate / robot.gauge, found, "o", color=colour, markersize=4)
    axes.set(xscale="log", xlabel="radius / gauge", ylabel="force of the outer sprocket / weight")
    axes.set_title("Turns of the Tankbot on firm ground")
    axes.legend()


def draw_slopes(axes: Axes) -> None:
    """Draw the closed form as lines, and the model climbing slopes as points."""
    robot = load_robot("tankbot")
    slips = np.linspace(0.0, 0.6, 61)
    for name, colour in (
        ("dry-sand", "tab:orange"),
        ("clayey-soil", "tab:brown"),
        ("snow", "tab:blue"),
    ):
        soil = load_soil(name)
        pressure = 9.81 * robot.mass / (2.0 * 0.6 * 0.1)
        grip = float(shear_strength(soil, pressure)) / pressure
        share = mobilised_share(soil.shear_modulus, slips, 0.6)
        axes.plot(slips, grip * share, color=colour, label=name)
        for slope in (0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0):
            course = PLANE.format(slope, f'soil = "{name}"')
            plant = drive(robot, "form=mobilised", course, SPEED, SPEED, Pose())
            slip = plant.motion.slips[0]
            thrust = plant.thrusts[0, :, 0].sum() / (9.81 * robot.mass)
            if slip < 0.6:
                axes.plot(slip, thrust, "o", color=colour, markersize=4)
    axes.set(xlabel="slip", ylabel="thrust / weight", title="Thrust on soil, slopes of 0 to 24°")
    axes.legend()


def main() -> None:
    """Draw both."""
    figure = Figure(figsize=(10.5, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    draw_turns(left)
    draw_slopes(right)
    for axes in (left, right):
        axes.grid(visible=True, alpha=0.3)
    figure.savefig(FOLDER / "tracks-planar.png", dpi=110)


if __name__ == "__main__":
    main()
