"""Populations of motor maps and stand-ins, Table 4's orders, hills, claims of P3."""

from functools import partial

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.papers.p3.behaviour import SIMPLER, clips, peak_slip
from grouser.papers.p3.claims import CONCLUSIONS, make_claims
from grouser.papers.p3.experiments import EXPERIMENTS
from grouser.papers.p3.hills import OBLIQUE, climb_from_rest, hold_on_treadmill, steepest, tilt
from grouser.papers.p3.manoeuvre import MANOEUVRES, tankbot_constants
from grouser.papers.p3.motor_maps import (
    MOTORS,
    RANGES,
    draw_maps,
    find_maps,
    join_robots,
    keep_by_frequencies,
    pick_robots,
    stays,
    varied_tankbot,
)
from grouser.papers.p3.shares import MOST, mean_of, share_of
from grouser.papers.p3.stand_ins import HYPOTHESES, PEAK, SHAPE, SLOPE
from grouser.papers.p3.table4 import (
    ACROSS_ROWS,
    ALONG_ROWS,
    HARD,
    NAMES,
    ROWS,
    Population,
    compare,
    compare_hypotheses,
    draw_population,
    follow_all,
    printed_table,
    share_along,
)
from grouser.papers.paper import Kind
from grouser.papers.variation import AS_STATED, Variation

USUAL = tankbot_constants()


@pytest.fixture(scope="module")
def usual_histories():
    return [np.repeat(history, 3, axis=0) for history in follow_all(USUAL, 1)]


def test_shares_have_intervals_that_shrink_with_the_population():
    few, many = share_of([True, False] * 6)[1], share_of([True, False] * 30)[1]
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert share_of([True] * 60)[1] == pytest.approx((0.957, 1.0), abs=1e-3)
    low, high = share_of([True] * 40 + [False] * 20)[1]
    assert low > 0.5, "most of 60 must exclude a coin"
    assert share_of([True] * 40 + [False] * 20)[0] == pytest.approx(MOST)
    mean, (low, high) = mean_of(np.linspace(0.0, 1.0, 60))
    assert mean == pytest.approx(0.5)
    assert low < mean < high


def test_maps_are_drawn_within_their_ranges_and_alike_for_all_motors():
    maps = draw_maps(USUAL, 50, np.random.default_rng(0))
    assert len({id(getattr(maps, name)) for name in MOTORS}) == 1
    parts = dict(zip(("dead_zone", "jump", "gain", "limit"), maps.left_forward, strict=True))
    for name, (low, high) in RANGES.items():
        values = parts.get(name, getattr(maps, name, None))
        assert np.all((values >= low) & (values <= high)), name


def test_the_map_of_the_file_lies_within_the_ranges():
    dead_zone, jump, gain, limit = USUAL.left_forward
    usual = {"dead_zone": dead_zone, "jump": jump, "gain": gain, "limit": limit}
    usual |= {"inertia": USUAL.inertia, "com_height": USUAL.com_height}
    for name, (low, high) in RANGES.items():
        assert low <= usual[name] <= high, name


def test_robots_are_picked_and_joined_in_order():
    maps = draw_maps(USUAL, 5, np.random.default_rng(0))
    first, rest = pick_robots(maps, np.arange(2)), pick_robots(maps, np.arange(2, 5))
    joined = join_robots([first, rest])
    assert np.array_equal(joined.inertia, maps.inertia)
    assert np.array_equal(joined.right_backward[2], maps.right_backward[2])
    assert joined.mass == maps.mass


def test_a_variation_changes_friction_and_mass_of_the_robot():
    varied = varied_tankbot(Variation(friction=0.9, mass=1.1))
    assert varied.track_limit == pytest.approx(0.9 * USUAL.track_limit)
    assert varied.lateral_limit == pytest.approx(0.9 * USUAL.lateral_limit)
    assert varied.mass == pytest.approx(1.1 * USUAL.mass)
    assert varied.inertia == pytest.approx(1.1 * USUAL.inertia)
    assert varied_tankbot(AS_STATED) == USUAL


@pytest.mark.parametrize("name", HYPOTHESES)
def test_a_hypothesis_changes_what_it_names_and_nothing_else(name):
    robots = HYPOTHESES[name].draw(USUAL, 20, np.random.default_rng(1))
    changed = {
        field for field in USUAL._fields
        if not np.allclose(np.stack(np.broadcast_arrays(*np.atleast_1d(getattr(robots, field)))),
                           np.stack(np.broadcast_arrays(*np.atleast_1d(getattr(USUAL, field))))
                           [:, None] if field in MOTORS else getattr(USUAL, field))
    }  # fmt: skip
    track = {"track_limit", "track_shape", "track_stiffness", "shift"}
    lateral = {"lateral_limit", "lateral_shape", "lateral_stiffness"}
    body = {"inertia", "com_height"}
    expected = {
        "dead zone": set(MOTORS), "longitudinal curve": track, "motors": set(MOTORS),
        "lateral curve": lateral, "inertia and height": body, "delay": set(),
        "all": track | lateral | body | set(MOTORS),
    }  # fmt: skip
    assert changed == expected[name]


def test_another_peak_keeps_the_measured_slope_of_a_curve():
    robots = HYPOTHESES["longitudinal curve"].draw(USUAL, 200, np.random.default_rng(2))
    slope = robots.track_stiffness * robots.track_shape * robots.track_limit / 2999.37
    assert 1.0 - SLOPE < slope.min() < 0.92
    assert 1.08 < slope.max() < 1.0 + SLOPE
    assert np.abs(robots.track_limit / 61.0 - 1.0).max() == pytest.approx(PEAK, abs=0.02)
    assert np.abs(robots.track_shape / 1.65 - 1.0).max() == pytest.approx(SHAPE, abs=0.01)


def test_rows_of_table_4_are_sorted_as_p3_says():
    worst = printed_table().argmax(axis=1)
    assert {NAMES[worst[k]] for k in ALONG_ROWS} == {"step-x"}
    assert {NAMES[worst[k]] for k in ACROSS_ROWS} == {"step-y-pitched"}
    assert len(ALONG_ROWS) + len(ACROSS_ROWS) == np.isin(worst, HARD).sum() == 17
    assert share_along(printed_table()) == pytest.approx(0.697, abs=1e-3)


def test_errors_have_the_layout_and_units_of_table_4(usual_histories):
    shifted = [history.copy() for history in usual_histories]
    shifted[NAMES.index("step-x")][:, :, 2] += 0.1
    table = compare(usual_histories, shifted)
    assert table.shape == (3, len(ROWS), len(NAMES))
    for statistic in ("max", "mean", "rms"):
        row = table[:, ROWS.index(("psi", statistic)), NAMES.index("step-x")]
        assert row == pytest.approx(np.full(3, np.rad2deg(0.1)))
    assert np.count_nonzero(table) == 3 * 3


def test_the_table_of_a_population_itself_is_right_everywhere():
    table = np.repeat(printed_table()[None], 2, axis=0)
    population = Population(hypothesis="all", errors=table, stayed=np.array([True, True]))
    assert population.as_printed.all()
    assert population.is_hard.mean() == pytest.approx(17 / 18)
    other = Population(hypothesis="all", errors=table[:1, :, ::-1], stayed=np.array([True, False]))
    assert compare_hypotheses(population, other).tolist() == [True]


def test_late_commands_make_the_same_errors_for_the_same_map(usual_histories):
    late = draw_population(HYPOTHESES["delay"], USUAL, usual_histories, 3, 0)
    assert late.stayed.all()
    assert np.allclose(late.errors[0], late.errors[1])
    assert late.errors[:, ROWS.index(("x", "max")), NAMES.index("step-x")].min() > 1e-3


def test_a_robot_beyond_the_edge_or_sideways_does_not_stay():
    history = np.zeros((4, 3, 17))
    history[1, 1, 0], history[2, 2, 1], history[3, 0, 2] = 1.9, -1.1, 1.6
    assert stays(history).tolist() == [True, False, False, False]
    history[2, 0, 16] = 1.01
    assert clips(history).tolist() == [False, False, True, False]


def test_peaks_of_the_curves_are_where_they_were_computed():
    assert peak_slip(29.8, 1.65, 0.0) == pytest.approx(0.0471, abs=1e-4)
    assert peak_slip(38.5, 1.3, -0.5) == pytest.approx(0.0555, abs=1e-4)


def test_simpler_controllers_leave_out_gains():
    assert all("x_p" not in names for names in SIMPLER.values())
    assert set(SIMPLER["P on y and heading"]) == {"y_d", "yaw_d"}


def test_a_slope_has_the_same_steepness_at_every_heading():
    for heading in (0.0, 0.4, OBLIQUE, -1.0):
        pitch, roll = tilt(0.2, heading)
        assert np.cos(pitch) * np.cos(roll) == pytest.approx(np.cos(0.2))
    assert tilt(0.2, 0.0) == (pytest.approx(0.2), pytest.approx(0.0))
    assert tilt(0.2, 0.5)[1] < 0.0  # left side down


def test_full_slip_limits_the_direct_climb_from_rest_as_by_hand():
    usual = USUAL._replace(inertia=np.array([2.5]))
    direct = steepest(usual, 1, partial(climb_from_rest, heading=0.0))
    indirect = steepest(usual, 1, partial(climb_from_rest, heading=OBLIQUE))
    by_hand = np.rad2deg(np.arcsin(2 * 34.63 / (46.8 * 9.81)))
    assert by_hand - 0.5 <= np.rad2deg(direct[0]) <= by_hand
    assert 0.0 < np.rad2deg(indirect[0] - direct[0]) < 11.7 - by_hand


def test_no_robot_holds_a_slope_beyond_its_largest_force():
    usual = USUAL._replace(inertia=np.array([2.5]))
    assert not hold_on_treadmill(usual, 1, float(np.deg2rad(15.9)), 0.0)[0]
    assert hold_on_treadmill(usual, 1, float(np.deg2rad(2.0)), 0.0)[0]


def test_maps_are_kept_by_their_frequencies():
    gains = np.array([4.0, 1.0, 4.0])  # the usual one; one too slow along
    curve = 1.0 + 0.0 * gains, 1.0 + 0.0 * gains, gains, np.array([16.0, 16.0, 200.0])  # spins
    maps = USUAL._replace(inertia=np.full(3, 2.5), **dict.fromkeys(MOTORS, curve))
    kept = keep_by_frequencies(maps)
    assert np.asarray(kept.left_forward[3]).tolist() == [16.0]
    assert np.asarray(kept.left_forward[2]).tolist() == [4.0]


def test_a_variation_without_maps_is_an_error(monkeypatch):
    monkeypatch.setattr("grouser.papers.p3.motor_maps.BATCH", 1)
    monkeypatch.setattr("grouser.papers.p3.motor_maps.MOST_DRAWS", 1)
    with pytest.raises(InvalidValue, match="must leave motor maps with P3's frequencies, of 1"):
        find_maps(1, Variation(mass=20.0))


def test_every_claim_that_can_fail_rejects_its_null():
    claims = {claim.key: claim for claim in make_claims()}
    able = [claim for claim in claims.values() if claim.kind.can_fail]
    assert len(able) >= 4
    assert all(claim.rejects_null and claim.variants_tried for claim in able)
    for key in ("frequency after a step along", "frequency after a step across"):
        assert claims[key].kind == Kind.CALIBRATED
    assert claims["sine along the belt moves neither y nor heading"].kind == Kind.DEFINITION


def test_few_robots_measure_the_same_claims_as_many():
    names = [experiment.name for experiment in EXPERIMENTS]
    for name in ("stand-ins", "maps", "hills"):
        assert names.index(f"few-{name}") < names.index(name)
    assert len(CONCLUSIONS) >= 6
    assert set(MANOEUVRES) == set(NAMES)
