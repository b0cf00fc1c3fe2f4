"""A simulation that is driven from outside."""

import math
import pickle

import numpy as np
import pytest

from grouser import Scenario, run
from grouser.errors import GrouserError, InvalidValue, Unsupported
from grouser.live import LiveSimulation
from grouser.scenario import replay

OUTSIDE = Scenario(robot="tp100", course="flat", model="icr", driver="ros", seed=3)


def fast(scenario=OUTSIDE, **options):
    return LiveSimulation(scenario, factor=math.inf, **options)


def test_it_stands_until_a_command_comes_and_again_after_the_timeout():
    live = fast(timeout=0.2)
    assert live.advance().motion.belt_speeds == (0.0, 0.0)
    live.input.offer_twist(0.1, 0.0, now=live.simulation.time)
    frames = [live.advance() for _ in range(60)]
    assert frames[15].motion.twist.vx > 0.09
    assert frames[-1].motion.twist.vx == 0.0
    assert [frame.tick for frame in frames] == list(range(2, 62))


def test_its_log_replays_bit_for_bit():
    live = fast()
    for k in range(100):
        if k % 10 == 0:
            live.input.offer_twist(0.1, 0.2 * math.sin(k), now=live.simulation.time)
        live.advance()
    log = live.log()
    again = replay(log)
    for name in ("x", "y", "yaw", "gyro_yaw_rate"):
        assert np.array_equal(log[name], again[name]), name


def test_the_driver_of_the_scenario_drives_until_somebody_else_does():
    live = fast(Scenario(robot="tp100", course="flat", model="icr", driver="constant:speed=0.1"))
    frames = [live.advance() for _ in range(50)]
    assert frames[-1].motion.twist.vx == pytest.approx(0.1, rel=0.2)
    live.input.offer_belts(0.0, 0.0, now=live.simulation.time)
    frames = [live.advance() for _ in range(50)]
    assert frames[-1].motion.twist.vx == 0.0


def test_a_reset_begins_a_new_run_with_the_same_bits():
    live = fast()

    def drive():
        live.input.offer_twist(0.1, 0.1, now=live.simulation.time)
        return [live.advance() for _ in range(20)]

    first = drive()
    live.reset()
    second = drive()
    assert second[0].run == first[0].run + 1
    assert [f.motion.pose for f in first] == [f.motion.pose for f in second]
    assert [f.fresh for f in first][-1] == [f.fresh for f in second][-1]


def test_friction_changes_while_the_robot_drives():
    live = fast(Scenario(robot="absolem", course="slope", model="csm", driver="ros"))
    live.input.offer_twist(0.3, 0.0, now=0.0)
    before = [live.advance() for _ in range(40)][-1]
    live.set_friction(0.01)
    after = [live.advance() for _ in range(40)][-1]
    assert after.tick == before.tick + 40
    assert after.motion.twist.vx < before.motion.twist.vx
    log = live.log()
    assert log.provenance.scenario["events"] == [
        {"at_s": pytest.approx(0.4), "set": {"variation.friction": 0.01}}
    ]
    np.testing.assert_array_equal(replay(log)["x"], log["x"])


def test_changes_that_cannot_be_made_are_sentences_and_the_run_goes_on():
    live = fast()
    with pytest.raises(Unsupported, match="friction"):
        live.set_friction(0.5)
    with pytest.raises(InvalidValue, match="friction must be from"):
        live.set_friction(math.nan)
    with pytest.raises(InvalidValue, match="factor must be above 0"):
        live.set_factor(0.0)
    with pytest.raises(GrouserError, match="no course named"):
        live.load(OUTSIDE.vary(course="nowhere"))
    assert live.advance().tick == 1


def test_another_scenario_has_its_own_robot():
    live = fast()
    live.load(Scenario(robot="quince", course="flat", model="icr", driver="ros"))
    live.input.offer_flippers({"front-left": 0.1}, now=0.0)
    frame = live.advance()
    assert len(frame.motion.flipper_angles) == 4
    assert frame.run == 2


def test_a_frame_can_be_sent_to_another_process():
    frame = fast().advance()
    again = pickle.loads(pickle.dumps(frame))
    assert again.motion.pose == frame.motion.pose
    assert [sample.sensor for sample in again.fresh] == ["encoder", "imu"]


def test_without_rows_memory_does_not_grow():
    live = fast(record=False)
    for _ in range(10):
        live.advance()
    assert len(live.log()) == 0


def test_a_driver_from_outside_does_not_run_by_itself():
    with pytest.raises(InvalidValue, match="gives commands by itself"):
        run(OUTSIDE)
