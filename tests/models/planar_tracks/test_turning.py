"""Turns: Coulomb's limit, and the steady quadrature with shear that builds up."""

import numpy as np
import pytest

from grouser.laws.skid_steering import SkidVehicle, steady_drive, steady_turn
from grouser.laws.terramechanics import nikitin_coefficient
from tests.models.planar_tracks.robots import firm, ground, make_robot, many, run, started

ROBOT = make_robot()
HEAVY = make_robot(mass=2e4, length=3.8, width=0.4, gauge=2.54, yaw_inertia=4e4)
RATIOS = np.array([1.97, 3.94, 7.87, 15.7, 31.5, 63.0])


@pytest.mark.parametrize(
    ("strips", "ratio", "within"),
    [(1, 1.1285, 3e-4), (2, 1.1561, 0.0025), (3, 1.1561, 0.001)],
    ids=["no width", "two strips", "three strips"],
)
def test_with_coulomb_friction_the_steering_ratio_is_the_same_at_every_radius(
    strips, ratio, within
):
    # Belts 0.1 m wide: 1.1517 with three strips of equal width, 1.1561 with hundreds.
    left, right = np.array([-0.2, 0.0, 0.3]), np.array([0.2, 0.4, 0.5])
    plant = started(f"strips={strips}", ROBOT, ground(), many(3))
    motion = run(plant, ROBOT, left, right, 3.0, 0.1)
    found = (right - left) / (motion.twist.yaw_rate * 0.6)
    assert found == pytest.approx(np.full(3, ratio), rel=within)


@pytest.mark.parametrize(("patches", "yaw", "aside"), [(24, 0.001, 0.0005), (48, 0.001, 0.0003)])
def test_belts_of_0_3_and_0_5_m_s_on_10_mm(patches, yaw, aside):
    plant = started(f"strips=1,patches={patches}", ROBOT, ground(firm(0.7, 0.01)))
    twist = run(plant, ROBOT, 0.3, 0.5, 6.0, 0.1).twist
    assert twist.vx == pytest.approx(0.3980, abs=2e-4)
    assert twist.vy == pytest.approx(-0.0218, abs=aside)
    assert twist.yaw_rate == pytest.approx(0.2980, rel=yaw)


def turning(form: str, K: float, *, backward: bool = False, patches: int = 24):
    """Return the reference and the motion of turns from tight to wide, and thrust over weight."""
    vehicle = SkidVehicle(length=3.8, gauge=2.54, friction=0.9, shear_modulus=K, form=form)
    steady = steady_turn(vehicle, RATIOS * 2.54, 0.2)
    way = -1.0 if backward else 1.0
    words = f"form={form},strips=1,patches={patches},longest_step=0.02"
    plant = started(words, HEAVY, ground(firm(0.9, K)), many(len(RATIOS)))
    motion = run(plant, HEAVY, way * steady.left_speed, way * steady.right_speed, 100.0, 1.0)
    return steady, motion, plant.thrusts[:, :, 0] / (HEAVY.mass * 9.81)


@pytest.mark.parametrize(
    ("form", "K", "forces"),
    [
        ("mobilised", 0.075, (0.242, 0.196, 0.133, 0.078, 0.042, 0.022)),
        ("wong", 0.075, (0.258, 0.232, 0.182, 0.121, 0.071, 0.038)),
        ("mobilised", 0.0, (0.282,) * 6),
    ],
)
def test_sprocket_forces_fall_with_the_radius(form, K, forces):
    # Transport of the first order costs up to 3 % with 24 patches, 7 % in the form of Wong.
    _, motion, thrusts = turning(form, K)
    assert thrusts[:, 1] == pytest.approx(forces, rel=0.01)
    assert motion.twist.vx / motion.twist.yaw_rate / 2.54 == pytest.approx(RATIOS, rel=0.01)


def test_at_large_radius_the_centre_of_rotation_goes_a_sixth_of_the_length_ahead():
    for backward, side in ((False, 1.0), (True, -1.0)):
        steady, motion, _ = turning("mobilised", 0.075, backward=backward)
        ahead = -motion.twist.vy / motion.twist.yaw_rate / 3.8
        assert ahead == pytest.approx(side * steady.icr_ahead / 3.8, abs=0.002)
        assert ahead[-1] == pytest.approx(side * 0.164, abs=0.002)


def test_nikitins_hyperbola():
    _, motion, thrusts = turning("mobilised", 0.05)
    radii = motion.twist.vx / motion.twist.yaw_rate / 2.54
    found = 4.0 / 3.8 * (thrusts[:, 1] - thrusts[:, 0]) * 0.5 * 2.54
    ratio = found / nikitin_coefficient(0.9, radii, 1.0)
    assert np.sqrt(np.mean((ratio - 1.0) ** 2)) < 0.05


def test_load_moves_to_the_outer_belt_and_less_grip_across_eases_a_turn():
    tall = make_robot(com=(0.0, 0.0, 0.3))
    plant = started("", tall, ground(firm(0.7, 0.01)))
    run(plant, tall, 0.9, 1.3, 4.0)
    roll = plant.state.trims[0, 2]
    assert roll < 0.0  # a left turn presses the right side in
    ratios = []
    for across in (0.7, 0.35):
        course = ground(f"friction = 0.7\nfriction_across = {across}")
        yaw_rate = run(
            started("strips=3", ROBOT, course), ROBOT, -0.2, 0.2, 3.0, 0.1
        ).twist.yaw_rate
        ratios.append(0.4 / (yaw_rate * 0.6))
    assert ratios[1] < ratios[0] - 0.05
    reference = SkidVehicle(length=0.5, gauge=0.6, width=0.1, friction_across=0.35, strips=50)
    expected = steady_drive(reference, -0.2, 0.2).steering_ratio(0.6)[0]
    assert ratios[1] == pytest.approx(expected, rel=0.005)
