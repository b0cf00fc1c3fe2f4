"""Held-out predictions as paths from a common start."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.identify import identify_records
from grouser.identify.held_out_paths import sample_paths
from grouser.identify.record import Observation
from tests.identify.short_pieces import ROBOT, identify_pieces, record_of_pieces


@pytest.fixture(scope="module")
def found():
    return identify_pieces()


def test_a_sample_goes_from_the_least_error_to_the_largest(found):
    fit = found.fits["icr"]
    paths = sample_paths(fit)
    cases = fit.hold_out.cases
    errors = fit.hold_out.position_errors[cases.horizon == cases.judged]
    assert len(paths) == 12
    assert [path.error for path in paths] == sorted(path.error for path in paths)
    assert paths[0].error == errors.min()
    assert paths[-1].error == errors.max()


@pytest.mark.parametrize("family", ["icr", "ideal"])
def test_the_ends_of_the_paths_are_as_far_apart_as_was_judged(found, family):
    for path in sample_paths(found.fits[family]):
        gap = np.hypot(*(path.observed[:, -1] - path.predicted[:, -1]))
        # Errors are between medians of some observations, with a noise of 4 mm each.
        assert gap == pytest.approx(path.error, abs=0.02)
        assert np.hypot(*path.observed[:, 0]) < 0.03


def test_paths_begin_in_the_observed_direction(found):
    for path in sample_paths(found.fits["icr"]):
        along, across = path.observed[:, 5] - path.observed[:, 0]
        assert abs(across) < abs(along) + 0.03


def test_positions_without_headings_have_paths_too():
    record = record_of_pieces(noise=0.001)
    seen = Observation(
        kind="position", time=record.observation.time, values=record.observation.values[:2]
    )
    found = identify_records([replace(record, observation=seen)], ROBOT, ("icr",))
    paths = sample_paths(found.fits["icr"])
    assert len(paths) == 12
    assert np.median([path.error for path in paths]) < 0.02
    assert all(np.isnan(path.heading_error) for path in paths)
    for path in paths[:6]:
        assert np.max(np.hypot(*(path.observed - path.predicted))) < 0.03


def test_without_held_out_data_there_are_no_paths(found):
    fit = found.fits["icr"]
    assert sample_paths(replace(fit, hold_out=replace(fit.hold_out, cases=None))) == ()
