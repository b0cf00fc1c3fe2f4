"""A small robot with every kind of part, and a way to change it."""

import copy
from typing import Any

import pytest

from grouser.description.robot import Robot
from grouser.description.schema import parse_table
from grouser.errors import InvalidDescription


def oval(x: float = 0.2, radius: float = 0.05, z: float = 0.05) -> dict[str, Any]:
    ends = [{"x_m": x, "z_m": z, "radius_m": radius}, {"x_m": -x, "z_m": z, "radius_m": radius}]
    return {"pulleys": ends}


CONTENT: dict[str, Any] = {
    "name": "sample",
    "body": {
        "mass_kg": 12,
        "size_m": [0.6, 0.2, 0.1],
        "centre_m": [0.1, 0.01, 0.1],
        "centre_of_mass_m": [0.02, 0.03, 0.08],
    },
    "tracks": [
        {"name": "left", "side": "left", "y_m": 0.15, "width_m": 0.05, "mass_kg": 1.0,
         "loop": oval(), "grousers": {"count": 20, "shape": "triangle", "length_m": 0.01,
                                      "height_m": 0.008}},
        {"name": "right", "side": "right", "y_m": -0.17, "width_m": 0.05, "mass_kg": 2.0,
         "loop": oval()},
    ],
    "flippers": [
        {"name": "front left", "side": "left", "hinge_m": [0.2, 0.2, 0.05],
         "limits_deg": [-90, 45], "rest_deg": -30, "speed_limit_deg_s": 90, "mass_kg": 0.5,
         "track": {"width_m": 0.02, "loop": {"pulleys": [
             {"x_m": 0.0, "z_m": 0.0, "radius_m": 0.05},
             {"x_m": 0.2, "z_m": 0.0, "radius_m": 0.05}]}}},
    ],
    "drive": {
        "speed_limit_m_s": 1.0,
        "acceleration_limit_m_s2": 2.0,
        "motor": {"dead_zone_V": 1, "jump_N_m": 1, "gain_N_m_V": 4, "torque_limit_N_m": 16,
                  "voltage_limit_V": 10, "inertia_kg_m2": 0.1, "damping_N_m_s": 1,
                  "left_forward": {"dead_zone_V": 2, "jump_N_m": 0, "gain_N_m_V": 3,
                                   "torque_limit_N_m": 9}},
    },
    "slip": {
        "left": 0.1, "right": 0.2, "slip_angle_deg": 3.0, "turning_slip_angle_deg": -6.0,
        "turning_left": 0.3, "slope_per_deg": 0.005,
        "wheelbase": {"length_m": 0.4, "width_m": 0.3, "offset_y_m": -0.01, "gamma": 8.0},
        "icr": {"left_y_m": 0.5, "right_y_m": -0.4, "x_m": 0.05},
    },
    "sources": {"body": "by hand [A]", "body.mass_kg": "a scale [T]", "tracks": "both [A]",
                "tracks.width_m": "a ruler [T]", "tracks[1].width_m": "another ruler [T]"},
}  # fmt: skip

SMOOTH: dict[str, Any] = {
    "forward": [0.9, -0.01, 0.02, 0.0, 0.0, 0.03],
    "yaw": [0.6, -0.02, 0.1, 0.0, 0.0, -0.04],
    "leftward": [-0.05, 0.01, 0.0, 0.02, 0.0],
    "fastest_m_s": 0.8,
}


def robot_with(**changes: Any) -> Robot:
    """Return the sample with changes by key, `tracks__0__y_m=1.0` for tracks[0].y_m."""
    content = copy.deepcopy(CONTENT)
    for path, value in changes.items():
        *way, last = (int(part) if part.isdigit() else part for part in path.split("__"))
        place: Any = content
        for part in way:
            place = place[part]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return parse_table(Robot, content, "sample.toml")


def mistakes_with(**changes: Any) -> tuple[str, ...]:
    with pytest.raises(InvalidDescription) as caught:
        robot_with(**changes)
    assert caught.value.origin == "sample.toml"
    return caught.value.mistakes
