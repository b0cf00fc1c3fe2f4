"""Numbers change, everything else in a robot's file stays."""

import pytest

from grouser.description import load_robot, parse_robot
from grouser.description.edit import edit_robot
from grouser.errors import InvalidDescription

TP100 = load_robot("tp100").text


def test_comments_order_and_all_other_lines_stay():
    text = TP100.replace("rate_hz = 100.0", "rate_hz = 100.0  # as bought")
    edited = edit_robot(text, {"sensors.imu.gyro_offset_deg_s": [0.1, -0.2, 0.3]}, "at rest [M]")
    before, after = text.splitlines(), edited.splitlines()
    added = [line for line in after if line not in before]
    assert [line for line in after if line in before] == before
    assert added == [
        "gyro_offset_deg_s = [0.1, -0.2, 0.3]",
        '"sensors.imu.gyro_offset_deg_s" = "at rest [M]"',
    ]


def test_a_number_that_is_there_is_replaced_in_its_place():
    edited = edit_robot(TP100, {"sensors.encoder.wheel_radius_m": 0.0245}, "tape [M]")
    assert "wheel_radius_m = 0.0245" in edited
    assert len(edited.splitlines()) == len(TP100.splitlines())
    robot = parse_robot(edited, "edited")
    assert robot.sensors.encoder.wheel_radius == 0.0245
    assert robot.source_of("sensors.encoder.wheel_radius_m") == "tape [M]"


def test_a_table_that_is_missing_is_made():
    speeds = {f"drive.speed_map.{s}_m_s": [0.1, 0.3] for s in ("left", "right")}
    speeds |= {f"drive.speed_map.{s}_backward_m_s": [0.1, 0.2] for s in ("left", "right")}
    robot = parse_robot(
        edit_robot(TP100, {"drive.speed_map.duty": [0.5, 1.0], **speeds}, "x [M]"), "y"
    )
    assert robot.drive.speed_map.top_speed("left", forward=True) == 0.3
    assert robot.drive.speed_map.top_speed("left", forward=False) == 0.2
    assert robot.mirrored().drive.speed_map.right == (0.1, 0.3)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidDescription, match="scale_left"):
        edit_robot(TP100, {"sensors.encoder.scale_left": -1.0}, "x [M]")


@pytest.mark.parametrize(
    ("duties", "speeds", "sentence"),
    [
        ([0.5, 1.0], [0.1], "must have one speed for each of 2 duties"),
        ([1.0, 0.5], [0.1, 0.2], "duty must rise"),
    ],
)
def test_a_map_that_does_not_fit_itself_is_refused(duties, speeds, sentence):
    names = ("left", "right", "left_backward", "right_backward")
    changes = {f"drive.speed_map.{name}_m_s": speeds for name in names}
    with pytest.raises(InvalidDescription, match=sentence):
        edit_robot(TP100, {"drive.speed_map.duty": duties, **changes}, "x [M]")


def test_an_uncalibrated_robot_keeps_its_hash_and_a_calibrated_one_gets_another():
    plain = load_robot("tp100")
    ones = {"sensors.encoder.scale_left": 1.0, "sensors.encoder.scale_right": 1.0}
    assert parse_robot(edit_robot(TP100, ones, "x [M]"), "y").content_hash == plain.content_hash
    scaled = edit_robot(TP100, {"sensors.encoder.scale_left": 0.96}, "x [M]")
    assert parse_robot(scaled, "y").content_hash != plain.content_hash


def test_a_mirrored_robot_has_its_scales_exchanged():
    robot = parse_robot(edit_robot(TP100, {"sensors.encoder.scale_left": 0.96}, "x [M]"), "y")
    mirrored = robot.mirrored().sensors.encoder
    assert (mirrored.scale_left, mirrored.scale_right) == (1.0, 0.96)
