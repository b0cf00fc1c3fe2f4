"""What is driven."""

import math
from itertools import pairwise

import pytest

from grouser.control import LET_GO, Sticks
from grouser.errors import InvalidValue, UnknownName, Unsupported
from grouser.log import compare
from grouser.scenario import replay
from grouser.viewer.session import Choice, Session

PUSH = Sticks(forward=1.0)
ARC = Sticks(forward=0.5, turn=0.3)


def session(**wishes) -> Session:
    return Session(Choice(**({"robot": "tp100", "course": "flat", "model": "ideal"} | wishes)))


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
