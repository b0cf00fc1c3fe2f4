"""A track at rest on slopes, kinks and wedges, against exact placements."""

import numpy as np
import pytest
from scipy.optimize import brentq

from grouser.errors import InvalidValue
from grouser.laws.settling import profile_offsets, settle

R, D = 0.024, 0.137
OFFSETS = profile_offsets(R, D)


def at_rest(terrain, com_x=0.0, place=0.0):
    """Settle TP100's track with its midpoint at `place` on a terrain given as a function."""
    return settle(OFFSETS, terrain(OFFSETS + place), R, D, com_x)


def test_offsets_are_symmetric_and_reach_beyond_the_track():
    assert OFFSETS.size == 41
    np.testing.assert_allclose(OFFSETS, -OFFSETS[::-1], atol=1e-15)
    assert OFFSETS[-2] == pytest.approx(0.5 * D + R)


def test_level_ground_carries_the_wheel_centres_at_one_radius():
    height, nose_up = at_rest(lambda x: 0.3 + 0.0 * x)
    assert height == pytest.approx(0.3 + R, abs=1e-12)
    assert nose_up == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("com_x", [-0.03, 0.0, 0.02])
@pytest.mark.parametrize("angle_deg", [-40.0, -28.0, 8.0, 28.0, 45.0])
def test_on_a_uniform_slope_the_track_lies_parallel_to_it(angle_deg, com_x):
    slope = np.tan(np.radians(angle_deg))
    height, nose_up = at_rest(lambda x: 0.1 + slope * x, com_x)
    assert nose_up == pytest.approx(np.radians(angle_deg), abs=1e-12)
    assert height == pytest.approx(0.1 + R * np.hypot(1.0, slope), abs=0.4e-3)


@pytest.mark.parametrize("angle_deg", [8.0, 20.0, 28.0, 40.0])
def test_at_a_concave_kink_it_stands_on_its_two_wheels(angle_deg):
    theta = np.radians(angle_deg)

    def front_gap(nose_up, kink):
        """Height of the front centre, rear wheel on the flat, above where the ramp carries it."""
        ramp = np.tan(theta) * (0.5 * D * np.cos(nose_up) - kink) + R / np.cos(theta)
        return R + D * np.sin(nose_up) - max(R, ramp)

    for kink in np.linspace(-0.03, 0.05, 41):
        exact = brentq(front_gap, -1e-9, theta + 1e-6, args=(kink,))
        if -0.5 * D * np.cos(exact) > kink - R * np.tan(theta / 2):
            continue  # the rear wheel is on the ramp already
        height, nose_up = at_rest(lambda x, k=kink: np.maximum(0.0, np.tan(theta) * (x - k)))
        assert np.degrees(nose_up - exact) == pytest.approx(0.0, abs=0.5)
        assert height == pytest.approx(R + 0.5 * D * np.sin(exact), abs=0.5e-3)


def wedge(x):
    """0.2 m up and 0.2 m down at 28 degrees, apex at zero (P0, course 3)."""
    return np.maximum(np.tan(np.radians(28.0)) * (0.2 - np.abs(x)), 0.0)


def test_on_the_apex_of_a_wedge_it_rocks_when_its_weight_passes():
    ramp = np.radians(28.0)
    beyond = R * np.sin(ramp) + 0.008
    for com_x in (-0.02, 0.0, 0.015):
        under_com = -com_x * np.cos(ramp)
        _, before = at_rest(wedge, com_x, place=under_com - beyond)
        _, after = at_rest(wedge, com_x, place=under_com + beyond)
        assert before == pytest.approx(ramp, abs=1e-9)
        assert after == pytest.approx(-ramp, abs=1e-9)


def test_while_rocking_the_centre_of_mass_stays_above_the_apex():
    # The line of wheel centres touches a circle of radius r about the apex.
    fine = profile_offsets(R, D, count=401)
    for place in np.linspace(-0.01, 0.01, 21):
        height, nose_up = settle(fine, wedge(fine + place), R, D)
        assert nose_up == pytest.approx(np.arcsin(-place / R), abs=np.radians(1.5))
        assert height == pytest.approx(wedge(0.0) + np.sqrt(R**2 - place**2), abs=0.2e-3)


def test_hanging_over_a_far_edge_it_stays_level_until_its_weight_passes():
    def ledge(x):
        return np.where(x <= 0.0, 0.037, 0.0)

    height, nose_up = at_rest(ledge, place=-0.01)
    assert (height, nose_up) == pytest.approx((0.037 + R, 0.0), abs=1e-9)
    _, nose_up = at_rest(ledge, place=0.01)
    assert nose_up < np.radians(-10.0)


def test_mirrored_terrain_gives_a_mirrored_rest():
    rng = np.random.default_rng(7)
    heights = 0.02 * np.cumsum(rng.standard_normal((20, OFFSETS.size)), axis=1) * 0.3
    height, nose_up = settle(OFFSETS, heights, R, D, 0.011)
    mirrored_height, mirrored = settle(OFFSETS, heights[:, ::-1], R, D, -0.011)
    np.testing.assert_allclose(mirrored_height, height, atol=1e-9)
    np.testing.assert_allclose(mirrored, -nose_up, atol=1e-9)


def test_the_track_never_sinks_into_the_terrain():
    rng = np.random.default_rng(3)
    phases = rng.uniform(0.0, 6.0, (50, 1))
    heights = 0.01 * np.sin(40.0 * OFFSETS + phases) + 0.005 * np.sin(97.0 * OFFSETS + 2 * phases)
    height, nose_up = settle(OFFSETS, heights, R, D)
    along = np.linspace(-0.5 * D, 0.5 * D, 200)[:, None, None]
    x, z = along * np.cos(nose_up)[:, None], height[:, None] + along * np.sin(nose_up)[:, None]
    clearance = np.min(np.hypot(x - OFFSETS, z - heights), axis=(0, 2)) - R
    assert np.all(clearance > -0.4e-3)
    assert np.all(clearance < 0.4e-3)


def test_many_robots_at_once_equal_one_by_one():
    rng = np.random.default_rng(1)
    heights = 0.01 * rng.standard_normal((2, 3, OFFSETS.size))
    height, nose_up = settle(OFFSETS, heights, R, D, 0.005)
    assert height.shape == nose_up.shape == (2, 3)
    for index in np.ndindex(2, 3):
        one = settle(OFFSETS, heights[index], R, D, 0.005)
        assert np.ndim(one[0]) == 0
        assert one == pytest.approx((height[index], nose_up[index]), abs=1e-15)


def test_samples_that_cannot_describe_the_ground_are_refused():
    with pytest.raises(InvalidValue, match="count must be odd and at least 5, not 40"):
        profile_offsets(R, D, count=40)
    with pytest.raises(InvalidValue, match="offsets must be equidistant"):
        settle(0.5 * OFFSETS, np.zeros(41), R, D)
    with pytest.raises(InvalidValue, match="com_x must lie between the wheels"):
        settle(OFFSETS, np.zeros(41), R, D, 0.1)
