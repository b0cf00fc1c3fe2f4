"""What is new, what is old, and what is no line at all."""

import math

import pytest

from grouser.geometry import Pose
from grouser.hil.exchange import ControllerSide, EncoderLine, Mailbox, OrientationLine


class Wire:
    """A channel in memory, and a clock."""

    rejected = 0

    def __init__(self):
        self.sent, self.arrived, self.now = [], [], 100.0

    def send(self, line):
        self.sent.append(line)

    def receive(self):
        return self.arrived.pop(0) if self.arrived else None

    def close(self):
        pass

    def clock(self):
        return self.now


@pytest.fixture
def wire():
    return Wire()


@pytest.fixture
def mailbox(wire):
    return Mailbox(wire, EncoderLine.parse, wire.clock)


def test_an_empty_mailbox_is_stale(mailbox):
    latest = mailbox.latest()
    assert latest.line is None
    assert latest.age == math.inf
    assert latest.is_stale


def test_a_line_is_believed_for_250_ms(wire, mailbox):
    wire.arrived = ["1,0,10,10\n"]
    assert not mailbox.latest().is_stale
    wire.now += 0.2499
    assert not mailbox.latest().is_stale
    wire.now += 0.0002
    latest = mailbox.latest()
    assert latest.is_stale
    assert latest.line == EncoderLine(seq=1, time=0.0, left=0.1, right=0.1)


def test_a_repeated_number_is_no_new_data(wire, mailbox):
    wire.arrived = ["1,0,10,10\n", "1,100,20,20\n"]
    mailbox.latest()
    wire.now += 0.3
    latest = mailbox.latest()
    assert latest.line.left == 0.1
    assert latest.is_stale
    assert mailbox.counts.repeated == 1


def test_lines_without_numbers_are_new_each_time(wire, mailbox):
    wire.arrived = ["10 10", "10 10"]
    mailbox.latest()
    wire.now += 0.3
    assert not mailbox.latest().is_stale
    assert mailbox.counts.good == 2


def test_a_malformed_line_is_counted_and_the_last_one_kept(wire, mailbox):
    wire.arrived = ["1,0,10,10\n", "1,0,banana\n", "2,0,nan,1\n"]
    for _ in range(3):
        latest = mailbox.latest()
    assert latest.line.seq == 1
    nothing = dict.fromkeys(("repeated", "skipped", "old", "rejected"), 0)
    assert mailbox.summary() == {**nothing, "good": 1, "malformed": 2}


def test_numbers_that_were_never_seen_are_counted(wire, mailbox):
    wire.arrived = ["1,0,1,1\n", "5,0,1,1\n"]
    mailbox.latest()
    mailbox.latest()
    assert mailbox.counts.skipped == 3


def test_a_lower_number_is_old_until_the_writer_was_silent_for_a_second(wire, mailbox):
    wire.arrived = ["5000,0,1,1\n", "4999,0,9,9\n"]
    mailbox.latest()
    assert mailbox.latest().line.seq == 5000
    wire.now += 1.1
    wire.arrived = ["4999,0,9,9\n"]
    assert mailbox.latest().is_stale  # still on the way from before
    assert mailbox.counts.old == 2
    wire.arrived = ["2,0,1,1\n"]
    assert mailbox.latest().line.seq == 2  # a writer that began anew is followed


def test_a_number_far_ahead_does_not_lock_the_writer_out(wire, mailbox):
    wire.arrived = ["1,0,1,1\n", "900719925474099,0,9,9\n", "2,0,2,2\n"]
    for _ in range(3):
        latest = mailbox.latest()
    assert (latest.line.seq, latest.line.left) == (2, 0.02)
    assert mailbox.counts.old == 1


def test_a_yaw_from_the_engine_does_not_jump_at_half_a_turn(wire):
    side = ControllerSide(wire, wire.clock)
    yaws = [math.radians(angle) for angle in range(0, 800, 20)]
    for seq, yaw in enumerate(yaws):
        wire.arrived.append(OrientationLine(seq=seq, time=0.0, pose=Pose(yaw=yaw)).format())
    seen = [side.latest().line.pose.yaw for _ in yaws]
    assert seen == pytest.approx(yaws, abs=1e-6)
    assert side.counts["good"] == len(yaws)


def test_lines_are_numbered_and_timed_by_their_writer(wire):
    side = ControllerSide(wire, wire.clock)
    side.send(0.1, 0.2)
    wire.now += 0.05
    side.send(0.1, 0.2)
    assert wire.sent == ["1,0,10.000000,20.000000\n", "2,50,10.000000,20.000000\n"]
