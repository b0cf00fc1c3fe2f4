"""The search for the largest number that passes."""

import pytest

from grouser.datasheet.search import climb_up, find_largest


def _below(limit):
    tried = []

    def passes(number):
        tried.append(number)
        return number <= limit

    return passes, tried


def test_halving_finds_the_limit_within_its_resolution():
    passes, _ = _below(0.31)
    found = find_largest(passes, 0.005, 0.5, 0.002)
    assert found.passed is not None
    assert found.failed is not None
    assert found.passed <= 0.31 < found.failed
    assert found.failed - found.passed <= 0.002
    assert found.sign == ""


def test_what_passes_everywhere_is_at_least_the_bound():
    passes, tried = _below(9.0)
    found = find_largest(passes, 0.005, 0.5, 0.002)
    assert (found.passed, found.failed, found.sign) == (0.5, None, "≥ ")
    assert tried == [0.5]
    assert climb_up(passes, 0.1, 0.5, 0.01, steps=4).sign == "≥ "


@pytest.mark.parametrize("search", [find_largest, lambda *of: climb_up(*of, steps=5)])
def test_what_fails_at_the_least_has_no_value(search):
    passes, _ = _below(0.001)
    assert search(passes, 0.005, 0.5, 0.002).passed is None


def test_climbing_up_does_not_go_past_a_failure():
    """At 45 it passes again, which does not count."""
    found = climb_up(lambda number: number < 22.0 or number > 40.0, 15.0, 60.0, 1.0, steps=9)
    assert found.passed is not None
    assert found.failed is not None
    assert found.passed < 22.0 <= found.failed
    assert found.failed - found.passed <= 1.0
