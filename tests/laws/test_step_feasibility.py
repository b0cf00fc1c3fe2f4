"""Height limit, margin and friction demand against worked numbers of TP100 (P0)."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from grouser.laws.step_climb import StepClimb
from grouser.laws.step_feasibility import friction_demand, height_limit, margin

DATA = Path(__file__).parents[1] / "data" / "tp100"
EXAMPLE = json.loads((DATA / "step_climb_example.json").read_text())["cases"]


def geometry(name):
    given = EXAMPLE[name]["geometry"]
    return given["r"], given["d"], given.get("cx", 0.0)


@pytest.mark.parametrize("mode", ["exact", "paper"])
@pytest.mark.parametrize("name", EXAMPLE)
def test_margin_matches_the_worked_example(name, mode):
    r, d, com_x = geometry(name)
    found = margin(r, d, 0.037, com_x)
    furthest, run, nose_up_deg = EXAMPLE[name][mode]["margin"]
    assert found.com_x == pytest.approx(furthest, abs=0.501e-6)
    # The maximum is flat: the place printed there is right to a few micrometres only.
    assert found.run == pytest.approx(run, abs=3e-6)
    assert np.degrees(found.nose_up) == pytest.approx(nose_up_deg, abs=0.003)


@pytest.mark.parametrize("name", EXAMPLE)
def test_height_limit_and_friction_demand_match_the_worked_example(name):
    r, d, com_x = geometry(name)
    assert height_limit(r, d, com_x) == pytest.approx(
        EXAMPLE[name]["h_max_quasi_static_m"], abs=0.501e-6
    )
    assert friction_demand(r, d, 0.037, com_x, nose_up=0.0) == pytest.approx(
        EXAMPLE[name]["mu_min_at_lift_off"], abs=0.501e-4
    )


@pytest.mark.parametrize(
    ("r", "d", "com_x", "com_z", "height"),
    [
        (0.024, 0.137, 0.0, 0.0, 0.037),
        (0.024, 0.137, 0.01, 0.02, 0.03),
        (0.024, 0.137, -0.02, -0.01, 0.01),
        (0.09, 0.5, 0.05, 0.03, 0.2),
    ],
)
def test_no_place_on_the_run_is_beyond_the_margin(r, d, com_x, com_z, height):
    run = np.linspace(max(height - r, 1e-6), d, 200001)
    nose_up = np.arcsin((height - r) / np.hypot(run, r)) + np.arctan2(r, run)
    com = (0.5 * d + com_x - run) * np.cos(nose_up) - (r + com_z) * np.sin(nose_up)
    best = margin(r, d, height, com_x, com_z)
    assert best.com_x == pytest.approx(np.max(com), abs=1e-9)
    assert best.com_x >= np.max(com) - 1e-15


@pytest.mark.parametrize("com_z", [-0.02, -0.01, 0.0, 0.01, 0.05])
@pytest.mark.parametrize("com_x", [-0.05, 0.0, 0.02, 0.06])
def test_margin_vanishes_exactly_at_the_height_limit(com_x, com_z):
    r, d = 0.024, 0.137
    limit = height_limit(r, d, com_x, com_z)
    assert margin(r, d, limit, com_x, com_z).com_x == pytest.approx(0.0, abs=1e-9)
    shape = {"radius": r, "wheel_distance": d, "com_x": com_x, "com_z": com_z}
    assert not StepClimb(height=0.999 * limit, **shape).stalls
    assert StepClimb(height=1.001 * limit, **shape).stalls


def test_two_millimetres_too_far_back_stop_tp100():
    assert height_limit(0.024, 0.137, 0.0) > 0.037
    assert height_limit(0.024, 0.137, -0.003) < 0.037
    assert margin(0.024, 0.137, 0.037, -0.003).com_x < 0.0


def test_a_centre_of_mass_that_is_very_high_only_falls_back():
    best = margin(0.024, 0.137, 0.037, com_z=2.0)
    assert best.run == pytest.approx(0.137)
    assert best.com_x < -0.1


def test_a_step_out_of_reach_has_no_margin():
    assert np.isnan(margin(0.024, 0.137, 0.2).com_x)


def test_laws_take_arrays():
    r = np.array([0.024, 0.026])
    d = np.array([0.137, 0.133])
    assert height_limit(r, d) == pytest.approx([0.039137, 0.036568], abs=1e-6)
    assert margin(r, d, 0.037).com_x == pytest.approx([0.001844, -0.000382], abs=1e-6)
    at_lift_off = friction_demand(r, d, 0.037, nose_up=0.0)
    assert at_lift_off == pytest.approx([0.7405, 0.7189], abs=1e-4)
    singly = [friction_demand(*wheels, 0.037) for wheels in zip(r, d, strict=True)]
    assert friction_demand(r, d, 0.037) == pytest.approx(singly, rel=1e-12)
    assert np.isnan(friction_demand(r, d, np.array([0.037, 0.2]))).tolist() == [False, True]


def least_friction(r, d, height, com_x, com_z, phi):
    """Return the least friction by a search over forces within both cones, by linear programming.

    Written apart from the law: contact points from the geometry, forces as unknowns.
    """
    rear = np.array([0.0, r])
    forward, down = np.array([np.cos(phi), np.sin(phi)]), np.array([np.sin(phi), -np.cos(phi)])
    centre = rear + d * forward
    run = (height - r + r * np.cos(phi)) / max(np.sin(phi), 1e-9)
    if phi > 0.0 and run < d:
        place, normal = rear + r * down + run * forward, -down
    else:
        lift = np.arcsin(max(centre[1] - height, 0.0) / r)
        normal = np.array([-np.cos(lift), np.sin(lift)])
        place = centre - r * normal
    along = np.array([normal[1], -normal[0]])
    x_g = (rear + (0.5 * d + com_x) * forward - com_z * down)[0]
    turn = [place[0] * axis[1] - place[1] * axis[0] for axis in (normal, along)]
    balance = [[0, 1, normal[0], along[0]], [1, 0, normal[1], along[1]], [0, 0, *turn]]
    low, high = 0.0, 4.0
    for _ in range(30):
        mu = 0.5 * (low + high)
        cones = [[-mu, 1, 0, 0], [-mu, -1, 0, 0], [0, 0, -mu, 1], [0, 0, -mu, -1]]
        free, push = (None, None), (0.0, None)
        found = linprog(
            np.zeros(4), A_ub=cones, b_ub=np.zeros(4), A_eq=balance, b_eq=[0.0, 1.0, x_g],
            bounds=[push, free, push, free],
        )  # fmt: skip
        low, high = (low, mu) if found.status == 0 else (mu, high)
    return high


@pytest.mark.parametrize("phi", [0.0, 0.06, 0.15, 0.2, 0.3, 0.5, 0.66])
def test_friction_demand_is_the_least_with_which_forces_balance(phi):
    shape = 0.024, 0.137, 0.037, 0.00174, 0.0
    assert friction_demand(*shape, nose_up=phi) == pytest.approx(
        least_friction(*shape, phi), abs=1e-6
    )


def test_the_demand_of_tp100_is_that_of_the_tip_not_that_of_lift_off():
    shape = 0.024, 0.137, 0.037, 0.00174
    assert friction_demand(*shape, nose_up=0.0) == pytest.approx(0.757, abs=5e-4)
    tip = StepClimb(radius=0.024, wheel_distance=0.137, height=0.037, com_x=0.00174).tip_nose_up
    assert friction_demand(*shape) == pytest.approx(np.tan(tip), rel=1e-6)
    assert friction_demand(*shape) == pytest.approx(0.792, abs=5e-4)


def test_the_demand_of_low_steps_is_that_of_lift_off():
    heights = np.array([0.02, 0.05, 0.08, 0.10])
    at_lift_off = friction_demand(0.12, 0.76, heights, nose_up=0.0)
    assert friction_demand(0.12, 0.76, heights) == pytest.approx(at_lift_off, rel=1e-12)


def test_friction_demand_falls_as_the_nose_rises_and_with_a_lower_step():
    phi = np.linspace(0.0, 0.09, 10)
    assert np.all(np.diff(friction_demand(0.024, 0.137, 0.037, nose_up=phi)) < 0.0)
    heights = np.linspace(0.001, 0.023, 10)
    assert np.all(np.diff(friction_demand(0.024, 0.137, heights)) > 0.0)
    around = np.array([0.0240001, 0.0239999])
    just_above, just_below = friction_demand(0.024, 0.137, around, nose_up=0.0)
    assert just_above == pytest.approx(just_below, rel=1e-3)


def test_a_grouser_that_reaches_the_edge_needs_no_friction():
    # A tip at radius r + g, above the riser, is sqrt(g (2 r + g)) above the wheel centre.
    reach = np.sqrt(0.004 * (2 * 0.024 + 0.004))
    low, high = 0.024 + reach - 1e-6, 0.024 + reach + 1e-6
    assert friction_demand(0.024, 0.137, low, grouser_height=0.004) == 0.0
    assert friction_demand(0.024, 0.137, high, grouser_height=0.004) > 0.7
    assert friction_demand(0.024, 0.137, 0.02) > 0.0
