import numpy as np
import pytest

from grouser import Scenario, load_course, load_robot, make_model
from grouser.description import Robot
from grouser.errors import UnknownName
from grouser.models import command_sides, effective_width, track_icrs, turn_deviations
from grouser.plugs.ros.odometry import (
    EXACT,
    UNKNOWN,
    Odometry,
    compensated_odometry,
    default_model,
    fill_covariance,
    turning_remark,
    wheel_odometry,
)
from tests.models.turning_robots import OWN, ZOO, tracked, without_slip

TP100 = load_robot("tp100")
BARE = without_slip(TP100)


def drive(left: float, right: float, seconds: float = 8.0):
    """Return wheel and compensated odometry after a drive, and the true motion."""
    simulation = Scenario(robot="tp100", course="flat", model="slip").start()
    odometries = wheel_odometry(TP100), compensated_odometry(TP100)
    steps = [TP100.sensors.encoder.travel_per_step(drive.side) for drive in TP100.drives]
    for _ in range(round(seconds / simulation.dt)):
        simulation.advance(command_sides(TP100, left, right))
        counts = simulation.reading["encoder"]
        travels = tuple(count * step for count, step in zip(counts, steps, strict=True))
        for odometry in odometries:
            odometry.update(simulation.time, travels)
    return odometries[0].estimate, odometries[1].estimate, simulation.motion


def test_compensated_odometry_is_right_where_the_robot_slips_as_identified():
    wheel, compensated, true = drive(0.08, 0.12)
    assert compensated.pose.yaw == pytest.approx(true.pose.yaw, abs=0.02)
    assert (compensated.pose.x, compensated.pose.y) == pytest.approx(
        (true.pose.x, true.pose.y), abs=0.01
    )
    assert abs(wheel.pose.yaw - true.pose.yaw) > 0.5


def test_wheel_odometry_takes_belts_for_wheels_that_roll():
    wheel, _, true = drive(0.1, 0.1)
    assert wheel.pose.x == pytest.approx(np.mean(true.belt_travels), abs=1e-3)
    assert wheel.vx == pytest.approx(0.1, abs=0.05)


def test_covariance_grows_with_distance_and_not_with_time():
    odometry, deviations = wheel_odometry(BARE), []
    for second, travel in enumerate((0.0, 0.1, 0.2, 0.2, 0.2)):
        odometry.update(float(second), (travel, travel))
        deviations.append(odometry.estimate.pose_covariance[2, 2])
    assert deviations[0] == 0.0
    assert deviations[2] == pytest.approx(2.0 * deviations[1])
    assert deviations[2] == deviations[3] == deviations[4]


def test_variance_of_yaw_is_that_of_the_sides_over_the_gauge():
    odometry = wheel_odometry(BARE, 0.2)
    odometry.update(0.0, (0.0, 0.0))
    found = odometry.update(1.0, (0.5, 0.5)).pose_covariance[2, 2]
    of_each_side = 0.2**2 * BARE.gauge * 0.5
    assert found == pytest.approx(2.0 * of_each_side / BARE.gauge**2)


def turned(odometry: Odometry, turns: int) -> float:
    """Return the deviation of yaw after quarter turns on the spot, per angle turned [1]."""
    odometry.update(0.0, (0.0, 0.0))
    for tick in range(1, 10 * turns + 1):
        odometry.update(float(tick), (-0.01 * tick, 0.01 * tick))
    found = odometry.estimate
    return float(np.sqrt(found.pose_covariance[2, 2]) / found.pose.yaw)


def test_unknown_ground_counts_in_proportion_to_the_angle_turned_and_known_ground_little():
    rate = turn_deviations(BARE, effective_width(BARE), float(track_icrs(BARE).x)).rate
    for turns in (1, 5):
        assert turned(compensated_odometry(BARE, deviation=0.0), turns) == pytest.approx(rate)
    known = compensated_odometry(BARE, deviation=0.0, ground_known=True)
    assert turned(known, 3) == pytest.approx(0.03)


def test_slip_that_a_file_states_for_another_ground_widens_the_covariance():
    plain = turned(compensated_odometry(BARE, deviation=0.0), 1)
    stated = turned(compensated_odometry(TP100, deviation=0.0), 1)
    assert stated > 0.4 > 2.0 * plain


def drive_through_turns(robot: Robot, seed: int, seconds: float = 60.0) -> np.ndarray:
    """Return errors of compensated odometry over its deviations: x, y, yaw of each sample.

    The robot drives in `csm` straight, in arcs to both sides and on the spot, in random order.
    """
    generator, dt = np.random.default_rng(seed), 0.02
    plant = make_model("csm").start(robot, load_course("flat"))
    odometry, speed = compensated_odometry(robot), 0.4 * robot.drive.speed_limit
    speed, found, until = min(speed, float(np.sqrt(robot.gauge))), [], 0.0
    command = command_sides(robot, speed, speed)
    for time in dt * np.arange(1, round(seconds / dt) + 1):
        if time > until:
            until = time + generator.uniform(1.5, 5.0)
            inner = (1.0, generator.uniform(0.2, 0.9), -1.0)[generator.integers(3)]
            sides = generator.permutation((inner, 1.0))
            command = command_sides(robot, *(speed * sides))
        plant.advance(command, dt)
        pose = plant.motion.pose
        estimate = odometry.update(float(time), tuple(map(float, plant.motion.belt_travels)))
        error = np.subtract(
            (estimate.pose.x, estimate.pose.y, estimate.pose.yaw), (pose.x, pose.y, pose.yaw)
        )
        found.append(np.abs(error) / np.sqrt(estimate.pose_covariance.diagonal() + EXACT))
    return np.array(found)


@pytest.mark.parametrize("name", [*ZOO, *OWN])
def test_the_truth_is_within_two_deviations_of_compensated_odometry(name):
    ratios = drive_through_turns((ZOO | OWN)[name], seed=5)
    assert np.mean(ratios <= 2.0, axis=0).min() >= 0.95


def test_a_sentence_says_how_wide_a_robot_turns_and_how_sure_that_is():
    assert turning_remark(OWN["rover"]).startswith(
        "robot 'rover' turns as 0.837 m wide, computed, even loads and Coulomb friction (no "
        "slip.icr, slip.wheelbase): odom/compensated states a deviation of "
    )
    stated = turning_remark(TP100)
    assert "0.274 m wide, slip.wheelbase of its file, even loads would turn as 0.193 m" in stated
    assert turning_remark(TP100, ground_known=True).endswith("a deviation of 3 % of every turn")
    lifted = tracked("lifted", 60.0, 0.7, 0.5, 0.12, 0.1, (0.0, 0.0, 0.15), 0.6, flippers=30.0)
    assert turning_remark(lifted) == (
        "it is not known how robot 'lifted' turns, because flipper 'left-front' lifts the robot at "
        "its rest angle: 0.741 m wide is a guess, and odom/compensated states a deviation of 50 % "
        "of every turn"
    )


def test_times_between_updates_do_not_change_where_a_straight_drive_ends():
    fine, coarse = wheel_odometry(TP100), wheel_odometry(TP100)
    for step in range(101):
        fine.update(0.01 * step, (0.001 * step, 0.001 * step))
    for step in (0, 100):
        coarse.update(0.01 * step, (0.001 * step, 0.001 * step))
    assert fine.estimate.pose.x == pytest.approx(coarse.estimate.pose.x) == pytest.approx(0.1)


def test_reset_begins_at_zero_with_the_next_travels():
    odometry = wheel_odometry(TP100)
    odometry.update(0.0, (0.0, 0.0))
    odometry.update(1.0, (0.5, 0.5))
    odometry.reset()
    assert odometry.update(0.0, (7.0, 7.0)).pose.x == 0.0


def test_what_is_not_planar_is_stated_as_unknown():
    full = np.array(fill_covariance(np.zeros((3, 3)))).reshape(6, 6)
    assert np.diag(full).tolist() == [EXACT, EXACT, UNKNOWN, UNKNOWN, UNKNOWN, EXACT]


def test_model_of_an_odometry_must_give_a_velocity_at_once():
    assert [default_model(robot) for robot in (TP100, BARE, ZOO["absolem"])] == [
        "slip", "icr", "smooth"
    ]  # fmt: skip
    with pytest.raises(UnknownName, match="no model for odometry named 'csm'"):
        compensated_odometry(TP100, "csm")
