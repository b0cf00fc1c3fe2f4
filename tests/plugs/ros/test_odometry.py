import numpy as np
import pytest

from grouser import Scenario, load_robot
from grouser.errors import UnknownName
from grouser.models import command_sides
from grouser.plugs.ros.odometry import (
    EXACT,
    UNKNOWN,
    compensated_odometry,
    default_model,
    fill_covariance,
    wheel_odometry,
)

TP100 = load_robot("tp100")


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
    odometry, deviations = wheel_odometry(TP100), []
    for second, travel in enumerate((0.0, 0.1, 0.2, 0.2, 0.2)):
        odometry.update(float(second), (travel, travel))
        deviations.append(odometry.estimate.pose_covariance[2, 2])
    assert deviations[0] == 0.0
    assert deviations[2] == pytest.approx(2.0 * deviations[1])
    assert deviations[2] == deviations[3] == deviations[4]


def test_variance_of_yaw_is_that_of_the_sides_over_the_gauge():
    odometry = wheel_odometry(TP100, 0.2)
    odometry.update(0.0, (0.0, 0.0))
    found = odometry.update(1.0, (0.5, 0.5)).pose_covariance[2, 2]
    of_each_side = 0.2**2 * TP100.gauge * 0.5
    assert found == pytest.approx(2.0 * of_each_side / TP100.gauge**2)


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
    assert default_model(TP100) == "slip"
    with pytest.raises(UnknownName, match="no model for odometry named 'csm'"):
        compensated_odometry(TP100, "csm")
