"""The driven robot and its ghosts, and a robot that is driven elsewhere."""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from grouser.control import LET_GO, AutoFlippers, Sticks
from grouser.errors import GrouserError, InvalidValue, UnknownName, Unsupported
from grouser.log import compare
from grouser.scenario import Scenario, replay
from grouser.viewer.app import DriveApp
from grouser.viewer.read_only import ReadOnlyCommands
from grouser.viewer.session import Session
from grouser.viewer.watched_session import WatchedSession
from tests.viewer.browser import wait_until
from tests.viewer.elsewhere import Elsewhere

PUSH = Sticks(forward=1.0)
ARC = Sticks(forward=0.5, turn=0.3)


def session(ghosts: tuple[str, ...] = (), **wishes) -> Session:
    return Session(
        Scenario(**({"robot": "tp100", "course": "flat", "model": "ideal"} | wishes)), ghosts
    )


def drive(driven: Session, sticks: Sticks, ticks: int) -> None:
    for _ in range(ticks):
        driven.advance(sticks)


def test_a_held_stick_drives_and_letting_go_stops():
    driven = session()
    drive(driven, PUSH, 100)
    assert driven.motion.twist.vx == pytest.approx(driven.speed)
    drive(driven, LET_GO, 100)
    assert driven.motion.twist.vx == 0.0


def test_the_speed_stays_within_what_the_robot_can():
    driven = session()
    driven.set_speed(1e3)
    assert driven.speed == driven.robot.drive.speed_limit
    driven.set_speed(-1.0)
    assert driven.speed == 0.0


def test_a_ghost_obeys_the_same_commands_and_the_gap_is_told():
    driven = session(robot="absolem", ghosts=("icr",))
    drive(driven, ARC, 200)
    (gap,) = driven.snapshot().gaps
    robot, ghost = driven.snapshot().frames
    assert gap.model == "icr"
    expected = math.hypot(ghost.pose.x - robot.pose.x, ghost.pose.y - robot.pose.y)
    assert gap.distance == pytest.approx(expected) != 0.0
    assert gap.heading == pytest.approx(ghost.pose.yaw - robot.pose.yaw)


def test_a_ghost_of_the_same_model_never_parts():
    driven = session(ghosts=("ideal",))
    drive(driven, ARC, 100)
    assert driven.snapshot().gaps[0].distance == 0.0


def test_a_ghost_that_joins_later_starts_where_the_robot_is():
    driven = session()
    drive(driven, PUSH, 100)
    driven.set_ghosts(("icr",))
    assert driven.snapshot().gaps[0].distance == pytest.approx(0.0, abs=1e-9)
    scenes = driven.scene
    driven.set_ghosts(())
    assert driven.snapshot().gaps == ()
    assert driven.scene != scenes


def test_belts_run_as_far_as_their_speed_says():
    driven = session()
    travels = []
    for _ in range(50):
        driven.advance(PUSH)
        travels.append(driven.snapshot().frames[0].belt_travels[0])
    assert all(after > before for before, after in pairwise(travels))
    assert travels[-1] == pytest.approx(driven.motion.pose.x)


def test_a_path_follower_drives_until_a_stick_is_touched():
    driven = session(course="behaviour-2", model="slip")
    driven.follow_path()
    drive(driven, LET_GO, 100)
    assert driven.snapshot().mode == "path"
    assert driven.motion.pose.x > 0.01
    driven.advance(Sticks(turn=0.1))
    assert driven.snapshot().mode == "manual"
    drive(driven, LET_GO, 200)
    assert driven.motion.twist.vx == 0.0


def test_a_course_without_a_path_cannot_be_followed(tmp_path):
    file = tmp_path / "bare.toml"
    file.write_text('name = "bare"\ntitle = "Bare"\n[[terrain]]\nkind = "plane"\n')
    with pytest.raises(InvalidValue, match="path"):
        session(course=str(file)).follow_path()


def test_everything_driven_is_a_log_that_can_be_replayed_bit_for_bit():
    driven = session(robot="absolem", model="csm", ghosts=("icr",))
    drive(driven, ARC, 30)
    drive(driven, Sticks(front=1.0), 10)
    log, ghost = driven.logs_later()()
    assert log.provenance.model == "csm"
    assert ghost.provenance.model == "icr"
    again = replay(log)
    assert all((again[name] == log[name]).all() for name in log if name != "wall_time")
    assert compare(log, ghost) is not None


def test_reset_starts_anew():
    driven = session()
    drive(driven, PUSH, 50)
    before = driven.snapshot()
    assert driven.was_driven
    driven.reset()
    after = driven.snapshot()
    assert (after.time, after.motion.pose.x, driven.was_driven) == (0.0, 0.0, False)
    assert after.run != before.run
    assert after.scene == before.scene


def test_contacts_are_there_for_the_arrows():
    assert session(robot="absolem", model="csm").snapshot().frames[0].contacts


@pytest.mark.parametrize(
    ("wishes", "error", "word"),
    [
        ({"robot": "nobody"}, UnknownName, "nobody"),
        ({"model": "magic"}, UnknownName, "magic"),
        ({"course": "staircase"}, Unsupported, "csm"),
        ({"ghosts": ("icr",) * 5}, InvalidValue, "at most 4"),
    ],
)
def test_what_does_not_exist_or_fit_is_refused(wishes, error, word):
    with pytest.raises(error, match=word):
        session(**wishes)


SCENARIO = Scenario(robot="tp100", course="flat", model="ideal")


@pytest.fixture
def elsewhere() -> Elsewhere:
    return Elsewhere()


@pytest.fixture
def page(elsewhere, tmp_path) -> Iterator[DriveApp]:
    with DriveApp(SCENARIO, port=0, folder=tmp_path, external=elsewhere) as opened:
        yield opened


def test_the_page_shows_where_the_robot_is_elsewhere(elsewhere):
    session = WatchedSession(SCENARIO, elsewhere)
    session.advance(Sticks(forward=1.0))
    assert session.snapshot().motion.pose.x == 0.0
    elsewhere.put(2.0, 0.5)
    session.advance(Sticks(forward=1.0))
    now = session.snapshot()
    assert (now.time, now.mode, now.motion.pose.x) == (2.0, "board", 0.5)
    assert now.frames[0].belt_travels == pytest.approx((0.2, 0.2))
    assert not session.was_driven


def test_the_page_can_stop_the_motors_and_nothing_else(page, elsewhere):
    assert isinstance(page.commands, ReadOnlyCommands)
    page.loop.set_watched(True)
    elsewhere.put(1.0, 0.3)
    wait_until(lambda: page.loop.latest.motion.pose.x == 0.3, "it is shown")
    run = page.loop.session.run
    page.commands.choose(course="step")
    page.commands.act("reset")
    page.commands.act("path")
    assert page.loop.session.scenario == SCENARIO
    assert page.loop.session.run == run
    assert not elsewhere.is_stopped
    page.commands.act("pause")
    assert elsewhere.is_stopped
    assert not page.loop.is_paused


def test_a_robot_elsewhere_needs_no_model_here_and_is_at_its_start_at_first(elsewhere):
    session = WatchedSession(
        SCENARIO.vary(model="no such model", start_pose="0.5,0.2,90"), elsewhere
    )
    pose = session.snapshot().motion.pose
    assert (pose.x, pose.y, pose.yaw) == (0.5, 0.2, math.pi / 2.0)
    with pytest.raises(GrouserError, match="there is no log yet"):
        session.logs_later()


def test_a_session_honours_its_scenario():
    driven = session(
        start_pose="1,0.5,90", seed=7, tick=0.02, speed=0.1, variation={"gain_left": 0.5}
    )
    assert driven.tick == driven.simulation.dt == 0.02
    assert driven.simulation.seed == 7
    assert driven.speed == 0.1
    assert (driven.motion.pose.x, driven.motion.pose.y) == (1.0, 0.5)
    drive(driven, PUSH, 1)
    assert driven.motion.belt_speeds_commanded == pytest.approx((0.05, 0.1))
    drive(driven, LET_GO, 9)
    log, *_ = driven.logs_later()()
    assert log.time[-1] == pytest.approx(0.2)
    assert log.provenance.scenario["start"] == {"x_m": 1.0, "y_m": 0.5, "yaw_deg": 90.0}


def test_contacts_and_observers_of_the_scenario_are_in_the_log():
    driven = session(robot="absolem", model="csm", contacts=True, ghosts=("icr",))
    drive(driven, PUSH, 2)
    log, ghost = driven.logs_later()()
    assert "tip_over_angle" in log
    assert "tip_over_angle" not in ghost


def test_flippers_follow_the_schedule_until_a_person_moves_them():
    driven = session(robot="absolem", flippers="0=-30/-30/0/0;0.05=-20/-20/10/10")
    angles = []
    for _ in range(10):
        driven.advance(LET_GO)
        angles.append(driven._last.flipper_angles)
    assert math.degrees(angles[0][0]) == pytest.approx(-30.0)
    assert math.degrees(angles[9][0]) == pytest.approx(-20.0)
    driven.advance(Sticks(front=-1.0))
    moved = driven._last.flipper_angles
    assert angles[9][0] < moved[0] < angles[9][0] + math.radians(5.0)
    assert moved[2] == angles[9][2]


ABSOLEM = {"robot": "absolem", "course": "playground", "model": "csm"}


def test_flippers_follow_a_posture_or_the_rule_until_a_stick_moves_them():
    driven = session(**ABSOLEM)
    assert driven.posture == "drive"
    driven.set_posture("flat")
    drive(driven, LET_GO, 100)
    flat = driven.robot.posture_angles("flat")
    assert driven.motion.flipper_angles == pytest.approx(flat, abs=0.01)
    driven.set_posture("auto")
    drive(driven, LET_GO, 100)
    ready = AutoFlippers(driven.robot).angles(driven.motion.pose.pitch, (0.0, 0.0))
    assert driven.motion.flipper_angles == pytest.approx(ready, abs=0.01)
    assert driven.posture == "auto"
    drive(driven, Sticks(front=-1.0), 10)
    assert driven.posture == ""
    lowered = driven.motion.flipper_angles[0] - ready[0]
    assert lowered == pytest.approx(0.1 * driven.robot.flippers[0].speed_limit, abs=0.03)
    drive(driven, LET_GO, 50)
    assert driven.motion.flipper_angles[0] < flat[0]
    with pytest.raises(UnknownName, match="no posture of robot 'absolem' named 'fly'"):
        driven.set_posture("fly")


def test_a_reset_keeps_the_rule_and_starts_at_rest():
    driven = session(**ABSOLEM)
    driven.set_posture("auto")
    drive(driven, PUSH, 50)
    driven.reset()
    assert driven.posture == "auto"
    rest = driven.robot.posture_angles("rest")
    assert driven.motion.flipper_angles == pytest.approx(rest, abs=0.01)


def test_a_page_starts_with_the_rule_of_its_scenario_and_a_drive_with_it_replays():
    driven = session(**ABSOLEM, flippers="0=flat;0.2=auto")
    assert driven.posture == "flat"
    drive(driven, PUSH, 600)
    assert driven.posture == "auto"
    log = driven.simulation.log()
    assert math.degrees(-log["pitch"].min()) > 5.0  # it is on the step
    assert np.array_equal(log["pitch"], replay(log)["pitch"])


def test_a_path_follower_drives_with_flippers_that_move_by_themselves():
    driven = session(**ABSOLEM)
    driven.set_posture("auto")
    driven.follow_path()
    drive(driven, LET_GO, 300)
    assert driven.is_following
    assert driven.posture == "auto"
