"""Steady turns by quadrature: Coulomb's limit, published theory, Nikitin's hyperbola."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.laws.skid_steering import SkidVehicle, belt_forces, steady_drive, steady_turn
from grouser.laws.terramechanics import mobilised_share, nikitin_coefficient

ROBOT = SkidVehicle(length=0.5, gauge=0.6, friction=0.7)
RATIOS = np.array([1.97, 3.94, 7.87, 15.7, 31.5, 63.0])
SLOW = 0.01
"""Speed at which the centrifugal force does not count [m/s]."""


def heavy(**changes) -> SkidVehicle:
    """Return the vehicle of Wong and Chiang's example, as handed down."""
    return replace(
        SkidVehicle(length=3.8, gauge=2.54, friction=0.9, shear_modulus=0.075), **changes
    )


@pytest.mark.parametrize(
    ("width", "strips", "ratio"), [(0.0, 1, 1.1285), (0.1, 3, 1.1517), (0.1, 50, 1.1561)]
)
def test_with_coulomb_friction_the_steering_ratio_is_the_same_at_every_radius(width, strips, ratio):
    vehicle = replace(ROBOT, width=width, strips=strips)
    drives = steady_drive(vehicle, np.array([-0.02, 0.0, 0.01]), np.array([0.02, 0.02, 0.03]))
    assert drives.imbalance.max() < 1e-9
    assert drives.steering_ratio(0.6) == pytest.approx(ratio, abs=6e-5)


def test_belts_of_0_3_and_0_5_m_s_on_10_mm():
    drive = steady_drive(replace(ROBOT, shear_modulus=0.01), 0.3, 0.5)
    found = drive.vx[0], drive.vy[0], drive.yaw_rate[0]
    assert found == pytest.approx((0.3980, -0.0218, 0.2980), abs=6e-5)


@pytest.mark.parametrize(
    ("changes", "forces"),
    [
        ({}, (0.242, 0.196, 0.133, 0.078, 0.042, 0.022)),
        ({"form": "wong"}, (0.258, 0.232, 0.182, 0.121, 0.071, 0.038)),
        ({"shear_modulus": 0.0}, (0.282,) * 6),
    ],
)
def test_sprocket_forces_fall_with_the_radius(changes, forces):
    turn = steady_turn(heavy(**changes), RATIOS * 2.54, SLOW)
    assert turn.imbalance.max() < 1e-9
    assert turn.right.along == pytest.approx(forces, abs=6e-4)
    assert turn.left.along == pytest.approx(-turn.right.along, abs=1e-5)


def test_at_large_radius_the_centre_of_rotation_is_a_sixth_of_the_length_ahead():
    forward = steady_turn(heavy(), 63.0 * 2.54, SLOW)
    assert forward.icr_ahead / 3.8 == pytest.approx(0.164, abs=6e-4)
    wide = steady_turn(heavy(), 1000.0 * 2.54, SLOW)
    assert wide.icr_ahead / 3.8 == pytest.approx(1.0 / 6.0, abs=5e-4)
    backward = steady_drive(heavy(), -wide.left_speed, -wide.right_speed)
    assert backward.icr_ahead == pytest.approx(-wide.icr_ahead, rel=1e-3)
    other = steady_turn(heavy(form="wong"), 63.0 * 2.54, SLOW)
    assert other.icr_ahead[0] < 0.0


@pytest.mark.parametrize(("form", "K", "rms"), [("mobilised", 0.05, 0.045), ("wong", 0.1, 0.067)])
def test_nikitins_hyperbola(form, K, rms):
    turn = steady_turn(heavy(form=form, shear_modulus=K), RATIOS * 2.54, SLOW)
    ratio = 4.0 / 3.8 * turn.turning_moment / nikitin_coefficient(0.9, RATIOS, 1.0)
    assert np.sqrt(np.mean((ratio - 1.0) ** 2)) == pytest.approx(rms, abs=6e-4)


@pytest.mark.parametrize("form", ["mobilised", "wong"])
@pytest.mark.parametrize("w", [0.4, -0.4])
def test_straight_driving_is_janosis_law_from_the_end_where_the_belt_enters(form, w):
    vehicle = replace(ROBOT, form=form, shear_modulus=0.025, cells=2000)
    force = belt_forces(vehicle, (0.8 * w, 0.0, 0.0), w, 0.3)
    expected = np.sign(w) * 0.7 * mobilised_share(0.025, 0.2, 0.5)
    assert force.along == pytest.approx(expected, rel=1e-5)


def test_a_standing_belt_resists_with_its_whole_strength():
    for form in ("mobilised", "wong"):
        vehicle = replace(ROBOT, form=form, shear_modulus=0.025)
        force = belt_forces(vehicle, (0.1, 0.0, 0.0), 0.0, 0.3)
        assert force.along == pytest.approx(-0.7, rel=1e-4)


def test_a_turn_of_a_mirrored_drive_is_mirrored_and_less_grip_across_eases_it():
    vehicle = replace(ROBOT, shear_modulus=0.01, width=0.1, com_height=0.2)
    left, right = steady_drive(vehicle, 0.3, 0.5), steady_drive(vehicle, 0.5, 0.3)
    assert (right.vx[0], right.vy[0]) == pytest.approx((left.vx[0], -left.vy[0]))
    assert right.yaw_rate == pytest.approx(-left.yaw_rate)
    easy = steady_drive(replace(vehicle, friction_across=0.35), 0.3, 0.5)
    assert easy.yaw_rate[0] > 1.05 * left.yaw_rate[0]


def test_a_vehicle_needs_a_length_and_a_known_law():
    with pytest.raises(InvalidValue, match="length must be positive, not 0"):
        SkidVehicle(length=0.0, gauge=0.6)
    with pytest.raises(InvalidValue, match="form must be one of mobilised, wong, not 'dahl'"):
        SkidVehicle(length=0.5, gauge=0.6, form="dahl")  # type: ignore[arg-type]


# mfocchi/tracked_robot_simulator (Apache-2.0), a simulator of the robot MaxxII by Wong's theory:
# 61.05 kg, friction 0.1, sprocket radius 0.0856 m, tracks 0.606 m apart and 0.1 m wide, K 1 mm.
# Its shear displacement in turns lacks a division by belt speed: its K acts as K over that speed.
MAXXII = SkidVehicle(length=0.5, gauge=0.606, friction=0.1, form="wong", cells=60)
# Sprocket speeds [rad/s], slip speeds of the belts [m/s]: rows of its table for friction 0.1, which
# belongs to tracks of 0.7 m (regressor/data2d/csv/ident_wheels_sim_0.1_WLmax_9.5.csv).
STEADY_STATES = """
-4.838710 -9.354839  0.0359789 -0.0449645
-4.838710 -2.258065 -0.0250850  0.0245687
-4.838710  2.903226 -0.0800069  0.0723320
-4.838710  9.354839 -0.0739251  0.2207397
 8.064516  9.354839 -0.0120623  0.0121297
 8.064516  4.838710  0.0312989 -0.0294257
 8.064516  0.322581  0.0900933 -0.0524921
 8.064516 -4.193548  0.1658272 -0.0783699
 1.612903  9.354839 -0.0408583  0.0949954
 1.612903  4.193548 -0.0247407  0.0250547
 1.612903 -0.967742  0.0249286 -0.0249617
 4.838710  6.774194 -0.0183233  0.0185408
 4.838710 -2.903226  0.0795216 -0.0725935
 0.967742  8.709677 -0.0456149  0.0937162
 0.967742  3.548387 -0.0248040  0.0250404
"""


def test_a_belt_of_maxxii_has_the_forces_of_a_public_simulator():
    w, load = 3.9595 * 0.0856, 61.05 * 9.81 / 2.0
    lines = 0.303 + 0.1 * ((np.arange(6) + 0.5) / 6.0 - 0.5)
    belt = replace(MAXXII, shear_modulus=0.001 / w)
    force = belt_forces(belt, (0.39478, -0.0016373, 0.17262), w, lines)
    parts = force.along, force.across, force.moment_of_along, force.moment_of_across
    found = [load * part.mean() for part in parts]
    assert found == pytest.approx([-5.4277, 1.9137, 1.4172, -3.0884], rel=0.0015)


def test_steady_states_of_maxxii_follow_with_nothing_fitted():
    left, right, slip_left, slip_right = np.array(STEADY_STATES.split(), float).reshape(-1, 4).T
    belts = 0.0856 * np.stack([left, right])
    ground = belts - np.stack([slip_left, slip_right])
    vx, yaw_rate = ground.mean(0), (ground[1] - ground[0]) / 0.606
    errors = []
    for k, (a, b) in enumerate(belts.T):
        K = 0.001 / (0.5 * (abs(a) + abs(b)))
        drive = steady_drive(replace(MAXXII, length=0.7, width=0.1, shear_modulus=K), a, b)
        errors.append((drive.vx[0] - vx[k], drive.yaw_rate[0] - yaw_rate[k]))
    rms = np.sqrt(np.mean(np.square(errors), axis=0))
    assert rms[0] < 0.001
    assert rms[1] < 0.0016
