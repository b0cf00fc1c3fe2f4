"""A firmware without one of its safety functions does what that function prevents."""

import pytest

from .bench import ARMED, ESTOP, PERIOD, Bench, frame


@pytest.fixture
def without(start):
    """Start a build without a guard; its tracks have run at 0.1 m/s for half a second."""

    def open_bench(name: str, **settings: int) -> Bench:
        bench = start(firmware=f"mutants/no-{name}")
        bench.connect(**settings)
        bench.drive(0.5, 1000, 1000)
        assert bench.enabled == (True, True)
        return bench

    return open_bench


def test_without_a_lease_a_dead_host_leaves_the_robot_driving(without):
    bench = without("lease")
    bench.step(2_000_000)
    assert bench.speeds == pytest.approx((0.1, 0.1), rel=0.02)


def test_without_a_latch_the_robot_starts_again_by_itself(without):
    bench = without("lease-latch")
    bench.step(300_000)
    assert bench.enabled == (False, False)
    bench.drive(0.1, 1000, 1000)
    assert bench.enabled == (True, True)


def test_without_a_watchdog_a_hang_is_for_ever(without):
    bench = without("watchdog")
    bench.fault("hang all")
    bench.drive(1.0, 1000, 1000)
    assert bench.enabled == (True, True)
    assert bench.resets == 0


def test_without_a_checksum_damaged_commands_are_taken(without):
    bench = without("crc")
    bench.fault("link flip 0.01")
    bench.drive(5.0, 1000, 1000)
    assert {state.setpoint for state in bench.states[2:]} - {(0, 0), (1000, 1000)}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("stall", "encoder left stuck"),
        ("runaway", "encoder right swapped"),
        ("battery", "battery 4"),
    ],
)
def test_without_a_detector_the_fault_goes_unseen(without, name: str, words: str):
    bench = without(name)
    bench.fault(words)
    bench.drive(1.5, 1000, 1000)
    assert bench.enabled == (True, True)
    assert bench.state.faults == 0


def test_without_the_flag_a_lost_imu_goes_unseen(without):
    bench = without("imu-flag")
    bench.fault("imu off")
    bench.drive(0.5, 1000, 1000)
    assert bench.state.faults == 0


def test_without_numbers_a_replayed_command_is_taken(without):
    bench = without("seq-check")
    bench.step(2 * PERIOD, bench.command(3000, 3000, seq=1))
    assert bench.state.setpoint == (3000, 3000)


def test_without_bounds_any_command_is_taken(without):
    bench = without("range-check")
    bench.step(2 * PERIOD, bench.command(20000, 20000))
    assert bench.state.setpoint == (20000, 20000)


def test_without_a_latch_a_stop_is_forgotten(without):
    bench = without("estop-latch")
    bench.step(PERIOD, frame(ESTOP))
    assert bench.enabled == (False, False)
    bench.drive(0.1, 1000, 1000)
    assert bench.enabled == (True, True)


def test_without_link_ids_a_stranger_is_obeyed(without):
    bench = without("link-id")
    bench.step(2 * PERIOD, bench.command(3000, 3000, link=99))
    assert bench.state.setpoint == (3000, 3000)


def test_without_a_version_check_any_host_can_arm(start):
    bench = start(firmware="mutants/no-protocol-check")
    bench.connect(protocol=2)
    bench.drive(0.1, 1000, 1000)
    assert bench.state.state == ARMED


def test_without_waiting_for_hello_stale_commands_drive_after_a_reset(without):
    bench = without("wait-hello")
    bench.fault("reset brownout")
    bench.drive(0.3, 1000, 1000)
    assert bench.enabled == (True, True)
