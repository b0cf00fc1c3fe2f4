"""Turns in records: gaps end them, noise is taken from standstill where it can be believed."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.identify.record import Observation, Record
from grouser.identify.turn_motion import smoothing_samples
from grouser.identify.turn_ranges import find_rests, find_steady_turns
from grouser.identify.turns import find_turns

RADIUS, SPEED, PERIOD, REST, TURN = 20.0, 3.0, 0.02, 10.0, 8.0
ROBOT = load_robot("zhou-ugv")


def drive(noise: float = 0.0, *, at_rest: float | None = None, rest: float = REST) -> Record:
    """Standstill, then a left turn of 8 s on a circle, wheels without slip; noise of poses [m]."""
    generator = np.random.default_rng(0)
    time = np.arange(0.0, rest + TURN, PERIOD)
    moves = time >= rest
    yaw = np.where(moves, SPEED / RADIUS * (time - rest), 0.0)
    values = np.stack([RADIUS * np.sin(yaw), RADIUS * (1.0 - np.cos(yaw)), yaw])
    sizes = np.where(moves, noise, noise if at_rest is None else at_rest)
    values += generator.standard_normal(values.shape) * sizes * np.array([[1.0], [1.0], [0.1]])
    half = 0.5 * ROBOT.gauge / RADIUS
    left, right = (np.where(moves, SPEED * (1.0 + s * half), 0.0) for s in (-1.0, 1.0))
    return Record(
        name="drive", time=time, left=left, right=right,
        observation=Observation(kind="pose", time=time, values=values),
    )  # fmt: skip


def test_a_turn_without_slip_has_ratios_of_1_and_its_radius():
    (turn,) = find_turns(drive(), ROBOT, 0.02)
    assert turn.radius == pytest.approx(RADIUS, rel=1e-3)
    assert tuple(turn.slippage) == pytest.approx((1.0,) * 4, abs=1e-3)


def test_a_gap_in_time_ends_a_turn():
    whole = drive()
    late = whole.time >= REST + 4.0
    time = whole.time + np.where(late, 10.0, 0.0)
    gap = replace(whole, time=time, observation=replace(whole.observation, time=time))
    turns = find_turns(gap, ROBOT, 0.02)
    assert [round(turn.paths.duration) for turn in turns if turn.paths] == [4, 4]
    assert turns[0].end == pytest.approx(REST + 4.0, abs=0.05)
    assert turns[1].start == pytest.approx(REST + 14.0, abs=0.05)


def test_noise_is_that_of_the_standstill():
    (turn,) = find_turns(drive(0.005), ROBOT, 0.02)
    assert turn.noise_source == "standstill"
    low, high = turn.intervals["radius"]
    assert low < RADIUS < high
    assert high - low < 0.5


def test_a_standstill_without_the_noise_of_the_turn_is_not_believed():
    (turn,) = find_turns(drive(0.005, at_rest=0.0005), ROBOT, 0.02)
    assert turn.noise_source == "turn"
    low, high = turn.intervals["slippage.o1"]
    assert low < 1.0 < high


def test_without_a_standstill_noise_is_that_of_the_turn():
    (turn,) = find_turns(drive(0.005, rest=0.0), ROBOT, 0.02)
    assert turn.noise_source == "turn"


def test_gross_errors_of_positions_do_not_change_a_turn():
    clean = drive(0.005)
    values = clean.observation.values.copy()
    values[0, 600::97] += 0.6
    dirty = replace(clean, observation=replace(clean.observation, values=values))
    (first,), (second,) = (find_turns(record, ROBOT, 0.02) for record in (clean, dirty))
    low, high = first.intervals["slippage.o1"]
    assert abs(float(second.slippage.o1) - float(first.slippage.o1)) < 0.5 * (high - low)


def test_noise_of_wheel_speeds_neither_cuts_a_turn_nor_makes_one():
    record, generator = drive(), np.random.default_rng(2)
    noisy = {
        side: np.where(record.time >= REST, speed + generator.normal(0.0, 0.03, speed.size), 0.0)
        for side, speed in (("left", record.left), ("right", record.right))
    }
    turns = list(find_steady_turns(replace(record, **noisy), 0.04))
    assert [sign for sign, _ in turns] == [1.0]
    assert turns[0][1].stop - turns[0][1].start > 0.8 * TURN / PERIOD
    assert find_rests(replace(record, **noisy)) == [(0.0, pytest.approx(REST - 1.0, abs=0.05))]


def test_smoothing_grows_with_noise_and_shrinks_with_curvature():
    counts = [smoothing_samples(noise, 0.02, 0.1, 1000) for noise in (0.0, 0.001, 0.01)]
    assert counts[0] == 5
    assert counts[0] < counts[1] < counts[2]
    assert smoothing_samples(0.01, 0.02, 2.0, 1000) < counts[2]
    assert all(count % 2 == 1 for count in counts)
    assert smoothing_samples(1.0, 0.02, 0.1, 40) == 39
