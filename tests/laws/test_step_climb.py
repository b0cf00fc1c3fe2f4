"""Step climbing against worked numbers (P0 section 2.1, TP100) and against its own calculus."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.laws.step_climb import StepClimb
from grouser.laws.step_pose import StepPhase

DATA = Path(__file__).parents[1] / "data" / "tp100"
EXAMPLE = json.loads((DATA / "step_climb_example.json").read_text())["cases"]
CASES = [(name, mode) for name in EXAMPLE for mode in ("exact", "paper")]
DEFAULT = StepClimb(radius=0.024, wheel_distance=0.137, height=0.037)
ROUNDING = 0.501e-6
"""Half of the last digit printed."""
LOW = replace(DEFAULT, height=0.015)
GEOMETRIES = [
    DEFAULT,
    replace(DEFAULT, mode="paper"),
    LOW,
    replace(LOW, mode="paper"),
    replace(DEFAULT, com_x=0.004, com_z=0.006, height=0.03),
    StepClimb(radius=0.09, wheel_distance=0.5, height=0.15, com_z=-0.02),
]


def case(name, mode):
    geometry = EXAMPLE[name]["geometry"]
    climb = StepClimb(
        radius=geometry["r"],
        wheel_distance=geometry["d"],
        height=EXAMPLE[name]["step_height_m"],
        com_x=geometry.get("cx", 0.0),
        mode=mode,
    )
    return climb, EXAMPLE[name][mode], EXAMPLE[name]["track_speed_mps"]


def just_after(travel):
    return travel + 1e-13


def near(expected):
    return pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_phases_on_the_ground_match_the_worked_example(name, mode):
    climb, expected, v = case(name, mode)
    start, end1 = climb.grounded(0.0), climb.grounded(climb.riser_end_travel)
    end2 = climb.grounded(climb.edge_end_travel)
    rise = end1.z - climb.radius
    assert 2.0 * rise == near(expected["phase1_dy_end"])
    assert np.degrees(end1.nose_up) == near(expected["phase1_phi_end_deg"])
    assert climb.riser_end_travel / v == near(expected["t1"])
    assert np.degrees(end2.alpha) == near(expected["alpha_end_deg"])
    assert np.degrees(end2.nose_up) == near(expected["phase2_phi_end_deg"])
    assert (climb.edge_end_travel - climb.riser_end_travel) / v == near(expected["t2"])
    assert (start.x, start.z) == near(expected["M_start"])
    assert (end1.x, end1.z) == near(expected["M_end1"])
    assert (end2.x, end2.z) == near(expected["M_end2"])
    assert climb.run_at_edge_start == near(expected["s_start"])


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_tip_and_level_run_match_the_worked_example(name, mode):
    climb, expected, v = case(name, mode)
    assert climb.stalls == ("s_tip" not in expected)
    if climb.stalls:
        assert climb.tip_travel == np.inf
        return
    tip = climb.grounded(climb.tip_travel)
    landed = climb.on_edge(climb.tip_run, 0.0)
    end = climb.on_edge(0.0, 0.0)
    first = climb.grounded(just_after(0.0))
    assert tip.run == near(expected["s_tip"])
    assert np.degrees(tip.nose_up) == near(expected["phi_tip_deg"])
    assert (tip.x, tip.z) == near(expected["M_tip"])
    assert (climb.tip_travel - climb.edge_end_travel) / v == near(expected["t3a"])
    assert tip.run / v == near(expected["t3c"])
    assert (landed.x, landed.z) == near(expected["M_land"])
    assert (end.x, end.z) == near(expected["M_end3"])
    assert first.velocity(v)[2] == near(expected["phidot1_start"])
    assert (climb.tip_travel + tip.run) / v == near(expected["total_no_tip_time"])
    travel = np.linspace(0.0, climb.tip_travel, 2001)
    assert np.degrees(np.max(climb.grounded(travel).nose_up)) == near(expected["max_phi_deg"])


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_pitching_starts_on_the_straight_run_as_in_the_worked_example(name, mode):
    climb, expected, v = case(name, "exact")
    if "phidot3_start" in EXAMPLE[name][mode]:
        # Both columns give the rate at L_D = d.
        pose = climb.grounded(just_after(climb.edge_end_travel))
        assert pose.run == pytest.approx(climb.wheel_distance)
        assert pose.velocity(v)[2] == near(EXAMPLE[name][mode]["phidot3_start"])


def test_rear_slip_has_the_known_values_along_the_climb():
    travel = np.linspace(DEFAULT.riser_end_travel, DEFAULT.edge_end_travel, 20001)[1:]
    on_edge = DEFAULT.grounded(travel)
    at_one_radian = travel[np.argmin(np.abs(on_edge.alpha - 1.0))]
    travels = np.array([1e-9, DEFAULT.riser_end_travel, at_one_radian, DEFAULT.tip_travel])
    slip = DEFAULT.slip_at_rear_contact(DEFAULT.grounded(travels))
    assert slip == pytest.approx([1.00, 0.90, 0.02, -0.32], abs=0.005)


def test_rear_does_not_slip_before_the_step_and_has_no_slip_in_the_air():
    assert DEFAULT.slip_at_rear_contact(DEFAULT.grounded(-0.01)) == 0.0
    assert np.isnan(DEFAULT.slip_at_rear_contact(DEFAULT.on_edge(0.04, 0.3)))


@pytest.mark.parametrize("climb", GEOMETRIES)
def test_rear_wheel_stays_on_the_ground(climb):
    pose = climb.grounded(np.linspace(-0.02, climb.tip_travel, 1001))
    rear_z = pose.z - 0.5 * climb.wheel_distance * np.sin(pose.nose_up)
    np.testing.assert_allclose(rear_z, climb.radius, rtol=0, atol=1e-12)


@pytest.mark.parametrize("climb", GEOMETRIES)
def test_front_wheel_and_run_touch_the_step_without_cutting_it(climb):
    pose = climb.grounded(np.linspace(1e-9, climb.tip_travel, 1001))
    half, r = 0.5 * climb.wheel_distance, climb.radius
    front_x = pose.x + half * np.cos(pose.nose_up)
    front_z = pose.z + half * np.sin(pose.nose_up)
    riser, edge, run = (pose.phase == k for k in (1, 2, 3))
    np.testing.assert_allclose(front_x[riser], -r, rtol=0, atol=1e-12)
    distance = np.hypot(front_x[edge], front_z[edge] - climb.height)
    np.testing.assert_allclose(distance, r, rtol=0, atol=1e-12)
    below = np.sin(pose.nose_up) * (0.0 - pose.x) - np.cos(pose.nose_up) * (climb.height - pose.z)
    np.testing.assert_allclose(below[run], r, rtol=0, atol=1e-12)


def test_exact_riser_obeys_the_rolling_condition():
    tall = StepClimb(radius=0.024, wheel_distance=0.137, height=0.16)
    travel = np.linspace(0.0, tall.riser_end_travel, 500)[1:]
    phi = tall.grounded(travel).nose_up
    np.testing.assert_allclose(0.137 * np.sin(phi) + 0.024 * phi, travel, rtol=0, atol=1e-12)


@pytest.mark.parametrize("climb", GEOMETRIES)
def test_velocities_are_the_derivatives_of_the_pose(climb):
    step = 1e-6
    ends = np.array([0.0, climb.riser_end_travel, climb.edge_end_travel, climb.tip_travel])
    travel = np.linspace(-0.01, climb.tip_travel, 701)
    travel = travel[np.min(np.abs(travel[:, None] - ends), axis=1) > 2 * step]
    pose, ahead, behind = (climb.grounded(travel + k) for k in (0.0, step, -step))
    for value, slope in (
        ("x", pose.x_per_travel),
        ("z", pose.z_per_travel),
        ("nose_up", pose.nose_up_per_travel),
    ):
        numeric = (getattr(ahead, value) - getattr(behind, value)) / (2 * step)
        np.testing.assert_allclose(slope, numeric, rtol=1e-7, atol=1e-6)


def test_pose_depends_on_belt_travel_alone_so_reversing_undoes_a_climb():
    up = np.linspace(-0.01, DEFAULT.tip_travel, 50)
    rising, falling = DEFAULT.grounded(up), DEFAULT.grounded(up[::-1])
    np.testing.assert_array_equal(rising.x, falling.x[::-1])
    vx, vz, rate = DEFAULT.grounded(0.05).velocity(-0.1)
    assert vx < 0.0
    assert vz < 0.0
    assert rate < 0.0
    assert DEFAULT.grounded(0.05).velocity(0.0) == (0.0, 0.0, 0.0)


def test_many_travels_at_once_equal_one_by_one():
    travel = np.linspace(-0.01, 0.15, 33).reshape(3, 11)
    many = DEFAULT.grounded(travel)
    for index in np.ndindex(travel.shape):
        one = DEFAULT.grounded(float(travel[index]))
        assert isinstance(one.phase, StepPhase)
        assert one.phase == many.phase[index]
        for name in ("x", "z", "nose_up", "x_per_travel", "nose_up_per_travel", "alpha", "run"):
            assert getattr(one, name) == pytest.approx(
                getattr(many, name)[index], abs=1e-15, nan_ok=True
            )


@pytest.mark.parametrize("climb", [climb for climb in GEOMETRIES if climb.mode == "exact"])
def test_path_is_continuous_from_phase_to_phase_in_exact_mode(climb):
    for travel in (0.0, climb.riser_end_travel, climb.edge_end_travel):
        before, after = climb.grounded(travel - 1e-12), climb.grounded(travel + 1e-12)
        assert before.phase != after.phase
        assert (before.x, before.z, before.nose_up) == pytest.approx(
            (after.x, after.z, after.nose_up), abs=1e-10
        )


def test_paper_mode_jumps_by_a_third_of_a_degree_where_the_run_takes_over():
    paper = replace(DEFAULT, mode="paper")
    before = paper.grounded(paper.edge_end_travel)
    exact = DEFAULT.grounded(DEFAULT.edge_end_travel)
    assert np.degrees(before.nose_up - exact.nose_up) == pytest.approx(0.37, abs=0.005)


def test_a_step_below_the_radius_has_no_riser_and_starts_on_the_edge():
    assert LOW.riser_end_travel == 0.0
    alpha = np.arcsin((0.024 - 0.015) / 0.024)
    first = LOW.grounded(just_after(0.0))
    assert first.phase == StepPhase.EDGE
    assert first.alpha == pytest.approx(alpha)
    assert first.nose_up == pytest.approx(0.0, abs=1e-10)
    assert LOW.front_x_at_contact == pytest.approx(-0.024 * np.cos(alpha))
    assert LOW.x_at_contact == pytest.approx(LOW.front_x_at_contact - 0.5 * 0.137)
    assert LOW.grounded(0.0).x == pytest.approx(LOW.x_at_contact)
    assert not LOW.stalls


def test_run_and_travel_are_inverse_and_agree_with_the_pose():
    travel = 0.1
    run = DEFAULT.run_of_travel(travel)
    assert DEFAULT.travel_of_run(run) == pytest.approx(travel)
    pose = DEFAULT.grounded(travel)
    assert pose.run == pytest.approx(run)
    assert pose.nose_up == pytest.approx(DEFAULT.grounded_nose_up(run))


def test_centre_of_mass_is_above_the_edge_when_the_climb_tips():
    for climb in GEOMETRIES:
        assert climb.com_x_in_world(climb.grounded(climb.tip_travel)) == pytest.approx(0, abs=1e-12)
        before = climb.grounded(np.linspace(0.0, climb.tip_travel - 1e-6, 500))
        assert np.all(climb.com_x_in_world(before) < 0.0)
    high = replace(DEFAULT, height=0.03, com_z=0.01)
    assert high.tip_travel > replace(high, com_z=0.0).tip_travel
    assert replace(high, com_x=0.01).tip_travel < high.tip_travel


def test_a_climb_that_stalls_is_reported_and_not_continued():
    # P0's step with the axle distance of its Table 2: 0.4 mm are missing.
    belt = StepClimb(radius=0.026, wheel_distance=0.133, height=0.037)
    assert belt.stalls
    end, beyond = belt.grounded(belt.end_travel), belt.grounded(belt.end_travel + 0.01)
    assert (beyond.x, beyond.z, beyond.nose_up) == (end.x, end.z, end.nose_up)
    assert end.x_per_travel != 0.0
    assert beyond.velocity(0.1) == (0.0, 0.0, 0.0)
    assert belt.slip_at_rear_contact(beyond) == 1.0
    assert belt.com_x_in_world(end) == pytest.approx(-0.000382, abs=ROUNDING)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radius": -1.0}, "step.radius must be positive"),
        ({"wheel_distance": np.nan}, "step.wheel_distance must be positive"),
        ({"height": 0.0}, "step.height must be positive"),
        ({"height": 0.2}, "step.height must be below 0.161 m to be within reach"),
        ({"height": 0.14, "mode": "paper"}, "step.height must be below 0.137 m"),
        ({"mode": "exakt"}, "step.mode must be 'exact' or 'paper', not 'exakt'"),
        ({"com_x": -0.07}, "step.com_x must lie between the wheels"),
        ({"com_z": -0.03}, "step.com_z must be above the ground"),
        ({"tip_rate": 0.0}, "step.tip_rate must be positive"),
    ],
)
def test_impossible_steps_are_refused_in_a_sentence(change, message):
    with pytest.raises(InvalidValue, match=message):
        replace(DEFAULT, **change)


def test_worked_table_of_the_default_geometry():
    # h = 37 mm, v = 0.10 m/s, r = 24 mm, d = 137 mm, exact mode.
    v, edge = 0.1, DEFAULT.grounded(DEFAULT.edge_end_travel)
    assert DEFAULT.grounded(1e-9).velocity(v)[2] == pytest.approx(0.6211, abs=5e-5)
    assert np.degrees(edge.alpha) == pytest.approx(74.70, abs=0.005)
    assert np.degrees(edge.nose_up) == pytest.approx(15.299, abs=0.0005)
    tip = DEFAULT.grounded(DEFAULT.tip_travel)
    assert (tip.run, tip.x, tip.z) == pytest.approx((0.04788, 0.0, 0.06864), abs=5e-6)
    assert np.degrees(tip.nose_up) == pytest.approx(40.67, abs=0.005)
    assert tip.pitch == -tip.nose_up
