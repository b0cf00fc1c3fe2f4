"""P3's curves, motor steps and tables of a tilted treadmill."""

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.errors import InvalidLog, InvalidValue
from grouser.identify import fit_curve
from grouser.identify.treadmill_table import fit_tilt_table, is_lifted_step, is_tilt_table
from grouser.laws.slope import GRAVITY
from grouser.laws.track_forces import magic_formula
from grouser.log import Column, Log


def line(x, slope, offset):
    return slope * x + offset


GUESS = {"slope": (1.0, "N"), "offset": (0.0, "N")}


def test_exact_points_give_the_exact_line():
    x = np.linspace(0.0, 1.0, 9)
    found = fit_curve(line, x, 3.0 * x - 1.0, 0.01, 0.01, GUESS)
    assert found["slope"].value == pytest.approx(3.0, abs=1e-6)
    assert found["offset"].value == pytest.approx(-1.0, abs=1e-6)
    assert found["slope"].unit == "N"


def test_intervals_hold_the_truth_as_often_as_they_say():
    generator, inside = np.random.default_rng(2), 0
    truth = np.linspace(0.0, 1.0, 20)
    for _ in range(100):
        x = truth + generator.normal(0.0, 0.03, 20)
        y = 3.0 * truth - 1.0 + generator.normal(0.0, 0.05, 20)
        inside += fit_curve(line, x, y, 0.03, 0.05, GUESS)["slope"].holds(3.0)
    assert 88 <= inside <= 100


def test_noise_in_x_does_not_flatten_the_line():
    # Plain least squares is biased towards zero by noise in x: to 2.5 here.
    generator, slopes = np.random.default_rng(3), []
    truth = np.linspace(0.0, 1.0, 100)
    for _ in range(4):
        x = truth + generator.normal(0.0, 0.13, 100)
        y = 3.0 * truth + generator.normal(0.0, 0.01, 100)
        assert np.polyfit(x, y, 1)[0] < 2.7
        slopes.append(fit_curve(line, x, y, 0.13, 0.01, GUESS)["slope"].value)
    assert np.mean(slopes) == pytest.approx(3.0, abs=0.1)


def test_too_few_points_and_gaps_raise_an_error():
    with pytest.raises(InvalidValue, match="points of a fit must be more than its 2 parameters"):
        fit_curve(line, [0.0, 1.0], [0.0, 1.0], 0.0, 0.1, GUESS)
    with pytest.raises(InvalidValue, match="points of a fit must be finite"):
        fit_curve(line, [0.0, 1.0, np.nan], [0.0, 1.0, 2.0], 0.0, 0.1, GUESS)


ROBOT = load_robot("tankbot")
LIMIT = ROBOT.mass * GRAVITY


def table(generator: np.random.Generator, peak=80.0, stiffness=38.5, track_peak=61.0) -> Log:
    """Return steady states of random curves, with noise, as P3 measured its own."""
    yaw = -np.linspace(-0.12, 0.12, 61)
    force = -magic_formula(-yaw, stiffness, 1.3, peak, -0.5) + generator.normal(0.0, 0.2, yaw.size)
    roll = np.arcsin(force / (LIMIT * np.cos(yaw)))
    slip = np.linspace(-0.06, 0.03, 61)
    track = magic_formula(slip + 0.025, 29.8, 1.65, track_peak, 0.0)
    pitch = -np.arcsin((track + generator.normal(0.0, 0.2, slip.size)) / (0.5 * LIMIT))
    locked = -2.0 * magic_formula(-1.0 + 0.025, 29.8, 1.65, track_peak, 0.0)
    pulls = locked + generator.normal(0.0, 0.3, 10)
    nothing = np.nan
    rows = np.full((6, 132), nothing)  # roll, pitch, yaw, slips, pull
    rows[0, :61], rows[1, :61], rows[2, :61] = roll, 0.0, yaw
    rows[0, 61:122], rows[1, 61:122], rows[3:5, 61:122] = 0.0, pitch, slip
    rows[5, 122:] = pulls
    names = {"roll": "rad", "pitch": "rad", "yaw": "rad", "slip.left": "1", "slip.right": "1",
             "pull_force": "N"}  # fmt: skip
    return Log({n: Column(row, u) for (n, u), row in zip(names.items(), rows, strict=True)})


def step(voltage: float, gain: float, inertia: float) -> Log:
    time = np.arange(0.0, 1.0, 0.01)
    damping = ROBOT.drive.motor.damping
    speed = gain * voltage / damping * (1.0 - np.exp(-time * damping / inertia))
    noisy = speed + np.random.default_rng(2).normal(0.0, 0.05, time.size)
    columns = {"time": Column(time, "s")}
    for drive in ROBOT.drives:
        columns[f"motor_voltage_commanded.{drive.name}"] = Column(np.full(100, voltage), "V")
        belt = Column(ROBOT.sprocket_radius * noisy, "m/s")
        columns[f"belt_speed.{drive.name}"] = belt
    return Log(columns)


def test_random_curves_lie_in_their_intervals():
    inside = []
    for seed in range(8):
        generator = np.random.default_rng(seed)
        peak, stiffness = generator.uniform(60.0, 120.0), generator.uniform(25.0, 45.0)
        fit = fit_tilt_table(table(generator, peak, stiffness), "table", ROBOT)
        true = {"D": peak, "B": stiffness, "C_alpha": stiffness * 1.3 * peak, "D_l": 61.0}
        inside += [fit.parameters[name].holds(value) for name, value in true.items()]
        assert fit.hold_out.score < 0.6  # [N]: noise and little more
    assert np.mean(inside) >= 0.85


def test_correlations_are_known_within_a_curve_and_not_between_curves():
    fit = fit_tilt_table(table(np.random.default_rng(3)), "table", ROBOT)
    names = list(fit.parameters)
    matrix = {
        (a, b): fit.correlation[i, j] for i, a in enumerate(names) for j, b in enumerate(names)
    }
    assert fit.correlation == pytest.approx(fit.correlation.T, nan_ok=True)
    assert all(matrix[name, name] == pytest.approx(1.0) for name in names)
    assert 0.1 < abs(matrix["D", "E"]) <= 1.0
    assert matrix["D", "D_l"] == 0.0
    assert np.isnan(matrix["mu", "D_l"])  # both take the same pulls


def test_steps_identify_inertia_and_gain():
    log = step(6.0, 0.8, 0.12)
    assert is_lifted_step(log)
    fit = fit_tilt_table(table(np.random.default_rng(0)), "table", ROBOT, [log])
    assert fit.parameters["J"].value == pytest.approx(0.12, rel=0.03)
    assert list(fit.details["motor_gains"].values()) == pytest.approx([0.8, 0.8], rel=0.01)


def test_a_table_without_rolled_rows_names_them():
    log = table(np.random.default_rng(0))
    assert is_tilt_table(log)
    level = Log({n: c for n, c in log.columns.items() if n != "yaw"})
    fit = fit_tilt_table(level, "table", ROBOT)
    assert "D" not in fit.parameters
    assert any("roll it from -10 to 10" in sentence for sentence in fit.advice)
    with pytest.raises(InvalidLog, match="too few"):
        fit_tilt_table(Log({"roll": Column(np.zeros(9), "rad")}), "table", ROBOT)
