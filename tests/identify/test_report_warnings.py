"""Each warning appears for its fault, and none for a sound log."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.identify import Estimate, Parameter, identify_records
from grouser.identify.record import Observation
from grouser.identify.report_warnings import (
    clock_on_limit,
    find_warnings,
    implausible_slips,
    looks_like_odometry,
    many_outliers,
    much_unexplained,
    poor_coverage,
    poor_overlap,
    repeated_observations,
    values_on_limit,
)
from tests.identify.short_pieces import ROBOT, identify_pieces, record_of_pieces


@pytest.fixture(scope="module")
def found():
    return identify_pieces()


def with_values(fit, **values):
    """Return a fit with other values."""
    new = {n: Estimate(name=n, value=v, low=v, high=v, unit="1") for n, v in values.items()}
    return replace(fit, parameters={**fit.parameters, **new})


def test_a_sound_log_has_no_warning(found):
    assert find_warnings(found) == ()


def test_a_value_on_its_limit_is_named(found):
    limits = (Parameter(name="width", unit="m", start=0.5, span=0.2, low=0.1, high=2.0),)
    (said,) = values_on_limit(with_values(found.fits["icr"], width=2.0), limits)
    assert "width of icr is on its limit, 2 m" in said
    assert values_on_limit(with_values(found.fits["icr"], width=1.9), limits) == ()


def test_a_clock_offset_on_its_limit_is_named(found):
    (said,) = clock_on_limit(with_values(found.fits["icr"], time_offset=-2.0))
    assert "on its limit, -2 s" in said
    assert clock_on_limit(with_values(found.fits["icr"], time_offset=0.88)) == ()


def test_limits_that_the_folds_themselves_do_not_keep_are_named(found):
    fit = found.fits["icr"]
    assert poor_coverage(fit) == ()
    assert fit.limits is not None
    assert fit.limits.position is not None
    rows = fit.limits.position.table
    worse = replace(fit.limits.position, table=(*rows[:-1], replace(rows[-1], coverage=0.86)))
    (said,) = poor_coverage(replace(fit, limits=replace(fit.limits, position=worse)))
    assert "90 % limits of the position hold only 86 % of the held-out errors after" in said


def test_large_slip_on_both_sides_hints_at_the_unit_of_wheel_speeds(found):
    fit = found.fits["slip"]
    (said,) = implausible_slips([with_values(fit, slip_left=0.83, slip_right=0.8)], "pose")
    assert "slip is 0.83 left and 0.8 right (slip)" in said
    assert "are wheel speeds in m/s? A wrong radius or unit looks like this" in said
    assert not implausible_slips([with_values(fit, slip_left=0.83, slip_right=0.2)], "pose")
    assert not implausible_slips([with_values(fit, slip_left=0.83, slip_right=0.8)], "gyro")
    assert implausible_slips([with_values(fit, slip_left=0.95, slip_right=0.95)], "gyro")


def test_negative_slip_hints_at_the_radius(found):
    fit = found.fits["slip"]
    (said,) = implausible_slips([with_values(fit, slip_left=-0.7, slip_right=0.0)], "pose")
    assert "faster than its belts" in said
    assert not implausible_slips([with_values(fit, slip_left=-0.3, slip_right=-0.3)], "pose")


def test_wheel_speeds_in_another_unit_are_noticed():
    record = record_of_pieces()
    turned = replace(record, left=6.0 * record.left, right=6.0 * record.right)
    said = find_warnings(identify_records([turned], ROBOT, ("icr-slip",)))
    assert any("are wheel speeds in m/s?" in sentence for sentence in said)


def test_many_outliers_and_much_unexplained_motion_are_named(found):
    fit = replace(found.fits["icr"], outliers=0.12, unexplained=0.2)
    assert "12 % of the measurements are outliers for icr" in many_outliers(fit)[0]
    assert "icr leaves 20 % of the motion unexplained" in much_unexplained(fit)[0]
    calm = replace(fit, outliers=0.08, unexplained=0.1)
    assert (*many_outliers(calm), *much_unexplained(calm)) == ()


def test_fits_know_how_much_motion_they_leave_unexplained(found):
    assert found.fits["icr"].unexplained < 0.05 < found.fits["ideal"].unexplained


def test_belts_and_poses_that_hardly_overlap_are_named():
    record = record_of_pieces()
    seen = record.observation
    late = replace(record, observation=replace(seen, time=seen.time + 0.5 * record.time[-1]))
    outside, unseen = poor_overlap(late)
    assert "of the observations are at times without belt speeds" in outside
    assert "of the time driven has no observation within 1 s" in unseen
    assert poor_overlap(record) == ()


def test_poses_that_repeat_while_the_belts_move_are_named():
    record = record_of_pieces()
    seen = record.observation
    rows = 2 * (np.arange(seen.time.size) // 2)
    held = Observation(kind="pose", time=seen.time, values=seen.values[:, rows])
    (said,) = repeated_observations(replace(record, observation=held))
    assert "50 % of the poses repeat" in said
    assert "mark them as not measured" in said
    assert repeated_observations(record) == ()


def test_poses_that_repeat_while_the_robot_stands_are_sound():
    record = record_of_pieces()
    still = record.piece < 20
    record.left[still] = record.right[still] = 0.0
    record.observation.values[:, record.observation.time < record.time[still][-1]] = 0.0
    assert repeated_observations(record) == ()


def test_motion_computed_from_the_belts_is_named(found):
    nothing = np.zeros(0)
    odometry = identify_pieces(("ideal", "icr"), noise=0.0, family="ideal", values=nothing)
    (said,) = find_warnings(odometry)
    assert "this may be wheel odometry" in said
    noisy = identify_pieces(("ideal",), noise=0.01, family="ideal", values=nothing)
    hold = noisy.fits["ideal"].hold_out
    assert looks_like_odometry(hold, noisy.record, ROBOT.gauge) == ()


def test_wheel_odometry_is_noticed_without_a_fit_of_the_ideal_drive():
    odometry = identify_pieces(("icr",), noise=0.0, family="ideal", values=np.zeros(0))
    assert any("wheel odometry" in sentence for sentence in find_warnings(odometry))
