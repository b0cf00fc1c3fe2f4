"""Servo packets, replies, and timestamps."""

import json
import math
import struct
from dataclasses import replace

import pytest

from grouser.errors import InvalidValue
from grouser.plugs.ardupilot import Timestamps, VehicleState, compose_reply, parse_servos
from grouser.plugs.ardupilot.packets import LONGEST_REPLY
from tests.plugs.ardupilot.stand_in import StandIn, read_by_search, read_strictly

STATE = VehicleState(
    timestamp=12.002,
    gyro=(0.01, -0.02, 1e-07),
    accel_body=(0.3, -0.1, -9.81),
    position=(123.456789012345, -45.5, -1e-20),
    velocity=(1.25, -0.5, 0.0),
    attitude=(0.1, -0.2, 3.0),
    quaternion=(0.5, -0.5, 0.5, 0.5),
)


@pytest.mark.parametrize(("channels", "length"), [(16, 40), (32, 72)])
def test_a_packet_of_the_stand_in_is_read_back(channels, length):
    stand_in = StandIn(rate=400.0, channels=channels, frames=70_000, pulses=(1100, 1900))
    packet = stand_in.output_servos()
    assert len(packet) == length
    frame = parse_servos(packet)
    assert (frame.count, frame.rate, len(frame.pulses)) == (70_000, 400, channels)
    assert (frame.pulses[0], frame.pulses[2]) == (1100, 1900)


def test_a_packet_is_little_endian_without_padding():
    packet = bytes.fromhex("1a48 9001 04030201") + bytes([0xDC, 0x05]) * 16
    frame = parse_servos(packet)
    assert (frame.count, frame.rate, frame.pulses) == (0x01020304, 400, (1500,) * 16)


@pytest.mark.parametrize(
    ("packet", "sentence"),
    [
        (b"", "servo packet must have 40 or 72 bytes, not '0 bytes'"),
        (b"\x1a\x48" + 5 * b"\0", "must have 40 or 72 bytes, not '7 bytes'"),
        (struct.pack("<HHI16H", 18459, 50, 0, *16 * [1500]), "be 18458 (16 channels) or 29569"),
        (struct.pack("<HHI16H", 29569, 50, 0, *16 * [1500]), "72 bytes for 32 channels"),
        (struct.pack("<HHI32H", 18458, 50, 0, *32 * [1500]), "40 bytes for 16 channels"),
        (struct.pack("<HHI16H", 18458, 0, 0, *16 * [1500]), "frame rate must be positive"),
    ],
)
def test_what_is_no_servo_packet_gets_one_sentence(packet, sentence):
    with pytest.raises(InvalidValue) as error:
        parse_servos(packet)
    assert sentence in str(error.value)


@pytest.mark.parametrize("read", [read_by_search, read_strictly])
def test_a_reply_is_read_as_every_version_of_ardupilot_reads(read):
    sensed = read(compose_reply(STATE).decode().strip("\n"))
    for name in ("timestamp", "gyro", "accel_body", "position", "velocity", "attitude"):
        assert getattr(sensed, name) == getattr(STATE, name)
    assert sensed.quaternion == STATE.quaternion


def test_a_reply_is_one_line_between_newlines_without_blanks():
    reply = compose_reply(replace(STATE, distances=(0.5, 2.0)))
    assert reply[:1] == reply[-1:] == b"\n"
    assert b"\n" not in reply[1:-1]
    assert b" " not in reply
    assert json.loads(reply)["rng_2"] == 2.0


def test_a_reply_is_never_too_long():
    worst = -1.2345678901234567e-300
    longest = VehicleState(
        timestamp=worst, gyro=(worst,) * 3, accel_body=(worst,) * 3, position=(worst,) * 3,
        velocity=(worst,) * 3, attitude=(worst,) * 3, quaternion=(worst,) * 4,
        distances=(worst,) * 6,
    )  # fmt: skip
    reply = compose_reply(longest)
    assert len(reply) <= LONGEST_REPLY
    assert read_strictly(reply.decode().strip("\n")) is not None


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["timestamp", "gyro", "position", "quaternion", "distances"])
def test_a_number_that_is_not_finite_never_leaves(name, bad):
    value = getattr(STATE, name)
    wrong = bad if isinstance(value, float) else (*value[:-1], bad)
    with pytest.raises(InvalidValue, match=f"{name} must be finite"):
        compose_reply(replace(STATE, **{name: wrong}))


def test_there_are_six_rangefinders_at_most():
    with pytest.raises(InvalidValue, match="at most 6"):
        compose_reply(replace(STATE, distances=(1.0,) * 7))


@pytest.mark.parametrize("tick", [0.002, 0.0025, 0.01, 1 / 1200, 0.001, 1 / 400, 1 / 3000])
def test_the_clock_of_ardupilot_gets_every_microsecond(tick):
    stand_in, timestamps = StandIn(), Timestamps()
    for ticks in range(1, 30_000):
        timestamp = timestamps.next(ticks * tick)
        stand_in._advance_clock(timestamp)
        assert stand_in.clock_us == round(ticks * tick * 1e6)
        assert timestamp == pytest.approx(ticks * tick, abs=0.6e-6)


def test_plain_times_would_make_the_clock_of_ardupilot_slow():
    stand_in = StandIn()
    for ticks in range(1, 30_000):
        stand_in._advance_clock(ticks * 0.002)
    assert stand_in.clock_us < 30_000 * 2000 - 5_000
