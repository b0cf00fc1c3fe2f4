"""A page whose model is still being compiled."""

import pytest

from grouser.control import Sticks
from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp
from grouser.viewer.session import Session
from grouser.viewer.stand_in import StandInSession, Workshop
from tests.viewer.browser import wait_until
from tests.viewer.stand_ins import compile_by_hand

PUSH = Sticks(forward=1.0)


def stand_in(course: str, **wishes) -> StandInSession:
    scenario = Scenario(robot="absolem", course=course, model="slip", **wishes)
    return StandInSession(scenario, (), ["slip"], lambda: 0.4)


def test_the_note_says_how_far_the_compiler_is_and_what_drives():
    note = "slip is being compiled: 40 %; driving with ideal until then"
    assert stand_in("flat").note == note
    assert Session(Scenario(robot="tp100", course="flat", model="ideal")).note is None


def test_it_drives_where_ideal_can():
    session = stand_in("slope")
    for _ in range(50):
        session.advance(PUSH)
    assert session.motion.pose.x > 0.05
    assert abs(session.motion.pose.pitch) > 0.1


def test_it_stops_before_an_obstacle_and_can_drive_away():
    session = stand_in("step:height_m=0.2")
    assert session.note.endswith("driving with ideal on level ground until then")
    for _ in range(1500):
        session.advance(PUSH)
    stopped = session.motion.pose.x
    assert session.motion.twist.vx == 0.0
    nose = stopped + session.robot.front
    assert session.course.terrain.height(nose, 0.0) == 0.0
    for _ in range(50):
        session.advance(Sticks(forward=-1.0))
    assert session.motion.pose.x < stopped - 0.05


def test_it_stands_where_no_ground_is_level():
    session = stand_in("staircase-stand")
    assert session.note == "slip is being compiled: 40 %; the robot stands until then"
    before = session.snapshot()
    session.advance(PUSH)
    assert session.snapshot().frames == before.frames
    assert session.motion.pose.z == pytest.approx(0.51)
    assert session.place is None


def test_a_scenario_that_is_saved_is_the_one_that_was_asked_for():
    session = stand_in("step:height_m=0.2", seed=3)
    saved = session.resolved_scenario()
    assert (saved.model.name, saved.course.reference, saved.seed) == (
        "slip", "step:height_m=0.2", 3,
    )  # fmt: skip


@pytest.fixture
def page(tmp_path, monkeypatch):
    started = compile_by_hand(monkeypatch, "slip")
    scenario = Scenario(robot="tp100", course="flat", model="slip")
    with DriveApp(scenario, port=0, folder=tmp_path) as opened:
        opened.loop.set_watched(True)
        yield opened, started


def test_the_model_takes_over_where_its_stand_in_is(page, tmp_path, monkeypatch):
    opened, (work,) = page
    monkeypatch.setattr(type(opened.lock), "sticks", property(lambda lock: PUSH))
    wait_until(lambda: opened.loop.latest.motion.pose.x > 0.05, "the stand-in drives")
    work.show(0.4)
    assert "40 %" in opened.loop.session.note
    work.show(0.3)  # as when a second function begins
    assert "40 %" in opened.loop.session.note
    scene, there = opened.loop.latest.scene, opened.loop.latest.motion.pose.x
    work.end(None)
    wait_until(lambda: not isinstance(opened.loop.session, StandInSession), "the model drives")
    assert opened.loop.session.simulation.model.name == "slip"
    assert opened.loop.session.note is None
    assert opened.loop.session.scene == scene
    first = opened.loop.session.simulation.log_later()()["x"][0]
    assert there <= first < there + 0.2
    wait_until(lambda: list(tmp_path.glob("auto*-ideal*")), "the stand-in's run is saved")


def test_another_choice_ends_the_compiler(page):
    opened, started = page
    opened.commands.choose(model="icr")
    wait_until(lambda: opened.loop.session.scenario.model.name == "icr", "it is chosen")
    assert [work.is_stopped for work in started] == [True]
    started[0].end(None)  # too late
    opened.commands.choose(model="slip")
    wait_until(lambda: len(started) == 2, "it is compiled again")
    assert opened.loop.session.scenario.model.name != "slip" or opened.loop.session.note


def test_a_ghost_is_compiled_while_the_robot_drives(tmp_path, monkeypatch):
    started = compile_by_hand(monkeypatch, "slip")
    scenario = Scenario(robot="tp100", course="flat", model="ideal")
    with DriveApp(scenario, port=0, folder=tmp_path) as opened:
        opened.commands.set_ghosts(("slip",))
        wait_until(lambda: started, "it is compiled")
        assert opened.loop.session.ghosts == ()
        started[0].end(None)
        wait_until(lambda: opened.loop.session.ghosts == ("slip",), "the ghost appears")


def test_what_went_wrong_is_said_and_the_model_is_tried_all_the_same(monkeypatch):
    started, told, taken = compile_by_hand(monkeypatch, "slip"), [], []
    workshop = Workshop(told.append)
    workshop.is_open.set()
    workshop.take_over = taken.append
    session = workshop.open(Scenario(robot="tp100", course="flat", model="slip"))
    started[0].end("no space left on device")
    assert told == ["compiling failed: no space left on device"]
    assert taken == [session]
