"""What each kind of frame does: new, again, late, after a loss, of a new start, of a stranger."""

import json
import struct

import pytest

from grouser.errors import InvalidValue
from grouser.plugs.ardupilot import LockStep, ServoMap
from grouser.plugs.ardupilot.lock_step import COPY_WITHIN, RESTART_AFTER, FrameSteps
from tests.plugs.ardupilot.fake_vehicle import FakeVehicle

PEER = ("127.0.0.1", 40000)


def packet(count: int, rate: int = 100, left: int = 1500, right: int = 1500) -> bytes:
    pulses = [left, 0, right, *13 * [0]]
    return struct.pack("<HHI16H", 18458, rate, count, *pulses)


class Talk:
    """A lock step, frame by frame, at times that the test chooses."""

    def __init__(self, tick: float = 0.01) -> None:
        self.vehicle = FakeVehicle(tick)
        self.lock_step = LockStep(self.vehicle, ServoMap())
        self.counts = self.lock_step.counts
        self.now = 100.0

    def take(self, data: bytes, wait: float = 0.001, source: tuple[str, int] = PEER) -> None:
        self.now += wait
        self.lock_step.take(data, source, self.now)

    def reply(self) -> dict | None:
        found = self.lock_step.reply(self.now)
        return None if found is None else json.loads(found[0])

    def say(self, count: int, wait: float = 0.001, **more) -> dict | None:
        source = more.pop("source", PEER)
        self.take(packet(count, **more), wait, source)
        self.lock_step.step()
        return self.reply()


def test_each_new_frame_is_one_step_and_one_reply():
    talk = Talk()
    replies = [talk.say(count, left=2000, right=1250) for count in range(5)]
    assert [round(reply["timestamp"], 9) for reply in replies] == [0.01, 0.02, 0.03, 0.04, 0.05]
    assert talk.vehicle.commands == [(1.0, -0.5)] * 5
    assert talk.counts.frames == 5
    assert talk.reply() is None


def test_a_frame_sent_again_gets_the_same_reply_without_a_step():
    talk = Talk()
    first = talk.say(0)
    assert talk.say(0, wait=1.1) == first
    assert talk.say(0, wait=1.1, left=2000) == first
    assert talk.vehicle.ticks == 1
    assert talk.counts.resent == 2


def test_a_copy_made_by_the_network_gets_no_reply():
    talk = Talk()
    talk.say(0)
    assert talk.say(0, wait=0.5 * COPY_WITHIN) is None
    assert talk.counts.copies == 1
    assert talk.say(1) is not None


def test_a_frame_that_came_twice_before_its_step_gets_one_reply():
    talk = Talk()
    talk.take(packet(0))
    talk.take(packet(0))
    talk.lock_step.step()
    talk.take(packet(0))
    assert talk.reply() is not None
    assert talk.reply() is None
    assert talk.counts.copies == 2


def test_a_late_frame_is_ignored():
    talk = Talk()
    for count in (0, 1, 2, 3):
        talk.say(count)
    assert talk.say(1, left=2000) is None
    assert talk.say(0) is None
    assert talk.counts.late == 2
    assert talk.vehicle.ticks == 4
    assert talk.vehicle.resets == 0


def test_frames_that_never_came_take_no_time():
    talk = Talk()
    talk.say(0)
    assert talk.say(3)["timestamp"] == pytest.approx(0.02)
    assert talk.counts.skipped == 2


def test_one_reply_serves_all_frames_that_came_before_it():
    talk = Talk()
    talk.say(0)
    talk.take(packet(1, left=1000))
    talk.take(packet(2, left=2000))
    talk.lock_step.step()
    talk.take(packet(3))
    assert talk.reply()["timestamp"] == pytest.approx(0.02)
    assert talk.reply() is None
    assert talk.vehicle.commands[-1] == (1.0, 0.0)
    assert talk.counts.merged == 2
    assert talk.say(3, wait=1.1)["timestamp"] == pytest.approx(0.02)
    assert talk.say(4)["timestamp"] == pytest.approx(0.03)


def test_frame_0_after_silence_is_a_new_start():
    talk = Talk()
    for count in range(5):
        talk.say(count)
    assert talk.say(2, wait=RESTART_AFTER + 0.1) is None
    assert talk.say(0, wait=RESTART_AFTER + 0.1)["timestamp"] == pytest.approx(0.01)
    assert (talk.vehicle.resets, talk.counts.restarts) == (1, 1)
    assert talk.say(1)["timestamp"] == pytest.approx(0.02)
    assert talk.vehicle.resets == 1


def test_a_new_start_at_the_same_port_is_recognised_while_it_sends():
    talk = Talk()
    for count in range(2000):
        talk.say(count)
    replies = [talk.say(0, wait=1.1) for _ in range(3)]
    assert replies[:2] == [None, None]
    assert replies[2]["timestamp"] == pytest.approx(0.01)
    assert (talk.vehicle.resets, talk.counts.late) == (1, 2)


def test_a_new_start_while_a_reply_is_due_drops_that_reply():
    talk = Talk()
    talk.say(0)
    talk.take(packet(1))
    talk.lock_step.step()
    talk.take(packet(0), RESTART_AFTER + 0.1)
    assert talk.reply() is None
    assert talk.lock_step.is_waiting
    talk.lock_step.step()
    assert talk.reply()["timestamp"] == pytest.approx(0.01)


def test_the_simulation_may_begin_later_than_ardupilot():
    talk = Talk()
    assert talk.say(7000)["timestamp"] == pytest.approx(0.01)
    assert talk.counts.skipped == talk.vehicle.resets == 0


def test_another_sender_is_ignored_until_the_peer_is_silent():
    talk, other = Talk(), ("127.0.0.1", 40001)
    talk.say(0)
    assert talk.say(0, source=other) is None
    assert talk.say(1) is not None
    assert talk.say(5, wait=0.9 * RESTART_AFTER, source=other) is None
    assert talk.counts.strangers == 2
    talk.take(packet(0), RESTART_AFTER, other)
    talk.lock_step.step()
    reply, where = talk.lock_step.reply(talk.now)
    assert where == other
    assert talk.vehicle.resets == 1
    assert json.loads(reply)["timestamp"] == pytest.approx(0.01)
    assert talk.say(2) is None


def test_what_is_no_packet_is_counted_and_changes_nothing():
    talk = Talk()
    talk.say(0)
    talk.take(b"hello")
    talk.take(packet(1)[:-1])
    assert talk.counts.malformed == 2
    assert "39 bytes" in talk.lock_step.problem
    assert talk.say(1)["timestamp"] == pytest.approx(0.02)


def test_noise_of_a_stranger_does_not_take_the_place_of_ardupilot():
    talk = Talk()
    talk.take(b"hello", source=("127.0.0.1", 5))
    assert talk.say(0) is not None


def test_a_channel_that_is_not_sent_ends_the_run_with_a_sentence():
    talk = Talk()
    talk.lock_step = LockStep(talk.vehicle, ServoMap(left=20))
    with pytest.raises(InvalidValue, match="SERVO_32_ENABLE"):
        talk.say(0)


def test_a_frame_of_50_hz_is_ten_ticks_of_2_ms():
    talk = Talk(tick=0.002)
    assert talk.say(0, rate=50)["timestamp"] == pytest.approx(0.02)
    assert talk.vehicle.ticks == 10


@pytest.mark.parametrize(("rate", "tick"), [(1200, 1e-4), (333, 1e-3), (60, 0.002), (50, 0.003)])
def test_frames_of_any_rate_take_their_time_on_average(rate, tick):
    steps = FrameSteps(tick)
    frames = 100_000
    total = sum(steps.count(rate) for _ in range(frames))
    assert total * tick == pytest.approx(frames / rate, abs=1.001 * tick)


def test_a_frame_shorter_than_a_tick_takes_one_tick():
    steps = FrameSteps(0.002)
    assert [steps.count(1200) for _ in range(10)] == [1] * 10


def test_a_frame_of_a_very_low_rate_does_not_take_more_than_50_ms():
    assert FrameSteps(0.01).count(1) == 5


def test_a_rate_that_changes_takes_effect_at_once():
    talk = Talk(tick=0.002)
    times = [talk.say(n, rate=rate)["timestamp"] for n, rate in enumerate((500, 100, 250))]
    assert times == pytest.approx([0.002, 0.012, 0.016])
