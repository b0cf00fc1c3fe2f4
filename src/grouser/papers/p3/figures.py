"""Panels of P3, and what they add to a log."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grouser.control import PoseGains, PoseHold
from grouser.description import Course, Robot, parse_course, parse_robot
from grouser.drivers import DriverInputs, DriverKind, DriverPlan
from grouser.errors import InvalidValue
from grouser.geometry import rotate
from grouser.laws.track_forces import magic_formula
from grouser.log import Column, Log
from grouser.models import make_model
from grouser.models.planar.constants import (
    Constants,
    measured_traction,
    pack_constants,
    robot_constants,
)
from grouser.papers.p3.manoeuvre import Manoeuvre, tankbot_constants
from grouser.report import Panel, Series, over_time
from grouser.report.colours import REFERENCE, line_colour

if TYPE_CHECKING:
    from grouser.report import Panel


_DEGREES = float(np.rad2deg(1.0))
_TIME = "time [s]"


def manoeuvre_panels(runs: Mapping[str, Log], constants: Constants) -> tuple[Panel, ...]:
    """Return what P3 draws of a manoeuvre, of one run or of several over each other."""
    return (
        _states(runs, "x", "Place along the belt", "x [m]", [("x", 1.0)], "reference_x"),
        _states(runs, "y", "Place across, positive to the left", "y [m]", [("y", 1.0)],
                "reference_y"),
        _states(runs, "psi", "Heading", "yaw [deg]", [("yaw", _DEGREES)]),
        _states(runs, "speeds", "Speeds in the room", "speed [m/s]",
                [("x_rate", 1.0), ("y_rate", 1.0)]),
        _states(runs, "omega", "Yaw rate", "yaw rate [rad/s]", [("yaw_rate", 1.0)]),
        _states(runs, "volts", "Voltages", "voltage [V]",
                [("motor_voltage_commanded.left", 1.0), ("motor_voltage_commanded.right", 1.0)]),
        ellipse_panel(runs, constants),
        slip_panel(runs, constants),
        drift_panel(runs, constants),
    )  # fmt: skip


def motion_panels(name: str, log: Log) -> tuple[Panel, Panel]:
    """Return where a manoeuvre takes the robot, and its heading (P3 Figs 11 to 17)."""
    places: list[Series] = []
    for axis, colour in (("x", line_colour(0)), ("y", line_colour(3))):
        places.append(over_time(axis, log.time, log[axis], colour))
        asked = log[f"reference_{axis}"]
        places.append(over_time(f"{axis} asked for", log.time, asked, colour, "dotted"))
    heading = over_time("", log.time, _DEGREES * log["yaw"], line_colour(1))
    return (
        Panel(key=f"{name}-places", title=f"{name}: place", x_label=_TIME,
              y_label="x, y [m]", series=tuple(places)),
        Panel(key=f"{name}-heading", title=f"{name}: heading", x_label=_TIME,
              y_label="yaw [deg]", series=(heading,)),
    )  # fmt: skip


def utilisation_panels(runs: Mapping[str, Log], constants: Constants) -> tuple[Panel, ...]:
    """Return how runs use slip and friction, over each other (P3 Figs 7, 18, 19)."""
    return (
        slip_panel(runs, constants),
        drift_panel(runs, constants),
        ellipse_panel(runs, constants),
    )


def ellipse_panel(runs: Mapping[str, Log], c: Constants) -> Panel:
    """Return lateral over longitudinal force, within the friction ellipse (P3's force ellipse)."""
    turn = np.linspace(0.0, 2.0 * np.pi, 181)
    along, across = 2.0 * np.asarray(c.track_limit), np.asarray(c.lateral_limit)
    edge = Series(
        name="friction ellipse", x=along * np.cos(turn), y=across * np.sin(turn),
        colour=REFERENCE, dash="dashed",
    )  # fmt: skip
    lines = [
        Series(
            name=name,
            x=log["track_force.left"] + log["track_force.right"],
            y=log["lateral_force"],
            colour=line_colour(number),
            dots=True,
        )
        for number, (name, log) in enumerate(runs.items())
    ]
    return Panel(
        key="ellipse", title="Forces on the robot", x_label="force of both tracks [N]",
        y_label="lateral force [N]", series=(edge, *lines), equal_axes=True,
    )  # fmt: skip


def slip_panel(runs: Mapping[str, Log], c: Constants) -> Panel:
    """Return each track's force over its slip, on the identified curve (P3 Figs 7, 18, 19)."""
    widest = max(0.15, *(_span(log["track_slip.left"]) for log in runs.values()))
    slip = np.linspace(-min(widest, 1.0), min(widest, 1.0), 401)
    force = magic_formula(
        slip + c.shift, c.track_stiffness, c.track_shape, c.track_limit, c.track_curvature
    )
    lines = [_curve(slip, force)]
    for number, (name, log) in enumerate(runs.items()):
        for side in ("left", "right"):
            colour = line_colour(number if len(runs) > 1 else ("left", "right").index(side))
            # Of several runs, both tracks have one colour and one name.
            label = side if len(runs) == 1 else name if side == "left" else ""
            lines.append(
                Series(
                    name=label,
                    x=log[f"track_slip.{side}"],
                    y=log[f"track_force.{side}"],
                    colour=colour,
                    dots=True,
                )
            )
    return Panel(
        key="track-slip", title="Track force over slip", x_label="slip [1]",
        y_label="track force [N]", series=tuple(lines),
    )  # fmt: skip


def drift_panel(runs: Mapping[str, Log], c: Constants) -> Panel:
    """Return the lateral force over the sideslip angle, on the identified curve."""
    widest = max(np.deg2rad(6.0), *(_span(log["sideslip"]) for log in runs.values()))
    angle = np.linspace(-widest, widest, 401)
    force = -np.asarray(
        magic_formula(
            angle, c.lateral_stiffness, c.lateral_shape, c.lateral_limit, c.lateral_curvature
        )
    )
    lines = [_curve(angle * _DEGREES, force)]
    lines += [
        Series(
            name=name,
            x=log["sideslip"] * _DEGREES,
            y=log["lateral_force"],
            colour=line_colour(number),
            dots=True,
        )
        for number, (name, log) in enumerate(runs.items())
    ]
    return Panel(
        key="sideslip", title="Lateral force over sideslip", x_label="sideslip [deg]",
        y_label="lateral force [N]", series=tuple(lines),
    )  # fmt: skip


def _curve(x: NDArray[np.float64], y: NDArray[np.float64] | float) -> Series:
    return Series(
        name="identified curve", x=x, y=np.asarray(y), colour=REFERENCE, dash="dashed", faint=True
    )


def _span(values: NDArray[np.float64]) -> float:
    return float(np.abs(values).max())


def _states(
    runs: Mapping[str, Log],
    key: str,
    title: str,
    y_label: str,
    columns: list[tuple[str, float]],
    reference: str | None = None,
) -> Panel:
    lines: list[Series] = []
    first = next(iter(runs.values()))
    if reference is not None:
        lines.append(over_time("reference", first.time, first[reference], REFERENCE, "dashed"))
    for number, (name, log) in enumerate(runs.items()):
        for place, (column, factor) in enumerate(columns):
            word = column.rpartition(".")[2] if "." in column else column.replace("_rate", " rate")
            several = len(runs) > 1 and len(columns) > 1
            label = f"{name} {word}" if several else name if len(columns) == 1 else word
            colour = line_colour(number if len(runs) > 1 else place)
            dash = "dashed" if several and place else "solid"
            lines.append(over_time(label, log.time, factor * log[column], colour, dash))
    return Panel(key=key, title=title, x_label=_TIME, y_label=y_label, series=tuple(lines))


def annotate_log(log: Log, manoeuvre: Manoeuvre) -> Log:
    """Return a log of model `tankbot` with the references of the manoeuvre and the forces."""
    from grouser.models.planar.integrate import describe

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


def _plan(inputs: DriverInputs, given: Mapping[str, Any]) -> DriverPlan:
    # Imported here: listing drivers need not wait for the compiler.
    from grouser.papers.p3.manoeuvre import DURATION, cruise_voltage, find_manoeuvre

    robot, course = inputs.robot, inputs.course
    manoeuvre = find_manoeuvre(str(given.get("name", "step-x")))
    pose, wanted = course.start_pose, (manoeuvre.slope, manoeuvre.roll)
    tilted = float(-pose.pitch), float(pose.roll)
    if any(wanted) and not np.allclose(tilted, wanted, atol=1e-6):
        tilt = "slope_deg={:g},roll_deg={:g}".format(*np.rad2deg(wanted).round(6))
        required = f"be treadmill:{tilt} for manoeuvre {manoeuvre.name!r}"
        raise InvalidValue("--course", course.name, required)
    gains = PoseGains(
        gain_mode=given.get("gain_mode", "per_sample_difference"), delay=given.get("delay", 0)
    )
    constants = start_constants(robot, course)
    voltage = (
        float(cruise_voltage(constants)) if course.treadmill_speed and robot.drive.motor else 0.0
    )
    return DriverPlan(
        driver=PoseHold(robot, course, manoeuvre.at, gains, start_voltage=voltage),
        duration=DURATION,
        dt=gains.period,
        needs=frozenset({"motors"}),
        annotate=lambda log: annotate_log(log, manoeuvre),
    )


MANOEUVRE = DriverKind(
    summary="holds a moving reference by motor voltages, as on P3's treadmill",
    keys={
        "name": "sine-x, sine-y, step-x (if not given), step-y, step-xy, step-y-pitched or "
        "step-y-rolled",
        "gain_mode": "per_sample_difference (if not given) or literal",
        "delay": "whole samples of 10 ms by which commands come late, 0 if not given [1]",
    },
    build=_plan,
)
"""The driver `manoeuvre`."""


def draw_manoeuvres(runs: Mapping[str, Log]) -> "tuple[Panel, ...]":
    """Return P3's figures if all runs are manoeuvres, otherwise none."""
    if not all("track_slip.left" in log and "reference_x" in log for log in runs.values()):
        return ()

    return manoeuvre_panels(runs, log_constants(next(iter(runs.values()))))
