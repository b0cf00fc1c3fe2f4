"""Whether a run counts."""

import re

import pytest

from grouser.hil.conversation import Conversation
from grouser.hil.run import Limits, make_report


@pytest.fixture
def talk() -> Conversation:
    made = Conversation(1)
    made.counts.states, made.counts.commands = 1000, 1000
    made.clock.add(0.0, 0.002, 5.0, 5.0)
    return made


def test_a_run_within_its_limits_counts(talk):
    talk.counts.late = 10
    report = make_report(talk, "line")
    assert report.is_valid
    assert (report.rtt_p50, report.pings) == (pytest.approx(0.002), 1)


@pytest.mark.parametrize(
    ("name", "count", "words"),
    [
        ("late", 11, r"late commands: 11 of 1000 \(1.1%\)"),
        ("missing", 11, "states lost: 11 of 1011"),
        ("losses", 1, "silences of the board: 1"),
        ("reboots", 1, "restarts of the board: 1"),
    ],
)
def test_a_run_outside_its_limits_does_not(talk, name, count, words):
    setattr(talk.counts, name, count)
    report = make_report(talk, "line")
    assert not report.is_valid
    assert re.match(words, report.problems[0])


def test_slow_round_trips_do_not_count(talk):
    for _ in range(5):
        talk.clock.add(0.0, 0.02, 5.0, 5.0)
    assert "round trip p99 20.0 ms" in make_report(talk, "line").problems[0]


def test_limits_are_given_from_outside(talk):
    talk.counts.late = 50
    assert make_report(talk, "line", limits=Limits(late_share=0.1)).is_valid


def test_a_run_without_states_or_that_was_ended_early_does_not_count():
    assert make_report(Conversation(1), "line").problems == ("no state came",)
    assert "stall" in make_report(Conversation(1), "line", stopped_by="stall").problems[1]
