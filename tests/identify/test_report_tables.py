"""The report in sentences, tables and JSON values."""

import json
from dataclasses import replace

import numpy as np
import pytest

from grouser.cli.terminal import json_text
from grouser.identify import identify_records
from grouser.identify.choice import Error
from grouser.identify.record import Observation
from grouser.identify.report_tables import (
    driven_table,
    error_table,
    horizon_table,
    judged_table,
    limit_table,
    parameter_table,
)
from grouser.identify.summary import NOT_LIMITS, summarise
from tests.identify.short_pieces import ROBOT, identify_pieces, record_of_pieces


@pytest.fixture(scope="module")
def summary():
    return summarise(identify_pieces())


@pytest.fixture(scope="module")
def too_short():
    """Return the summary of a log in which nothing can be held out."""
    record = record_of_pieces(pieces=1, rows=90)
    return summarise(identify_records([record], ROBOT, ("ideal", "icr")))


def tables_of(summary):
    fits = summary.found.fits.values()
    every = (judged_table(summary), error_table(summary), horizon_table(summary),
             limit_table(summary), driven_table(summary),
             *(parameter_table(summary, fit) for fit in fits))  # fmt: skip
    return [table for table in every if table is not None]


def words_of(summary) -> str:
    cells = [
        cell for t in tables_of(summary) for row in (*t.rows, t.lines, [t.title]) for cell in row
    ]
    return "\n".join([summary.sentence, summary.price, *summary.warnings, *cells])


def test_what_was_judged_is_stated(summary):
    rows = dict(judged_table(summary).rows)
    assert rows["pieces"] == "32, the median lasts 1.95 s"
    assert rows["time driven"] == "62.4 s"
    assert rows["held out"].startswith("16 blocks (groups of pieces) in 5 folds")
    assert rows["horizon"].startswith("1.95 s, 32 predictions")
    assert rows["observed"] == "pose (x, y, yaw), 1280 rows"
    assert rows["rates"] == "belts 20 Hz, observations 20 Hz"
    assert "ms (" in rows["clock offset"]


def test_errors_have_limits_the_recommended_family_a_mark_and_dropped_ones_a_reason(summary):
    table = error_table(summary)
    assert summary.found.recommendation.family == "icr"
    first = table.rows[0]
    assert first[0] == "icr *"
    assert float(first[3]) <= float(first[2]) <= float(first[4])
    values = [float(row[2]) for row in table.rows]
    assert values == sorted(values)
    choice = replace(summary.found.recommendation, dropped={"ideal": "it is doubtful"})
    lines = error_table(replace(summary, found=replace(summary.found, recommendation=choice))).lines
    assert "ideal is not recommended: it is doubtful" in lines


def test_families_that_failed_are_named_below(summary):
    found = replace(summary.found, failures={"csm": "it needs a robot"})
    lines = error_table(replace(summary, found=found)).lines
    assert "csm is not recommended: it was not fitted: it needs a robot" in lines


def test_limits_come_with_their_coverage_and_are_not_parameter_intervals(summary):
    table = limit_table(summary)
    assert {row[0] for row in table.rows} == {"position", "heading"}
    shares = [float(row[4].removesuffix(" %")) for row in table.rows]
    assert min(shares) > 60.0
    assert NOT_LIMITS in table.lines


def test_too_few_blocks_for_limits_are_stated():
    summary = summarise(identify_pieces(("ideal", "icr"), pieces=10))
    table = limit_table(summary)
    assert table.rows == ()
    assert table.lines[0].startswith("There are no limits: 5 blocks were judged, and 8 are needed")


def test_the_price_of_a_cheaper_family_has_limits(summary):
    errors = {
        "icr": Error(value=0.1, low=0.08, high=0.12, excess=0.0, excess_low=0.0, excess_high=0.0),
        "ideal": Error(value=0.3, low=0.2, high=0.4, excess=0.2, excess_low=0.15, excess_high=0.25),
    }
    choice = replace(summary.found.recommendation, best="icr", errors=errors, dropped={})
    priced = replace(summary, found=replace(summary.found, recommendation=choice))
    assert "the error of ideal is larger by 0.2 m (0.15 to 0.25, 90 % limits)" in priced.price
    dropped = replace(choice, dropped={"ideal": "it is doubtful"})
    assert replace(summary, found=replace(summary.found, recommendation=dropped)).price == ""


def test_where_nothing_was_judged_the_report_says_what_to_record(too_short):
    assert too_short.chosen is None
    assert too_short.sentence.startswith("No family is recommended: nothing could be judged")
    assert "record at least a minute" in too_short.sentence
    assert limit_table(too_short) is None
    assert too_short.driven.missing()


def test_nothing_is_ever_nan(summary, too_short):
    for one in (summary, too_short):
        assert "nan" not in words_of(one).lower()
        content = json.loads(json_text(one.to_dict()))  # raises if it holds a NaN
        assert "NaN" not in json.dumps(content)
    assert json.loads(json_text(too_short.to_dict()))["recommended"] is None


def test_json_has_the_parts_of_the_page_in_its_order(summary):
    content = json.loads(json_text(summary.to_dict()))
    assert list(content) == [
        "recommended", "why", "price", "best", "as_good", "warnings", "judged", "errors",
        "dropped", "refused", "driven", "fits",
    ]  # fmt: skip
    assert content["judged"]["pieces"] == 32
    assert content["judged"]["block"] == "groups of pieces"
    assert content["judged"]["horizon_s"] == 1.95
    assert content["errors"]["icr"]["low"] <= content["errors"]["icr"]["value"]
    assert content["driven"]["missing"] == []
    assert 0.5 < content["fits"]["icr"]["limits"]["position"]["by_horizon"]["1 s"]["coverage"] <= 1


def test_a_gyroscope_alone_is_reported_without_positions():
    record = record_of_pieces()
    rate = np.gradient(record.observation.values[2], record.observation.time)[None]
    seen = Observation(kind="gyro", time=record.observation.time, values=rate)
    found = identify_records([replace(record, observation=seen)], ROBOT, ("ideal", "icr"))
    summary = summarise(found)
    assert "nan" not in words_of(summary).lower()
    assert not any(", m" in head for head in horizon_table(summary).heads)
