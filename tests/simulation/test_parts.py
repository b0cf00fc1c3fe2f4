"""Pace, programs, sensors and batches."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.drivers import Legs, Sides, Step, Wave
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Twist
from grouser.models import Motion, command_sides, make_model
from grouser.simulation import Encoders, Gyroscope, Pace, run_batch

ROBOT = load_robot("tp100")
MOTION = Motion(
    pose=Pose(),
    twist=Twist(),
    belt_speeds_commanded=(0, 0),
    belt_speeds=(0, 0),
    belt_travels=(0, 0),
)


class Clock:
    """A clock that sleeps too long."""

    def __init__(self, oversleep: float = 0.0) -> None:
        self.time, self.oversleep = 100.0, oversleep

    def now(self) -> float:
        return self.time

    def sleep(self, duration: float) -> None:
        self.time += duration + self.oversleep


def test_oversleeping_does_not_add_up():
    clock = Clock(oversleep=0.001)
    pace = Pace(0.01, clock.now, clock.sleep)
    for tick in range(1001):
        pace.wait(tick)
    assert clock.time - 100.0 == pytest.approx(10.0 + 0.001, abs=1e-9)


def test_lateness_is_reported_and_counted():
    clock = Clock()
    pace = Pace(0.01, clock.now, clock.sleep)
    assert pace.wait(0) == 0.0
    clock.time += 0.025
    assert pace.wait(1) == pytest.approx(0.015)
    assert pace.wait(2) == pytest.approx(0.005)
    assert pace.wait(3) == 0.0
    assert pace.late_ticks == 2
    assert pace.worst_lateness == pytest.approx(0.015)


def belts(program, times):
    return [program(float(t), MOTION).belt_speeds for t in times]


def test_a_step_waits_for_its_time():
    program = Step(ROBOT, Sides(left=0.1, right=0.2), at=1.0)
    assert belts(program, (0.99, 1.0)) == [(0.0, 0.0), (0.1, 0.2)]


def test_a_sine_swings_about_its_mean():
    program = Wave(ROBOT, Sides(left=0.1, right=0.1), Sides(left=-0.05, right=0.05), period=4.0)
    left, right = np.array(belts(program, (0.0, 1.0, 3.0))).T
    assert left == pytest.approx([0.1, 0.05, 0.15])
    assert right == pytest.approx([0.1, 0.15, 0.05])


def test_a_square_wave_has_equal_halves():
    program = Wave(ROBOT, Sides(), Sides(left=0.1, right=0.1), period=2.0, square=True)
    assert [left for left, _ in belts(program, (0.0, 0.99, 1.0, 1.99, 2.0))] == [
        0.1,
        0.1,
        -0.1,
        -0.1,
        0.1,
    ]


def test_legs_follow_each_other_and_end():
    # P1's back and forth: ten legs of 2 s.
    legs = [(2.0, Sides(left=s, right=s)) for s in [0.2, -0.2] * 5]
    program = Legs(ROBOT, legs)
    speeds = [program(k * 0.01, MOTION) for k in range(2000)]
    assert sum(command.belt_speeds[0] for command in speeds) == pytest.approx(0.0, abs=1e-9)
    assert program(20.0, MOTION) is None


@pytest.mark.parametrize("legs", [[], [(0.0, Sides())]])
def test_legs_without_time_are_refused(legs):
    with pytest.raises(InvalidValue, match="each of a positive duration"):
        Legs(ROBOT, legs)


def quiet(robot):
    """Return the robot with sensors that are as good as sensors get."""
    imu = robot.sensors.imu.model_copy(
        update={"gyro_bias": 0.0, "gyro_noise": 0.0, "gyro_bits": 40}
    )
    encoder = robot.sensors.encoder.model_copy(update={"ticks_per_revolution": 10**9})
    sensors = robot.sensors.model_copy(update={"imu": imu, "encoder": encoder})
    return robot.model_copy(update={"sensors": sensors})


def test_perfect_sensors_return_the_truth():
    robot, generator = quiet(ROBOT), np.random.default_rng(0)
    assert Gyroscope(robot, None, robot.sensors.imu, generator).read(
        (0.1, -0.2, 0.3)
    ) == pytest.approx((0.1, -0.2, 0.3), abs=1e-9)
    assert Encoders(robot, None, robot.sensors.encoder, generator).read(
        (0.001, -0.0007), 0.01
    ) == pytest.approx((0.1, -0.07), abs=1e-6)


def test_encoders_round_but_lose_no_step():
    encoders = Encoders(ROBOT, None, ROBOT.sensors.encoder, np.random.default_rng(0))
    sensor = ROBOT.sensors.encoder
    step = 2 * np.pi * sensor.wheel_radius / sensor.ticks_per_revolution
    travels = np.cumsum(np.tile((0.001, -0.0005), (1000, 1)), axis=0)
    speeds = np.array([encoders.read(tuple(travel), 0.01) for travel in travels])
    counted = np.round(speeds * 0.01 / step, 6)
    assert np.all(counted == np.round(counted))
    assert encoders.counts == (np.floor(1.0 / step), np.floor(-0.5 / step))
    assert speeds.mean(axis=0) == pytest.approx((0.1, -0.05), abs=step / 10)


def test_a_gyroscope_has_offset_noise_steps_and_a_range():
    imu = ROBOT.sensors.imu
    gyroscope = Gyroscope(ROBOT, None, ROBOT.sensors.imu, np.random.default_rng(0))
    readings = np.array([gyroscope.read((0.0, 0.0, 0.1)) for _ in range(4000)])
    assert readings[:, 2].mean() - 0.1 == pytest.approx(gyroscope.offset[2], abs=5e-5)
    assert abs(gyroscope.offset).max() <= imu.gyro_bias
    assert readings[:, 2].std() == pytest.approx(imu.gyro_noise, rel=0.05)
    step = 2 * imu.gyro_range / 2**imu.gyro_bits
    assert readings / step == pytest.approx(np.round(readings / step), abs=1e-6)
    assert gyroscope.read((0.0, 0.0, 99.0))[2] == pytest.approx(imu.gyro_range, rel=1e-3)


def test_feedback_of_a_batch_is_never_stale():
    seen = []

    def program(time, motion):
        seen.append(float(motion.pose.x[0]))
        return command_sides(ROBOT, 0.1, 0.1)

    run_batch(
        make_model("ideal"), ROBOT, load_course("flat"), Pose(x=np.zeros(2)), program,
        duration=0.3, every=10,
    )  # fmt: skip
    assert np.all(np.diff(seen[1:]) > 0.0)


def test_a_batch_samples_the_paths_of_all_robots():
    count = 5
    poses = Pose(x=np.arange(count, dtype=float), yaw=np.zeros(count))
    right = np.linspace(0.05, 0.15, count)
    run = run_batch(
        make_model("ideal"), ROBOT, load_course("flat"), poses,
        lambda time, motion: command_sides(ROBOT, 0.1, right), duration=1.0, every=20,
    )  # fmt: skip
    assert run.x.shape == run.yaw.shape == (6, count)
    assert run.time == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert np.all(np.diff(run.yaw[-1]) > 0.0)
    assert run.yaw[-1, 2] == pytest.approx(0.0, abs=1e-12)


def test_a_batch_of_parameters_spreads_the_robots():
    slips = np.array([0.0, 0.1, 0.2])
    model = make_model("slip", slip_left=slips, slip_right=slips)
    run = run_batch(
        model, ROBOT, load_course("flat"), Pose(x=np.zeros(3)),
        lambda time, motion: command_sides(ROBOT, 0.1, 0.1), duration=1.0,
    )  # fmt: skip
    assert run.x[-1] / run.x[-1, 0] == pytest.approx(1.0 - slips)
