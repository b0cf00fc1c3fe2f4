"""Inertial units: at rest, on a slope, in a turn, mounted anywhere; Allan deviation; limits."""

import math

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.drivers import Constant, Sides
from grouser.geometry import Pose, Twist
from grouser.laws.sensor_noise import allan_deviation
from grouser.laws.slope import GRAVITY
from tests.simulation.sensors.moments import TICK, make_sensor, moment, motion, still, with_sensors

GYRO = "[sensors.imu]\nrate_hz = 100.0\ngyro_range_deg_s = 2000.0\ngyro_bits = 32\n"
IMU = GYRO + "accelerometer_range_m_s2 = 200.0\naccelerometer_bits = 32\n"
CLOSE = 1e-6


def unit(text=IMU, seed=0):
    return make_sensor(text, load_course("flat"), seed)


def felt(sensor, now) -> np.ndarray:
    return np.array(sensor.sample(now)[3:])


def test_at_rest_it_feels_the_ground_and_no_turn():
    shown = unit().sample(still(yaw=1.0))
    assert shown == pytest.approx([0.0, 0.0, 0.0, 0.0, 0.0, GRAVITY], abs=CLOSE)


def test_columns_of_an_accelerometer_are_there_with_its_range_only():
    names = [name for name, _ in unit().columns]
    assert names[:3] == [name for name, _ in unit(GYRO).columns]
    assert names[3:] == ["accelerometer_x", "accelerometer_y", "accelerometer_z"]
    (plain,), (both,) = unit(GYRO).declarations, unit().declarations
    assert plain.constants["linear_acceleration_covariance"][0] == -1.0
    assert both.columns["linear_acceleration.z"] == "accelerometer_z"


def run_on(course, left, right, duration=2.0, **choices):
    robot = with_sensors(IMU)
    simulation = Simulation(make_model("ideal"), robot, load_course(course, **choices))
    simulation.run(Constant(robot, Sides(left=left, right=right)), duration=duration)
    return simulation


def test_on_a_slope_it_leans_as_the_slope_does():
    angle = math.radians(12.0)
    log = run_on("slope", 0.1, 0.1, angle_deg=12.0).log()
    assert log["accelerometer_x"][-1] == pytest.approx(GRAVITY * math.sin(angle), abs=1e-4)
    assert log["accelerometer_z"][-1] == pytest.approx(GRAVITY * math.cos(angle), abs=1e-4)


def test_in_a_turn_it_feels_speed_times_yaw_rate_towards_the_centre():
    simulation = run_on("flat", 0.3, 0.5)
    twist, log = simulation.motion.twist, simulation.log()
    centripetal = float(twist.vx) * float(twist.yaw_rate)
    assert centripetal > 0.05
    assert log["accelerometer_y"][-1] == pytest.approx(centripetal, rel=1e-3)
    assert log["accelerometer_x"][-1] == pytest.approx(0.0, abs=1e-3)
    assert log["gyro_yaw_rate"][-1] == pytest.approx(float(twist.yaw_rate), abs=1e-6)


def test_a_unit_ahead_of_the_axis_feels_the_turn_outwards():
    ahead = unit(IMU + "position_m = [0.5, 0.0, 0.1]\n")
    spin = motion(Pose(), Twist(yaw_rate=2.0))
    assert felt(ahead, moment(spin)) == pytest.approx([-0.5 * 4.0, 0.0, GRAVITY], abs=CLOSE)


def test_a_turned_unit_measures_along_its_own_axes():
    left = unit(IMU + "yaw_deg = 90.0\n")
    before, now = motion(Pose(), Twist()), motion(Pose(), Twist(vx=0.01, roll_rate=0.5))
    shown = left.sample(moment(now, before))
    assert shown[:3] == pytest.approx([0.0, -0.5, 0.0], abs=CLOSE)
    assert shown[3:] == pytest.approx([0.0, -1.0, GRAVITY], abs=CLOSE)
    over = unit(IMU + "roll_deg = 180.0\n")
    assert felt(over, still()) == pytest.approx([0.0, 0.0, -GRAVITY], abs=CLOSE)


def test_readings_stop_at_the_range_and_come_in_steps():
    text = IMU.replace("200.0", "20.0").replace("accelerometer_bits = 32", "accelerometer_bits = 4")
    before, now = motion(), motion(twist=Twist(vx=5.0))
    shown = felt(unit(text), moment(now, before))
    step = 40.0 / 16
    assert shown[0] == 20.0
    assert shown[2] == pytest.approx(round(GRAVITY / step) * step)


def samples(text, count, seed=5):
    sensor, rest = unit(text, seed), still()
    return np.array([sensor.sample(rest) for _ in range(count)])


def test_allan_deviation_is_that_of_the_densities():
    text = IMU + (
        "gyro_noise_density_deg_s_sqrt_hz = 0.5\ngyro_random_walk_deg_s_sqrt_s = 0.3\n"
        "accelerometer_noise_density_m_s2_sqrt_hz = 0.02\n"
        "accelerometer_random_walk_m_s2_sqrt_s = 0.01\n"
    )
    found, times = samples(text, 20_000), np.array([0.02, 0.1, 1.0, 6.0])
    deviations = [allan_deviation(column, 1.0 / TICK, times) for column in found.T]
    for axes, white, walk in (
        (slice(0, 3), math.radians(0.5), math.radians(0.3)),
        (slice(3, 6), 0.02, 0.01),
    ):
        expected = np.sqrt(white**2 / times + walk**2 * times / 3.0)
        mean = np.sqrt(np.mean(np.square(deviations[axes]), axis=0))
        assert mean == pytest.approx(expected, rel=0.15)


def test_bias_is_drawn_once_within_its_limit_and_replayed():
    text = IMU + "accelerometer_bias_m_s2 = 0.4\n"
    first, again, other = (samples(text, 3, seed)[:, 3:] for seed in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()
    assert np.ptp(first, axis=0) == pytest.approx([0.0, 0.0, 0.0])
    assert 0.01 < np.abs(first[0] - (0.0, 0.0, GRAVITY)).max() <= 0.4


def test_an_accelerometer_and_a_walk_do_not_change_the_noise_of_the_gyroscope():
    noisy = GYRO + "gyro_noise_deg_s = 0.1\ngyro_bias_deg_s = 0.3\n"
    alone = samples(noisy, 50)
    more = noisy + IMU.removeprefix(GYRO) + "accelerometer_noise_density_m_s2_sqrt_hz = 0.1\n"
    assert samples(more, 50)[:, :3].tolist() == alone.tolist()


def test_units_of_the_zoo_measure_as_before():
    robot = load_robot("tp100")
    simulation = Simulation(make_model("ideal"), robot, load_course("flat"), seed=7)
    simulation.run(Constant(robot, Sides(left=0.1, right=0.2)), duration=0.05)
    found = simulation.log()["gyro_yaw_rate"].tolist()
    generator, imu = np.random.default_rng(7), robot.sensors.imu
    offset = generator.uniform(-imu.gyro_bias, imu.gyro_bias, 3)
    step = 2.0 * imu.gyro_range / 2.0**imu.gyro_bits
    rates = [0.0, *simulation.log()["yaw_rate"][1:].tolist()]
    for rate, shown in zip(rates, found, strict=True):
        noise = generator.normal(0.0, imu.gyro_noise, 3)
        assert shown == pytest.approx(round((rate + offset[2] + noise[2]) / step) * step, abs=1e-15)
