"""Clock offsets between belts and observations that are larger than usual."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.identify import FAMILIES
from grouser.identify.fit_family import fit_family
from grouser.identify.pieces import MAX_CLOCK_OFFSET
from grouser.identify.report_warnings import clock_on_limit
from tests.identify.short_pieces import ROBOT, record_of_pieces
from tests.identify.uninformative_drives import MIXED, PERIOD, SETTING, record

REAL = -0.88
"""Offset that a real log had [s]."""


@pytest.mark.parametrize("late", [REAL, 0.88, -1.6, 0.1])
def test_an_offset_is_found_up_to_the_end_of_its_range(late):
    fit = fit_family(FAMILIES["icr"], [record("icr", "pose", MIXED, late=late)], SETTING)
    found = fit.parameters["time_offset"]
    assert found.value == pytest.approx(late, abs=0.005)
    assert found.high - found.low < 0.1
    assert fit.status.is_trusted
    assert clock_on_limit(fit) == ()


def test_pieces_of_two_seconds_may_be_late_by_half_of_that():
    pieces = record_of_pieces()
    seen = pieces.observation
    late = replace(pieces, observation=replace(seen, time=seen.time + REAL))
    fit = fit_family(FAMILIES["icr"], [late], ROBOT)
    assert fit.parameters["time_offset"].value == pytest.approx(REAL, abs=0.05)


def test_an_offset_beyond_the_range_is_said():
    late = 1.5 * MAX_CLOCK_OFFSET
    fit = fit_family(FAMILIES["icr"], [record("icr", "pose", MIXED, late=late)], SETTING)
    assert not fit.status.is_trusted or clock_on_limit(fit) or "time_offset" in fit.fixed


def test_a_drive_that_repeats_itself_is_not_taken_for_one_a_period_later():
    time = PERIOD * np.arange(1200)
    waves = np.stack([0.25 + 0.15 * np.sin(5.0 * time), 0.25 - 0.15 * np.sin(5.0 * time)])
    fit = fit_family(FAMILIES["icr"], [record("icr", "pose", waves, late=0.1)], SETTING)
    assert fit.values["time_offset"] == pytest.approx(0.1, abs=0.05)
