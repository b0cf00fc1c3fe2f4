"""A scenario as an object: what it accepts, what it becomes, what it varies."""

import json
import math
import pickle
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from grouser import Scenario, command_sides
from grouser.cli import main
from grouser.description import load_robot
from grouser.errors import GrouserError, InvalidLog, InvalidValue, UnknownName, Unsupported
from grouser.geometry import Pose
from grouser.log import Log, read_log
from grouser.scenario import FlipperKeyframe, Part, Start, Stop, Variation, default_speed, replay

ISLAND = """
name = "island"
[[terrain]]
kind = "box"
length_m = 2.0
width_m = 2.0
height_m = 0.5
"""
OLD = Path(__file__).parents[1] / "data" / "logs" / "format-1.csv"


def test_parts_are_references_tables_or_parts():
    by_word = Scenario(course="slope:angle_deg=10", model="slip:step_mode=paper")
    by_table = Scenario(
        course={"name": "slope", "angle_deg": 10}, model={"name": "slip", "step_mode": "paper"}
    )
    by_part = Scenario(
        course=Part(name="slope", parameters={"angle_deg": 10.0}),
        model=Part(name="slip", parameters={"step_mode": "paper"}),
    )
    assert by_word == by_table == by_part
    assert by_word.course.reference == "slope:angle_deg=10"
    assert pickle.loads(pickle.dumps(by_word)) == by_word


def test_usual_values_are_those_of_the_command():
    loaded = Scenario().load()
    assert (loaded.robot.name, loaded.course.name, loaded.model.name) == (
        "tp100", "behaviour-3", "slip",
    )  # fmt: skip
    assert loaded.tick == 0.01
    assert loaded.speed == default_speed(loaded.robot, loaded.course)
    assert loaded.start_pose == loaded.course.start_pose


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"speed": -1.0}, "speed must be from"),
        ({"tick": 0.0}, "tick must be from"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"stop": -2.0}, "duration must be from"),
        ({"course": "slope:angle_deg=nan"}, "must be a finite number"),
        ({"model": {"name": "slip", "patches": [1]}}, "patches must be a finite number or a word"),
        ({"model": 5}, "a part must be a name, or a table with a name"),
        ({"variation": {"friction": 0.0}}, "variation: friction must be from 0.001 to 1000"),
        ({"flippers": "1=0/0/0/0;1=0/0/0/0"}, "times that rise"),
    ],
)
def test_wrong_values_are_one_sentence(fields, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        Scenario(**fields)


def test_vary_changes_parameters_numbers_of_files_and_fields():
    base = Scenario(course="slope")
    varied = base.vary("course.angle_deg", 10).vary("course.surfaces.ground.friction", 0.3)
    assert varied.course.parameters == {"angle_deg": 10.0}
    assert varied.course.changes == {"surfaces.ground.friction": 0.3}
    loaded = varied.load()
    assert loaded.course.parameters["angle_deg"] == 10.0
    assert loaded.course.terrain.friction(0.0, 0.0) == 0.3
    heavy = base.vary("robot.body.mass_kg", 2.0).load().robot
    assert heavy.body.mass == 2.0
    assert base.vary("model.step_mode", "paper").load().model.step_mode == "paper"
    assert base.vary(seed=3, model="ideal").model == Part(name="ideal")
    assert base.vary("stop.duration", 5.0).stop == Stop(duration=5.0)
    assert base.vary("variation.mass", 2.0).variation == Variation(mass=2.0)
    assert base == Scenario(course="slope"), "the original is as it was"


def test_vary_raises_flippers_one_end_after_the_other():
    base = Scenario(robot="quince", course="step", model="csm")
    varied = base.vary("flippers.front_raised_deg", 45.0).vary("flippers.rear_raised_deg", 30.0)
    (keyframe,) = varied.flippers
    assert keyframe.time == 0.0
    assert np.degrees(keyframe.angles) == pytest.approx([-45.0, -45.0, 30.0, 30.0])


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("robto.mass", "no key of a scenario named 'robto' .did you mean 'robot'."),
        ("course.angel_deg", "no parameter of course 'slope' named 'angel_deg' .did you mean 'ang"),
        ("stop.durtion", "no key of stop named 'durtion' .did you mean 'duration'."),
        ("seed.more", "no key of a scenario named 'seed.more'"),
    ],
)
def test_vary_names_what_it_does_not_know(key, sentence):
    with pytest.raises(UnknownName, match=sentence):
        Scenario(course="slope").vary(key, 1.0)
    with pytest.raises(UnknownName, match="did you mean 'driver'"):
        Scenario().vary(diver="follow")


def test_everything_is_checked_together():
    with pytest.raises(Unsupported, match="needs motors, which model 'slip' lacks"):
        Scenario(robot="tankbot", course="treadmill", driver="manoeuvre").load()
    island = Part(name="island", text=ISLAND)
    assert Scenario(course=island, driver="constant").load().start_pose.z == 0.5
    with pytest.raises(InvalidValue, match="start must lie on the ground of course 'island', not"):
        Scenario(course=island, driver="constant", start_pose=(9.0, 0.0, 0.0)).load()
    with pytest.raises(Unsupported, match="a log of contacts needs contacts, which model 'slip'"):
        Scenario(contacts=True).load()
    with pytest.raises(Unsupported, match="another friction needs parameter 'friction_factor'"):
        Scenario(variation=Variation(friction=0.5)).load()
    with pytest.raises(InvalidValue, match="for each flipper of 'tp100'"):
        Scenario(flippers="0=1/1").load()


def test_content_is_plain_and_comes_back():
    full = Scenario(
        robot=Part(name="absolem", changes={"drive.speed_limit_m_s": 0.5}),
        course="staircase",
        model="csm:patches=2",
        driver=Part(name="manoeuvre", parameters={"name": "step-y"}),
        start_pose=Start(x=0.1, y=0.2, yaw=1.0, z=0.3, roll=0.1),
        speed=0.2, tick=0.02, seed=2**40, stop=Stop(duration=3.0, stuck_after=1.0, tipped=1.2),
        flippers=[FlipperKeyframe(time=0.5, angles=(0.1, 0.2, 0.3, 0.4))],
        observers=["ekf:camera=no"], contacts=True,
        variation=Variation(friction=0.9, gain_left=1.1),
    )  # fmt: skip
    content = json.loads(json.dumps(full.content()))
    assert Scenario.from_content(content) == full
    assert Scenario.from_content(Scenario().content()) == Scenario()


def test_the_hash_is_that_of_what_names_stand_for(tmp_path):
    text = load_robot("tp100").text
    file = tmp_path / "mine.toml"
    file.write_text(text)
    scenario = Scenario(robot=str(file))
    first = scenario.content_hash
    assert scenario.content_hash == first == Scenario(robot=str(file)).content_hash
    assert scenario.vary(seed=1).content_hash != first
    file.write_text(text.replace("mass_kg = ", "mass_kg = 1", 1))
    assert scenario.content_hash != first


def test_what_was_loaded_needs_its_files_no_more(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(load_robot("tp100").text)
    content = Scenario(robot=str(file)).load().scenario.content()
    file.unlink()
    assert Scenario.from_content(content).load().robot == load_robot("tp100")


def test_a_start_can_be_advanced_and_many_move_as_one():
    scenario = Scenario(course="flat", model="ideal", driver="constant", start_pose="0.1,0,90")
    one = scenario.start()
    assert (one.motion.pose.x, one.motion.pose.yaw) == (0.1, math.radians(90.0))
    many = scenario.start_many(3)
    command = command_sides(one.robot, 0.1, 0.2)
    for _ in range(5):
        one.advance(command)
        many.advance(command)
    assert np.all(many.motion.pose.x == one.motion.pose.x)
    assert len(np.broadcast_to(many.motion.pose.x, many.count)) == 3
    spread = scenario.start_many(Pose(x=np.array([0.0, 1.0]), y=np.zeros(2), yaw=np.zeros(2)))
    assert spread.count == 2


def test_many_robots_may_differ_in_friction():
    scenario = Scenario(robot="tankbot", course="flat", model="tankbot")
    factors = SimpleNamespace(friction=np.array([1.0, 0.05]), mass=1.0)
    fleet = scenario.start_many(2, factors)
    same = scenario.vary(variation=Variation(friction=0.05)).start()
    command = command_sides(same.robot, 0.4, 0.4)
    for _ in range(30):
        fleet.advance(command)
        same.advance(command)
    x = fleet.motion.pose.x
    assert x[1] == same.motion.pose.x
    assert x[0] > x[1] > 0.0


def test_a_person_cannot_be_run():
    from grouser import run

    with pytest.raises(InvalidValue, match="driver must be one that gives commands by itself"):
        run(Scenario(driver="person"))


@pytest.fixture(scope="module")
def old() -> Log:
    """Return a log that was written before logs held scenarios."""
    return read_log(OLD)


def test_an_older_log_is_a_scenario(old):
    assert not old.provenance.scenario
    scenario = Scenario.from_log(old)
    assert scenario.robot.name == "tp100"
    assert scenario.robot.load_robot().body.size[0] == 0.185  # as then; its hull is shorter now
    assert scenario.course.parameters == {"angle_deg": 8.0}
    assert scenario.model == Part(name="slip", parameters={"integration": "euler"})
    assert scenario.tick == 0.02
    assert scenario.seed == 5
    assert scenario.start_pose is not None
    assert (scenario.start_pose.x, scenario.start_pose.y) == (0.1, 0.02)


def test_an_older_log_is_replayed_with_what_was_mended_since(old):
    again = replay(old)
    poses = {"x", "y", "z", "roll", "pitch", "yaw"}
    rates = {"roll_rate", "pitch_rate", "gyro_roll_rate", "gyro_pitch_rate"}
    moved = poses | {"vx", "vy", "yaw_rate", "slip.left", "slip.right"}
    for name in set(old) - moved - rates - {"wall_time"}:
        assert again[name].tobytes() == old[name].tobytes(), name
    # Turns are about the normal of the slope: by 0.3 mrad on these 8 degrees.
    for name in moved:
        assert again[name] == pytest.approx(old[name], abs=4e-4), name
    # The body's own rates: nothing on a plane, where those of the angles were recorded.
    assert max(np.abs(again[name]).max() for name in ("roll_rate", "pitch_rate")) < 1e-9
    assert np.abs(old["roll_rate"]).max() > 0.01


def test_a_log_without_a_robot_is_no_scenario(old):
    bare = Log(old.columns, replace(old.provenance, robot_text=""))
    with pytest.raises(InvalidLog, match="only logs made here do"):
        Scenario.from_log(bare)


def test_a_damaged_scenario_in_a_log_is_one_sentence(old):
    origin = replace(old.provenance, scenario={"robot": 5, "modle": "slip"})
    with pytest.raises(GrouserError) as caught:
        Scenario.from_log(Log(old.columns, origin))
    assert "modle is not a known key; did you mean model?" in str(caught.value)


WRONG = {
    "a number": 1.5, "a switch": True, "a word": "¤", "bytes": b"x", "numbers": [1.5],
    "a table": {"a": 1}, "a thing": object(), "things": [object()], "nothing": None,
    "too large": 10**400, "NaN": math.nan, "infinity": math.inf, "negative": -1,
}  # fmt: skip


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("field", [field.name for field in fields(Scenario)])
def test_any_value_of_any_field_is_taken_or_refused_with_a_sentence(field, value):
    try:
        found = Scenario().vary(field, value)
    except GrouserError:
        return
    assert Scenario.from_content(found.content()) == found


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("observers=1.5", "observers must be a name, as in ekf:camera=no, or several, not 1.5"),
        ("events=1", "events must be events, which a scenario file has as [[events]], not 1.0"),
        ("variation=2", "variation must be a table, as in {friction = 0.8}"),
        ("flippers=3", "flippers must be a posture as auto, or a schedule, as in 0=-30/-30/0/0;4="),
        ("contacts=maybe", "contacts must be true or false, not 'maybe'"),
        ("seed=-1", "seed must be a whole number from 0 to"),
        ("seed=1.5", "seed must be a whole number from 0 to"),
    ],
)
def test_a_field_of_another_kind_is_one_sentence_on_the_command_line(change, sentence, capsys):
    assert main(["run", "--set", change]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"grouser: {sentence}")
    assert said.count("\n") == 1


def test_whole_numbers_and_switches_of_the_command_line_are_taken():
    assert Scenario().vary("seed", 5.0).seed == 5
    assert Scenario().vary("contacts", "true").contacts is True
    assert Scenario().vary("contacts", "false").contacts is False
