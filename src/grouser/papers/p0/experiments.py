"""P0's kinematics: equivalent wheelbase, slip from tracked poses, the obstacle and the ramp."""

import numpy as np

from grouser.control import PathFollower
from grouser.description import load_course, load_robot
from grouser.laws.equivalent_wheelbase import equivalent_wheelbase, solve_gamma
from grouser.laws.slip_odometry import average_slip, estimate_slip_from_poses
from grouser.laws.step_climb import StepClimb
from grouser.laws.step_series import climb_step
from grouser.models import effective_width, make_model
from grouser.papers.experiment import Findings
from grouser.report import Panel, Series
from grouser.report.colours import line_colour
from grouser.simulation import Constant, Sides, Simulation

GEOMETRY = {"length": 0.133, "width": 0.16, "offset_x": 0.00174, "offset_y": -0.00137}
"""P0 Table 2 [m]."""
WHEELBASE = 0.2742
"""P0 Table 2 [m]."""
SPEED = 0.1
"""Speed of P0's experiments [m/s]."""
CAMERA_NOISE = 0.0005
"""Standard deviation of a marker's place, assumed [m]."""
STEP = StepClimb(radius=0.024, wheel_distance=0.137, height=0.037)
"""TP100 before P0's obstacle."""


def solve_wheelbase() -> Findings:
    """Return the equivalent wheelbase with the factor that P0 does not print."""
    gamma = solve_gamma(WHEELBASE, **GEOMETRY)
    return Findings(
        values={"equivalent wheelbase": float(equivalent_wheelbase(**GEOMETRY, gamma=gamma))}
    )


def identify_slip() -> Findings:
    """Return slip ratios found as P0 did: three straight drives, seen by a noisy camera."""
    robot, noise = load_robot("tp100"), np.random.default_rng(0)
    repeats = []
    for _ in range(3):
        simulation = Simulation(make_model("slip"), robot, load_course("flat"))
        simulation.run(Constant(robot, Sides(left=SPEED, right=SPEED)), duration=10.0)
        log = simulation.log()
        rows = slice(100, None, 20)  # after the start, five pictures a second
        x, y = (log[axis][rows] + CAMERA_NOISE * noise.standard_normal(len(log.time[rows]))
                for axis in ("x", "y"))  # fmt: skip
        repeats.append(
            estimate_slip_from_poses(
                times=log.time[rows], x=x, y=y, yaw=log["yaw"][rows],
                belt_left=log["belt_speed.left"][rows], belt_right=log["belt_speed.right"][rows],
                width=effective_width(robot),
            )
        )  # fmt: skip
    slip = average_slip(repeats)
    return Findings(
        values={
            "left slip ratio": float(slip.left),
            "right slip ratio": float(slip.right),
            "slip angle": float(np.rad2deg(slip.angle)),
        }
    )


def cross_course_3() -> Findings:
    """Return whether TP100 gets over course 3's obstacle and ramp, and the climb's figures."""
    robot, course = load_robot("tp100"), load_course("behaviour-3")
    path = course.path
    assert path is not None
    simulation = Simulation(make_model("slip"), robot, course)
    simulation.run(PathFollower(robot, path, speed=SPEED), duration=90.0)
    pose, (goal_x, goal_y, _) = simulation.motion.pose, path.at(path.length)
    missed = float(np.hypot(pose.x - goal_x, pose.y - goal_y))
    climb = climb_step(STEP, SPEED, np.arange(0.0, 2.2, 0.01))
    panels = (
        _over_travel("climb-height", "Height of the wheels' midpoint over a 37 mm step",
                     "z [mm]", 1e3 * np.asarray(climb.z)),
        _over_travel("climb-angle", "Nose-up angle over a 37 mm step", "angle [deg]",
                     np.rad2deg(np.asarray(climb.nose_up))),
    )  # fmt: skip
    return Findings(values={"reaches the goal of course 3": float(missed < 0.05)}, panels=panels)


def _over_travel(key: str, title: str, y_label: str, y: np.ndarray) -> Panel:
    time = np.linspace(0.0, 0.01 * (y.size - 1), y.size)
    line = Series(name="", x=time, y=y, colour=line_colour(0))
    return Panel(key=key, title=title, x_label="time [s]", y_label=y_label, series=(line,))
