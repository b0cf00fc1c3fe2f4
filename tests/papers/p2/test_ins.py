"""Slippage ratios out of raw records of a simulated INS: true ones lie in their intervals."""

from functools import cache

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.identify.reading import read_record
from grouser.identify.turns import find_turns
from grouser.papers.p2.ins import (
    INS,
    RAMP,
    REST,
    SMALLEST,
    SPEEDING,
    STRAIGHT,
    TURN,
    InsNoise,
    RoundTrip,
    TrueDrive,
    drive_table_5,
    simulate_drives,
)
from grouser.papers.p2.simulate import ROBOT
from grouser.papers.p2.tables import WHEELS

RUNS = range(1, 27, 2)
EXACT = InsNoise(
    position=0.0, slow_position=0.0, heading=0.0, slow_heading=0.0, wheel=0.0, wheel_step=1e-6,
    jumps=0.0,
)  # fmt: skip


@cache
def simulated() -> list[TrueDrive]:
    return simulate_drives(RUNS)


@cache
def came_back() -> RoundTrip:
    trip, generator = RoundTrip(), np.random.default_rng(0)
    for drive in simulated():
        trip.add(drive, generator)
    return trip


def test_the_turn_of_every_drive_is_found_to_both_sides():
    trip = came_back()
    assert trip.drives == 2 * len(RUNS)
    assert trip.not_found == 0
    assert {check.direction for check in trip.checks} == {"left", "right"}


def test_true_ratios_lie_in_their_intervals_at_the_stated_rate():
    trip = came_back()
    assert len(trip.checks) == 104
    assert 0.9 <= trip.share_inside() <= 0.995
    for wheel in WHEELS:
        assert trip.share_inside(wheel) >= 0.85


def test_intervals_are_narrow_enough_to_tell_slippage():
    # Ratios of P2's wheels differ by more than one per cent from 1.
    assert came_back().median_width() < 0.01
    errors = [abs(check.found - check.true) for check in came_back().checks]
    assert np.median(errors) < 0.25 * came_back().median_width()


def test_a_record_without_noise_gives_the_printed_ratios_and_narrow_intervals():
    trip = RoundTrip()
    for drive in drive_table_5([2, 13, 25]):
        trip.add(drive, np.random.default_rng(0), EXACT)
    for check in trip.checks:
        assert check.found == pytest.approx(check.published, abs=1e-3)
        assert check.found == pytest.approx(check.true, abs=1e-4)
        assert check.high - check.low < 1e-3


def test_twice_the_noise_gives_about_twice_the_width():
    widths = []
    for factor in (1.0, 2.0):
        noise = InsNoise(
            position=factor * INS.position, slow_position=factor * INS.slow_position,
            heading=factor * INS.heading, slow_heading=factor * INS.slow_heading,
            wheel=factor * INS.wheel, jumps=0.0,
        )  # fmt: skip
        trip, generator = RoundTrip(), np.random.default_rng(3)
        for drive in drive_table_5([4, 10, 13, 17]):
            trip.add(drive, generator, noise)
        widths.append(trip.median_width())
    assert widths[1] / widths[0] == pytest.approx(2.0, rel=0.25)


def test_the_steady_part_lies_within_the_turn_and_leaves_little_of_it_out():
    begin = REST + SPEEDING + STRAIGHT
    robot, generator = load_robot(ROBOT), np.random.default_rng(1)
    for drive in drive_table_5([1, 13, 26], is_right=True):
        (turn,) = find_turns(read_record(drive.to_log(generator), "drive", robot), robot, SMALLEST)
        assert turn.direction == "right"
        assert turn.start is not None
        assert turn.end is not None
        assert begin + 0.5 * RAMP <= turn.start <= begin + RAMP + 0.2 * TURN
        assert begin + RAMP + 0.8 * TURN <= turn.end <= begin + 1.5 * RAMP + TURN
