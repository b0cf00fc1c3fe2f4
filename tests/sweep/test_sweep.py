"""Axes, points and ready-made maps of a sweep."""

import csv
from math import isnan, radians, tan
from pathlib import Path

import pytest

from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.scenario import Scenario, Stop
from grouser.scenario.parts import raise_flippers
from grouser.sweep import MAPS, Axis, Sweep, choose_sweep
from grouser.sweep.sweep import STUCK_AFTER, run_point

DATA = Path(__file__).parents[1] / "data" / "okada2020"
SLOPE = Scenario(robot="tp100", course="slope", model="slip")


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
    assert axis.key == "course.height_m"
    assert axis.title == "course.height [m]"


def test_the_longest_unit_of_a_name_counts():
    assert Axis.parse("--x", "robot.drive.speed_limit_m_s=1,2").title == (
        "robot.drive.speed_limit [m/s]"
    )


def axis(key: str) -> Axis:
    return Axis.parse("--x", f"{key}=0.4,0.5")


def test_a_point_is_the_scenario_with_both_numbers_changed():
    sweep = Sweep(
        name="two", scenario=SLOPE, x=axis("drive.speed"), y=axis("course.surfaces.ground.friction")
    )
    point = sweep.point(0.3, 0.5)
    assert point == SLOPE.vary("driver.speed", 0.3).vary("course.surfaces.ground.friction", 0.5)
    loaded = sweep.point(0.1, 0.5).load()
    assert loaded.course.terrain.surfaces["ground"].friction == 0.5


def test_a_flipper_at_one_end_is_varied_besides_all_of_them():
    quince = SLOPE.vary(robot="quince")
    keys = axis("flippers.front_raised_deg"), axis("flippers.all_raised_deg")
    for x, y, values in ((*keys, (30.0, 10.0)), (*reversed(keys), (10.0, 30.0))):
        (frame,) = Sweep(name="two", scenario=quince, x=x, y=y).point(*values).flippers
        assert frame.angles == pytest.approx([-radians(30.0)] * 2 + [radians(10.0)] * 2)


def test_a_run_along_a_path_is_given_up_when_stuck_unless_the_scenario_says_when():
    def stop_of(scenario):
        sweep = Sweep(name="two", scenario=scenario, x=axis("course.angle_deg"),
                      y=axis("variation.gain_left"))  # fmt: skip
        return {task.arguments["scenario"].get("stuck_after_s") for task in sweep.tasks()}

    assert stop_of(SLOPE) == {STUCK_AFTER}
    assert stop_of(SLOPE.vary("stop.stuck_after", 2.0)) == {2.0}
    assert stop_of(SLOPE.vary(driver="constant")) == {None}


def test_ctrl_c_within_a_point_is_no_result(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("grouser.simulation.Simulation.advance", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_point(SLOPE.content())


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
    scenario = Scenario(course="slope:angle_deg=20", model="csm", stop=Stop(stuck_after=5.0))
    scenario = scenario.vary("course.path.elements.line_m", 0.5)
    slides, climbs = (
        run_point(scenario.vary("course.surfaces.ground.friction", friction).content())
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
    bare = Scenario(course=tmp_path / "bare.toml", model="ideal", driver="constant", stop=1.0)
    found = run_point(bare.vary("driver.speed", 0.1).content())
    assert isnan(found["reached"])
    assert 0.09 < found["travelled"] < 0.1  # it starts from rest


@pytest.mark.parametrize("name", MAPS)
def test_a_ready_made_map_can_be_driven_at_all_its_points(name):
    chosen = MAPS.find(name)()
    tasks = chosen.tasks()
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
    assert choose_sweep("step", None, "course.height_m=0.1,0.2").marks
    without = choose_sweep("step", None, None, lambda s: s.vary(model="segments:grousers=0"))
    assert not without.marks
    assert not choose_sweep("slope", None, "drive.speed=0.1,0.2").lines


def test_energy_is_the_work_of_belts_where_forces_are_known():
    scenario = SLOPE.vary(
        course="slope:angle_deg=10", driver="constant:speed=0.1", stop=Stop(duration=1.0)
    )
    assert isnan(run_point(scenario.content())["energy"])
    climbed = run_point(scenario.vary(model="csm:patches=2").content())
    lifted = load_robot("tp100").mass * 9.80665 * climbed["height"]
    # The robot also has to get going, and its belts slip while it does.
    assert lifted < climbed["energy"] < 1.2 * lifted
