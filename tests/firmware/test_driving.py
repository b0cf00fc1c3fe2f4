"""A healthy robot: it says hello, is armed, and drives as fast as asked."""

import struct

import pytest

from .bench import (
    ARMED,
    BOOT,
    HELLO_ACK,
    IDLE,
    PERIOD,
    PING,
    PONG,
    POWER_ON,
    Bench,
    frame,
)


def test_boot_says_why_and_how_often(bench: Bench):
    assert bench.messages == [(BOOT, struct.pack("<BBH", 1, POWER_ON, 1))]
    bench.fault("reset power")
    bench.step(30_000)
    assert bench.bodies(BOOT)[1] == struct.pack("<BBH", 1, POWER_ON, 2)


def test_hello_is_answered_with_what_was_agreed(bench: Bench):
    bench.hello(link=0x1234, rate=200, lease=500)
    [body] = bench.bodies(HELLO_ACK)
    protocol, link, cause, boots, period, _, counts = struct.unpack("<BHBHIIH", body)
    assert (protocol, link, cause, boots, period, counts) == (1, 0x1234, POWER_ON, 1, 5000, 360)
    bench.step(50_000)
    assert bench.state.state == IDLE


@pytest.mark.parametrize(
    ("rate", "period"), [(10, 100_000), (100, 10_000), (150, 7_000), (200, 5_000)]
)
def test_state_comes_at_the_agreed_rate(bench: Bench, rate: int, period: int):
    bench.hello(rate=rate)
    bench.step(1_000_000)
    times = [state.t_us for state in bench.states]
    gaps = [later - earlier for earlier, later in zip(times, times[1:], strict=False)]
    assert len(gaps) >= 1_000_000 // period - 2
    assert gaps == pytest.approx([period] * len(gaps), abs=600)
    assert [state.seq for state in bench.states] == list(range(len(times)))


@pytest.mark.parametrize("setpoint", [200, 500, 1000, 2000, -1000, -3000])
def test_the_belts_reach_their_set_point_within_two_percent(bench: Bench, setpoint: int):
    bench.connect()
    bench.drive(2.0, setpoint, -setpoint)
    before = bench.state
    bench.drive(1.0, setpoint, -setpoint)
    assert bench.speeds == pytest.approx((setpoint * 1e-4, -setpoint * 1e-4), rel=0.02)
    assert bench.state.speed == pytest.approx((setpoint, -setpoint), rel=0.02)
    counts = [
        after - start for after, start in zip(bench.state.encoder, before.encoder, strict=True)
    ]
    length = 2 * 3.141592654 * 0.024 / 360  # [m] a count
    assert [count * length for count in counts] == pytest.approx(
        [setpoint * 1e-4, -setpoint * 1e-4], rel=0.02, abs=2 * length
    )


@pytest.mark.parametrize("setpoint", [200, 1000, 3000])
def test_a_step_does_not_overshoot_by_five_percent(bench: Bench, setpoint: int):
    bench.connect()
    fastest = 0.0
    for _ in range(150):
        bench.drive(0.01, setpoint, setpoint)
        fastest = max(fastest, *bench.speeds)
    assert fastest <= setpoint * 1e-4 * 1.05


def test_the_battery_may_sag_and_the_speed_is_kept(driving: Bench):
    driving.fault("battery 6")
    driving.drive(2.0, 1000, 1000)
    assert driving.speeds == pytest.approx((0.1, 0.1), rel=0.02)
    assert driving.state.battery == pytest.approx(6000, abs=20)


def test_mode_one_is_plain_duty(bench: Bench):
    bench.connect()
    bench.drive(2.0, 500, -1000, mode=1)
    assert bench.state.duty == (500, -1000)
    # Beyond the dead band of 15 %, up to 0.35 m/s.
    assert bench.speeds == pytest.approx((0.35 * 0.35 / 0.85, -0.35), rel=1e-3)


@pytest.mark.parametrize(("fast", "slow"), [(3000, -3000), (3500, -200), (1000, -100)])
def test_reversing_is_neither_a_stall_nor_a_runaway(bench: Bench, fast: int, slow: int):
    bench.connect()
    for _ in range(2):
        bench.drive(0.8, fast, slow)
        bench.drive(0.8, slow, fast)
    assert {state.faults for state in bench.states[2:]} == {0}


def test_left_and_right_are_alike(start):
    plain, mirrored = start(), start("--mirror")
    for bench, left, right in ((plain, 1500, 600), (mirrored, 600, 1500)):
        bench.connect()
        bench.drive(1.5, left, right)
    assert mirrored.speeds == pytest.approx(plain.speeds, rel=1e-3)
    for one, other in zip(plain.states, mirrored.states, strict=True):
        assert other.encoder[::-1] == pytest.approx(one.encoder, abs=1)
        assert other.duty[::-1] == pytest.approx(one.duty, abs=3)
    assert mirrored.state.gyro == pytest.approx(plain.state.gyro, abs=15)


def test_the_gyro_feels_the_turn_and_the_accelerometer_the_ground(bench: Bench):
    bench.connect()
    bench.drive(2.0, -1000, 1000)
    turn = [state.gyro[2] / 131 for state in bench.states[-50:]]
    # Yaw rate 0.2 m/s / 0.2742 m = 41.8 °/s, bias up to 0.5 °/s.
    assert sum(turn) / len(turn) == pytest.approx(41.79, abs=0.6)
    assert bench.state.accel[2] == pytest.approx(16384, abs=250)


def test_pong_has_the_times_between_which_the_device_held_the_ping(bench: Bench):
    bench.hello()
    sent = bench.time
    bench.step(PERIOD, frame(PING, struct.pack("<HI", 77, sent)))
    [body] = bench.bodies(PONG)
    seq, t_host, received, answered = struct.unpack("<HIII", body)
    assert (seq, t_host) == (77, sent)
    assert 0 <= answered - received < 3000
    boot = bench.time - bench.state.t_us
    assert received - sent == pytest.approx(11 * 40 - boot, abs=PERIOD)


def test_two_runs_give_the_same_bytes(start):
    runs = []
    for _ in range(2):
        bench = start("--seed", "3")
        bench.connect()
        bench.fault("link flip 0.002")
        bench.drive(1.0, 1000, 500)
        bench.fault("hang loop")
        bench.drive(0.5, 1000, 500)
        runs.append(bench.answers)
    assert runs[0] == runs[1]
    other = start("--seed", "4")
    other.connect()
    assert other.answers != runs[0][: len(other.answers)]


def test_the_clock_wraps_without_a_gap(start):
    bench = start(firmware="mutants/clock-near-wrap")
    bench.connect()
    bench.drive(5.2, 1000, 1000)
    times = [state.t_us for state in bench.states]
    assert times[0] > times[-1]
    gaps = [(later - earlier) % 2**32 for earlier, later in zip(times, times[1:], strict=False)]
    assert gaps == pytest.approx([PERIOD] * len(gaps), abs=600)
    assert bench.state.state == ARMED


def test_a_fast_clock_shows_in_the_device_time(bench: Bench):
    bench.hello()
    bench.step(PERIOD)
    bench.fault("clock 10000")
    first = bench.state
    bench.step(1_000_000)
    assert bench.state.t_us - first.t_us == pytest.approx(1_010_000, abs=PERIOD)
