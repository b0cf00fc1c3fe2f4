"""Servo outputs as belt speeds."""

import pytest

from grouser.errors import InvalidValue
from grouser.plugs.ardupilot import ServoFrame, ServoMap


def frame(channels: int = 16, **pulses: int) -> ServoFrame:
    values = [1500] * channels
    for name, pulse in pulses.items():
        values[int(name[1:]) - 1] = pulse
    return ServoFrame(count=0, rate=50, pulses=tuple(values))


@pytest.mark.parametrize(
    ("pulse", "share"),
    [(1000, -1.0), (1250, -0.5), (1500, 0.0), (1750, 0.5), (2000, 1.0), (0, 0.0), (800, -1.0),
     (2500, 1.0), (65535, 1.0)],
)  # fmt: skip
def test_a_pulse_is_a_share_of_the_full_speed(pulse, share):
    assert ServoMap().share(pulse) == share


def test_channels_1_and_3_drive_the_left_and_the_right_belts():
    assert ServoMap().belts(frame(c1=2000, c2=1000, c3=1250)) == (1.0, -0.5)
    assert ServoMap(left=3, right=1).belts(frame(c1=2000, c3=1250)) == (-0.5, 1.0)


def test_a_channel_above_16_needs_packets_of_32():
    servos = ServoMap(left=17, right=32)
    assert servos.belts(frame(32, c17=2000, c32=1000)) == (1.0, -1.0)
    with pytest.raises(InvalidValue, match="be at most 16, or ArduPilot's SERVO_32_ENABLE be 1"):
        servos.belts(frame())


def test_the_dead_zone_has_no_jump_at_its_edge():
    servos = ServoMap(dead_zone=20.0)
    assert servos.share(1520) == servos.share(1480) == 0.0
    assert 0.0 < servos.share(1521) < 0.01
    assert -0.01 < servos.share(1479) < 0.0
    assert (servos.share(2000), servos.share(1000)) == (1.0, -1.0)


def test_other_ends_and_another_trim():
    servos = ServoMap(least=1100, trim=1538, most=1900)
    assert (servos.share(1900), servos.share(1538), servos.share(1100)) == (1.0, 0.0, -1.0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"left": 0}, "left channel must be a channel from 1 to 32, not 0"),
        ({"right": 33}, "right channel must be a channel from 1 to 32"),
        ({"left": 3}, "differ from the left channel"),
        ({"least": 1500}, "must rise"),
        ({"most": float("nan")}, "must rise"),
        ({"dead_zone": 500}, "be from 0 to below 500 us"),
        ({"dead_zone": float("nan")}, "be from 0 to below 500 us"),
    ],
)
def test_a_wrong_map_gets_one_sentence(given, sentence):
    with pytest.raises(InvalidValue) as error:
        ServoMap(**given)
    assert sentence in str(error.value)
