"""Draw turns.png, icr-centres.png and turning-fit.png: what the kinematic models say of turns.

python docs/pictures/make_turns.py
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from grouser import Simulation, load_course, load_robot, make_model
from grouser.drivers import Constant, Sides
from grouser.laws.icr import icr_twist
from grouser.models import track_icrs
from grouser.papers.p2.tables import read_columns

FOLDER = Path(__file__).parent
BELTS = (0.06, 0.10)  # left, right [m/s]


def draw_turns(axes: Axes) -> None:
    """Draw twenty seconds of the same belt speeds through three models."""
    robot = load_robot("tp100")
    for name, dash in (("ideal", "-"), ("slip", "-"), ("icr", "--")):
        simulation = Simulation(make_model(name), robot, load_course("flat"))
        simulation.run(Constant(robot, Sides(left=BELTS[0], right=BELTS[1])), duration=20.0)
        log = simulation.log()
        axes.plot(log["x"], log["y"], dash, label=name)
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="The same belts, 20 s")
    axes.legend()


def draw_centres(axes: Axes) -> None:
    """Draw the tracks of TP100, their centres of rotation and that of the body."""
    robot = load_robot("tp100")
    icrs = track_icrs(robot)
    vx, _, yaw_rate = icr_twist(*BELTS, icrs.left_y, icrs.right_y)
    length, gauge = robot.contact_length, robot.gauge
    for track, speed, y in zip(robot.tracks, BELTS, (gauge / 2, -gauge / 2), strict=True):
        corner = (-length / 2, y - track.width / 2)
        axes.add_patch(Rectangle(corner, length, track.width, color="0.8"))
        axes.annotate("", (speed, y), (0.0, y), arrowprops={"arrowstyle": "->"})
        axes.text(speed + 0.005, y, f"belt {speed} m/s", va="center")
    points = {
        "left track: y_l": (icrs.left_y, "tab:blue"),
        "right track: y_r": (icrs.right_y, "tab:orange"),
        "body: vx / ω": (float(vx / yaw_rate), "tab:green"),
    }
    for name, (y, colour) in points.items():
        axes.plot(0.0, y, "o", color=colour)
        axes.text(0.015, y, f"{name} = {y:.3f} m", va="center", color=colour)
    axes.axhline(0.0, color="0.6", linewidth=0.5)
    axes.set(xlabel="x, forward [m]", ylabel="y, left [m]", aspect="equal", xlim=(-0.12, 0.42))


def draw_fit(axes: Axes) -> None:
    """Draw the runs of P2, the line of eq 19, and what the model makes of zhou-ugv."""
    runs, robot = read_columns("table5.csv"), load_robot("zhou-ugv")
    axes.plot(runs["Ev_a_mps"], runs["Ev_t_mps"], "o", color="0.5", label="P2, Table 5")
    asked = np.linspace(0.0, 1.4, 29)
    got = []
    for difference in asked:
        simulation = Simulation(make_model("turning"), robot, load_course("flat"))
        sides = Sides(left=2.0 - difference / 2, right=2.0 + difference / 2)
        simulation.run(Constant(robot, sides), duration=3.0)
        got.append(simulation.motion.twist.yaw_rate * robot.gauge)
    axes.plot(asked, got, color="tab:blue", label="model turning, zhou-ugv")
    axes.plot(asked, asked, "--", color="0.7", label="no slip")
    axes.set(xlabel="of the wheels, Ev_a [m/s]", ylabel="of the path, Ev_t [m/s]")
    axes.set_title("Speed difference of the sides")
    axes.legend()


def main() -> None:
    """Draw all three."""
    pictures = {
        "turns.png": (draw_turns, (6.4, 4.4)),
        "icr-centres.png": (draw_centres, (6.4, 6.0)),
        "turning-fit.png": (draw_fit, (6.4, 4.4)),
    }
    for name, (draw, size) in pictures.items():
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        axes.grid(visible=True, alpha=0.3)
        draw(axes)
        figure.savefig(FOLDER / name, dpi=120)


if __name__ == "__main__":
    main()
