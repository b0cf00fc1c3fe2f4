"""Slip against slope from several logs with one slope each (P0's ramp tests)."""

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.description import Robot, parse_course
from grouser.identify import FAMILIES, KnownRobot, Record, fit_family, read_record
from grouser.log import Column, Log
from grouser.models import command_sides

ROBOT = load_robot("tp100")
SLOPES = (8.0, 12.0, 16.0, 20.0, 24.0, 28.0)  # [deg], P0
NOISE = {"x": 0.001, "y": 0.001, "yaw": 0.004, "pitch": 0.005}
SPEEDS = ((0.1, 0.1), (0.06, 0.06), (0.1, 0.09), (0.12, 0.12), (0.09, 0.1), (0.08, 0.08))


def climb(model: str, slope: float, seed: int) -> Log:
    """Return a drive up a slope, straight and in wide arcs, as a model has it."""
    course = load_course("slope")
    text = course.text + "\n[surfaces.ground.law]\nshear_modulus = 0.01\n"
    course = (
        parse_course(text, "slope", angle_deg=slope)
        if "csm" in model
        else load_course(f"slope:angle_deg={slope}")
    )
    simulation = Simulation(make_model(model), ROBOT, course, dt=0.02)
    for left, right in SPEEDS * 2:
        for _ in range(100):
            simulation.advance(command_sides(ROBOT, left, right))
    log, generator = simulation.log(), np.random.default_rng(seed)
    seen = {
        name: Column(log[name] + generator.normal(0.0, noise, len(log)), log.unit(name))
        for name, noise in NOISE.items()
    }
    return log.with_columns(seen)


def without_slip() -> Robot:
    """Return the robot with a file that knows its width, and nothing of its slip."""
    slip = {"left": 0.0, "right": 0.0, "turning_left": 0.0, "turning_right": 0.0,
            "slip_angle": 0.0, "turning_slip_angle": 0.0, "slope_coefficient": 0.0}  # fmt: skip
    return ROBOT.model_copy(update={"slip": ROBOT.slip.model_copy(update=slip)})


def fit_slopes(model: str):
    robot = without_slip()
    logs = [climb(model, slope, seed) for seed, slope in enumerate(SLOPES)]
    records: list[Record] = [
        read_record(log, f"{slope:g} deg", robot) for log, slope in zip(logs, SLOPES, strict=True)
    ]
    fit = fit_family(FAMILIES["slip"], records, KnownRobot(gauge=robot.gauge, robot=robot))
    return fit, logs


def test_one_slope_in_each_log_identifies_slip_and_its_rise():
    fit, _ = fit_slopes("slip")
    true = {"slip_left": ROBOT.slip.left, "slip_right": ROBOT.slip.right,
            "slope_coefficient": ROBOT.slip.slope_coefficient}  # fmt: skip
    for name, value in true.items():
        found = fit.parameters[name]
        assert found.holds(value), (found, value)
        assert found.high - found.low < 0.1
    assert fit.parameters["slip_right"].value == pytest.approx(0.1188, abs=0.01)


def test_slip_of_tracks_in_three_dimensions_is_found_over_slopes():
    fit, logs = fit_slopes("csm:law=shear")
    # What the simulation itself slipped, once the belts had their speed.
    slips = []
    for log in logs:
        steady = np.abs(log["belt_speed.left"] - log["belt_speed.right"]) < 1e-6
        steady &= np.roll(steady, 40) & (log["belt_speed.left"] > 0.05)
        slips.append(
            np.mean(
                [
                    1.0 - log["vx"][steady] / log[f"belt_speed.{side}"][steady]
                    for side in ("left", "right")
                ]
            )
        )
    line = np.polyfit(np.deg2rad(SLOPES), slips, 1)
    assert fit.parameters["slope_coefficient"].holds(line[0])
    for side in ("left", "right"):
        assert fit.parameters[f"slip_{side}"].holds(line[1])
