"""The controller of P3 as a driver."""

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model, replay
from grouser.control import PoseGains, PoseHold
from grouser.errors import InvalidValue

TANKBOT, TREADMILL = load_robot("tankbot"), load_course("treadmill")


def hold(**options):
    return PoseHold(TANKBOT, TREADMILL, lambda time: (0.0, 0.0, 0.0), **options)


def test_voltages_are_filtered_and_limited():
    simulation = Simulation(make_model("tankbot"), TANKBOT, TREADMILL)
    far = PoseHold(TANKBOT, TREADMILL, lambda time: (10.0, 0.0, 0.0))
    first = far(0.0, simulation.motion).motor_voltages
    assert first == (10.0, 10.0)
    near = PoseHold(TANKBOT, TREADMILL, lambda time: (0.1, 0.0, 0.0))
    first = near(0.0, simulation.motion).motor_voltages
    assert first == pytest.approx((5.0 * (1.0 - np.exp(-0.5)),) * 2)


def test_a_robot_to_the_left_is_turned_to_the_right():
    simulation = Simulation(make_model("tankbot"), TANKBOT, TREADMILL)
    right = PoseHold(TANKBOT, TREADMILL, lambda time: (0.0, -0.1, 0.0))
    left_volts, right_volts = right(0.0, simulation.motion).motor_voltages
    assert left_volts > 0.0 > right_volts


def test_a_run_by_voltages_replays_bit_for_bit():
    simulation = Simulation(make_model("tankbot"), TANKBOT, TREADMILL)
    simulation.run(hold(start_voltage=2.6), 2.0)
    log = simulation.log()
    again = replay(log)
    for name in ("x", "yaw", "belt_speed.left", "motor_voltage_commanded.right"):
        assert again[name].tobytes() == log[name].tobytes(), name
    assert np.isnan(log["motor_voltage_commanded.left"][0])  # nothing was asked before the start


def test_belt_speeds_of_a_robot_with_motors_replay_too():
    from grouser.drivers import Constant, Sides

    simulation = Simulation(make_model("tankbot"), TANKBOT, TREADMILL)
    simulation.run(Constant(TANKBOT, Sides(left=0.3, right=0.4)), 0.5)
    log = simulation.log()
    assert np.isnan(log["motor_voltage_commanded.left"]).all()
    assert replay(log)["yaw"].tobytes() == log["yaw"].tobytes()


def test_bad_numbers_are_refused():
    with pytest.raises(InvalidValue, match="command delay must be a whole number of samples"):
        PoseGains(delay=-1)
    with pytest.raises(InvalidValue, match="gain_mode must be per_sample_difference or literal"):
        PoseGains(gain_mode="si")  # type: ignore[arg-type]
    with pytest.raises(InvalidValue, match=r"robot must have a \[drive.motor\]"):
        PoseHold(load_robot("tp100"), TREADMILL, lambda time: (0.0, 0.0, 0.0))


def test_a_command_with_too_few_voltages_is_refused():
    from grouser.models import Command

    simulation = Simulation(make_model("tankbot"), TANKBOT, TREADMILL)
    with pytest.raises(
        InvalidValue, match="motor_voltages must have one for each of left, right, or none"
    ):
        simulation.advance(Command(belt_speeds=(0.0, 0.0), motor_voltages=(1.0,)))
