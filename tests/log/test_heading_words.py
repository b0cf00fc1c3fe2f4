"""Headings in words."""

import pytest

from grouser.log.heading_words import understand


@pytest.mark.parametrize(
    ("text", "core", "unit", "drive"),
    [
        ("t_s", "t", "s", ""),
        ("x [m]", "x", "m", ""),
        ("x (cm)", "x", "cm", ""),
        ("yaw_deg", "yaw", "deg", ""),
        ("left_m_s", "", "m/s", "left"),
        ("velL", "vel", "", "left"),
        ("wheel_right", "wheel", "", "right"),
        ("cmd_left_rad_s", "cmd", "rad/s", "left"),
        ("RPM_front_left", "", "rpm", "front_left"),
        ("wheel_rr [rad/s]", "wheel", "rad/s", "rear_right"),
        ("gyro_z_rad_s", "gyro z", "rad/s", ""),
        ("wz", "wz", "", ""),
        ("pose.position.x", "x", "", ""),
        ("header.stamp.nanosec", "stamp", "ns", ""),
        ("leftTicks", "", "1", "left"),
        ("qw", "qw", "", ""),
        ("Latitude", "latitude", "", ""),
        ("speed (furlongs)", "speed", "", ""),
        ("m", "m", "", ""),
    ],
)
def test_a_heading_says_what_it_names_with_unit_and_side(text, core, unit, drive):
    heading = understand(text)
    assert (heading.core, heading.unit, heading.drive) == (core, unit, drive)
