"""What models assume for want of data: all of it is listed, and nothing else."""

import copy
from functools import cache
from typing import Any

import numpy as np
import pytest

from grouser.description import Course, Robot, load_course, load_robot
from grouser.description.schema import parse_table
from grouser.models import (
    CATALOGUE,
    Command,
    find_assumptions,
    find_turning_basis,
    group_assumptions,
    make_model,
    start_model,
)
from tests.description.sample_robot import oval

TRACK = {"width_m": 0.05, "loop": oval()}
ROBOT: dict[str, Any] = {
    "name": "bare",
    "body": {
        "mass_kg": 12.0,
        "size_m": [0.6, 0.2, 0.1],
        "centre_m": [0.0, 0.0, 0.1],
        "centre_of_mass_m": [0.02, 0.0, 0.08],
    },
    "tracks": [
        {"name": "left", "side": "left", "y_m": 0.15, **TRACK},
        {"name": "right", "side": "right", "y_m": -0.15, **TRACK},
    ],
    "drive": {"speed_limit_m_s": 1.0, "acceleration_limit_m_s2": 2.0},
}
"""A robot that states what it must, and no more."""
COURSE: dict[str, Any] = {
    "name": "bare",
    "terrain": [{"kind": "plane", "slope_deg": 5.0}],
    "surfaces": {"ground": {}},
}
CURVE = {"stiffness_factor": 20.0, "shape_factor": 1.4, "largest_force_N": 30.0}
ICR = {
    "left_y_m": 0.25, "right_y_m": -0.22, "x_m": 0.01, "drift_s": 0.05,
    **{f"{side}_y_per_{what}": 0.01 for side in ("left", "right")
       for what in ("speed_s", "contrast_m")}, "x_per_speed_s": 0.01,
}  # fmt: skip
DATA: dict[str, Any] = {
    "body.inertia_kg_m2": [0.3, 0.9, 1.0],
    "drive.torque_limit_N_m": 0.8,
    "drive.sprocket_radius_m": 0.03,
    "drive.motor": {
        "dead_zone_V": 0.1, "jump_N_m": 0.1, "gain_N_m_V": 1.0, "torque_limit_N_m": 3.0,
        "voltage_limit_V": 10.0, "inertia_kg_m2": 0.02, "damping_N_m_s": 0.1,
    },
    "slip.left": 0.1,
    "slip.right": 0.2,
    "slip.turning_left": 0.15,
    "slip.turning_right": 0.25,
    "slip.slip_angle_deg": 2.0,
    "slip.turning_slip_angle_deg": 3.0,
    "slip.slope_per_deg": 0.01,
    "slip.wheelbase": {"length_m": 0.3, "width_m": 0.32, "offset_x_m": 0.01},
    "slip.icr": ICR,
    "slip.smooth": {"forward": [0.1] * 6, "yaw": [-0.2] * 6, "leftward": [0.05] * 5,
                    "fastest_m_s": 0.8},
    "turning": {"offset_ahead_m": 0.05, "speed_difference_slope": 0.5,
                "speed_difference_intercept_m_s": 0.02, "smallest_speed_difference_m_s": 0.03},
    "traction": {"friction": 0.6, "lateral": CURVE, "track": CURVE, "shift": 0.01},
    "surfaces.ground.friction": 0.5,
    "surfaces.ground.friction_across": 0.3,
    "surfaces.ground.slip_factor": 1.5,
    "surfaces.ground.law.shear_modulus": 0.01,
}  # fmt: skip
"""All that a robot and a course may state, and a number for it that differs from the default."""
MOVED = ("ideal", "slip", "icr", "icr-slip", "icr-drift", "smooth", "turning", "tankbot",
         "tracks-planar", "csm", "frictionless")  # fmt: skip
"""Models that are driven: the others in three dimensions list what csm does."""


def insert(content: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    content = copy.deepcopy(content)
    for key in keys:
        *path, last = key.split(".")
        table = content
        for name in path:
            table = table.setdefault(name, {})
        table[last] = DATA[key]
    return content


@cache
def describe(*keys: str) -> tuple[Robot, Course]:
    """Return the bare robot and course with some of the data."""
    of_course = tuple(key for key in keys if key.startswith("surfaces."))
    of_robot = tuple(key for key in keys if key not in of_course)
    robot = parse_table(Robot, insert(ROBOT, of_robot), "robot")
    return robot, parse_table(Course, insert(COURSE, of_course), "course")


@cache
def drive(name: str, *keys: str) -> np.ndarray:
    """Return where a robot with some of the data is after driving straight, then in a curve."""
    plant = start_model(make_model(name), *describe(*keys))
    for speeds in ((0.9, 0.9), (0.2, 0.6)):
        for _ in range(10):
            plant.advance(Command(belt_speeds=speeds), 0.02)
    pose = plant.motion.pose
    return np.array([pose.x, pose.y, pose.yaw])


def listed(name: str, *keys: str) -> set[str]:
    return {k for a in find_assumptions(make_model(name), *describe(*keys)) for k in a.keys}


@pytest.mark.parametrize("name", MOVED)
def test_whatever_would_change_the_motion_is_listed(name):
    stated = drive(name)
    moving = {key for key in DATA if np.abs(drive(name, key) - stated).max() > 1e-9}
    # A slip in turns is that of driving straight, whose keys are listed instead.
    derived = {"slip.turning_left", "slip.turning_right"} if "slip.left" in listed(name) else set()
    assert moving - derived - listed(name) == set()


@pytest.mark.parametrize("name", MOVED)
def test_whatever_is_listed_would_change_the_motion(name):
    for assumption in find_assumptions(make_model(name), *describe()):
        changed = drive(name, *assumption.keys)
        assert np.abs(changed - drive(name)).max() > 1e-9, assumption


@pytest.mark.parametrize("name", CATALOGUE)
def test_with_all_data_nothing_is_assumed(name):
    robot, course = describe(*DATA)
    track = {"mass_kg": 1.0}
    content = insert(ROBOT, tuple(k for k in DATA if not k.startswith("surfaces.")))
    content["tracks"] = [{**part, **track} for part in content["tracks"]]
    robot = parse_table(Robot, content, "robot")
    assert find_assumptions(make_model(name), robot, course) == ()


@pytest.mark.parametrize("name", set(CATALOGUE) - {"ideal"})
def test_a_bare_robot_has_something_assumed_in_every_model_but_the_ideal_one(name):
    found = find_assumptions(make_model(name), *describe())
    assert found
    assert len({a.quantity for a in found}) == len(found)
    for assumption in found:
        assert assumption.keys
        assert assumption.text
        assert assumption.keys[0] in assumption.sentence


def test_numbers_that_a_table_of_centres_leaves_out_are_listed_one_by_one():
    content = insert(ROBOT, ("slip.icr",))
    content["slip"]["icr"] = {"left_y_m": 0.25, "right_y_m": -0.22}
    robot = parse_table(Robot, content, "robot")
    found = {name: {a.quantity for a in find_assumptions(make_model(name), robot)}
             for name in ("icr", "icr-slip", "icr-drift")}  # fmt: skip
    assert found["icr"] == {"place of the centres along x", "change of the centres with speed"}
    assert found["icr-drift"] - found["icr-slip"] == {"drift in turns"}


def test_a_parameter_replaces_what_would_be_assumed():
    robot, course = describe()
    slip = make_model("slip", slip_left=0.1, slip_right=0.1, width=0.6)
    keys = {k for a in find_assumptions(slip, robot, course) for k in a.keys}
    assert keys.isdisjoint({"slip.left", "slip.right", "slip.wheelbase"})
    assert find_turning_basis(slip, robot) == (0.6, "parameter width")
    assert "slip.icr" not in str(find_assumptions(make_model("icr", width_ratio=2.0), robot))


def test_models_that_assume_the_same_are_named_together():
    models = {name: make_model(name) for name in ("icr", "icr-slip", "csm")}
    groups = group_assumptions(models, *describe())
    by_quantity = {a.quantity: names for a, names in groups.items()}
    assert by_quantity["distance of the centres of rotation"] == ["icr", "icr-slip"]
    assert by_quantity["friction of the ground"] == ["csm"]


@pytest.mark.parametrize("name", ["ideal", "slip", "icr", "icr-slip", "icr-drift", "turning"])
def test_a_robot_turns_like_a_drive_of_the_stated_width(name):
    robot, course = load_robot("absolem"), load_course("flat")
    plant = start_model(make_model(name), robot, course)
    for _ in range(200):
        plant.advance(Command(belt_speeds=(-0.1, 0.1), flipper_angles=(0.0,) * 4), 0.01)
    width = find_turning_basis(make_model(name), robot, course).width
    slip = 0.5 * (robot.slip.left + robot.slip.right)
    expected = 0.2 / width * (1.0 - slip * (name in ("slip", "icr-slip", "icr-drift")))
    assert plant.motion.twist.yaw_rate == pytest.approx(expected, rel=1e-6)
