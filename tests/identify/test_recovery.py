"""Parameters of random robots are recovered with noise, 5 % outliers, a gap and a clock offset.

`python -m benchmarks recovery` does the same with fifty robots for each family.
"""

import numpy as np
import pytest

from grouser.identify import FAMILIES, KnownRobot, fit_family
from grouser.identify.recovery import (
    SensorFaults,
    random_drive,
    random_known_robot,
    recover,
    recover_one,
)
from grouser.identify.residuals import fit_start_poses

LARGEST_OFFSET_ERROR = 0.005  # [s]


@pytest.mark.parametrize(
    ("family", "kind", "robots"),
    [("slip", "pose", 4), ("icr", "pose", 3), ("turning", "pose", 3), ("icr-varying", "pose", 2),
     ("slip", "twist", 2), ("icr", "twist", 2)],
)  # fmt: skip
def test_intervals_hold_the_truth_and_clocks_are_found(family, kind, robots):
    found = recover(family, robots, kind=kind, duration=60.0, seed=1)
    assert found.not_converged == 0
    assert found.largest_offset_error < LARGEST_OFFSET_ERROR
    # Of 8 to 24 intervals of 95 %, fewer than seven in ten only if they are too narrow.
    assert found.coverage >= 0.7
    # An error is on average a third to two thirds of half the interval; wide ones hide nothing.
    assert 0.1 < np.mean(list(found.errors.values())) < 0.8


def test_outliers_hardly_change_the_values():
    family, known_robot = FAMILIES["icr"], KnownRobot(gauge=0.4)
    true = np.array([0.35, -0.3, 0.02])
    values = []
    for outliers in (0.0, 0.05):
        faults = SensorFaults(outliers=outliers, outlier_size=100.0)
        record, _ = random_drive(
            family, true, known_robot, np.random.default_rng(4), duration=60.0, faults=faults
        )
        fit = fit_family(family, (record,), known_robot)
        values.append([fit.parameters[name].value for name in ("left_y", "right_y", "x")])
        assert fit.outliers == pytest.approx(outliers, abs=0.015)
    assert values[1] == pytest.approx(values[0], abs=0.003)
    assert values[1] == pytest.approx(true, abs=0.006)


@pytest.mark.parametrize(("family", "duration"), [("tankbot", 12.0), ("segments", 10.0)])
def test_a_family_that_is_simulated_finds_its_gains_and_the_clock(family, duration):
    found = recover_one(family, "pose", duration, SensorFaults(gap=0.5), (3, 0))
    assert not found["not_converged"]
    # What a tenth of a usual drive tells; the truth is inside the intervals, and they are no wider
    # than what robots differ by.
    for name, error in (("linear_gain", 0.02), ("angular_gain", 0.02), ("time_offset", 0.01)):
        true, value, low, high = found["parameters"][name]
        assert value == pytest.approx(true, abs=error), name
        assert low < true < high, name
        assert high - low < 0.3, name


def test_a_robot_that_turned_before_it_was_seen_starts_its_simulation_as_it_looked():
    family, known_robot = (
        FAMILIES["tankbot"],
        random_known_robot("tankbot", np.random.default_rng(0)),
    )
    values = np.ones(3)
    calm = SensorFaults(belt_noise=0.0, outliers=0.0, gap=0.0, largest_offset=0.0)
    record, _ = random_drive(
        family, values, known_robot, np.random.default_rng(5), duration=6.0, faults=calm
    )
    true = known_robot.course.start_pose
    placed = fit_start_poses(family.predict(values[None], record, known_robot), record)
    assert placed.starts[0] == pytest.approx((true.x, true.y, true.yaw), abs=0.02)
