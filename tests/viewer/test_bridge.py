"""What a page says is believed only as far as it makes sense."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.control import Sticks
from grouser.viewer.input import read_message

AXES = ("forward", "turn", "front", "rear")


def test_sticks_are_read_by_name():
    message = read_message('{"axes": {"forward": 1, "turn": -0.5}}')
    assert message is not None
    assert message.axes is not None
    assert message.axes.sticks == Sticks(forward=1.0, turn=-0.5)


@pytest.mark.parametrize(
    "word", ["2.0", "-1.1", "NaN", "Infinity", "1e999", "1" + 400 * "0", "1" + 5000 * "0", '"1"',
             "null", "true", "[1.0]", "{}"]
)  # fmt: skip
def test_a_stick_that_is_no_number_from_minus_one_to_one_is_no_message(word):
    assert read_message('{"axes": {"forward": ' + word + "}}") is None


@pytest.mark.parametrize(
    "message",
    [
        "", "{", "[1]", "3", "null", b"\xff\xfe", "x" * 5000, '{"a":' * 4000, "[" * 4000,
        '{"client": 3}', '{"act": "explode"}', '{"axes": {"sideways": 1}}', '{"secret": 3}',
        '{"secret": "' + 5000 * "x" + '"}',
    ],
)  # fmt: skip
def test_what_is_no_message_says_nothing(message):
    assert read_message(message) is None


@given(st.dictionaries(st.sampled_from(AXES), st.one_of(st.floats(), st.text(), st.none())))
def test_whatever_is_sent_the_sticks_stay_within_their_travel(axes):
    message = read_message(json.dumps({"axes": axes}))
    if message is not None and message.axes is not None:
        assert all(abs(getattr(message.axes.sticks, name)) <= 1.0 for name in AXES)
