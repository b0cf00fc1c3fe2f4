"""Planned drives: they stay in the area, return, and reach the widths that they state."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.plan import measure_plan, random_belts

from grouser.description import load_robot
from grouser.errors import InvalidValue, UnknownName
from grouser.identify import FAMILIES, KnownRobot, PlanRequest, make_plan
from grouser.identify.manoeuvres import Area, radius_of
from grouser.identify.plan import find_family, plannable_families

TP100 = load_robot("tp100")
SMALL = PlanRequest(robot=TP100, area=Area(length=1.5, width=1.2), duration=30.0)


def test_a_plan_predicts_the_widths_that_a_fit_reaches_and_beats_a_random_drive():
    rows = [row for row in measure_plan("tp100", "5x5", "icr-drift", 4) if row.unit != "s"]
    assert len(rows) == 5
    for row in rows:
        assert row.reached == pytest.approx(row.predicted, rel=0.35), row.parameter
    ratios = [row.random / row.reached for row in rows]
    assert np.exp(np.mean(np.log(ratios))) > 1.4


@pytest.mark.parametrize(("robot", "size"), [("absolem", (4.0, 3.0)), ("packbot510", (5.0, 5.0))])
def test_robots_that_slip_otherwise_stay_in_the_area_and_return(robot, size):
    area = Area(length=size[0], width=size[1])
    plan = make_plan(PlanRequest(robot=load_robot(robot), area=area, duration=40.0))
    known_robot = KnownRobot(gauge=plan.request.robot.gauge, robot=plan.request.robot)
    family, generator = FAMILIES["icr-drift"], np.random.default_rng(99)  # not the plan's robots
    values = np.array([family.draw(known_robot, generator) for _ in range(40)])
    path = family.predict(values, plan.belts, known_robot)
    radius = radius_of(plan.request.robot)
    for places, start, side in zip((path.x, path.y), plan.start, size, strict=True):
        assert np.abs(places + start).max() + radius <= 0.5 * side
    ends = np.hypot(path.x[:, -1], path.y[:, -1])
    assert ends.max() < 1.5 * plan.return_distance + 0.01
    assert np.all(np.hypot(path.x, path.y).max(axis=1) > 2.0 * ends)


def test_belt_speeds_keep_the_limits_and_begin_and_end_at_rest():
    plan = make_plan(SMALL)
    sides = np.stack([plan.belts.left, plan.belts.right])
    assert np.abs(sides).max() == pytest.approx(plan.fastest, rel=0.05)
    assert plan.fastest <= 0.8 * TP100.drive.speed_limit + 1e-12
    rates = np.abs(np.diff(sides, axis=1)) / 0.02
    assert rates.max() <= TP100.drive.acceleration_limit
    assert np.all(sides[:, [0, -1]] == 0.0)
    assert plan.belts.time[-1] == pytest.approx(30.02)


def test_the_same_request_gives_the_same_drive_and_another_seed_another_order():
    first, again = make_plan(SMALL), make_plan(SMALL)
    assert np.array_equal(first.belts.left, again.belts.left)
    assert first.expected == again.expected
    other = make_plan(replace(SMALL, seed=5))
    assert not np.array_equal(first.belts.left, other.belts.left)


def test_a_longer_drive_and_better_sensors_make_intervals_narrower():
    usual = make_plan(SMALL).expected["icr-drift"]
    longer = make_plan(replace(SMALL, duration=90.0)).expected["icr-drift"]
    calm = replace(SMALL, position_noise=0.001, heading_noise=0.002, belt_noise=0.005)
    better = make_plan(calm).expected["icr-drift"]
    for before, after, best in zip(usual[:6], longer[:6], better[:6], strict=True):
        assert after.width < 0.9 * before.width, before.name
        assert best.width < 0.7 * before.width, before.name
        assert before.is_identified


def test_manoeuvres_depend_on_what_is_to_be_identified():
    def ratios(family):
        plan = make_plan(replace(SMALL, duration=60.0, families=(family,)))
        return {one.ratio for one in plan.manoeuvres}

    assert 1.0 in ratios("icr-slip")  # slip of both sides needs straights
    assert ratios("icr") == {-1.0}  # constant centres need none
    assert len(ratios("icr-varying")) >= 3  # contrast of the belts must vary


def test_the_least_area_that_an_error_names_works():
    for name in ("tp100", "zhou-ugv"):
        request = PlanRequest(robot=load_robot(name), area=Area(length=0.2, width=0.2))
        with pytest.raises(InvalidValue, match=r"area must be at least [\d.]+x[\d.]+ m") as caught:
            make_plan(request)
        least = Area.parse(caught.value.required.split()[3])
        plan = make_plan(replace(request, area=least))
        assert plan.extent[0] <= least.length
        assert plan.extent[1] <= least.width


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"duration": 5.0}, "duration must be from 20 to 600 s"),
        ({"duration": float("nan")}, "duration must be from 20 to 600 s"),
        ({"speed": 0.5}, "speed must be at most 0.3 m/s, the limit of robot 'tp100'"),
        ({"families": ("csm",)}, "family of a plan must be one of icr, slip"),
        ({"families": ("smooth",)}, "family of a plan must be one of icr, slip"),
        ({"families": ("ideal",)}, "family of a plan must be one of icr, slip"),
        ({"belt_noise": 0.0}, "belt noise must be from"),
    ],
)
def test_a_request_out_of_range_gets_one_sentence(changes, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        make_plan(replace(SMALL, **changes))


def test_families_that_can_be_planned_for_have_formulas_and_parameters():
    assert {"icr", "slip", "turning", "icr-varying", "icr-slip", "icr-drift"} <= set(
        plannable_families()
    )
    with pytest.raises(UnknownName, match="did you mean 'slip'"):
        find_family("slipp")


def test_the_random_drive_of_the_benchmark_stays_in_the_area():
    plan = make_plan(SMALL)
    known_robot = KnownRobot(gauge=TP100.gauge, robot=TP100)
    family, generator = FAMILIES["icr-drift"], np.random.default_rng(3)
    values = np.array(family.draw(known_robot, generator))
    belts = random_belts(plan, family, values, known_robot, generator)
    path = family.predict(values[None], belts, known_robot)
    assert np.abs(path.x).max() + radius_of(TP100) < 0.5 * 1.5
    assert np.abs(path.y).max() + radius_of(TP100) < 0.5 * 1.2
    assert np.abs(belts.left).mean() > 0.2 * plan.fastest
