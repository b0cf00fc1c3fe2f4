"""The last seconds, for the charts."""

import math

import numpy as np
import pytest

from grouser.control import Sticks
from grouser.scenario import Scenario
from grouser.simulation.pace import Punctuality
from grouser.viewer.session import Session
from grouser.viewer.stream import SPACING, SPAN, History, Reading, take_reading


def reading(time: float, speed: float = 0.0) -> Reading:
    names = Reading.__dataclass_fields__
    return Reading(**({name: 0.0 for name in names} | {"time": time, "speed": speed}))


def test_readings_come_no_denser_than_the_charts_show():
    history = History()
    for tick in range(101):
        history.add(reading(0.01 * tick), run=1)
    assert len(history) == round(1.0 / SPACING) + 1
    assert np.all(np.diff(history.column("time")) >= SPACING - 1e-9)


def test_only_the_last_seconds_are_kept():
    history = History()
    for tick in range(2000):
        history.add(reading(SPACING * tick), run=1)
    times = history.column("time")
    assert times[-1] - times[0] <= SPAN


def test_a_new_run_begins_anew():
    history = History()
    history.add(reading(5.0), run=1)
    history.add(reading(0.0), run=2)
    assert list(history.column("time")) == [0.0]


def test_a_reading_says_what_was_asked_and_what_was_reached():
    session = Session(Scenario(robot="tp100", course="flat", model="slip"))
    for _ in range(100):
        session.advance(Sticks(forward=1.0, turn=0.2))
    taken = take_reading(session.snapshot(), session.robot, Punctuality(real_time_factor=0.9))
    left, right = session.motion.belt_speeds_commanded
    assert taken.speed_commanded == pytest.approx(0.5 * (left + right))
    assert taken.yaw_rate_commanded == pytest.approx((right - left) / session.robot.gauge)
    assert taken.yaw_rate_commanded > taken.yaw_rate > 0.0
    assert taken.speed == session.motion.twist.vx
    assert taken.real_time_factor == 0.9


def test_what_a_log_does_not_tell_is_not_a_number():
    session = Session(Scenario(robot="tp100", course="flat", model="ideal"))
    bare = session.snapshot()
    object.__setattr__(bare.motion, "slips", ())
    assert math.isnan(take_reading(bare, session.robot, Punctuality()).slip_left)
