"""Climbing and descending at a constant belt speed, against a tabulated series (P0, TP100)."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.laws.step_climb import StepClimb
from grouser.laws.step_pose import StepPhase
from grouser.laws.step_series import climb_step, descend_step

DATA = Path(__file__).parents[1] / "data" / "tp100"
DEFAULT = StepClimb(radius=0.024, wheel_distance=0.137, height=0.037)
LOW = replace(DEFAULT, height=0.015)
GEOMETRIES = [
    DEFAULT,
    replace(DEFAULT, mode="paper"),
    LOW,
    replace(LOW, mode="paper"),
    replace(DEFAULT, com_x=0.004, com_z=0.006, height=0.03),
    StepClimb(radius=0.09, wheel_distance=0.5, height=0.15, com_z=-0.02),
]


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
            phi = climb.grounded_nose_up(run) if phase == 3 else phi
        elif phase == 3:
            run -= v * dt
            raised = climb.grounded_nose_up(run)
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


@pytest.mark.parametrize("move", [climb_step, descend_step])
@pytest.mark.parametrize("climb", GEOMETRIES)
def test_series_velocities_are_the_derivatives_in_time(move, climb):
    step, v = 1e-6, 0.1 if climb.radius < 0.05 else 0.3
    time = np.linspace(0.0, 1.2 * (0.06 + climb.tip_travel + climb.wheel_distance) / v, 900)
    now, after, before = (move(climb, v, time + k) for k in (0.0, step, -step))
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
    for move in (climb_step, descend_step):
        many = move(DEFAULT, 0.1, times)
        for index, time in enumerate(times):
            one = move(DEFAULT, 0.1, float(time))
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


def test_descent_is_the_climb_mirrored_and_backward():
    v, climb = 0.1, replace(DEFAULT, com_x=0.003)
    down = descend_step(climb, v, np.linspace(0.0, 4.0, 401))
    turned = replace(climb, com_x=-0.003)
    ground = down.phase <= 3
    travel = turned.travel_of_run(v * down.time[ground] - 0.03)
    up = turned.path.pose(travel)
    np.testing.assert_allclose(down.x[ground], -up.x, atol=1e-12)
    np.testing.assert_allclose(down.z[ground], up.z, atol=1e-12)
    np.testing.assert_allclose(down.nose_up[ground], -up.nose_up, atol=1e-12)
    assert list(dict.fromkeys(down.phase)) == [5, 4, 3, 2, 1, 0]
    assert np.all(np.diff(down.x) > 0.0)
    assert np.all(down.nose_up <= 0.0)
    np.testing.assert_array_equal(down.pitch, -down.nose_up)
    assert down.z[0] == pytest.approx(0.037 + 0.024)
    assert down.z[-1] == pytest.approx(0.024)
    assert down.finished[-1]
    assert down.vx[-1] == pytest.approx(v)


def test_descent_tips_when_the_centre_of_mass_passes_the_edge_and_lands_without_a_jump():
    climb, v = replace(DEFAULT, com_x=0.003), 0.1
    time = np.linspace(0.0, 3.0, 300001)
    down = descend_step(climb, v, time)
    first = np.argmax(down.phase == StepPhase.TIP)
    com_x = down.x[first] + 0.003 * np.cos(down.nose_up[first])
    assert com_x == pytest.approx(0.0, abs=2e-6)
    assert np.max(np.abs(np.diff(down.nose_up))) < 3e-5
    assert np.max(np.abs(np.diff(down.z))) < 3e-6
    assert down.nose_up_rate[first + 10] == -climb.tip_rate


def test_descent_of_a_step_that_could_not_be_climbed_works():
    belt = StepClimb(radius=0.026, wheel_distance=0.133, height=0.037, com_z=0.1)
    assert belt.stalls
    down = descend_step(belt, 0.1, np.linspace(0.0, 4.0, 4001))
    assert down.finished[-1]
    assert np.max(np.abs(np.diff(down.x))) < 5e-4


def test_descending_faster_than_the_front_can_land_is_refused():
    with pytest.raises(InvalidValue, match=r"belt_speed must be at most 0\.513\d* m/s"):
        descend_step(DEFAULT, 0.6, 0.0)
    assert descend_step(DEFAULT, 0.5, 1.0).finished


@pytest.mark.parametrize("speed", [0.0, -0.1, np.nan])
def test_a_time_series_needs_a_belt_that_drives_forward(speed):
    with pytest.raises(InvalidValue, match="belt_speed must be positive and finite"):
        climb_step(DEFAULT, speed, 0.0)
