"""What the instruments show."""

import math
import threading

import pytest

from grouser.control import Sticks
from grouser.models.model import LEAST_SHOWN_BELT
from grouser.scenario import Scenario
from grouser.viewer.input import DriverLock
from grouser.viewer.loop import Loop
from grouser.viewer.session import Session
from grouser.viewer.stream import Stream, take_reading
from tests.viewer.browser import wait_until


def test_a_reading_says_what_was_asked_and_what_was_reached():
    session = Session(Scenario(robot="tp100", course="flat", model="slip"))
    for _ in range(100):
        session.advance(Sticks(forward=1.0, turn=0.2))
    taken = take_reading(session.snapshot(), session.robot)
    left, right = session.motion.belt_speeds_commanded
    assert taken.speed_commanded == pytest.approx(0.5 * (left + right))
    assert taken.speed == session.motion.twist.vx
    assert taken.belts == pytest.approx(session.motion.belt_speeds)
    assert taken.flippers == {}
    assert math.isnan(taken.tip_over)


def test_front_and_rear_flippers_are_shown_left_before_right():
    session = Session(Scenario(robot="absolem", course="flat", model="ideal"))
    for _ in range(20):
        session.advance(Sticks(front=1.0))
    named = dict(
        zip((f.name for f in session.robot.flippers), session.motion.flipper_angles, strict=True)
    )
    taken = take_reading(session.snapshot(), session.robot).flippers
    assert taken == {
        end: tuple(float(named[f"{end}-{side}"]) for side in ("left", "right"))
        for end in ("front", "rear")
    }
    # Positive lowers the front end of a flipper, so raised front ones are below their rest.
    assert taken["front"][0] < session.robot.flippers[0].rest_angle


def test_what_a_log_does_not_tell_is_not_a_number():
    session = Session(Scenario(robot="tp100", course="flat", model="ideal"))
    bare = session.snapshot()
    object.__setattr__(bare.motion, "slips", ())
    assert math.isnan(take_reading(bare, session.robot).slip_left)


def test_a_belt_that_nearly_stands_has_no_slip():
    session = Session(Scenario(robot="tankbot", course="flat", model="tankbot"))
    for _ in range(200):
        session.advance(Sticks(forward=1.0))
    slips = []
    for _ in range(100):  # braking: belts stand before the robot does
        session.advance(Sticks())
        taken = take_reading(session.snapshot(), session.robot)
        slips.append((taken.belts[0], taken.slip_left))
    standing = [math.isnan(slip) for belt, slip in slips if abs(belt) < LEAST_SHOWN_BELT]
    moving = [math.isnan(slip) for belt, slip in slips if abs(belt) >= LEAST_SHOWN_BELT]
    assert all(standing)
    assert not any(moving)
    assert standing
    assert moving
    assert session.motion.slips[0] == session.motion.slips[0]  # logs keep a number


def test_a_page_that_cannot_be_drawn_stops_the_robot_and_says_so_once(monkeypatch):
    told, scenario = list[str](), Scenario(robot="tp100", course="flat", model="ideal")
    loop = Loop(Session(scenario), DriverLock(), told.append)
    stream = Stream(None, loop, None, None, lambda *_: None, lambda: None)
    drawn = threading.Semaphore(0)

    def fail() -> None:
        drawn.release()
        raise KeyError("mesh")

    stream.draw = fail
    monkeypatch.setattr("grouser.viewer.stream.RETRY", 0.01)
    loop.set_watched(True)
    loop.start()
    stream.set_watched(True)
    stream._thread.start()
    try:
        wait_until(lambda: told and loop.is_paused, "it is told")
        for _ in range(10):  # it tries again
            assert drawn.acquire(timeout=30.0)
        assert len(told) == 1
        assert told[0].startswith("the page cannot be drawn: KeyError at tests.viewer.test_stream")
    finally:
        stream.stop()
        loop.stop()
