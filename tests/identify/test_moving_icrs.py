"""Centres that move with speed and curvature: found in a log, exported, and driven again."""

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.description import Robot, parse_robot
from grouser.identify import KnownRobot, export_fit, fit_family, read_record
from grouser.identify.families import FAMILIES
from grouser.identify.prediction import replay_fit
from grouser.log import Column, Log
from grouser.models import command_sides

CENTRES = {
    "left_y": 0.12, "right_y": -0.15, "x": 0.02, "left_y_per_speed": 0.2,
    "right_y_per_speed": -0.1, "left_y_per_contrast": 0.04, "right_y_per_contrast": -0.03,
    "x_per_speed": 0.05,
}  # fmt: skip
UNITS = {"per_speed": "s", "per_contrast": "m"}


def moving_robot() -> Robot:
    """Return a TP100 whose centres move."""
    keys = {name: next((u for k, u in UNITS.items() if name.endswith(k)), "m") for name in CENTRES}
    table = "\n".join(f"{name}_{keys[name]} = {value}" for name, value in CENTRES.items())
    return parse_robot(load_robot("tp100").text + f"\n[slip.icr]\n{table}\n", "mine")


def drive(robot: Robot, seconds: float = 80.0) -> Log:
    """Return a random drive by model icr."""
    simulation = Simulation(make_model("icr"), robot, load_course("flat"), dt=0.02)
    generator = np.random.default_rng(4)
    while simulation.time < seconds:
        left, right = generator.uniform(-0.15, 0.25, 2)
        for _ in range(60):
            simulation.advance(command_sides(robot, left, right))
    return simulation.log()


def test_the_exported_robot_moves_as_the_fit_predicts(tmp_path):
    log, generator = drive(moving_robot()), np.random.default_rng(0)
    noise = {"x": 0.002, "y": 0.002, "yaw": 0.004}
    seen = log.with_columns(
        {n: Column(log[n] + generator.normal(0.0, s, len(log)), log.unit(n))
         for n, s in noise.items()}
    )  # fmt: skip
    known_robot = KnownRobot(gauge=0.16, robot=load_robot("tp100"))
    record = read_record(seen, "drive", known_robot.robot)
    fit = fit_family(FAMILIES["icr-varying"], [record], known_robot)
    assert fit.model == "icr"
    assert np.mean([fit.parameters[n].holds(true) for n, true in CENTRES.items()]) >= 0.75
    export_fit(fit, tmp_path / "mine.toml", known_robot)
    again = drive(load_robot(tmp_path / "mine.toml"))
    predicted = replay_fit(fit, record, known_robot, (record,))
    for name, most in (("vx", 1e-5), ("vy", 1e-5), ("yaw_rate", 1e-4)):
        np.testing.assert_allclose(again[name][1:], predicted[name][1:], atol=most)
    assert np.hypot(again["x"] - log["x"], again["y"] - log["y"]).max() < 0.1


def test_a_mirrored_robot_has_mirrored_centres():
    icr = moving_robot().slip.icr
    mirrored = icr.mirrored()
    assert mirrored.left_y_per_contrast == pytest.approx(0.03)
    assert mirrored.right_y_per_speed == pytest.approx(-0.2)
    assert mirrored.mirrored() == icr
