"""Lines of text, and the newest of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.geometry import Pose
from grouser.hil.exchange import ControllerSide, EncoderLine, Mailbox, OrientationLine
from grouser.hil.exchange.lines import pose_from_unreal, pose_to_unreal

FIELDS = ("x", "y", "z", "roll", "pitch", "yaw")


def test_unreal_is_left_handed_in_centimetres_and_degrees():
    pose = pose_from_unreal(100.0, 20.0, 3.0, 4.0, 5.0, 90.0)
    assert [pose.x, pose.y, pose.z] == pytest.approx([1.0, -0.2, 0.03])
    degrees = np.rad2deg([pose.roll, pose.pitch, pose.yaw])
    assert degrees == pytest.approx([4.0, -5.0, -90.0])


def test_a_robot_that_turns_right_in_unreal_drives_to_the_right_of_ours():
    # Yaw +90 deg looks along Unreal's +Y, which is to the right: our -y.
    pose = pose_from_unreal(0.0, 0.0, 0.0, 0.0, 0.0, 90.0)
    assert pose.rotation.apply([1.0, 0.0, 0.0]) == pytest.approx([0.0, -1.0, 0.0], abs=1e-12)


def test_nose_up_and_right_side_down_mean_the_same_in_both_frames():
    nose_up = pose_from_unreal(0.0, 0.0, 0.0, 0.0, 10.0, 0.0).rotation.apply([1.0, 0.0, 0.0])
    assert nose_up[2] > 0.0
    right_down = pose_from_unreal(0.0, 0.0, 0.0, 10.0, 0.0, 0.0).rotation.apply([0.0, -1.0, 0.0])
    assert right_down[2] < 0.0


numbers = st.floats(-1000.0, 1000.0)


@given(st.tuples(numbers, numbers, numbers, numbers, numbers, st.floats(-179.99, 180.0)))
def test_there_and_back_is_the_same_pose(given_numbers):
    assert pose_to_unreal(pose_from_unreal(*given_numbers)) == pytest.approx(given_numbers)


def test_yaw_is_written_as_the_engine_keeps_it():
    for yaw_deg, written in ((190.0, 170.0), (-190.0, -170.0), (720.0, 0.0), (180.0, 180.0)):
        unreal = pose_to_unreal(Pose(yaw=math.radians(yaw_deg)))
        assert unreal[5] == pytest.approx(written, abs=1e-9)


def test_lines_have_the_fields_of_the_format_in_its_order():
    line = EncoderLine(seq=7, time=0.35, left=0.1, right=-0.025).format()
    assert line == "7,350,10.000000,-2.500000\n"
    pose = Pose(x=1.0, y=0.5, z=0.02, roll=0.0, pitch=math.radians(-28.0), yaw=math.radians(30.0))
    line = OrientationLine(seq=8, time=0.4, pose=pose).format()
    assert [float(word) for word in line.split(",")] == pytest.approx(
        [8, 400, 100.0, -50.0, 2.0, 0.0, 28.0, -30.0]
    )
    assert line.endswith("\n")


def test_lines_are_read_as_they_were_written():
    line = EncoderLine(seq=3, time=1.25, left=0.123456, right=-0.2)
    assert EncoderLine.parse(line.format()) == line
    pose = Pose(x=0.25, y=-0.5, z=0.125, roll=0.1, pitch=-0.2, yaw=2.5)
    parsed = OrientationLine.parse(OrientationLine(seq=3, time=1.25, pose=pose).format())
    assert parsed is not None
    assert (parsed.seq, parsed.time) == (3, 1.25)
    wanted = [getattr(pose, name) for name in FIELDS]
    assert [getattr(parsed.pose, name) for name in FIELDS] == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize("text", ["10 -5", "10,-5\n", "10;-5", "10.0\t-5.0\r\n", " 10 , -5 ,\n"])
def test_two_numbers_are_belt_speeds(text):
    line = EncoderLine.parse(text)
    assert line == EncoderLine(left=0.1, right=-0.05)


def test_three_numbers_are_a_planar_pose_and_six_a_spatial_one():
    planar = OrientationLine.parse("100 50 -90")
    assert planar is not None
    assert planar.seq is None
    assert planar.pose == pose_from_unreal(100.0, 50.0, 0.0, 0.0, 0.0, -90.0)
    spatial = OrientationLine.parse("100,50,2,1,28,-90\n")
    assert spatial is not None
    assert spatial.pose == pose_from_unreal(100.0, 50.0, 2.0, 1.0, 28.0, -90.0)


@pytest.mark.parametrize(
    "text",
    ["", "\n", "1", "1,2,3", "1,2,3,4,5", "a,b", "1,nan", "1,inf", "-1,2,3,4", "1.5,2,3,4",
     "1,2\n3,4\n", "1,,2,x", "é,1", "1e999,1"],
)  # fmt: skip
def test_what_is_no_encoder_line_is_none(text):
    assert EncoderLine.parse(text) is None


@pytest.mark.parametrize(
    "text", ["", "1,2", "1,2,3,4", "1,2,3,4,5,6,7", "-1,2,3,4,5,6,7,8", "x y z"]
)
def test_what_is_no_orientation_line_is_none(text):
    assert OrientationLine.parse(text) is None


@given(st.text(max_size=60))
def test_no_text_breaks_a_reader(text):
    for kind in (EncoderLine, OrientationLine):
        line = kind.parse(text)
        assert line is None or isinstance(line, kind)


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
