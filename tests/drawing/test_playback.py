"""A log as a moving robot."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.drawing.playback import Playback
from grouser.errors import InvalidLog
from grouser.log import Column, Log, Provenance
from grouser.models import command_sides, make_model
from grouser.simulation import Constant, Sides, Simulation

ROBOT = load_robot("tp100")


def drive(model="ideal", robot=ROBOT, course="flat", seconds=2.0, left=0.1, right=0.1) -> Log:
    simulation = Simulation(make_model(model), robot, load_course(course))
    simulation.run(Constant(robot, Sides(left=left, right=right)), duration=seconds)
    return simulation.log()


def seen(**columns) -> Log:
    units = {"time": "s", "yaw": "rad", "belt_speed.left": "m/s"}
    return Log({name: Column(np.array(v), units.get(name, "m")) for name, v in columns.items()})


def test_robot_and_course_come_from_the_log():
    playback = Playback(drive("slip", course="step:height_m=0.02"))
    assert playback.robot.name == "tp100"
    assert playback.course.parameters == {"height_m": 0.02}
    assert (playback.start, playback.end, playback.duration) == (0.0, 2.0, 2.0)


def test_a_frame_at_a_row_is_that_row_and_between_rows_lies_between():
    log = drive(right=0.12)
    playback = Playback(log)
    pose = playback.frame(log.time[50]).pose
    assert (pose.x, pose.y, pose.yaw) == (log["x"][50], log["y"][50], log["yaw"][50])
    between = playback.frame(0.5 * (log.time[50] + log.time[51])).pose
    assert between.x == pytest.approx(0.5 * (log["x"][50] + log["x"][51]), abs=1e-15)


def test_before_and_after_the_log_its_ends_hold():
    playback = Playback(drive())
    assert playback.frame(-5.0) == playback.frame(0.0)
    assert playback.frame(99.0) == playback.frame(2.0)


def test_belts_run_as_far_as_their_speeds_say():
    log = drive(left=-0.1, right=0.2)
    travels = Playback(log).frame(2.0).belt_travels
    expected = [0.01 * log[f"belt_speed.{drive.name}"][1:].sum() for drive in ROBOT.drives]
    assert travels == pytest.approx(expected, rel=1e-12)
    assert travels[0] < -0.1
    assert travels[1] > 0.2


def test_flippers_turn_as_the_log_says():
    robot = load_robot("absolem")
    simulation = Simulation(make_model("icr"), robot, load_course("flat"))
    rest = command_sides(robot, 0.0, 0.0)
    lowered = replace(rest, flipper_angles=tuple(a + 0.2 for a in rest.flipper_angles))
    for _ in range(100):
        simulation.advance(lowered)
    playback = Playback(simulation.log())
    assert playback.frame(0.0).flipper_angles == pytest.approx(rest.flipper_angles)
    assert playback.frame(1.0).flipper_angles == pytest.approx(lowered.flipper_angles)


def test_the_robot_turns_the_shorter_way():
    log = seen(time=[0.0, 1.0], x=[0.0, 0.0], y=[0.0, 0.0], yaw=[3.1, -3.1])
    yaw = Playback(log, ROBOT).frame(0.5).pose.yaw
    assert yaw == pytest.approx(np.pi)


def test_a_real_log_of_x_y_and_yaw_lies_on_the_terrain():
    course = load_course("ramp")
    whole = drive("slip", course="ramp", seconds=12.0)
    names = ("time", "x", "y", "yaw")
    bare = Log({name: whole.columns[name] for name in names})
    playback = Playback(bare, ROBOT, course)
    highest = int(np.argmax(whole["z"]))
    assert whole["z"][highest] > 0.02
    for row in (0, highest // 2, highest):
        pose = playback.frame(whole.time[row]).pose
        expected = whole["z"][row], whole["pitch"][row]
        assert (pose.z, pose.pitch) == pytest.approx(expected, abs=2e-3)


def test_belts_of_a_real_log_without_speeds_run_with_the_ground():
    whole = drive(left=0.05, right=0.15)
    bare = Log({name: whole.columns[name] for name in ("time", "x", "y", "yaw")})
    travels = Playback(bare, ROBOT).frame(2.0).belt_travels
    # Without slip, the ground passes as the belts run.
    assert travels == pytest.approx(Playback(whole).frame(2.0).belt_travels, abs=1e-4)


def test_rows_with_gaps_are_passed_over():
    nan = np.nan
    log = seen(time=[0.0, 1.0, 2.0, 3.0], x=[0.0, nan, 2.0, nan], y=[0.0] * 4, yaw=[0.0] * 4)
    playback = Playback(log, ROBOT)
    assert playback.frame(1.0).pose.x == pytest.approx(1.0)
    assert playback.end == 2.0


def test_off_the_ground_a_robot_without_heights_is_shown_level():
    log = seen(time=[0.0, 1.0], x=[1e6, 1e6], y=[0.0, 0.0], yaw=[0.0, 0.0])
    course = load_course("staircase")
    pose = Playback(log, ROBOT, course).frame(0.5).pose
    assert np.isfinite([pose.z, pose.roll, pose.pitch]).all()


def test_readouts_have_units_and_the_values_of_their_time():
    log = drive()
    values = Playback(log).values(1.005)
    assert values["x"][1] == "m"
    assert log["x"][100] < values["x"][0] < log["x"][101]
    assert values["belt_speed.left"] == (pytest.approx(0.1), "m/s")
    assert Playback(log).values(99.0)["x"][0] == log["x"][-1]
    assert Playback(log).values(-1.0)["x"][0] == log["x"][0]


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (seen(time=[0.0], x=[0.0], y=[0.0]), "run.csv: the log has no column yaw; a moving"),
        (seen(time=[0.0], x=[np.nan], y=[0.0], yaw=[0.0]), "the log has no row in which"),
        (seen(time=[1.0, 1.0], x=[0.0] * 2, y=[0.0] * 2, yaw=[0.0] * 2), "time must increase"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(log, sentence):
    with pytest.raises(InvalidLog, match=sentence):
        Playback(log, ROBOT, origin="run.csv")


def test_a_log_without_a_robot_asks_for_one():
    log = replace(drive(), provenance=Provenance())
    with pytest.raises(InvalidLog, match=r"does not contain its robot; name one \(--robot NAME\)"):
        Playback(log)
    assert Playback(log, ROBOT).course.name == "flat"
