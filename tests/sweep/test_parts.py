"""Axes, settings and points of a sweep."""

import csv
from dataclasses import replace
from math import isnan, radians, tan
from pathlib import Path

import pytest

from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.scenario.parts import raise_flippers
from grouser.sweep.maps import MAPS, choose_map
from grouser.sweep.setting import Axis, Setting, drive_point
from grouser.sweep.sweep import sweep_tasks

DATA = Path(__file__).parents[1] / "data" / "okada2020"
SLOPE = Setting(robot="tp100", course="slope", model="slip", drive="follow")


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("0.05:0.2:0.05", (0.05, 0.1, 0.15, 0.2)),
        ("0:10:4", (0.0, 4.0, 8.0)),
        ("30:0:-15", (0.0, 15.0, 30.0)),
        ("-1,2.5", (-1.0, 2.5)),
    ],
)
def test_an_axis_has_the_values_of_its_range_or_list(words, values):
    axis = Axis.parse("--x", f"course.height_m={words}")
    assert axis.values == values
    assert (axis.subject, axis.parameter) == ("course", "height_m")
    assert axis.title == "course.height [m]"


def test_the_longest_unit_of_a_name_counts():
    assert Axis.parse("--x", "robot.drive.speed_limit_m_s=1,2").title == (
        "robot.drive.speed_limit [m/s]"
    )


def test_a_setting_is_changed_where_the_key_says():
    changed = SLOPE
    for word in ("course.angle_deg=1,2", "course.surfaces.ground.friction=1,2",
                 "drive.speed=1,2", "robot.body.mass_kg=1,2"):  # fmt: skip
        changed = changed.changed(Axis.parse("--x", word), 0.5)
    assert changed.course == "slope:angle_deg=0.5"
    assert changed.course_changes == {"surfaces.ground.friction": 0.5}
    assert changed.drive == "follow:speed=0.5"
    assert changed.robot_changes == {"body.mass_kg": 0.5}
    robot, course, _ = changed.load()
    assert robot.body.mass == 0.5
    assert float(course.start_pose.pitch) == pytest.approx(-radians(0.5))


def test_raised_flippers_have_their_far_ends_up_at_both_ends():
    robot = load_robot("quince")
    angles = raise_flippers(robot, {"front_raised_deg": 45.0, "rear_raised_deg": 30.0})
    for flipper, angle in zip(robot.flippers, angles, strict=True):
        assert flipper.centre_at(angle)[2] > flipper.centre_at(0.0)[2] + 0.04
    assert raise_flippers(robot, {"front_raised_deg": 45.0})[2:] == (0.0, 0.0)
    with pytest.raises(InvalidValue, match=r"angle of flipper 'front-left' must be from -180 to"):
        raise_flippers(robot, {"all_raised_deg": 200.0})


def test_a_slope_is_climbed_if_friction_holds():
    # tan(20 deg) = 0.364.
    setting = {"robot": "tp100", "course": "slope:angle_deg=20", "model": "csm", "drive": "follow"}
    short = {"path.elements.line_m": 0.5}
    slides, climbs = (
        drive_point({**setting, "course_changes": {**short, "surfaces.ground.friction": friction}})
        for friction in (0.32, 0.42)
    )
    assert (slides["reached"], climbs["reached"]) == (0.0, 1.0)
    assert slides["duration"] < 10.0  # given up
    assert climbs["height"] == pytest.approx(0.5 * tan(radians(20.0)), rel=0.2)
    assert climbs["pitch"] == pytest.approx(20.0, abs=1.0)


def test_without_a_path_there_is_nothing_to_reach(tmp_path):
    (tmp_path / "bare.toml").write_text(
        'name = "bare"\nspeed_m_s = 0.1\n[[terrain]]\nkind = "plane"\n'
        "[surfaces.ground]\nfriction = 0.8\n"
    )
    found = drive_point(
        {"robot": "tp100", "course": str(tmp_path / "bare.toml"), "model": "ideal",
         "drive": "constant:speed=0.1", "duration": 1.0}
    )  # fmt: skip
    assert isnan(found["reached"])
    assert 0.09 < found["travelled"] < 0.1  # it starts from rest


@pytest.mark.parametrize("name", MAPS)
def test_a_ready_made_map_can_be_driven_at_all_its_points(name):
    chosen = MAPS.find(name)()
    tasks = sweep_tasks(chosen)
    assert len(tasks) == len(chosen.x.values) * len(chosen.y.values)
    assert len({task.name for task in tasks}) == len(tasks)


def test_p4s_points_on_the_map_of_steps_are_those_of_table_4():
    with (DATA / "table4_step_climbing.csv").open() as file:
        rows = [
            (float(row["front_subtrack_angle_deg"]), float(row["step_height_mm"]) / 1e3,
             row["simulation"] == row["reality"] == "S")
            for row in csv.DictReader(file)
        ]  # fmt: skip
    marks = [(mark.x, mark.y, mark.symbol == "yes") for mark in MAPS["step"]().marks]
    assert marks == rows


def test_what_others_found_is_left_out_when_something_else_is_driven():
    assert choose_map("step", None, "course.height_m=0.1,0.2", {}).marks
    assert not choose_map("step", None, None, {"model": "segments:grousers=0"}).marks
    assert not choose_map("slope", None, "drive.speed=0.1,0.2", {}).lines


def test_energy_is_the_work_of_belts_where_forces_are_known():
    setting = replace(SLOPE, course="slope:angle_deg=10", drive="constant:speed=0.1", duration=1.0)
    assert isnan(drive_point(setting.content())["energy"])
    climbed = drive_point(replace(setting, model="csm:boxes=1").content())
    lifted = load_robot("tp100").mass * 9.80665 * climbed["height"]
    # The robot also has to get going, and its belts slip while it does.
    assert lifted < climbed["energy"] < 1.2 * lifted
