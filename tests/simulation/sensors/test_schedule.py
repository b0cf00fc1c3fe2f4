"""When sensors are sampled, and when a sample is known."""

import math

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.description import parse_robot
from grouser.drivers import Constant, Sides
from grouser.errors import InvalidDescription, InvalidValue
from grouser.geometry import Pose, Twist
from grouser.log.declaration import Declaration
from grouser.models import Motion
from grouser.simulation.sensors.sensor import Schedule, Sensor

STILL = Motion(
    pose=Pose(), twist=Twist(), belt_speeds_commanded=(), belt_speeds=(), belt_travels=()
)


class Counter(Sensor):
    """Counts its samples."""

    name, columns = "counter", (("count", "1"),)

    def __init__(self, rate, latency=0.0):
        self.rate, self.latency, self.moments = rate, latency, []

    def sample(self, moment):
        self.moments.append(moment)
        return [float(len(self.moments))]


def read_for(schedule, duration, tick=0.01):
    return [schedule.read(k * tick, STILL, STILL, tick) for k in range(round(duration / tick) + 1)]


def test_a_sensor_is_sampled_at_its_rate_from_the_start_on():
    counter = Counter(rate=10.0)
    fresh = [sample for sample in read_for(Schedule(counter), 1.0) if sample]
    assert [sample.time for sample in fresh] == pytest.approx(np.arange(11) / 10.0)
    assert [m.duration for m in counter.moments] == pytest.approx([0.01, *[0.1] * 10])


def test_rates_that_are_no_multiple_of_the_tick_do_not_drift():
    fresh = [sample for sample in read_for(Schedule(Counter(rate=30.0)), 100.0) if sample]
    assert len(fresh) == 3001


def test_a_rate_above_the_ticks_gives_one_sample_per_tick():
    assert all(read_for(Schedule(Counter(rate=1000.0)), 1.0))


def test_a_sample_is_known_after_the_latency_with_the_time_at_which_it_was_taken():
    schedule = Schedule(Counter(rate=10.0, latency=0.25))
    fresh = read_for(schedule, 1.0)
    known = [(k * 0.01, sample.time) for k, sample in enumerate(fresh) if sample]
    assert known[0] == pytest.approx((0.25, 0.0))
    assert [late - taken for late, taken in known] == pytest.approx([0.25] * len(known))


def test_columns_are_nan_until_the_first_sample_is_known():
    robot = load_robot("tp100", {"sensors.imu.latency_s": 0.1})
    simulation = Simulation(make_model("ideal"), robot, load_course("flat"))
    simulation.run(Constant(robot, Sides(left=0.1, right=0.1)), duration=0.2)
    rates = simulation.log()["gyro_yaw_rate"]
    assert np.isnan(rates[:10]).all()
    assert np.isfinite(rates[10:]).all()
    sample = simulation.reading.latest("imu")
    assert sample is not None
    assert sample.time == pytest.approx(0.1)
    assert simulation.reading.latest("sonar") is None


def test_a_slow_gyroscope_holds_its_reading():
    robot = load_robot("tp100", {"sensors.imu.rate_hz": 10.0})
    simulation = Simulation(make_model("ideal"), robot, load_course("flat"))
    simulation.run(Constant(robot, Sides(left=0.1, right=0.0)), duration=1.0)
    rates = simulation.log()["gyro_yaw_rate"][:100].reshape(10, 10)
    assert np.all(rates == rates[:, :1])
    assert len(set(rates[:, 0])) > 5


def test_two_sensors_of_one_name_are_a_mistake():
    text = load_robot("tp100").text.replace("[sensors.imu]", '[sensors.imu]\nname = "encoder"')
    with pytest.raises(InvalidDescription, match="name 'encoder' is given to 2 sensors"):
        parse_robot(text, "mine.toml")


def test_declarations_survive_a_log():
    robot = load_robot("tp100")
    simulation = Simulation(make_model("ideal"), robot, load_course("flat"))
    kept = simulation.log().provenance.notes["sensors"]
    found = {n: tuple(Declaration.from_dict(d) for d in kept[n]["messages"]) for n in kept}
    assert found == simulation.declarations
    assert kept["imu"]["rate"] == robot.sensors.imu.rate
    assert found["imu"][0].columns["angular_velocity.z"] == "gyro_yaw_rate"
    assert found["encoder"][0].columns["data"][0] == "encoder.left"
    with pytest.raises(InvalidValue, match="have topic"):
        Declaration.from_dict({"topic": 3})
    assert math.isfinite(simulation.reading["gyro_yaw_rate"][0])
