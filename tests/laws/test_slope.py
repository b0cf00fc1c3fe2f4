"""Slip on slopes, P0 (Low et al.): a linear law whose measured values were never printed."""

import numpy as np
import pytest

from grouser.laws.slope import (
    DEFAULT_COEFFICIENT,
    slope_slip,
)


def test_default_is_half_a_percent_per_degree():
    assert pytest.approx(0.2865, abs=5e-5) == DEFAULT_COEFFICIENT
    assert slope_slip(0.1, DEFAULT_COEFFICIENT, np.deg2rad(10.0)) == pytest.approx(0.15)


def test_slip_grows_uphill_and_shrinks_downhill():
    slopes = np.deg2rad([-28.0, 0.0, 28.0])
    slips = slope_slip(0.1188, DEFAULT_COEFFICIENT, slopes)
    assert slips == pytest.approx([0.1188 - 0.14, 0.1188, 0.1188 + 0.14])


def test_slip_is_kept_between_its_limits():
    assert slope_slip(0.1, 5.0, np.array([-1.0, 1.0])) == pytest.approx([-0.5, 0.95])
