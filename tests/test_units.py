"""Units of files, options and foreign logs."""

import pytest

from grouser import limits
from grouser.units import SUFFIXES, split_unit


@pytest.mark.parametrize(("suffix", "unit"), SUFFIXES.items())
def test_each_ending_of_a_key_spells_its_own_unit(suffix, unit):
    """`damping_N_m_s` was read as a speed, as the shorter `m_s` came first."""
    assert split_unit(f"left_{suffix}") == ("left", unit)


@pytest.mark.parametrize("unit", SUFFIXES.values())
def test_each_unit_of_a_key_has_a_range(unit):
    least, most = limits.RANGES[unit]
    assert 0.0 < least < most
