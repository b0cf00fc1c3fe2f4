"""The search for the largest number that passes."""

import pytest

from grouser.datasheet.search import climb_up, find_largest, find_span


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


def test_a_span_is_found_though_the_largest_fails():
    """A motor stalls with much friction: failure at 2 is no failure at 0.6."""
    found = find_span(lambda number: 0.55 < number < 1.3, 0.1, 2.0, 0.05, steps=10)
    assert found is not None
    assert found.failed_below is not None
    assert found.failed_above is not None
    assert found.failed_below <= 0.55 < found.passed <= found.failed_below + 0.05
    assert found.highest < 1.3 <= found.failed_above <= found.highest + 0.05


def test_a_span_may_reach_both_ends_or_be_nowhere():
    everywhere = find_span(lambda _: True, 0.1, 2.0, 0.05, steps=10)
    assert everywhere is not None
    assert (everywhere.passed, everywhere.failed_below) == (0.1, None)
    assert (everywhere.highest, everywhere.failed_above) == (2.0, None)
    assert find_span(lambda _: False, 0.1, 2.0, 0.05, steps=10) is None
    lowest = find_span(lambda number: number < 0.11, 0.1, 2.0, 0.05, steps=10)
    assert lowest is not None
    assert (lowest.passed, lowest.failed_below) == (0.1, None)
