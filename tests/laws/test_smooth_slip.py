"""Skid steering with constant slip and drift, and with smooth terms."""

import numpy as np
import pytest

from grouser.laws.icr import icr_twist
from grouser.laws.smooth_slip import (
    BLEND,
    TERMS,
    DrivenRange,
    SkidConstants,
    WayRange,
    smooth_terms,
    smooth_twist,
    speed_and_contrast,
)

GAUGE = 0.5
CONSTANTS = SkidConstants(slip_left=0.1, slip_right=-0.05, left_y=0.4, right_y=-0.35, x=0.02,
                          drift=0.1)  # fmt: skip
COEFFICIENTS = (
    (0.93, -0.04, -0.06, 0.03, 0.02, 0.015),
    (0.62, -0.05, 0.11, -0.04, 0.03, -0.01),
    (-0.06, 0.02, -0.03, -0.05, 0.01),
)
DRIVEN = DrivenRange(speed=2.0, contrast_low=0.1, contrast_high=0.8)


def test_without_slip_and_drift_it_is_martinez():
    constants = SkidConstants(left_y=0.4, right_y=-0.35, x=0.02)
    assert constants.twist(0.3, 0.7) == icr_twist(0.3, 0.7, 0.4, -0.35, 0.02)


def test_drift_is_an_angle_per_yaw_rate():
    without = SkidConstants(left_y=0.4, right_y=-0.4)
    vx, vy, yaw_rate = SkidConstants(left_y=0.4, right_y=-0.4, drift=0.1).twist(0.9, 1.1)
    assert (vx, yaw_rate) == pytest.approx((1.0, 0.25))
    assert without.twist(0.9, 1.1)[1] == 0.0
    assert np.arctan2(vy, vx) == pytest.approx(-0.1 * yaw_rate, rel=1e-3)


@pytest.mark.parametrize(
    ("belts", "speed", "contrast"),
    [((1.0, 1.0), 1.0, 0.0), ((-1.0, 1.0), 1.0, 1.0), ((1.0, -1.0), 1.0, -1.0),
     ((0.5, 1.0), 1.0, 0.25), ((-2.0, -1.0), 2.0, 0.25), ((0.0, 0.0), 0.0, 0.0)],
)  # fmt: skip
def test_speed_and_contrast_of_belts(belts, speed, contrast):
    assert speed_and_contrast(*belts) == (speed, contrast)


def test_one_pair_of_belts_has_the_bits_of_many():
    left, right = np.random.default_rng(0).uniform(-2.6, 2.6, (2, 500))
    together = smooth_twist(left, right, COEFFICIENTS, CONSTANTS, DRIVEN, GAUGE)
    weights = DRIVEN.weight(left, right)
    assert set(weights) >= {0.0, 1.0}
    for i, belts in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        alone = smooth_twist(*belts, COEFFICIENTS, CONSTANTS, DRIVEN, GAUGE)
        assert [part[i] for part in together] == list(alone)
        assert DRIVEN.weight(*belts) == weights[i]


def test_terms_are_those_of_the_docstring():
    left, right, fastest = 0.4, 1.0, 2.0
    v, d, s = 0.7, 0.3, 1.0
    c, sp, vp, dp = d / s, s / fastest, v / fastest, d / fastest
    forward, yaw, leftward = smooth_terms(left, right, fastest)
    assert forward == pytest.approx((v, v * sp, v * c**2, v * sp * c**2, v * dp**2, d))
    assert yaw == pytest.approx((d, d * sp, d * c**2, d * sp * c**2, d * vp**2, v))
    assert leftward == pytest.approx((d, d * sp, d * c**2, v * dp, v * dp * sp))
    assert (len(forward), len(yaw), len(leftward)) == TERMS


def test_the_weight_falls_from_one_to_nothing_within_the_transition():
    straight = DrivenRange(speed=2.0)
    speeds = np.array([1.0, 2.0, 2.0 + BLEND, 2.0 + 2.0 * BLEND, 5.0])
    assert straight.weight(speeds, speeds) == pytest.approx([1.0, 1.0, 0.5, 0.0, 0.0])
    half = np.array([0.0, 0.1 - 0.5 * BLEND, 0.1, 0.8, 0.8 + 0.5 * BLEND, 1.0])
    mean = 1.0 - half
    weights = DRIVEN.weight(mean - half, mean + half)
    assert weights == pytest.approx([1.0 / 3.0, 0.5, 1.0, 1.0, 0.5, 0.0])


def test_far_beyond_the_range_only_the_constants_count():
    found = smooth_twist(4.0, 4.6, COEFFICIENTS, CONSTANTS, DRIVEN, GAUGE)
    assert found == CONSTANTS.twist(4.0, 4.6)


def test_the_law_is_continuous_where_the_transition_begins_and_ends():
    for fast in (2.0, 2.0 * (1.0 + BLEND)):
        near = [
            smooth_twist(0.5 * v, v, COEFFICIENTS, CONSTANTS, DRIVEN, GAUGE)
            for v in (fast - 1e-9, fast + 1e-9)
        ]
        assert near[0] == pytest.approx(near[1], abs=1e-7)


WAYS = DrivenRange(
    speed=2.0, contrast_high=0.6, ahead=WayRange(speed=2.0, right=-0.6, left=0.6),
    back=WayRange(speed=1.0, right=-0.05, left=0.05), spot=WayRange(speed=0.0, right=0.0, left=0.0),
)  # fmt: skip
"""Arcs ahead, straights in reverse, never on the spot."""


@pytest.mark.parametrize(
    ("belts", "inside"),
    [((1.0, 2.0), True), ((2.0, 1.0), True), ((-1.0, -1.0), True), ((-0.5, -1.0), False),
     ((-1.0, -0.5), False), ((-2.0, -2.0), False), ((-1.0, 1.0), False), ((0.0, 0.0), True)],
)  # fmt: skip
def test_arcs_in_reverse_are_not_known_from_arcs_ahead(belts, inside):
    assert WAYS.weight(*belts) == (1.0 if inside else 0.0)


def test_turns_to_one_side_on_the_spot_do_not_tell_those_to_the_other():
    left_only = DrivenRange(speed=1.0, spot=WayRange(speed=1.0, right=0.8, left=1.0))
    assert left_only.weight(-1.0, 1.0) == 1.0
    assert left_only.weight(1.0, -1.0) == 0.0


def test_the_weight_has_no_steps_between_ahead_back_and_the_spot():
    angle = np.linspace(0.0, 2.0 * np.pi, 20001)
    left, right = 0.8 * np.cos(angle), 0.8 * np.sin(angle)
    weights = np.asarray(WAYS.weight(left, right))
    assert set(weights.round(6)) >= {0.0, 1.0}
    assert np.abs(np.diff(weights)).max() < 0.02
    for k in range(0, angle.size, 500):
        assert WAYS.weight(float(left[k]), float(right[k])) == weights[k]
