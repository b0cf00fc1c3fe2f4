"""What a page says is believed only as far as it makes sense."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.control import LET_GO, Sticks
from grouser.viewer.bridge import AXES, LONGEST, read_message, read_sticks


def test_sticks_are_read_by_name():
    assert read_sticks({"forward": 1, "turn": -0.5}) == Sticks(forward=1.0, turn=-0.5)


@pytest.mark.parametrize("value", [2.0, -1.1, math.nan, math.inf, "1", None, [1.0], {}])
def test_a_stick_that_is_no_number_from_minus_one_to_one_is_let_go(value):
    assert read_sticks({"forward": value}) == LET_GO


@pytest.mark.parametrize(
    "message",
    ["", "{", "[1]", "3", "null", b"\xff\xfe", "x" * (LONGEST + 1), '{"a":' * 400, "[" * LONGEST],
)
def test_what_is_no_message_says_nothing(message):
    assert read_message(message) == {}


@given(st.dictionaries(st.sampled_from(AXES), st.one_of(st.floats(), st.text(), st.none())))
def test_whatever_is_sent_the_sticks_stay_within_their_travel(axes):
    sticks = read_sticks(read_message(json.dumps({"axes": axes})).get("axes", {}))
    assert all(abs(getattr(sticks, name)) <= 1.0 for name in AXES)
