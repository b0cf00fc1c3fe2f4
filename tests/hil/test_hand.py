"""A person drives a board: sticks become belt speeds while somebody repeats them."""

import pytest

from grouser import Scenario, load_robot
from grouser.control import Sticks
from grouser.errors import InvalidLog
from grouser.hil.hand import TIMEOUT, HandDrive
from grouser.hil.links import LockstepLink
from grouser.hil.options import BoardOptions, describe_run, load_for_board, read_run
from grouser.hil.python_board import PythonBoard
from grouser.hil.run import run_board

ROBOT = load_robot("tp100")
BY_HAND = Scenario(course="flat", driver="person", stop=1.0)


class Clock:
    """A clock that somebody sets."""

    time = 100.0

    def __call__(self) -> float:
        return self.time


def test_sticks_drive_until_nobody_repeats_them(standing):
    clock = Clock()
    hand = HandDrive(ROBOT, clock)
    assert hand(0.0, standing).belt_speeds == (0.0, 0.0)
    hand.steer(Sticks(forward=1.0), 0.1)
    clock.time += 0.9 * TIMEOUT
    assert hand(0.1, standing).belt_speeds == (0.1, 0.1)
    clock.time += 0.2 * TIMEOUT
    assert hand(0.2, standing).belt_speeds == (0.0, 0.0)
    hand.steer(Sticks(turn=1.0), 0.2)
    assert hand(0.3, standing).belt_speeds == pytest.approx((-0.2, 0.2))


def test_the_sticks_of_a_person_reach_the_board():
    clock = Clock()
    hand = HandDrive(ROBOT, clock)
    loaded = load_for_board(BY_HAND, BoardOptions(), hand)

    def steer(snapshot):
        if snapshot.time < 0.5:
            hand.steer(Sticks(forward=1.0), 0.1)
        else:
            clock.time += 1.0  # the page is gone

    run = run_board(LockstepLink(PythonBoard()), loaded, observe=steer)
    assert run.is_done
    assert run.report.is_valid
    assert run.log["board_setpoint.left"].max() == pytest.approx(0.1)
    assert run.log["board_setpoint.left"][-1] == 0.0
    assert 0.01 < run.log["x"][-1] < 0.06


def test_a_raw_log_of_a_person_is_not_run_again(tmp_path):
    header = describe_run(load_for_board(BY_HAND, BoardOptions()), BoardOptions())
    with pytest.raises(InvalidLog, match="a person drove, and a raw log does not hold their keys"):
        read_run(header, tmp_path / "a.raw")
