"""Draw skid-paths.png and smooth-range.png: what icr-slip, icr-drift and smooth add to icr.

python docs/pictures/make_skid.py
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from grouser import Simulation, load_course, load_robot, make_model
from grouser.description import Robot, parse_robot
from grouser.drivers import Constant, Sides
from grouser.laws.smooth_slip import BLEND, smooth_twist
from grouser.models import driven_range, skid_constants

FOLDER = Path(__file__).parent
BELTS = (0.06, 0.12)  # left, right [m/s]
TABLES = """
[slip.icr]
left_y_m = 0.14
right_y_m = -0.14
drift_s = 0.3
[slip.smooth]
forward = [0.95, -0.06, -0.05, 0.0, 0.0, 0.0]
yaw = [0.62, -0.2, 0.1, 0.0, 0.0, 0.0]
leftward = [0.0, 0.0, 0.0, -0.2, 0.0]
fastest_m_s = 0.2
contrast_high = 0.6
"""  # an example, not a measurement


def example() -> Robot:
    """Return a TP100 with numbers for every model."""
    return parse_robot(load_robot("tp100").text + TABLES, "example")


def draw_paths(axes: Axes) -> None:
    """Draw twenty seconds of the same belt speeds through four models."""
    robot = example()
    for name, dash in (("icr", "-"), ("icr-slip", "-"), ("icr-drift", "--"), ("smooth", "-")):
        simulation = Simulation(make_model(name), robot, load_course("flat"))
        simulation.run(Constant(robot, Sides(left=BELTS[0], right=BELTS[1])), duration=20.0)
        log = simulation.log()
        axes.plot(log["x"], log["y"], dash, label=name)
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="The same belts, 20 s")
    axes.legend()


def draw_range(axes: Axes) -> None:
    """Draw the yaw rate over that without slip, over the speed of the faster belt."""
    robot = example()
    smooth, driven, constants = robot.slip.smooth, driven_range(robot), skid_constants(robot)
    assert smooth is not None
    assert driven is not None
    fast = np.linspace(0.005, 0.3, 296)
    slow = 0.5 * fast
    coefficients = smooth.forward, smooth.yaw, smooth.leftward
    found = smooth_twist(slow, fast, coefficients, constants, driven, robot.gauge)
    without_slip = (fast - slow) / robot.gauge
    axes.axvspan(0.0, driven.speed, color="tab:green", alpha=0.12, label="driven when fitted")
    axes.axvspan(driven.speed, (1.0 + BLEND) * driven.speed, color="0.85", label="transition")
    axes.plot(fast, found[2] / without_slip, color="tab:blue", label="smooth")
    steady = constants.twist(slow, fast)[2] / without_slip
    axes.plot(fast, steady, "--", color="tab:orange", label="icr-drift")
    axes.set(xlabel="speed of the faster belt, twice that of the slower [m/s]",
             ylabel="yaw rate over that without slip [1]", xlim=(0.0, 0.3))  # fmt: skip
    axes.legend()


def main() -> None:
    """Draw both."""
    for name, draw in (("skid-paths.png", draw_paths), ("smooth-range.png", draw_range)):
        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        axes.grid(visible=True, alpha=0.3)
        draw(axes)
        figure.savefig(FOLDER / name, dpi=120)


if __name__ == "__main__":
    main()
