"""Robots in three dimensions that stand for P0's: drawn, identified, driven over slope and step."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.laws.slip_odometry import slip_twist
from grouser.models import effective_width
from grouser.papers.p0.claims import P0
from grouser.papers.p0.experiments import turn_in_3d
from grouser.papers.p0.identified import (
    LEFT_TURN,
    NO_SLIP,
    OTHER_TURNS,
    RIGHT_TURN,
    STRAIGHT,
    IdentifiedSlip,
    fit_slip_and_width,
    slip_difference,
)
from grouser.papers.p0.obstacle import climb_slowly, statics
from grouser.papers.p0.odometry import judge_course
from grouser.papers.p0.robots import (
    FRICTION,
    SHEAR_MODULUS,
    DrawnRobot,
    draw_robots,
    share_interval,
)
from grouser.papers.p0.slopes import SLOPES, fit_slip, judge_slopes, measure_slope_slips, shear_slip
from grouser.papers.paper import Status
from grouser.papers.variation import AS_STATED, Variation

NOMINAL = DrawnRobot(
    robot=load_robot("tp100"), friction=0.8, shear_modulus=0.003, scales=(1.0, 1.0)
)
KNOWN = IdentifiedSlip(left=0.1, right=0.1188, angle=0.007, width=0.2742)


class Silent:
    """Stands for a camera without noise."""

    def standard_normal(self, size=None):
        return 0.0 if size is None else np.zeros(size)


def test_robots_are_drawn_by_the_seed_within_what_is_stated():
    first, again, other = (
        draw_robots(8, variation) for variation in (AS_STATED, AS_STATED, Variation(seed=1))
    )
    assert first == again
    assert [r.friction for r in first] != [r.friction for r in other]
    for robot in first:
        assert FRICTION[0] <= robot.friction <= FRICTION[1]
        assert SHEAR_MODULUS[0] <= robot.shear_modulus <= SHEAR_MODULUS[1]
        assert robot.robot.gauge == pytest.approx(0.16, rel=0.031)


def test_a_variation_changes_friction_and_mass_and_nothing_else():
    plain = draw_robots(3, AS_STATED)
    varied = draw_robots(3, Variation(friction=0.9, mass=1.1))
    for a, b in zip(plain, varied, strict=True):
        assert b.friction == pytest.approx(0.9 * a.friction)
        assert b.robot.mass == pytest.approx(1.1 * a.robot.mass)
        assert (b.shear_modulus, b.scales) == (a.shear_modulus, a.scales)


def test_the_interval_of_a_share_is_wilsons():
    low, high = share_interval(5, 10)
    assert (low + high) / 2.0 == pytest.approx(0.5)
    # z = 1.6449: half of the width is z sqrt(1/40 + z^2/400) / (1 + z^2/10)
    assert high - 0.5 == pytest.approx(0.230732, abs=1e-5)
    assert share_interval(22, 32)[0] > 0.5 > share_interval(20, 32)[0]


def test_a_tread_slips_on_a_slope_as_its_law_says_and_a_rigid_one_does_not():
    rigid = replace(NOMINAL, shear_modulus=1e-6)
    assert measure_slope_slips(rigid, (0.0, 20.0), Silent()) == pytest.approx([0.0, 0.0], abs=1e-3)
    level, low, high = measure_slope_slips(NOMINAL, (0.0, 8.0, 20.0), Silent())
    assert level == pytest.approx(0.0, abs=1e-5)
    # Weight moves to the rear on a slope, which an evenly loaded track leaves out.
    expected = 0.003 * shear_slip(np.array([8.0, 20.0]))
    assert [low, high] == pytest.approx(expected, rel=0.12)


def test_an_encoder_that_shows_too_much_is_a_base_slip():
    shows_more = replace(NOMINAL, scales=(0.9, 0.9))
    (slip,) = measure_slope_slips(shows_more, (0.0,), Silent())
    assert slip == pytest.approx(0.1, abs=1e-4)


def test_one_slope_does_not_tell_base_from_rise_and_two_do():
    slips = 0.1 + 0.005 * np.array(SLOPES)
    assert fit_slip("line", SLOPES[1:3], slips[1:3]) == pytest.approx([0.1, 0.005])
    # Of all lines through one point least squares takes the shortest vector: not the true one.
    assert fit_slip("line", SLOPES[:1], slips[:1]) != pytest.approx([0.1, 0.005], rel=0.5)


def test_slopes_are_judged_by_what_was_held_out():
    straight = np.array([0.1 + 0.005 * np.array(SLOPES), 0.2 + 0.001 * np.array(SLOPES)])
    found = judge_slopes(straight, [0.003, 0.003], np.random.default_rng(0))
    assert found.values["error of a line on slopes held out, over that of constant slip"] < 1e-9
    assert found.values["share of robots whose slip rises from 8 to 28 degrees"] == 1.0
    assert found.values["rise of slip per degree"] == pytest.approx(0.003)
    assert found.values["RMSE of slip on slopes held out, constant"] > 0.01


def steady(belts, slip):
    return slip_twist(*belts, slip.left, slip.right, slip.angle, slip.width)


def test_slip_and_wheelbase_are_found_again_in_drives_that_obey_them():
    turns = {belts: steady(belts, KNOWN) for belts in (LEFT_TURN, RIGHT_TURN)}
    found = fit_slip_and_width(steady(STRAIGHT, KNOWN), turns)
    for name in ("left", "right", "angle", "width"):
        assert getattr(found, name) == pytest.approx(getattr(KNOWN, name), rel=1e-3)
    drives = {belts: steady(belts, KNOWN) for belts in OTHER_TURNS}
    assert slip_difference(KNOWN, drives) == pytest.approx(0.0, abs=1e-12)
    # The null of the claim: the distance of the tracks in place of the wheelbase.
    narrow = replace(KNOWN, left=0.0, right=0.0, width=0.19)
    drives = {belts: steady(belts, narrow) for belts in OTHER_TURNS}
    assert slip_difference(replace(narrow, width=0.16), drives) == pytest.approx(0.083, abs=0.002)


def test_a_robot_gets_the_wheelbase_that_was_found():
    robot = KNOWN.put_into(load_robot("tp100"))
    assert effective_width(robot) == pytest.approx(KNOWN.width)
    assert effective_width(NO_SLIP.put_into(robot)) == pytest.approx(0.16)
    assert robot.slip.turning_left == KNOWN.left


def test_the_wheelbase_is_that_of_eq_7_if_the_ends_of_the_tracks_carry_the_robot():
    found = turn_in_3d().values
    by_ends = found["equivalent wheelbase, carried by the ends of its tracks"]
    assert by_ends == pytest.approx((0.137**2 + 0.16**2) / 0.16, rel=0.02)
    assert 0.16 < found["equivalent wheelbase, carried by its whole belts"] < 0.8 * by_ends


def test_odometry_that_knows_the_wheelbase_beats_one_that_does_not_in_sharp_turns():
    known = IdentifiedSlip(left=0.0, right=0.0, angle=0.0, width=0.1927)
    errors = judge_course(NOMINAL, known, "behaviour-1-sharp")
    assert errors.rms < 0.3 * errors.plain
    assert errors.plain_wide == pytest.approx(errors.rms)


def test_the_step_is_lifted_at_hung_at_and_climbed_where_statics_says():
    robot = load_robot("tp100")
    lift_off, tip = statics(0.0), statics(None)
    assert lift_off < tip
    assert climb_slowly(robot, lift_off - 0.02) == (False, False)
    assert climb_slowly(robot, 0.5 * (lift_off + tip)) == (True, False)
    assert climb_slowly(robot, tip + 0.02) == (True, True)


def test_claims_in_3d_reject_their_nulls_and_decide_the_conclusions():
    claims = {claim.key: claim for claim in P0.make_claims()}
    strong = [claim for claim in claims.values() if claim.kind.can_fail]
    assert len(strong) >= 6
    assert [claim.key for claim in strong if not claim.rejects_null] == []
    decided = [key for conclusion in P0.conclusions for key in conclusion.claims]
    assert [key for key in decided if key not in claims] == []
    assert [key for key in decided if not claims[key].kind.can_fail] == []
    assert {c.judge({}) for c in P0.conclusions if c.untestable} == {Status.UNTESTABLE}
