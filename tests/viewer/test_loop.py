"""The thread that lets time pass."""

import threading
import time
from collections.abc import Iterator

import pytest

from grouser.control import Sticks
from grouser.errors import InvalidValue
from grouser.scenario import Scenario
from grouser.viewer.commands import PageCommands
from grouser.viewer.input import DriverLock
from grouser.viewer.loop import Loop
from grouser.viewer.recordings import Recordings
from grouser.viewer.session import Session
from grouser.viewer.stand_in import Workshop
from tests.viewer.browser import wait_until

PUSH = Sticks(forward=1.0)


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def loop(told) -> Iterator[Loop]:
    scenario = Scenario(robot="tp100", course="flat", model="ideal")
    made = Loop(Session(scenario), DriverLock(), told.append)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def commands(loop, tmp_path, told) -> PageCommands:
    return PageCommands(loop, Recordings(tmp_path), told.append, Workshop(told.append))


def done(loop: Loop) -> None:
    """Wait until all wishes so far were granted."""
    granted = threading.Event()
    loop.request(lambda _: granted.set())
    assert granted.wait(10.0)


def test_time_stands_still_for_an_empty_room(loop, monkeypatch):
    done(loop)
    assert loop.latest.time == 0.0
    loop.set_watched(True)
    wait_until(lambda: loop.latest.time > 0.05, "time passes")
    monkeypatch.setattr("grouser.viewer.loop.LINGER", 0.05)
    loop.set_watched(False)
    wait_until(lambda: is_still(loop), "time stands still")


def is_still(loop: Loop) -> bool:
    before = loop.session.simulation.ticks
    time.sleep(0.2)
    return loop.session.simulation.ticks == before


def test_a_pause_lets_single_ticks_through(loop, commands):
    commands.pause(True)
    loop.set_watched(True)
    done(loop)
    assert loop.session.simulation.ticks == 0
    commands.step()
    commands.step()
    done(loop)
    assert loop.session.simulation.ticks == 2
    commands.pause()
    wait_until(lambda: loop.latest.time > 0.1, "time goes on")


def test_what_is_refused_is_told_and_time_goes_on(loop, commands, told):
    def refuse(_: Loop) -> None:
        raise InvalidValue("wish", "moon", "be reachable")

    loop.set_watched(True)
    loop.request(refuse)
    commands.choose(course="staircase")
    done(loop)
    assert "moon" in told[0]
    assert "csm" in told[1]
    wait_until(lambda: loop.latest.time > 0.05, "time passes")


def test_model_and_course_are_switched_while_it_runs(loop, commands):
    loop.set_watched(True)
    commands.choose(model="slip")
    commands.choose(course="behaviour-2", robot="absolem")
    done(loop)
    assert loop.session.scenario == Scenario(robot="absolem", course="behaviour-2", model="slip")


def test_a_ghost_that_cannot_drive_the_new_course_is_dropped_and_told(loop, commands, told):
    commands.choose(robot="absolem", model="csm")
    commands.set_ghosts(("icr",))
    commands.choose(course="staircase")
    done(loop)
    assert loop.session.ghosts == ()
    assert loop.session.scenario.course.name == "staircase"
    assert "icr" in told[0]


def test_parts_of_the_first_scenario_come_back_with_their_changes(told, tmp_path):
    changed = Scenario(robot="tp100", course="flat", model="ideal", start_pose="0.5,0,0")
    changed = changed.vary("robot.drive.speed_limit_m_s", 0.25)
    loop = Loop(Session(changed), DriverLock(), told.append)
    commands = PageCommands(loop, Recordings(tmp_path), told.append, Workshop(told.append))
    for names in ({"robot": "absolem"}, {"course": "behaviour-2"}):
        commands.choose(**names)
        loop._handle_requests()
    assert loop.session.robot.name == "absolem"
    assert loop.session.scenario.start_pose is None
    for names in ({"robot": "tp100"}, {"course": "flat"}):
        commands.choose(**names)
        loop._handle_requests()
    assert told == []
    assert loop.session.scenario == changed
    assert loop.session.robot.drive.speed_limit == 0.25


def test_a_drive_is_kept_when_it_is_left(loop, commands, tmp_path):
    loop.lock.acquire(1)
    loop.lock.set_sticks(1, PUSH)
    for _ in range(20):
        loop.session.advance(PUSH)
    commands.reset()
    done(loop)
    (name,) = wait_until(commands.recordings.names, "the drive is written")
    assert name.startswith("auto-")
    commands.keep()
    assert len(commands.recordings.names()) == 1


def test_what_is_driven_stays_on_disk_and_not_in_memory(told, tmp_path):
    scenario = Scenario(robot="tp100", course="flat", model="ideal")
    loop = Loop(Session(scenario, ("slip", "icr")), DriverLock(), told.append)
    commands = PageCommands(loop, Recordings(tmp_path), told.append, Workshop(told.append))
    for _ in range(1500):
        loop.session.advance(PUSH)
        loop.after_tick(loop.session)
    assert len(list(tmp_path.glob("*.unfinished.csv"))) == 1
    assert len(list(tmp_path.glob(".grouser-*.part.csv"))) == 2
    in_memory = [sum(map(len, s._recorder._blocks)) for s in loop.session.simulations]
    assert max(in_memory) <= 100 * len(loop.session.simulation._recorder.columns)
    logs = loop.session.logs_later()()
    loop.session.set_ghosts(("slip",))
    assert [len(log) for log in logs] == [1501] * 3
    loop.after_tick(loop.session)
    assert len(list(tmp_path.glob(".grouser-*.part.csv"))) == 1
    commands.keep()
    assert len(commands.recordings.load(commands.recordings.names()[0])) == 1501
    assert [file.name.startswith("auto-") for file in tmp_path.iterdir()] == [True]


def test_time_stands_still_when_nobody_drives_for_long(loop, commands, told, monkeypatch):
    monkeypatch.setattr("grouser.viewer.commands.IDLE_TIMEOUT", 0.2)
    loop.set_watched(True)
    wait_until(lambda: loop.is_paused, "it is paused")
    assert told == ["paused: nobody has driven for 0 minutes"]
    before = loop.session.simulation.ticks
    commands.pause(False)
    wait_until(lambda: loop.is_paused and len(told) == 2, "it went on, and is paused again")
    assert loop.session.simulation.ticks == before + 20


def test_a_saved_drive_is_replayed_and_scrubbed(loop, commands):
    for _ in range(100):
        loop.session.advance(PUSH)
    end = loop.session.motion.pose.x
    commands.save()
    (name,) = wait_until(commands.recordings.names, "the drive is written")
    commands.open_recording(name)
    wait_until(lambda: loop.player is not None, "the recording is open")
    commands.pause(True)
    commands.seek(1.0)
    wait_until(lambda: is_at(loop, "replay", end), "the end is shown")
    commands.seek(0.0)
    wait_until(lambda: is_at(loop, "replay", 0.0), "the start is shown")
    commands.close_recording()
    wait_until(lambda: is_at(loop, "manual", end), "the drive is shown as it was left")


def is_at(loop: Loop, mode: str, x: float) -> bool:
    now = loop.latest
    return now.mode == mode and now.motion.pose.x == pytest.approx(x, abs=1e-9)


def test_a_recording_that_is_none_is_told(loop, commands, told):
    commands.open_recording("nothing.parquet")
    wait_until(lambda: told, "the mistake is told")
    assert "nothing.parquet" in told[0]


def test_keys_stand_for_verbs_and_other_words_for_nothing(loop, commands):
    commands.act("pause")
    commands.act("rm -rf")
    done(loop)
    assert loop.is_paused
