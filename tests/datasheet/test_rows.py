"""Rows of data sheets against laws, and against the papers."""

import math

import pytest

from grouser.datasheet import (
    Settings,
    choose_rows,
    compose_page,
    default_models,
    make_sheets,
)
from grouser.datasheet.climbing import HIGHEST, LOWEST, Climb
from grouser.datasheet.lanes import lane_names, lane_starts
from grouser.datasheet.places import step_up
from grouser.datasheet.sheet import all_rows, measure_row
from grouser.datasheet.slopes import tipping_angle
from grouser.description import load_course, load_robot
from grouser.models import make_model
from grouser.papers.data_sheet import published_rows, published_tasks
from grouser.papers.p4.highest_step import highest_step
from grouser.tasks import Workers

QUICK = {"friction": 0.6, "seeds": 1, "is_quick": True}


def test_the_highest_step_is_that_of_p4():
    """One start of four, coarsely, by both ways to it: the row's, and that of `reproduce`."""
    robot = load_robot("quince")
    climb = Climb(build=lambda h: step_up(robot, h), least=LOWEST, most=HIGHEST, within=0.002)
    found = climb.find(make_model("segments"), robot, (0.0,) * 4, phase=0.25)
    assert found.passed == highest_step("segments", 0.0, phase=0.25)


def test_the_published_rows_are_those_of_reproduce():
    """Table IV as `docs/claims.json` has it: all but the step of 120 mm at 0°."""
    rows = {row["claim"]: row for row in published_rows("P4", "steps")}
    assert rows["climbs 120 mm at 0°"]["verdict"] == "differs"
    assert rows["climbs 240 mm at 45°"]["ours"] == rows["climbs 240 mm at 45°"]["published"] == 1.0
    quince, absolem = (
        [task.name for task in published_tasks(load_robot(name), Settings())]
        for name in ("quince", "absolem")
    )
    assert [name.partition(" (")[0] for name in quince][:2] == [
        "quince: P4 steps", "quince: P4 highest",
    ]  # fmt: skip
    assert absolem[0].startswith("absolem: P1 stairs")


def test_a_robot_that_was_changed_has_nothing_published():
    heavier = load_robot("quince", {"body.mass_kg": 28.0})
    assert published_tasks(heavier, Settings()) == []


@pytest.mark.parametrize("way", ["up", "down", "across"])
def test_a_slope_ends_where_friction_does(way):
    cell = measure_row(load_robot("tp100"), "csm", f"slope_{way}", QUICK)
    limit = math.degrees(math.atan(0.6))
    assert limit - 1.5 < math.degrees(cell["value"]) < limit + 0.5
    assert cell["limit"] == "friction"


def test_a_robot_tips_where_its_centre_of_mass_is_above_the_edge():
    robot = load_robot("zhou-ugv")
    cell = measure_row(robot, "csm", "tip_back", QUICK)
    assert tipping_angle(robot, "back") == pytest.approx(math.atan2(0.615, 0.4))
    assert cell["value"] == pytest.approx(tipping_angle(robot, "back"), abs=math.radians(1.5))


def test_energy_uphill_is_that_of_lifting():
    robot = load_robot("tp100")
    cell = measure_row(robot, "csm", "energy_slope", QUICK)
    assert cell["value"] == pytest.approx(
        robot.mass * 9.81 * math.sin(math.radians(10.0)), rel=0.02
    )


def test_losses_that_no_model_has_are_no_energy_of_zero():
    cell = measure_row(load_robot("tp100"), "csm", "energy_level", QUICK)
    assert "value" not in cell
    assert cell["reason"].startswith("not modelled: losses of belts and gears")
    assert cell["details"] == {"work of the belts on the ground [J/m]": 0.0}


def test_stairs_that_stall_motors_on_much_friction_are_climbed_with_less():
    """Its sheet said "not possible", and that it climbs these stairs at friction 0.6."""
    weak = load_robot("quince", {"drive.torque_limit_N_m": 15.0})
    cell = measure_row(weak, "csm", "stairs_friction", QUICK)
    assert 0.45 < cell["value"] <= 0.8
    assert cell["limit"] == "friction"
    assert "fails by torque: belts run at" in cell["evidence"]
    assert "it climbs up to friction 1." in cell["evidence"]


def test_what_a_model_does_not_describe_has_a_reason():
    robot = load_robot("tp100")
    for model, key, words in (
        ("ideal", "step_up", "no contacts in three dimensions"),
        ("ideal", "slope_up", "no forces"),
        ("wheels", "energy_soil", "needs soil"),
    ):
        cell = measure_row(robot, model, key, QUICK)
        assert cell["reason"].startswith("not described: ")
        assert words in cell["reason"]
    assert measure_row(robot, "csm", "step_up_raised", QUICK) == {"reason": "no flippers"}


def test_a_robot_on_stairs_that_are_too_high_fails_with_evidence():
    cell = measure_row(load_robot("tp100"), "csm", "stairs_up", QUICK)
    assert cell["reason"].startswith("not possible")
    assert cell["limit"] == "friction"
    assert "slip" in cell["evidence"]


def test_models_that_are_the_same_for_a_robot_are_run_once():
    assert default_models(load_robot("quince")) == ("csm", "segments", "tracks-planar")
    assert default_models(load_robot("absolem")) == ("csm", "wheels", "tracks-planar")
    assert default_models(load_robot("zhou-ugv")) == ("csm", "tracks-planar")


def test_a_model_that_repeats_another_is_left_out_and_named():
    robots = [load_robot("tp100"), load_robot("packbot510")]
    rows = choose_rows(["top_speed"])
    sheets = make_sheets(robots, models=("csm", "segments"), rows=rows, workers=Workers(count=1))
    assert [sheet.models for sheet in sheets] == [("csm",), ("csm", "segments")]
    said = "tp100 has no grousers: segments computes the same as csm"
    assert [sheet.repeated for sheet in sheets] == [(said,), ()]
    assert said in compose_page(sheets[:1])
    assert said in compose_page(sheets)
    assert sheets[0].content()["repeated"] == [said]


def test_lanes_have_starts_that_do_not_depend_on_the_robot():
    course = load_course("pallet")
    first, *others = lane_starts(course, 3)
    assert first == course.start_pose
    assert others == lane_starts(course, 3)[1:]
    assert all(start.x <= first.x for start in others)
    assert {"pallet", "staircase"} <= set(lane_names())
    assert set(lane_names()) <= set(all_rows())
