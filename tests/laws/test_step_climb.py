"""Step climbing against worked numbers and a tabulated series (P0 section 2.1, TP100)."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.laws.step_climb import StepClimb, climb_step
from grouser.laws.step_path import StepPhase

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
    assert LOW.grounded(0.0).x == pytest.approx(LOW.front_x_at_contact - 0.5 * 0.137)
    assert not LOW.stalls


def test_run_and_travel_are_inverse_and_agree_with_the_pose():
    travel = 0.1
    run = DEFAULT.run_of_travel(travel)
    assert DEFAULT.travel_of_run(run) == pytest.approx(travel)
    pose = DEFAULT.grounded(travel)
    assert pose.run == pytest.approx(run)
    assert pose.nose_up == pytest.approx(DEFAULT.nose_up_of_run(run))


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


def read_series():
    with (DATA / "step_climb_series_default.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = [
        "approach", "climb_riser", "rotate_edge", "pitch_up_on_edge", "tip", "level_on_top",
    ]  # fmt: skip
    phase = np.array([names.index(row.pop("phase")) for row in rows])
    columns = {key: np.array([float(row[key] or "nan") for row in rows]) for key in rows[0]}
    return phase, columns


def columns_of(motion):
    return {
        "M_x_m": motion.x,
        "M_z_m": motion.z,
        "V_x_mps": motion.vx,
        "V_z_mps": motion.vz,
        "phi_nose_up_rad": motion.nose_up,
        "phi_dot_radps": motion.nose_up_rate,
        "alpha_rad": motion.alpha,
        "L_D_m": motion.run,
    }


def step_through(climb, v, dt, every):
    """Climb in explicit Euler steps on the angles; keep each `every`-th state (phase, travel, …).

    The tabulated series was made in this way with steps of 0.05 ms: an event is noticed at the
    end of the step in which it happens, and the tip starts from the angle before that step.
    """
    r, d, rise = climb.radius, climb.wheel_distance, climb.height - climb.radius
    x_f, phi, alpha, run = -r - 0.03, 0.0, 0.0, d
    phase, rows = 0, []
    while run >= 0.0:
        if len(rows) % every == 0:
            yield phase, x_f, phi, alpha, run
        rows.append(phase)
        if phase == 0:
            x_f += v * dt
            phase = int(x_f > -r + 1e-12)
        elif phase == 1:
            phi += dt * climb.grounded(d * np.sin(phi) + r * phi + 1e-15).velocity(v)[2]
            phase, phi = (2, np.arcsin(rise / d)) if d * np.sin(phi) >= rise else (1, phi)
        elif phase == 2:
            alpha += dt * (v / r) / (1.0 + r * np.cos(alpha) / (d * np.cos(phi)))
            phi = np.arcsin((rise + r * np.sin(alpha)) / d)
            phase = 3 if alpha >= np.pi / 2 - phi else 2
            phi = climb.nose_up_of_run(run) if phase == 3 else phi
        elif phase == 3:
            run -= v * dt
            raised = climb.nose_up_of_run(run)
            phase = 4 if climb.com_x_in_world(climb.on_edge(run, raised)) >= 0.0 else 3
            phi = raised if phase == 3 else phi
        else:
            run -= v * dt
            phi = max(phi - climb.tip_rate * dt, 0.0)
            phase = 4 if phi > 0.0 else 5


def columns_of_state(climb, v, state):
    phase, x_f, phi, alpha, run = state
    r, d = climb.radius, climb.wheel_distance
    if phase <= 3:
        start = np.arcsin((climb.height - r) / d)
        travel = (
            x_f + r,
            max(d * np.sin(phi) + r * phi, 1e-15),
            max(climb.riser_end_travel + r * (alpha + phi - start), climb.riser_end_travel + 1e-15),
            climb.travel_of_run(run) + 1e-15,
        )[phase]
        pose = climb.grounded(travel)
        vx, vz, rate = pose.velocity(v)
    else:
        pose = climb.on_edge(run, phi)
        rate = -climb.tip_rate if phase == 4 else 0.0
        vx, vz = climb.velocity_on_edge(run, phi, v, rate)
    assert pose.phase == phase
    return pose.x, pose.z, vx, vz, pose.nose_up, rate, pose.alpha, pose.run


def test_series_stepped_like_the_table_matches_every_row_and_column():
    phase, expected = read_series()
    states = list(step_through(DEFAULT, 0.1, 5e-5, every=200))
    assert [state[0] for state in states] == list(phase)
    names = [name for name in expected if name != "t_s"]
    found = np.array([columns_of_state(DEFAULT, 0.1, state) for state in states])
    assert found.shape == (218, 8)
    for name, values in zip(names, found.T, strict=True):
        np.testing.assert_allclose(values, expected[name], rtol=0, atol=1e-6, err_msg=name)


def test_closed_form_series_is_ahead_of_the_table_by_little_more_than_two_of_its_steps():
    phase, expected = read_series()
    motion = climb_step(DEFAULT, 0.1, expected["t_s"], approach=0.03)
    late = climb_step(DEFAULT, 0.1, expected["t_s"] - 1.2e-4, approach=0.03)
    np.testing.assert_array_equal(motion.phase, phase)
    same = late.phase == phase
    assert np.count_nonzero(same) >= 214
    columns, columns_late = columns_of(motion), columns_of(late)
    assert set(columns) | {"t_s"} == set(expected)
    for name, values in columns.items():
        given = expected[name]
        np.testing.assert_array_equal(np.isnan(values), np.isnan(given))
        rows = same & ~np.isnan(given)
        both = np.stack((values[rows], columns_late[name][rows]))
        assert np.all(np.min(both, axis=0) - 1e-6 <= given[rows]), name
        assert np.all(np.max(both, axis=0) + 1e-6 >= given[rows]), name


@pytest.mark.parametrize("climb", GEOMETRIES)
def test_series_velocities_are_the_derivatives_in_time(climb):
    step, v = 1e-6, 0.1 if climb.radius < 0.05 else 0.3
    time = np.linspace(0.0, 1.2 * (0.06 + climb.tip_travel + climb.wheel_distance) / v, 900)
    now, after, before = (climb_step(climb, v, time + k) for k in (0.0, step, -step))
    smooth = after.phase == before.phase
    assert np.count_nonzero(smooth) > 880
    for value, slope in (("x", now.vx), ("z", now.vz), ("nose_up", now.nose_up_rate)):
        numeric = (getattr(after, value) - getattr(before, value)) / (2 * step)
        np.testing.assert_allclose(slope[smooth], numeric[smooth], rtol=1e-6, atol=1e-6)


def test_a_climb_that_stalls_has_no_series():
    # P0's step with the axle distance of its Table 2: 0.4 mm are missing.
    belt = StepClimb(radius=0.026, wheel_distance=0.133, height=0.037)
    with pytest.raises(InvalidValue, match=r"step.height must be at most 0.0365676 m.*stalls"):
        climb_step(belt, 0.1, 0.0)


def test_a_single_time_gives_numbers_equal_to_those_of_many():
    times = np.linspace(0.0, 2.5, 26)
    many = climb_step(DEFAULT, 0.1, times)
    for index, time in enumerate(times):
        one = climb_step(DEFAULT, 0.1, float(time))
        assert np.ndim(one.x) == 0
        assert (one.x, one.z, one.nose_up, one.vx, one.phase) == pytest.approx(
            [column[index] for column in (many.x, many.z, many.nose_up, many.vx, many.phase)],
            abs=1e-15,
        )
        assert one.pitch_rate == -one.nose_up_rate


def test_crossing_ends_when_level_and_past_the_edge_even_if_the_belt_is_fast():
    # Above 0.135 m/s the run ends before the body is level.
    slow, fast = 0.1, 0.3
    limit = DEFAULT.tip_run * DEFAULT.tip_rate / DEFAULT.tip_nose_up
    assert limit == pytest.approx(0.135, abs=0.0005)
    for speed in (slow, fast):
        tip = (0.03 + DEFAULT.tip_travel) / speed
        end = tip + max(DEFAULT.tip_run / speed, DEFAULT.tip_nose_up / DEFAULT.tip_rate)
        before, after = climb_step(DEFAULT, speed, np.array([end - 1e-9, end + 1e-9])).finished
        assert not before
        assert after
    during = climb_step(DEFAULT, fast, tip + 0.3)
    assert during.run < 0.0
    assert during.nose_up > 0.0
    assert not during.finished


@pytest.mark.parametrize("speed", [0.0, -0.1, np.nan])
def test_a_time_series_needs_a_belt_that_drives_forward(speed):
    with pytest.raises(InvalidValue, match="belt_speed must be positive and finite"):
        climb_step(DEFAULT, speed, 0.0)
