"""Input of the page: which page drives, and messages of keys."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.control import LET_GO, Sticks
from grouser.viewer.input import TIMEOUT, DriverLock, read_message

PUSH = Sticks(forward=1.0)


class Watch:
    """A clock that a test turns."""

    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_the_first_to_come_drives_and_the_second_watches():
    lock = DriverLock()
    assert lock.acquire(1)
    assert not lock.acquire(2)
    assert not lock.set_sticks(2, PUSH)
    assert lock.sticks == LET_GO
    assert lock.set_sticks(1, PUSH)
    assert lock.sticks == PUSH


def test_a_driver_who_goes_lets_go_of_everything():
    lock = DriverLock()
    lock.acquire(1)
    lock.set_sticks(1, PUSH)
    lock.release(1)
    assert lock.driver is None
    assert lock.sticks == LET_GO


def test_a_watcher_who_goes_changes_nothing():
    lock = DriverLock()
    lock.acquire(1)
    lock.set_sticks(1, PUSH)
    lock.release(2)
    assert lock.sticks == PUSH


def test_reaching_for_the_sticks_of_a_free_seat_is_sitting_down():
    lock = DriverLock()
    assert not lock.set_sticks(3, LET_GO)
    assert lock.driver is None
    assert lock.set_sticks(3, PUSH)
    assert lock.driver == 3


def test_silence_means_let_go():
    watch = Watch()
    lock = DriverLock(now=watch)
    lock.acquire(1)
    lock.set_sticks(1, PUSH)
    watch.time = 0.9 * TIMEOUT
    assert lock.sticks == PUSH
    watch.time = 1.1 * TIMEOUT
    assert lock.sticks == LET_GO


def test_whoever_is_handed_the_wheel_starts_with_sticks_let_go():
    lock = DriverLock()
    lock.acquire(1)
    lock.set_sticks(1, PUSH)
    lock.give_to(2)
    assert (lock.driver, lock.sticks) == (2, LET_GO)
    assert not lock.set_sticks(1, PUSH)


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
