"""Honest boards stay far from the limits of speeds, counts and set-points; others do not."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grouser import Scenario
from grouser.errors import LinkBroken
from grouser.hil.belt_check import BeltCheck
from grouser.hil.board import Board
from grouser.hil.board_session import BoardSession
from grouser.hil.conversation import Conversation
from grouser.hil.links import LockstepLink
from grouser.hil.messages import Message, State
from grouser.hil.options import BoardOptions
from grouser.hil.python_board import PythonBoard
from grouser.hil.python_vehicle import COUNT_LENGTH, COUNTS_PER_REVOLUTION
from grouser.hil.run import run_board
from grouser.hil.simulated_board import SimulatedBoard
from tests.hil.hostile.board import HostileLink
from tests.hil.hostile.rows import Row
from tests.hil.hostile.trial import attempt

BOARDS: dict[str, Callable[[], Board]] = {
    "python": lambda: PythonBoard(seed=3),
    "firmware": lambda: SimulatedBoard(seed=3),
}
DRIVES = {
    "full speed, on the spot": ("constant:left=0.3,right=-0.3", BoardOptions()),
    "creeping": ("constant:left=0.02,right=0.005", BoardOptions()),
    "there and back": ("square:left=0,right=0,turning=0.3,period=0.6", BoardOptions()),
    "waves": ("sine:left=0.1,right=0.1,turning=0.2,period=0.5", BoardOptions()),
    "slow states": (
        "sine:left=0,right=0,turning=0.3,period=1",
        BoardOptions(rate=10, command_timeout=0.5),
    ),
    "fast states": ("square:left=0,right=0,turning=0.3,period=1", BoardOptions(rate=200)),
    "a clock that is wrong": ("constant:left=0.1,right=0.3", BoardOptions(faults=("clock 10000",))),
    "a line that loses": (
        "constant:left=0.1,right=0.3",
        BoardOptions(faults=("link lose 0.0003",)),
    ),
    "a weak battery": ("constant:left=0.3,right=0.3", BoardOptions(faults=("battery 5.2 @1",))),
    "a track that is held": (
        "constant:left=0.1,right=0.3",
        BoardOptions(faults=("track left blocked @1", "track left free @1.15")),
    ),
}
FARTHEST = 0.75
"""Share of a limit that an honest board reaches at most [1]."""


def drive(link: LockstepLink, driver: str, options: BoardOptions):
    talks: list[Conversation] = []
    scenario = Scenario(course="flat", model="ideal", driver=driver, stop=3.0)
    run = run_board(link, scenario, options, started=lambda _, talk: talks.append(talk))
    return run, talks[0]._check


@pytest.mark.parametrize("kind", BOARDS)
@pytest.mark.parametrize("name", DRIVES)
def test_honest_boards_stay_far_from_each_limit(kind, name):
    driver, options = DRIVES[name]
    run, check = drive(LockstepLink(BOARDS[kind]()), driver, options)
    assert not run.report.stopped_by
    assert run.report.implausible == run.report.refused == 0
    for belt in check.belts.values():
        assert {"travel", "speed"} <= set(belt.closest)
        assert max(belt.closest.values()) < FARTHEST, belt.closest


def noisy(share: float) -> Callable:
    """Return a line whose encoders have uneven lines, and now and then a count too few or many."""
    chance = random.Random(7)

    def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
        if not isinstance(message, State):
            return [message]
        factors = 1.0 + chance.uniform(-share, share), 1.0 + chance.uniform(-share, share)
        return [
            replace(
                message,
                speed_left=round(factors[0] * message.speed_left),
                speed_right=round(factors[1] * message.speed_right),
                encoder_left=message.encoder_left + chance.choice((-1, 0, 0, 1)),
                encoder_right=message.encoder_right + chance.choice((-1, 0, 0, 1)),
            )
        ]

    return sabotage


def test_noise_of_a_cheap_encoder_is_no_lie(tmp_path: Path):
    outcome = attempt(Row("State", "noise", lambda: (noisy(0.3), None), duration=3.0), tmp_path)
    assert outcome.run is not None
    assert outcome.run.report.is_valid
    assert outcome.run.is_done


def run_belt(
    speed: Callable[[float], float],
    said: Callable[[float], float],
    *,
    seconds: float = 3.0,
    setpoint: float | None = None,
) -> tuple[float, str]:
    """Return when a belt of a true speed is found to say another, and the words; inf if never."""
    check, travel = BeltCheck("left", COUNTS_PER_REVOLUTION), 0.0
    for step in range(round(seconds / 0.01)):
        time = 0.01 * step
        travel += 0.01 * speed(time)
        found = check.find(time, math.floor(travel / COUNT_LENGTH), said(time), setpoint)
        if found:
            return time, found
    return math.inf, ""


@pytest.mark.parametrize("speed", [0.01, 0.05, 0.3, -0.3])
@pytest.mark.parametrize(("ratio", "is_found"), [(1.0, False), (1.2, False), (1.7, True)])
def test_a_ratio_of_speeds_and_counts_is_found_at_any_speed(speed, ratio, is_found):
    time, words = run_belt(lambda t: speed, lambda t: ratio * speed)
    assert math.isfinite(time) == is_found
    assert ("both may differ by" in words) == is_found


def test_a_belt_may_stop_at_once():
    # The firmware's speed then falls as one count per time.
    def said(t: float) -> float:
        return 0.5 if t < 1.0 else (min(0.5, COUNT_LENGTH / (t - 0.999)) if t < 1.2 else 0.0)

    assert run_belt(lambda t: 0.5 if t < 1.0 else 0.0, said)[0] == math.inf


def test_a_filter_may_lag_and_one_of_a_second_not():
    def lagging(lag: float) -> Callable[[float], float]:
        return lambda t: 0.3 * (1.0 - math.exp(-t / lag))

    assert run_belt(lambda t: 0.3, lagging(0.05))[0] == math.inf
    assert run_belt(lambda t: 0.3, lagging(1.0))[0] < 0.5


def test_a_belt_that_stands_or_runs_too_fast_at_its_set_point_is_found_after_the_window():
    time, words = run_belt(lambda t: 0.0, lambda t: 0.0, setpoint=-0.1)
    assert time == pytest.approx(1.5, abs=0.06)
    assert "has moved 0.0000 m in 1.5" in words
    time, words = run_belt(lambda t: 0.4, lambda t: 0.4, setpoint=0.2)
    assert time == pytest.approx(1.5, abs=0.06)
    assert "runs at 0.400 m/s, set-points of 0.200 m/s at most allow 0.350 m/s" in words
    assert run_belt(lambda t: 0.0, lambda t: 0.0, setpoint=0.01)[0] == math.inf
    assert run_belt(lambda t: 0.4, lambda t: 0.4)[0] == math.inf  # pushed by hand, not armed


def test_a_calibration_ends_at_a_board_that_lies():
    def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
        return [replace(message, speed_left=9000) if isinstance(message, State) else message]

    link = HostileLink(sabotage)
    words = "implausible message: its left speeds are .* m forward"
    with pytest.raises(LinkBroken, match=words), BoardSession(link) as session:
        session.watch(2.0)
