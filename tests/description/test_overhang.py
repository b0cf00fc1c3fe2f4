"""Hulls that reach beyond their belts."""

import pytest

from grouser.description import load_robot, parse_robot
from grouser.description.overhang import find_overhangs

TP100 = load_robot("tp100").text
HULL = "size_m = [0.170, 0.115, 0.045]\ncentre_m = [0.0, 0.0, 0.0375]"


def overhangs(length, x=0.0, bottom=0.015):
    assert HULL in TP100
    height = 0.06 - bottom
    mine = f"size_m = [{length}, 0.115, {height}]\ncentre_m = [{x}, 0.0, {bottom + 0.5 * height}]"
    return {
        found.end: found for found in find_overhangs(parse_robot(TP100.replace(HULL, mine), ""))
    }


def test_a_hull_flush_with_its_belts_is_beyond_them_where_their_pulleys_recede():
    found = overhangs(0.185)
    assert set(found) == {"front", "rear"}
    # Pulley of 24 mm, seen 9 mm below its axle.
    assert found["front"].height == pytest.approx(0.015)
    assert found["front"].reach == pytest.approx(0.024 - (0.024**2 - 0.009**2) ** 0.5, abs=1e-5)
    assert "size_m" in found["rear"].words


def test_a_hull_behind_its_belts_at_every_height_is_not_reported():
    assert overhangs(0.170) == {}
    assert overhangs(0.1810) == {}
    assert set(overhangs(0.1818)) == {"front", "rear"}


def test_each_end_is_judged_by_itself():
    assert set(overhangs(0.170, x=0.01)) == {"front"}
    assert set(overhangs(0.170, x=-0.01)) == {"rear"}


def test_a_hull_above_the_axle_meets_nothing_that_belts_could_climb():
    assert overhangs(0.3, bottom=0.025) == {}


def test_flippers_at_rest_reach_further_than_the_hull():
    text = load_robot("quince").text
    size, longer = "size_m = [0.535, 0.030, 0.110]", "size_m = [0.80, 0.030, 0.110]"
    assert size in text
    assert find_overhangs(parse_robot(text.replace(size, longer), "")) == []
    raised = text.replace("rest_deg = 0.0", "rest_deg = 90.0")
    assert find_overhangs(parse_robot(raised, "")) == []
    assert find_overhangs(parse_robot(raised.replace(size, longer), "")) != []


def test_wheels_count_as_belts_do():
    text = load_robot("zhou-ugv").text
    size, longer = "size_m = [1.60, 1.25, 0.45]", "size_m = [1.86, 1.25, 0.45]"
    assert size in text
    ends = [found.end for found in find_overhangs(parse_robot(text.replace(size, longer), ""))]
    assert ends == ["front", "rear"]
