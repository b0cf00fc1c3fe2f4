"""What can go wrong on the device's side, each with its promised time until EN is low.

Times are board times from the fault, or from the last bit of the last command, in µs.
"""

import random
import struct

import pytest

from .bench import (
    ARM,
    ARMED,
    BOOT,
    BROWN_OUT,
    CMD,
    ESTOP,
    EXTERNAL,
    HELLO_ACK,
    IDLE,
    LINK,
    NAK,
    PERIOD,
    SAFE,
    STATE,
    WATCHDOG,
    Bench,
    frame,
)

MS = 1000
COMMAND = 18 * 40
"""How long a command is on the wire [µs]."""
LEASE, STOPPED, STALL_LEFT, STALL_RIGHT, RUNAWAY_LEFT, RUNAWAY_RIGHT, BATTERY, IMU = (
    1 << bit for bit in range(8)
)


def test_1_a_dead_host_stops_the_robot_within_the_lease(driving: Bench):
    last = driving.time - PERIOD + COMMAND
    driving.step(150 * MS)
    assert 99.9 * MS <= driving.off_since() - last <= 101 * MS
    assert (driving.state.state, driving.state.faults) == (SAFE, LEASE)


@pytest.mark.parametrize("lease", [50, 500])
def test_1_the_lease_is_as_long_as_agreed(bench: Bench, lease: int):
    bench.connect(lease=lease)
    bench.drive(0.3, 1000, 1000)
    last = bench.time - PERIOD + COMMAND
    bench.step(600 * MS)
    assert (lease - 0.1) * MS <= bench.off_since() - last <= (lease + 1) * MS


def test_1_arming_alone_gives_one_lease(bench: Bench):
    bench.connect()
    bench.step(150 * MS)
    assert (bench.state.state, bench.state.faults) == (SAFE, LEASE)


def test_2_when_the_cable_is_back_the_robot_stays_off_until_armed(driving: Bench):
    driving.fault("link down")
    driving.drive(0.2, 1000, 1000)
    driving.fault("link up")
    off = driving.off_since()
    driving.drive(0.5, 1000, 1000)
    assert driving.off_since() == off
    assert set(driving.reasons) == {5}
    driving.arm()
    driving.drive(0.5, 1000, 1000)
    assert driving.state.state == ARMED
    assert driving.state.faults == 0
    assert driving.speeds == pytest.approx((0.1, 0.1), rel=0.1)


def test_3_a_host_may_stall_for_half_the_lease(driving: Bench):
    driving.step(50 * MS)
    driving.drive(0.1, 1000, 1000)
    assert driving.enabled == (True, True)
    assert driving.state.state == ARMED
    driving.step(150 * MS)
    driving.drive(0.1, 1000, 1000)
    assert driving.enabled == (False, False)
    assert driving.state.state == SAFE


@pytest.mark.parametrize("share", [0.005, 0.02])
def test_4_lost_bytes_are_counted_and_do_not_stop_the_robot(driving: Bench, share: float):
    driving.fault(f"link lose {share}")
    start = len(driving.answers)
    driving.drive(20.0, 1000, 1000)
    assert {answer.split()[3] for answer in driving.answers[start:]} == {"1"}
    driving.fault("link clear")
    driving.drive(0.05, 1000, 1000)
    assert driving.state.state == ARMED
    assert driving.state.crc_errors > 2000 * 18 * share * 0.5


def test_5_flipped_bits_never_become_a_command(driving: Bench):
    driving.fault("link flip 0.01")
    fastest = 0.0
    for _ in range(1000):
        driving.drive(0.01, 1000, 1000)
        fastest = max(fastest, *map(abs, driving.speeds))
    driving.fault("link clear")
    driving.drive(0.05, 1000, 1000)
    assert fastest <= 0.105
    assert driving.state.crc_errors > 100
    assert {state.setpoint for state in driving.states[2:]} <= {(0, 0), (1000, 1000)}


def test_6_repeated_and_old_commands_are_refused(driving: Bench):
    driving.step(PERIOD)
    taken = driving.state.cmd_seq
    for seq in (taken, taken - 1, taken - 30, taken + 32768):
        driving.step(2 * MS, driving.command(3000, 3000, seq=seq))
    driving.step(PERIOD)
    assert driving.reasons == [3, 3, 3, 3]
    assert driving.state.setpoint == (1000, 1000)


def test_6_numbers_may_wrap_and_hello_forgets_them(bench: Bench):
    bench.connect()
    for seq in (40000, 65535, 0, 1):
        bench.step(PERIOD, bench.command(1000, 1000, seq=seq))
    assert bench.reasons == []
    bench.connect()
    bench.step(PERIOD, bench.command(1000, 1000, seq=40000))
    bench.step(PERIOD)
    assert bench.reasons == []
    assert bench.state.cmd_seq == 40000


@pytest.mark.parametrize(
    ("left", "right", "mode"),
    [(5001, 0, 0), (0, -5001, 0), (1001, 0, 1), (0, -32768, 1), (0, 0, 2), (0, 0, 255)],
)
def test_7_commands_out_of_range_are_refused(driving: Bench, left: int, right: int, mode: int):
    driving.step(2 * MS, driving.command(left, right, mode))
    driving.step(PERIOD)
    assert driving.reasons == [4]
    assert driving.state.setpoint == (1000, 1000)


def test_8_a_host_of_another_protocol_cannot_arm(bench: Bench):
    bench.hello(protocol=2)
    bench.arm()
    bench.drive(0.3, 1000, 1000)
    assert bench.reasons[0] == 1
    assert set(bench.reasons[1:]) == {2}
    assert bench.bodies(HELLO_ACK) == bench.bodies(STATE) == []
    assert bench.speeds == (0.0, 0.0)


@pytest.mark.parametrize(
    "settings", [{"rate": 9}, {"rate": 201}, {"lease": 49}, {"lease": 501}, {"link": 0}]
)
def test_8_terms_out_of_range_are_refused(bench: Bench, settings: dict[str, int]):
    bench.hello(**settings)
    assert bench.reasons == [4]
    assert bench.bodies(HELLO_ACK) == []


def test_8_another_link_cannot_arm_or_command(bench: Bench):
    bench.hello()
    bench.arm(LINK + 1)
    bench.step(PERIOD)
    assert bench.state.state == IDLE
    bench.arm()
    bench.step(PERIOD, bench.command(1000, 1000, link=LINK + 1))
    assert bench.reasons == [2, 2]
    bench.drive(0.1, 1000, 1000)
    bench.hello(link=LINK + 1)
    assert bench.enabled == (False, False)


def test_8_unknown_types_and_lengths_are_refused(bench: Bench):
    bench.hello()
    bench.step(PERIOD, frame(0x42) + frame(ARM, b"1") + frame(CMD, b"12"))
    assert [struct.unpack("<BBHH", body)[:2] for body in bench.bodies(NAK)] == [
        (0x42, 6),
        (ARM, 7),
        (CMD, 7),
    ]


def test_8_frames_too_long_are_dropped_and_counted(bench: Bench):
    bench.hello()
    bench.step(50 * MS, frame(CMD, bytes(range(1, 120))))
    assert bench.state.crc_errors == 1
    bench.arm()
    bench.drive(0.1, 1000, 1000)
    assert bench.state.state == ARMED


def test_9_garbage_at_line_rate_stops_the_robot_but_not_the_loop(driving: Bench):
    noise = random.Random(1)
    last = driving.time - PERIOD + COMMAND
    for _ in range(200):
        driving.step(PERIOD, noise.randbytes(250))
    assert driving.off_since() - last <= 101 * MS
    assert driving.state.worst_loop <= 1000
    assert driving.resets == 0
    assert driving.state.seq >= 299
    assert driving.state.crc_errors > 100
    driving.step(20 * MS, b"\0")
    driving.arm()
    driving.drive(0.3, 1000, 1000)
    assert driving.state.state == ARMED


@pytest.mark.parametrize("setpoint", [500, -2000])
@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("encoder left stuck", STALL_LEFT),
        ("encoder right stuck", STALL_RIGHT),
        ("track left blocked", STALL_LEFT),
        ("track right blocked", STALL_RIGHT),
    ],
)
def test_10_a_track_that_does_not_move_stops_the_robot(
    bench: Bench, words: str, fault: int, setpoint: int
):
    bench.connect()
    bench.drive(0.6, setpoint, setpoint)
    bench.fault(words)
    broken = bench.time
    assert bench.drive_until_off(1.0, setpoint, setpoint) - broken <= 310 * MS
    bench.step(20 * MS)
    assert (bench.state.state, bench.state.faults) == (SAFE, fault)


@pytest.mark.parametrize(
    ("setpoint", "moving"), [(250, True), (1000, True), (-3000, True), (1000, False)]
)
@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("encoder left swapped", RUNAWAY_LEFT),
        ("encoder right swapped", RUNAWAY_RIGHT),
        ("motor left swapped", RUNAWAY_LEFT),
        ("motor right swapped", RUNAWAY_RIGHT),
    ],
)
def test_11_a_track_that_runs_away_stops_the_robot(
    bench: Bench, words: str, fault: int, setpoint: int, moving: bool
):
    bench.connect()
    if moving:
        bench.drive(0.6, setpoint, setpoint)
    bench.fault(words)
    broken = bench.time
    assert bench.drive_until_off(1.0, setpoint, setpoint) - broken <= 210 * MS
    bench.step(20 * MS)
    assert (bench.state.state, bench.state.faults) == (SAFE, fault)


def test_12_a_lost_imu_is_flagged_and_comes_back(driving: Bench):
    driving.fault("imu off")
    driving.drive(0.03, 1000, 1000)
    assert driving.state.faults == IMU
    assert driving.state.gyro == driving.state.accel == (0, 0, 0)
    driving.drive(0.5, 1000, 1000)
    assert driving.speeds == pytest.approx((0.1, 0.1), rel=0.02)
    driving.fault("imu on")
    driving.drive(0.1, 1000, 1000)
    assert driving.state.faults == 0
    assert driving.state.accel[2] > 16000


@pytest.mark.parametrize(("cause", "flag"), [("brownout", BROWN_OUT), ("external", EXTERNAL)])
def test_13_and_14_after_a_reset_the_robot_waits_for_hello(driving: Bench, cause: str, flag: int):
    driving.fault(f"reset {cause}")
    reset = driving.time
    states = len(driving.states)
    driving.drive(0.5, 1000, 1000)
    assert driving.off_since() == reset
    assert driving.resets == 1
    assert driving.bodies(BOOT)[1:] == [struct.pack("<BBH", 1, flag, 2)]
    assert len(driving.states) == states
    assert set(driving.reasons) == {2}
    driving.connect()
    assert struct.unpack("<BHBHIIH", driving.bodies(HELLO_ACK)[-1])[2:4] == (flag, 2)
    driving.drive(0.5, 1000, 1000)
    assert driving.speeds == pytest.approx((0.1, 0.1), rel=0.1)


def test_15_a_hanging_loop_is_stopped_by_the_lease_and_reset_by_the_watchdog(driving: Bench):
    driving.fault("hang loop")
    hung = driving.time
    driving.drive(0.5, 1000, 1000)
    assert driving.off_since() - hung <= 100 * MS
    assert driving.resets == 1
    assert driving.bodies(BOOT)[1:] == [struct.pack("<BBH", 1, WATCHDOG, 2)]


def test_15_with_a_long_lease_the_watchdog_stops_the_hanging_loop(bench: Bench):
    bench.connect(lease=500)
    bench.drive(0.5, 1000, 1000)
    bench.fault("hang loop")
    hung = bench.time
    bench.drive(0.3, 1000, 1000)
    assert bench.off_since() - hung <= 150 * MS


def test_16_a_hang_without_interrupts_is_stopped_by_the_watchdog(driving: Bench):
    driving.fault("hang all")
    hung = driving.time
    driving.drive(0.3, 1000, 1000)
    assert 100 * MS < driving.off_since() - hung <= 150 * MS
    assert driving.resets == 1
    assert driving.bodies(BOOT)[1:] == [struct.pack("<BBH", 1, WATCHDOG, 2)]


def test_17_a_stop_is_obeyed_at_once_and_latched(driving: Bench):
    asked = driving.time
    stop = frame(ESTOP)
    driving.step(PERIOD, stop)
    assert driving.off_since() - asked <= 2 * MS + 40 * len(stop)
    off = driving.off_since()
    driving.drive(0.3, 1000, 1000)
    assert driving.off_since() == off
    assert (driving.state.state, driving.state.faults) == (SAFE, STOPPED)


def test_23_a_low_battery_stops_the_robot_and_forbids_arming(driving: Bench):
    driving.fault("battery 5.2")
    driving.drive(1.5, 1000, 1000)
    assert driving.state.faults == 0
    driving.fault("battery 4")
    low = driving.time
    assert driving.drive_until_off(1.5, 1000, 1000) - low <= 1000 * MS
    driving.step(20 * MS)
    assert (driving.state.state, driving.state.faults) == (SAFE, BATTERY)
    driving.arm()
    driving.step(20 * MS)
    assert driving.reasons[-1] == 8
    assert driving.state.state == SAFE
    driving.fault("battery 7.4")
    driving.step(500 * MS)
    driving.arm()
    driving.drive(0.1, 1000, 1000)
    assert (driving.state.state, driving.state.faults) == (ARMED, 0)
