"""Units of files, options and foreign logs."""

import pytest

from grouser import limits
from grouser.units import SUFFIXES, format_quantity, split_unit


@pytest.mark.parametrize(("suffix", "unit"), SUFFIXES.items())
def test_each_ending_of_a_key_spells_its_own_unit(suffix, unit):
    """`damping_N_m_s` was read as a speed, as the shorter `m_s` came first."""
    assert split_unit(f"left_{suffix}") == ("left", unit)


@pytest.mark.parametrize("unit", SUFFIXES.values())
def test_each_unit_of_a_key_has_a_range(unit):
    least, most = limits.RANGES[unit]
    assert 0.0 < least < most


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.8027, "rad", "45.99°"),
        (-3.155, "rad", "-180.8°"),
        (1e-6, "rad", "0°"),
        (0.5, "rad/s", "28.65 °/s"),
        (-4.457e-05, "m", "0 m"),
        (-0.00012, "m", "-0.0001 m"),
        (12.3456, "m", "12.35 m"),
        (0.15463, "1", "0.1546"),
        (float("nan"), "m", "nan m"),
    ],
)
def test_a_result_for_people_has_degrees_and_no_more_digits_than_matter(value, unit, text):
    assert format_quantity(value, unit) == text
