"""Physics in a process of its own."""

import math
import time

import pytest

from grouser import Scenario
from grouser.errors import GrouserError
from grouser.live import Options, PhysicsProcess
from grouser.live.physics_server import QUEUE
from grouser.log import read_log
from tests.breaking import MESSAGE, PLACE, install

OUTSIDE = Scenario(robot="tp100", course="flat", model="icr", driver="ros")


@pytest.fixture(scope="module")
def stepped():
    with PhysicsProcess(OUTSIDE, Options(stepped=True)) as physics:
        yield physics


def frames_after(physics, number):
    """Return all frames up to a tick."""
    found = []
    while not found or found[-1].tick < number:
        frame = physics.receive(10.0)
        assert frame is not None
        found.append(frame)
    return found


def test_stepped_physics_makes_exactly_the_ticks_of_a_request(stepped):
    stepped.reset()
    stepped.offer_twist(0.1, 0.0)
    stepped.step(30)
    found = frames_after(stepped, 30)
    assert found[-1].motion.pose.x > 0.01
    ticks = [frame.tick for frame in found if frame.tick]
    assert sorted(set(ticks)) == list(range(1, 31))
    assert all(frame.is_paused for frame in found)


def test_what_is_simulated_is_known(stepped):
    started = stepped.started
    assert Scenario.from_content(started.scenario).robot.name == "tp100"
    assert started.declarations["imu"][0].kind == "sensor_msgs/msg/Imu"


def test_invalid_commands_are_warnings(stepped):
    stepped.offer_twist(math.nan, 0.0)
    stepped.offer_flippers({"wing": 1.0})
    stepped.step(1)
    warnings = stepped.warnings()
    assert any("forward must be finite" in sentence for sentence in warnings)
    assert any("no flipper named 'wing'" in sentence for sentence in warnings)


def test_requests_that_fail_raise_their_sentence(stepped):
    with pytest.raises(GrouserError, match="friction"):
        stepped.set_friction(0.5)
    with pytest.raises(GrouserError, match="no robot named 'nobody'"):
        stepped.load(OUTSIDE.vary(robot="nobody"))
    stepped.step(1)


def test_a_scenario_that_cannot_be_loaded_raises_its_sentence():
    with pytest.raises(GrouserError, match="no robot named 'nobody'"):
        PhysicsProcess(OUTSIDE.vary(robot="nobody"))


def test_a_reader_that_sleeps_loses_frames_and_no_steps(tmp_path):
    log = tmp_path / "run.csv"
    # As fast as possible: frames come much faster than anybody reads them.
    with PhysicsProcess(OUTSIDE, Options(factor=math.inf, log=log)) as physics:
        physics.receive(10.0)
        time.sleep(1.0)
        physics.pause()
    rows = read_log(log)
    assert rows["tick"].tolist() == list(range(len(rows)))
    assert len(rows) > 3 * QUEUE


def test_a_burst_of_commands_keeps_the_newest(stepped):
    stepped.reset()
    for k in range(5000):
        stepped.offer_belts(0.001 * (k % 90), 0.0)
    stepped.offer_belts(0.05, 0.05)
    stepped.step(100)
    last = frames_after(stepped, 100)[-1]
    assert last.command.belt_speeds in ((0.05, 0.05), (0.0, 0.0))  # the latter after the timeout
    assert last.motion.belt_travels[0] == pytest.approx(last.motion.belt_travels[1])


BREAKING = OUTSIDE.vary(model="breaking")


def problem_of(physics):
    """Return the first frame with a problem, and the ticks before it."""
    ticks = []
    while True:
        frame = physics.receive(10.0)
        assert frame is not None
        if frame.problem:
            return frame, ticks
        ticks.append(frame.tick)


def test_physics_whose_tick_raises_stands_says_why_and_drives_again_after_a_reset(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(install(tmp_path / "plugin"))
    log = tmp_path / "run.csv"
    with PhysicsProcess(BREAKING, Options(stepped=True, log=log, timeout=60.0)) as physics:
        physics.offer_belts(0.1, 0.1)
        physics.step(20)
        physics.offer_belts(0.2, 0.2)
        with pytest.raises(GrouserError, match=MESSAGE):
            physics.step(20)
        frame, ticks = problem_of(physics)
        assert PLACE in frame.problem
        assert (frame.tick, max(ticks)) == (20, 20)  # no tick later than the last good one
        assert (frame.command.belt_speeds, frame.motion.belt_speeds) == ((0.0, 0.0), (0.0, 0.0))
        assert frame.motion.twist.vx == 0.0
        assert frame.is_paused
        with pytest.raises(GrouserError, match="reset the simulation to continue"):
            physics.resume()
        physics.reset()
        physics.offer_belts(0.1, 0.1)
        physics.step(30)
        assert not frames_after(physics, 30)[-1].problem
        physics.offer_belts(0.2, 0.2)
        with pytest.raises(GrouserError, match=MESSAGE):
            physics.step(1)
    rows = read_log(log)
    assert rows["tick"].tolist() == list(range(31))
    assert rows.provenance.status == "failed"


def test_physics_in_real_time_stops_at_the_tick_that_raises(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(install(tmp_path / "plugin"))
    with PhysicsProcess(BREAKING) as physics:
        physics.offer_belts(0.2, 0.2)
        frame, _ = problem_of(physics)
        assert frame.motion.belt_speeds == frame.command.belt_speeds == (0.0, 0.0)
        physics.reset()
        until = frame.run + 1
        frames = iter(lambda: physics.receive(10.0), None)
        assert any(f.run == until and f.tick > 5 and not f.problem for f in frames)
