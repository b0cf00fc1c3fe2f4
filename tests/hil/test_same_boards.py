"""The board in Python against the real firmware on the simulated chip: the same belts."""

import numpy as np
import pytest

from grouser import Scenario
from grouser.hil.links import LockstepLink
from grouser.hil.messages import Mode, State
from grouser.hil.python_board import PythonBoard
from grouser.hil.run import BoardRun, run_board
from grouser.hil.simulated_board import SimulatedBoard
from tests.hil.bench import Bench

BOARDS = {"python": PythonBoard, "firmware": SimulatedBoard}
STEPS = ((0.1, 0.1), (0.1, -0.15), (-0.2, 0.3), (0.0, 0.05), (0.35, 0.35))
"""Set-points of half a second each [m/s]."""


def course_run(kind: str, course_name: str) -> tuple[BoardRun, float]:
    """Return a run over a course, and the fastest that a belt truly ran [m/s]."""
    fastest = [0.0]
    link = LockstepLink(
        BOARDS[kind](seed=0), lambda step: fastest.append(max(map(abs, step.belt_speeds)))
    )
    return run_board(link, Scenario(course=course_name, speed=0.1)), max(fastest)


@pytest.mark.parametrize("course", ["behaviour-1-sharp", "behaviour-2"])
def test_both_drive_a_course_with_the_same_belts_to_the_same_place(course):
    (ours, our_peak), (chips, chips_peak) = (course_run(kind, course) for kind in BOARDS)
    assert ours.is_done
    assert chips.is_done
    assert our_peak == pytest.approx(chips_peak, abs=0.002)
    rows = min(len(ours.log), len(chips.log))
    x, y = (ours.log[name][:rows] - chips.log[name][:rows] for name in ("x", "y"))
    assert float(np.hypot(x, y).max()) < 0.005
    for side in ("left", "right"):
        mine, theirs = (run.log[f"board_speed.{side}"][:rows] for run in (ours, chips))
        assert abs(float(np.max(np.abs(mine))) - float(np.max(np.abs(theirs)))) < 0.002
        # A turn may begin a period earlier in one loop than in the other: how long each speed is
        # held is compared, not when. The mean distance of their distributions is 0.0006 m/s.
        shares = np.linspace(0.0, 1.0, 1001)
        apart = np.quantile(mine, shares) - np.quantile(theirs, shares)
        assert float(np.mean(np.abs(apart))) < 0.0015


def stepped(kind: str, mode: Mode) -> list[State]:
    """Return the state at the end of each step of a drive."""
    link = LockstepLink(BOARDS[kind](seed=0))
    bench, seen = Bench(link).arm(), []
    unit = 1e4 if mode == Mode.SPEED else 2e3
    for left, right in STEPS:
        end = link.now() + 0.5
        while link.now() < end:
            bench.line.pump(0.001)
            bench.talk.command_raw(round(left * unit), round(right * unit), 0.0, mode)
        seen.append(bench.state)
    link.close()
    return seen


@pytest.mark.parametrize("mode", [Mode.SPEED, Mode.DUTY])
def test_both_answer_steps_with_the_same_speeds_and_duties(mode):
    for ours, chips in zip(stepped("python", mode), stepped("firmware", mode), strict=True):
        assert ours.state == chips.state
        assert ours.setpoints == chips.setpoints
        assert ours.speeds == pytest.approx(chips.speeds, abs=0.003)
        assert (ours.duty_left, ours.duty_right) == pytest.approx(
            (chips.duty_left, chips.duty_right), abs=15
        )
