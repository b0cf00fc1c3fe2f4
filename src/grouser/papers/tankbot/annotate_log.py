"""References, forces and slips beside the states of a log: what P3's figures draw."""

import numpy as np

from grouser.description import Course, Robot, parse_course, parse_robot
from grouser.geometry import rotate
from grouser.log import Column, Log
from grouser.models import make_model
from grouser.models.planar.constants import Constants, pack_constants
from grouser.models.planar.robot_constants import measured_traction, robot_constants
from grouser.papers.tankbot.manoeuvre import Manoeuvre
from grouser.papers.tankbot.run_manoeuvre import tankbot_constants


def annotate_log(log: Log, manoeuvre: Manoeuvre) -> Log:
    """Return a log of model `tankbot` with what the manoeuvre asked for and the forces did."""
    from grouser.models.planar.closed_loop import describe

    constants = log_constants(log)
    packed = pack_constants(constants, 1)
    x_rate, y_rate = rotate(log["vx"], log["vy"], log["yaw"])
    radius = np.asarray(constants.sprocket_radius)
    states = np.stack(
        (log["x"], log["y"], log["yaw"], x_rate, y_rate, log["yaw_rate"],
         log["belt_speed.left"] / radius, log["belt_speed.right"] / radius), axis=1,
    )  # fmt: skip
    rows = np.empty((len(log), 17))
    for state, row in zip(states, rows, strict=True):
        describe(state, 0.0, 0.0, packed.records[0], packed.curves, row)
    references = manoeuvre.references(log.time)
    columns = {
        "reference_x": (references[:, 0], "m"),
        "reference_y": (references[:, 1], "m"),
        "x_rate": (x_rate, "m/s"),
        "y_rate": (y_rate, "m/s"),
        "x_on_belt": (log["x"] + np.asarray(constants.ground_speed) * log.time, "m"),
        "track_force.left": (rows[:, 10], "N"),
        "track_force.right": (rows[:, 11], "N"),
        "lateral_force": (rows[:, 12], "N"),
        "track_slip.left": (rows[:, 13], "1"),
        "track_slip.right": (rows[:, 14], "1"),
        "sideslip": (rows[:, 15], "rad"),
        "utilisation": (rows[:, 16], "1"),
    }
    return log.with_columns({name: Column(v, unit) for name, (v, unit) in columns.items()})


def log_constants(log: Log) -> Constants:
    """Return the constants of the robot, course and model of a log."""
    origin = log.provenance
    if not origin.robot_text or not origin.course_text:
        return tankbot_constants()
    robot = parse_robot(origin.robot_text, origin.robot)
    course = parse_course(origin.course_text, origin.course, **origin.course_parameters)
    model = make_model(origin.model, **origin.model_parameters)
    return start_constants(robot, course, bool(getattr(model, "resting_shift", False)))


def start_constants(robot: Robot, course: Course, resting_shift: bool = False) -> Constants:
    """Return the constants of a robot on the ground where the course starts."""
    constants = robot_constants(
        robot, treadmill_speed=course.treadmill_speed, resting_shift=resting_shift
    )
    x, y, measured = course.start.x, course.start.y, measured_traction(robot).friction
    return constants._replace(
        track_limit=constants.track_limit * (course.terrain.friction(x, y) / measured),
        lateral_limit=constants.lateral_limit * (course.terrain.friction_across(x, y) / measured),
    )
