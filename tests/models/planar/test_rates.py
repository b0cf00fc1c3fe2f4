"""The compiled right-hand side and its integration, against the data, the laws and scipy."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.plain_planar import plain_rates
from scipy.integrate import solve_ivp

from grouser.description import Course, Robot, load_course, load_robot
from grouser.laws.slope import grade_forces
from grouser.laws.track_forces import magic_formula, resting_shift
from grouser.models import command_sides, make_model, start_model
from grouser.models.planar.advance import advance_robots
from grouser.models.planar.constants import pack_constants
from grouser.models.planar.dynamics import (
    cos_sin,
    drift_curve,
    look_up,
    planar_rates,
    side_torque,
    slip_curve,
    slip_shift,
    tanh,
)
from grouser.models.planar.tankbot import TankbotModel
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_manoeuvre, tankbot_constants

DATA = Path(__file__).parents[2] / "data/tankbot"
VECTORS = json.loads((DATA / "unit_vectors.json").read_text())["plant_rhs"]
STATES = ("x", "y", "yaw", "dx", "dy", "yaw_rate", "omega_left", "omega_right")
RATES = ("dx", "dy", "yaw_rate", "ddx", "ddy", "yaw_acc", "domega_left", "domega_right")
CONSTANTS = tankbot_constants()


def compiled_rates(state, voltages, grade, constants=CONSTANTS):
    packed = pack_constants(constants, 1)
    c = packed.records[0]
    left = side_torque(voltages[0], c["left_forward"], c["left_backward"])
    right = side_torque(voltages[1], c["right_forward"], c["right_backward"])
    rates = planar_rates(
        tuple(map(float, state)), (True, left), (True, right), grade, c, packed.curves
    )
    return rates[:8]


def test_the_constants_of_the_tankbot_are_the_recommended_ones():
    given = json.loads((DATA / "recommended_defaults.json").read_text())
    text = json.loads((DATA / "text_constants.json").read_text())
    c = CONSTANTS
    assert (c.inertia, c.com_height) == (given["I_z_kgm2"], given["z_CG_m"])
    assert (c.front, c.rear) == pytest.approx((given["L_f_m"], given["L_a_m"]))
    assert (c.speed_floor, c.yaw_rate_floor) == (given["eps_v_mps"], given["eps_omega_radps"])
    curve = given["torque_map"]
    expected = tuple(curve[key] for key in ("V_dz_V", "T_jump_Nm", "k_Nm_per_V", "T_max_Nm"))
    assert c.left_forward == c.right_backward == expected
    assert (c.mass, c.shift) == (text["mass_kg"], text["S_h"])
    assert (c.drive_inertia, c.drive_damping) == (text["J_kgm2"], text["B_D_kgm2ps"])


@pytest.mark.parametrize("given", VECTORS)
def test_rates_have_the_unit_vectors(given):
    state = [given["state"][name] for name in STATES]
    grade = grade_forces(46.8, given["rep103_pitch_rad"], given["rep103_roll_rad"])
    expected = [given["derivative"][name] for name in RATES]
    voltages = given["V_left"], given["V_right"]
    assert compiled_rates(state, voltages, grade) == pytest.approx(expected, abs=2e-6)
    assert plain_rates(state, voltages, grade, CONSTANTS) == pytest.approx(expected, abs=1e-8)


def test_compiled_rates_are_the_laws_at_any_state():
    generator = np.random.default_rng(3)
    for _ in range(200):
        state = generator.normal(0.0, [1, 1, 2, 0.3, 0.3, 1, 8, 8])
        voltages = generator.uniform(-10.0, 10.0, 2)
        grade = grade_forces(46.8, *generator.uniform(-0.2, 0.2, 2))
        expected = plain_rates(state, voltages, grade, CONSTANTS)
        assert compiled_rates(state, voltages, grade) == pytest.approx(expected, abs=1e-6)


def test_tables_are_the_magic_formula():
    slips = np.linspace(-1.05, 1.05, 2001)
    table = slip_curve(29.8, 1.65, 0.0)
    values = [look_up(table, 0, 29.8 * slip) for slip in slips]
    assert values == pytest.approx(magic_formula(slips, 29.8, 1.65, 1.0, 0.0), abs=1e-11)
    angles = np.linspace(-1.57, 1.57, 2001)
    table = drift_curve(38.5, 1.3, -0.5)
    values = [look_up(table, 0, 38.5 * np.tan(angle)) for angle in angles]
    assert values == pytest.approx(magic_formula(angles, 38.5, 1.3, 1.0, -0.5), abs=2e-9)


def test_cosine_and_sine_are_exact_to_the_last_digits():
    angles = np.random.default_rng(0).normal(0.0, 100.0, 5000)
    both = np.array([cos_sin(angle) for angle in angles])
    assert np.abs(both - np.stack((np.cos(angles), np.sin(angles)), axis=1)).max() < 1e-15


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (-0.035, 0.0), (0.0, -0.035)])
def test_integration_agrees_with_a_stiff_solver_of_scipy(tilt):
    grade = grade_forces(46.8, *tilt)
    packed = pack_constants(CONSTANTS, 1)
    ours = np.array([[-0.05, 0.0, 0.05, 0.02, 0.0, 0.1, 7.5, 7.6]])
    theirs = ours[0].copy()
    # Voltages that turn the robot, brake it to reverse and drive on; held for 0.25 s each.
    for voltages in ((3.0, 4.5), (-2.0, 2.0), (1.5, -3.0), (6.0, 5.0), (2.6, 2.6)):
        solved = solve_ivp(
            lambda _, state, v=voltages: plain_rates(state, v, grade, CONSTANTS),
            (0.0, 0.25), theirs, method="Radau", rtol=1e-9, atol=1e-11,
        )  # fmt: skip
        theirs = solved.y[:, -1]
        for _ in range(25):
            advance_robots(
                0, 1, ours, True, np.array([voltages]), np.array([grade]), *packed, 0.01, 0.0005
            )
        assert ours[0, :3] == pytest.approx(theirs[:3], abs=1e-5)
        assert ours[0, 3:6] == pytest.approx(theirs[3:6], abs=1e-4)


def reversed_often(model: str, robot: Robot, course: Course) -> np.ndarray:
    """Return x, y [m] and yaw [rad] of a robot after each of some reversals by belt speeds."""
    plant, limit = start_model(make_model(model), robot, course), robot.drive.speed_limit
    seen = []
    for left, right in ((0.3, 0.3), (-0.3, -0.3), (0.3, -0.3), (-0.3, 0.3)) * 2:
        for _ in range(50):
            plant.advance(command_sides(robot, left * limit, right * limit), 0.01)
        pose = plant.motion.pose
        seen.append((pose.x, pose.y, pose.yaw))
    return np.array(seen)


@pytest.mark.parametrize("name", ["tankbot", "tp100"])
@pytest.mark.parametrize("roll", [0, 6, 12])
def test_default_steps_are_exact_through_reversals_and_slides(name, roll):
    # On 12 degrees of this treadmill robots slide aside, faster and faster: while their yaw rate
    # goes through zero, the lateral force goes from one end of the contact to the other.
    robot, course = load_robot(name), load_course(f"treadmill:roll_deg={roll}")
    fine = reversed_often("tankbot:longest_step=4e-5", robot, course)
    error = np.abs(reversed_often("tankbot", robot, course) - fine).max(axis=0)
    assert error[:2].max() < 2e-5
    assert error[2] < 5e-5


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (-0.035, 0.0), (0.0, -0.035), (0.0, 0.1)])
def test_default_steps_are_exact_through_reversals_by_voltages(tilt):
    grade, packed = np.array([grade_forces(46.8, *tilt)]), pack_constants(CONSTANTS, 1)
    start = [[-0.05, 0.0, 0.05, 0.02, 0.0, 0.1, 7.5, 7.6]]
    usual, fine = np.array(start), np.array(start)
    hard = (6, 6), (-6, -6), (6, 6), (-6, 6), (6, -6), (-6, 6), (3, 3), (-3, -3), (3, -3)
    for voltages in hard:
        volts = np.array([voltages], np.float64)
        for states, longest in ((usual, TankbotModel().longest_step), (fine, 5e-5)):
            for _ in range(25):
                advance_robots(0, 1, states, True, volts, grade, *packed, 0.01, longest)
        assert usual[0, :2] == pytest.approx(fine[0, :2], abs=2e-5)
        assert usual[0, 2] == pytest.approx(fine[0, 2], abs=5e-5)


def test_a_manoeuvre_agrees_with_a_stiff_solver_and_a_controller_of_its_own():
    log = run_manoeuvre(MANOEUVRES["step-y"], duration=6.5)
    began = 500  # the first edge
    start = ("x", "y", "yaw", "x_rate", "y_rate", "yaw_rate")
    state = [log[name][began] for name in start]
    state += [log[f"belt_speed.{side}"][began] / 0.0508 for side in ("left", "right")]
    filters, grade = np.full(2, 2.6273548228), grade_forces(46.8, 0.0, 0.0)
    for tick in range(began, 650):
        x, y, yaw, x_rate, y_rate, yaw_rate, *_ = state
        along = 50.0 * (0.0 - x) - 1.0 * x_rate
        across = 80.0 * (-0.1 - y) - 0.3 * y_rate
        turning = np.rad2deg(0.3) * (0.0 - yaw) - np.rad2deg(0.018) * yaw_rate
        raw = np.array((along - across - turning, along + across + turning))
        filters = np.exp(-0.5) * filters + (1.0 - np.exp(-0.5)) * raw
        volts = np.clip(filters, -10.0, 10.0)
        solved = solve_ivp(
            lambda _, now, v=volts: plain_rates(now, v, grade, CONSTANTS),
            (0.0, 0.01), state, method="LSODA", rtol=1e-9, atol=1e-11,
        )  # fmt: skip
        state = solved.y[:, -1]
        expected = [log[name][tick + 1] for name in ("x", "y", "yaw")]
        assert state[:3] == pytest.approx(expected, abs=1e-5)


def test_hyperbolic_tangents_are_those_of_numpy():
    numbers = np.concatenate((np.linspace(-25.0, 25.0, 2001), np.logspace(-12, 2, 500)))
    ours = np.array([tanh(number) for number in numbers])
    assert ours == pytest.approx(np.tanh(numbers), rel=2e-15, abs=1e-300)
    assert (tanh(np.inf), tanh(-np.inf), tanh(0.0)) == (1.0, -1.0, 0.0)


@pytest.mark.parametrize("width", [0.0, 0.05])
def test_the_shift_of_slips_is_that_of_the_law(width):
    (record,) = pack_constants(CONSTANTS._replace(shift_width=width), 1).records
    for speed in (-0.4, -0.01, 0.0, 1e-6, 0.03, 2.0):
        expected = resting_shift(record["shift"], speed, width) if width else record["shift"]
        assert slip_shift(speed, record) == pytest.approx(expected, rel=1e-14)
