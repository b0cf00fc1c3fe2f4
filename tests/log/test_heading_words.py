"""Headings of foreign tables in words."""

import pytest

from grouser.log.heading_words import understand


@pytest.mark.parametrize(
    ("text", "drive", "unit"),
    [
        ("v_left", "left", ""), ("V_R", "right", ""), ("velL", "left", ""), ("vr", "right", ""),
        ("LeftSpeed", "left", ""), ("right_wheel_velocity", "right", ""), ("lw_speed", "left", ""),
        ("motor_left_rpm", "left", "rpm"), ("wheel_left_rad_s", "left", "rad/s"),
        ("wheel_vel_right[m/s]", "right", "m/s"), ("battery [V]", "", "V"),
        ("front_left_speed_mps", "front_left", "m/s"), ("ticks_right", "right", "1"),
        ("x_m", "", "m"), ("yaw (deg)", "", "deg"), ("stamp_ns", "", "ns"),
    ],
)  # fmt: skip
def test_side_and_unit_of_usual_headings_are_understood(text, drive, unit):
    heading = understand(text)
    assert (heading.drive, heading.unit) == (drive, unit)
