"""Lines of text, and the frame of Unreal Engine."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.geometry import Pose
from grouser.hil.exchange import EncoderLine, OrientationLine
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
