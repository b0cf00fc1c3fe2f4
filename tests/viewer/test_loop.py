"""The thread that lets time pass."""

import threading
import time
from collections.abc import Iterator

import pytest

from grouser.control import LET_GO, Sticks
from grouser.errors import InvalidValue
from grouser.scenario import Scenario
from grouser.viewer.commands import PageCommands
from grouser.viewer.input import DriverLock
from grouser.viewer.loop import Loop
from grouser.viewer.recordings import Recordings
from grouser.viewer.session import Session
from grouser.viewer.stand_in import Workshop
from grouser.viewer.watched_session import WatchedSession
from tests.breaking import MESSAGE, PLACE, register
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
    in_memory = [sum(map(len, s._recorder._memory.blocks)) for s in loop.session.simulations]
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


FAST, SLOW = Sticks(forward=1.0), Sticks(forward=0.3)


@pytest.fixture
def breaking(monkeypatch, told, tmp_path) -> Iterator[PageCommands]:
    """A page, watched, whose model raises when the stick is at its end stop."""
    register(monkeypatch)
    scenario = Scenario(robot="tp100", course="flat", model="breaking", speed=0.3)
    made = Loop(Session(scenario), DriverLock(), told.append)
    made.lock.acquire(1)
    made.start()
    made.set_watched(True)
    commands = PageCommands(made, Recordings(tmp_path), told.append, Workshop(told.append))
    yield commands
    made.stop()
    commands.keep()


def drives(loop: Loop) -> bool:
    return not loop.failure and loop.latest.motion.belt_travels[0] > 0.01


def test_a_tick_that_raises_stops_the_robot_and_says_so_on_the_page_and_in_the_terminal(
    breaking, told, caplog
):
    loop = breaking.loop
    loop.lock.set_sticks(1, SLOW)
    wait_until(lambda: drives(loop), "it drives")
    loop.lock.set_sticks(1, FAST)
    wait_until(lambda: told, "it is told")
    (sentence,) = told
    assert PLACE in sentence
    assert sentence.endswith(f"{MESSAGE}; press Reset to continue")
    assert [record.getMessage() for record in caplog.records] == [sentence]
    assert loop.failure in sentence
    done(loop)
    now = wait_until(lambda: not any(loop.latest.motion.belt_speeds) and loop.latest, "it stands")
    assert (now.motion.twist.vx, now.motion.belt_speeds_commanded) == (0.0, (0.0, 0.0))
    assert loop._thread.is_alive()


def test_the_rows_before_a_tick_that_raised_are_kept_and_a_reset_drives_again(breaking, told):
    loop = breaking.loop
    loop.lock.set_sticks(1, SLOW)
    wait_until(lambda: drives(loop), "it drives")
    loop.lock.set_sticks(1, FAST)
    wait_until(lambda: told, "it is told")
    last = loop.session.simulation.ticks
    breaking.pause(False)  # it does not go on from a state that nobody knows
    wait_until(lambda: len(told) == 2, "it is told again")
    assert loop.session.simulation.ticks == last
    loop.lock.set_sticks(1, SLOW)
    breaking.reset()
    wait_until(lambda: drives(loop), "it drives again")
    (name,) = wait_until(breaking.recordings.names, "the drive is written")
    log = breaking.recordings.load(name)
    assert log["tick"].tolist() == list(range(last + 1))
    assert log["belt_speed_commanded.left"].max() <= 0.15


def test_another_model_is_chosen_after_a_tick_that_raised(breaking, told):
    loop = breaking.loop
    loop.lock.set_sticks(1, FAST)
    wait_until(lambda: told, "it is told")
    breaking.choose(model="slip")
    wait_until(lambda: drives(loop), "it drives again")
    assert len(told) == 1


def test_going_back_in_time_leads_out_of_a_tick_that_raised(breaking, told):
    loop = breaking.loop
    loop.lock.set_sticks(1, SLOW)
    wait_until(lambda: loop.latest.time > 0.2, "it drives")
    loop.lock.set_sticks(1, FAST)
    wait_until(lambda: told, "it is told")
    loop.lock.set_sticks(1, SLOW)
    breaking.branch(0.1)
    wait_until(lambda: loop.latest.time > 0.2 and not loop.failure, "it goes on")
    assert len(told) == 1


class Elsewhere:
    """A board that the page steers; looking at it fails once."""

    is_steered = True

    def __init__(self) -> None:
        self.sticks, self.fails = list[Sticks](), False

    def look(self) -> None:
        if self.fails:
            self.fails = False
            raise KeyError("no state")

    def steer(self, sticks: Sticks, speed: float) -> None:
        self.sticks.append(sticks)


def test_a_page_whose_tick_raises_lets_go_of_the_board_that_it_steers_and_tries_again(told):
    board = Elsewhere()
    loop = Loop(WatchedSession(Scenario(course="flat"), board), DriverLock(), told.append)
    loop.lock.acquire(1)
    loop.lock.set_sticks(1, FAST)
    loop.set_watched(True)
    loop.start()
    wait_until(lambda: FAST in board.sticks, "it steers")
    board.fails = True
    wait_until(lambda: told, "it is told")
    place = board.sticks.index(LET_GO)
    assert board.sticks[:place] == [FAST] * place  # no stick follows before it is released
    assert told[0].endswith("; the page tries again")
    wait_until(lambda: board.sticks[-1] == FAST, "it steers again")
    loop.stop()
    assert len(told) == 1
