"""Published numbers and experiments of P0."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from grouser.control import PathFollower
from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides
from grouser.errors import GrouserError, MissingExtra
from grouser.extras import require_extra
from grouser.laws.icr import equivalent_wheelbase, solve_gamma
from grouser.laws.slip_odometry import SlipRatios, average_slip, estimate_slip_from_poses
from grouser.laws.step_climb import StepClimb, climb_step
from grouser.log import Log
from grouser.models import effective_width, make_model
from grouser.papers.paper import Findings, draw_stems
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour
from grouser.simulation import Simulation

FINAL_COURSE_3 = 0.341
"""Largest position deviation on course 3, at its end [m] (P0, text)."""
SECTIONS = {
    "behaviour-1-straight": "straight line",
    "behaviour-1-radius": "radius curve",
    "behaviour-1-sharp": "sharp curve",
}
"""Sections of course 1 as they are called here, and as P0 calls them."""
COURSES = (*SECTIONS, "behaviour-2", "behaviour-3")
"""All behaviour tests."""
TARGETS_COURSE_1 = {
    "behaviour-1-straight": 0.016,
    "behaviour-1-radius": 0.013,
    "behaviour-1-sharp": 0.086,
}
"""Largest position error that is aimed for on course 1 with nominal parameters [m]."""
TARGET_FINAL_COURSE_3 = 0.34
"""Final position error that is aimed for on course 3 with perturbed parameters [m]."""
TARGET_YAW_DEG = 5.0
"""Root mean square of the yaw error that is aimed for [deg]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedMse:
    """A row of P0's Table 5. The unit is not recoverable: m2 and rad2 contradict the text."""

    x: float
    """Printed with the unit m [unknown]."""
    y: float
    """Printed with the unit m [unknown]."""
    yaw: float
    """Printed with the unit rad [unknown]."""


def printed_largest_errors() -> dict[str, float]:
    """Return the largest position error of each section of course 1 [m]."""
    printed = {row["section"]: float(row["max_position_error_cm"]) for row in _read("course1_max")}
    return {name: 0.01 * printed[section] for name, section in SECTIONS.items()}


def printed_table_5() -> dict[str, PrintedMse]:
    """Return Table 5 as printed, by course."""
    return {
        f"behaviour-{row['course']}": PrintedMse(
            x=float(row["mse_x_printed_m"]),
            y=float(row["mse_y_printed_m"]),
            yaw=float(row["mse_yaw_printed_rad"]),
        )
        for row in _read("table5")
    }


def _read(beginning: str) -> list[dict[str, str]]:
    folder = files("grouser") / "papers" / "p0" / "data"
    (file,) = (file for file in folder.iterdir() if file.name.startswith(beginning))
    return list(csv.DictReader(file.read_text("utf-8").splitlines()))


GEOMETRY = {"length": 0.133, "width": 0.16, "offset_x": 0.00174, "offset_y": -0.00137}
"""P0 Table 2 [m]."""
WHEELBASE = 0.2742
"""P0 Table 2 [m]."""
SPEED = 0.1
"""Speed of P0's experiments [m/s]."""
MANOEUVRES = {"straight": (SPEED, SPEED), "turning": (0.06, 0.12)}
"""Belt speeds of Table 3's two manoeuvres, left and right; those of the turn are assumed [m/s]."""
CAMERA_NOISE = 0.0005
"""Standard deviation of a marker's place, assumed [m]."""
STEP = StepClimb(radius=0.024, wheel_distance=0.137, height=0.037)
"""TP100 before P0's obstacle."""
WAY_BACK = -0.7
"""The leg of course 3 with obstacle and ramp has a y below this [m]."""


def solve_wheelbase(variation: Variation = AS_STATED) -> Findings:
    """Return the equivalent wheelbase with the factor that P0 does not print."""
    gamma = solve_gamma(WHEELBASE, **GEOMETRY)
    return Findings(
        values={"equivalent wheelbase": float(equivalent_wheelbase(**GEOMETRY, gamma=gamma))}
    )


CARRIED_BY = {
    "its whole belts": "csm",
    "the ends of its tracks": "wheels:count=2",
    "four wheels per track": "wheels:count=4",
}
"""Models in 3D that turn a robot, by what carries it."""


def turn_in_3d(variation: Variation = AS_STATED) -> Findings:
    """Return the equivalent wheelbase of TP100 in 3D, by geometry and friction alone."""
    robot = variation.vary_robot(load_robot("tp100"))
    course = variation.vary_course(load_course("flat"))
    left, right = MANOEUVRES["turning"]
    widths = {}
    for words, model in CARRIED_BY.items():
        simulation = Simulation(make_model(model), robot, course)
        simulation.run(Constant(robot, Sides(left=left, right=right)), duration=8.0)
        rates = simulation.log()["yaw_rate"]
        widths[words] = (right - left) / float(np.mean(rates[len(rates) // 2 :]))
    groups = {
        "P0": ([100.0 * WHEELBASE] * len(widths), REFERENCE),
        "ours": ([100.0 * width for width in widths.values()], line_colour(0)),
    }
    panel = draw_stems("wheelbase-3d", "Equivalent wheelbase by what carries the robot",
                       "wheelbase [cm]", list(widths), groups)  # fmt: skip
    values = {f"equivalent wheelbase, carried by {words}": w for words, w in widths.items()}
    return Findings(values=values, panels=(panel,))


def identify_slip(variation: Variation = AS_STATED) -> Findings:
    """Return slip ratios found as P0 did: three drives each, seen by a noisy camera."""
    noise = np.random.default_rng(variation.seed)
    values = {}
    for manoeuvre, (left, right) in MANOEUVRES.items():
        slip = average_slip([_film_drive(Sides(left=left, right=right), noise) for _ in range(3)])
        values |= {
            f"left slip ratio, {manoeuvre}": float(slip.left),
            f"right slip ratio, {manoeuvre}": float(slip.right),
            f"slip angle, {manoeuvre}": float(np.rad2deg(slip.angle)),
        }
    return Findings(values=values)


def _film_drive(command: Sides, noise: np.random.Generator) -> SlipRatios:
    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"))
    simulation.run(Constant(robot, command), duration=10.0)
    log = simulation.log()
    rows = slice(100, None, 20)  # after the start, five pictures a second
    x, y = (log[axis][rows] + CAMERA_NOISE * noise.standard_normal(len(log.time[rows]))
            for axis in ("x", "y"))  # fmt: skip
    return estimate_slip_from_poses(
        times=log.time[rows], x=x, y=y, yaw=log["yaw"][rows],
        belt_left=log["belt_speed.left"][rows], belt_right=log["belt_speed.right"][rows],
        width=effective_width(robot),
    )  # fmt: skip


def cross_course_3(variation: Variation = AS_STATED) -> Findings:
    """Return heights and angles of TP100 on course 3's obstacle and ramp, and figures."""
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
        _side_view(simulation.log()),
    )  # fmt: skip
    values = {"reaches the goal of course 3": float(missed < 0.05)}
    return Findings(values=values | _heights(simulation.log()), panels=panels)


def _heights(log: Log) -> dict[str, float]:
    """Return the height of the robot on the obstacle and its angle on the ramp."""
    x, back = log["x"], log["y"] < WAY_BACK
    on_top = back & (np.abs(x - 1.2) < 0.15) & (np.abs(log["pitch"]) < 1e-3) & (log["z"] > 0.01)
    on_ramp = back & (np.abs(x - 0.7) < 0.25)
    return {
        "height on the obstacle of course 3": float(log["z"][on_top].max(initial=0.0)),
        "angle on the ramp of course 3": float(np.rad2deg(-log["pitch"][on_ramp].min(initial=0.0))),
    }


def _side_view(log: Log) -> Panel:
    rows = log["y"] < WAY_BACK
    line = Series(name="", x=log["x"][rows][::5], y=1e3 * log["z"][rows][::5],
                  colour=line_colour(0))  # fmt: skip
    return Panel(
        key="course-3-side", title="Course 3 from the side: ramp and obstacle, driven to the left",
        x_label="x [m]", y_label="z [mm]", series=(line,),
    )  # fmt: skip


def _over_travel(key: str, title: str, y_label: str, y: np.ndarray) -> Panel:
    time = np.linspace(0.0, 0.01 * (y.size - 1), y.size)
    line = Series(name="", x=time, y=y, colour=line_colour(0))
    return Panel(key=key, title=title, x_label="time [s]", y_label=y_label, series=(line,))


TITLES = {
    **{name: f"course 1, {words}" for name, words in SECTIONS.items()},
    "behaviour-2": "course 2",
    "behaviour-3": "course 3",
}
"""Names of courses in claims."""


LOOP_COURSE = "behaviour-3"
"""The course of P0's largest error, over obstacle and ramp."""
ENDS_IN_3D = {
    "belts": f"{TITLES[LOOP_COURSE]}, robots in 3D in the loop",
    "gyro": f"{TITLES[LOOP_COURSE]}, robots in 3D in the loop, with a gyroscope",
}
"""Ends of the keys of claims about robots in 3D, by what turns the virtual robot."""


def find_missing_board() -> str:
    """Return what is missing here to run the loop, in one sentence; empty if nothing."""
    from grouser.hil.simulated_board import find_runner

    try:
        require_extra("the loop", "hil", "cobs", "serial")
        find_runner()
    except MissingExtra as error:
        return str(error)
    except GrouserError:
        return "the firmware is not built: run `make firmware` in a checkout, which needs AVR tools"
    return ""


def compare_courses(values: Mapping[str, float]) -> dict[str, float]:
    """Return which of courses 2 and 3 is followed better, if both were driven."""
    second, third = (values.get(f"rms position error, course {n}") for n in (2, 3))
    if second is None or third is None:
        return {}
    return {"course 2 is followed better than course 3": float(second < third)}


def draw_errors(values: Mapping[str, float]) -> tuple[Panel, ...]:
    """Return the largest errors of course 1 beside P0's, of the sections that were driven."""
    printed = printed_largest_errors()
    names = [n for n in SECTIONS if f"largest position error, {TITLES[n]}" in values]
    if not names:
        return ()
    groups = {"P0": ([100.0 * printed[name] for name in names], REFERENCE)}
    for number, words in enumerate(("", ", slip off by 20 %")):
        ours = [100.0 * values[f"largest position error, {TITLES[n]}{words}"] for n in names]
        groups[f"ours{words}" if words else "ours, nominal"] = (ours, line_colour(number))
    sections = [SECTIONS[name] for name in names]
    title = "Course 1: largest position error"
    return (draw_stems("course-1", title, "error [cm]", sections, groups),)
