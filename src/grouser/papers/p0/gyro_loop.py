"""P0's courses with the gyroscope in the loop: one run of the board for each stand-in.

P0's loop closes on the virtual pose alone, so one run serves any number of stand-ins. Here the
gyroscope of each stand-in turns the virtual robot: what it does goes back into the loop.
"""

from dataclasses import replace

import numpy as np

from grouser.errors import GrouserError
from grouser.hil.board import Board, BoardStep
from grouser.hil.links import BoardKind, LockstepLink, make_board
from grouser.hil.options import BoardOptions
from grouser.hil.run import run_board
from grouser.papers.p0.courses import CourseErrors, compare_with, in_board_time, load_run
from grouser.papers.p0.stand_ins import (
    Perturbation,
    StandIns,
    TrueBelts,
    film,
    pick,
)

KICK_RATE = np.deg2rad(90.0)
"""Yaw rate of a stand-in that is kicked, within the range of the gyroscope [rad/s]."""
WITH_GYRO = BoardOptions(heading="gyro")
"""How the board is driven."""


class FloorRobot:
    """One stand-in that a board in lockstep moves, and whose yaw rate its gyroscope shows."""

    def __init__(self, board: Board, robots: StandIns) -> None:
        self._board, self._robots, self._belts = board, robots, TrueBelts()
        self._done = 0

    def __call__(self, step: BoardStep) -> None:
        """Move on with a step of the board."""
        self._belts(step)
        for left, right in self._belts.since(self._done):
            self._robots.advance(left, right)
            self._done += 1
            self._board.turn(float(self._robots.yaw_rates[0]))


def run_with_gyro(
    name: str, perturbation: Perturbation, board: BoardKind = "sim", *, walk: float, seed: int
) -> tuple[CourseErrors, ...]:
    """Return the errors of a course for each stand-in, with its gyroscope in the loop."""
    return tuple(
        _run_one(name, pick(perturbation, index), board, walk=walk, seed=seed + index)
        for index in range(len(perturbation))
    )


def _run_one(
    name: str, one: Perturbation, kind: BoardKind, *, walk: float, seed: int
) -> CourseErrors:
    """Drive a course with one stand-in; `seed` is that of its board, walk and camera."""
    loaded, board, kept = load_run(name, seed, WITH_GYRO), make_board(kind, seed), []
    random = np.random.default_rng(seed)
    robots = StandIns(
        loaded.robot, loaded.course, one, walk=walk, random=random, kick_rate=KICK_RATE
    )
    # The gyroscope measures a kick: nobody has to kick the virtual robot as well.
    undisturbed = replace(loaded, course=loaded.course.model_copy(update={"disturbance": None}))
    run = run_board(
        LockstepLink(board, observe=FloorRobot(board, robots)), undisturbed, WITH_GYRO,
        started=lambda simulation, conversation: kept.append(conversation),
    )  # fmt: skip
    if not run.report.is_valid:
        raise GrouserError(f"{name} with {one.names[0]}: {'; '.join(run.report.problems)}")
    (errors,) = compare_with(
        in_board_time(run.log, kept[0]), film(robots.tracks, random), one.names
    )
    return errors
