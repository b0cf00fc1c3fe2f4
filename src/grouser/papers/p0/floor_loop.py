"""P0's courses with a stand-in in the loop: one run of the board for each.

P0's loop closes on the virtual pose alone, so one run serves any number of stand-ins. Where the
gyroscope turns the virtual robot, what the stand-in does goes back into the loop.
"""

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import GrouserError
from grouser.hil.board import Board, BoardStep
from grouser.hil.heading import Heading
from grouser.hil.links import BoardKind, LockstepLink, make_board
from grouser.hil.options import BoardOptions
from grouser.hil.run import run_board
from grouser.models import command_sides, make_model
from grouser.papers.p0.courses import CourseErrors, compare_with, in_board_time, load_run
from grouser.papers.p0.stand_ins import (
    EVERY_US,
    Perturbation,
    StandIns,
    Tracks,
    TrueBelts,
    film,
    pick,
)
from grouser.simulation import Simulation

KICK_RATE = np.deg2rad(90.0)
"""Yaw rate of a stand-in that is kicked, within the range of the gyroscope [rad/s]."""


class FloorRobot(Protocol):
    """A stand-in on the floor of the laboratory."""

    @property
    def yaw_rates(self) -> NDArray[np.float64]:
        """Its mean yaw rate over the last sample (1,) [rad/s]."""
        ...

    @property
    def tracks(self) -> Tracks:
        """Its poses so far."""
        ...

    def advance(self, left: float, right: float) -> None:
        """Move by one sample with these true belt speeds [m/s]."""


class SpatialRobot:
    """A stand-in in three dimensions, as `csm` with the shear law: no model of P0 moves it."""

    def __init__(
        self,
        robot: Robot,
        floor: Course,
        *,
        model: str = "csm:law=shear",
        scales: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        """Put a robot on a floor.

        `scales` are the true speed of the left and of the right belt over what the encoder shows.
        """
        self._robot, self._scales = robot, scales
        self._simulation = Simulation(make_model(model), robot, floor, dt=EVERY_US * 1e-6)
        self._yaws = (0.0, 0.0)

    def advance(self, left: float, right: float) -> None:
        """Move by one sample with these belt speeds by the encoders [m/s]."""
        speeds = left * self._scales[0], right * self._scales[1]
        motion = self._simulation.advance(command_sides(self._robot, *speeds))
        self._yaws = self._yaws[1], float(motion.pose.yaw)

    @property
    def yaw_rates(self) -> NDArray[np.float64]:
        """Its mean yaw rate over the last sample (1,) [rad/s]."""
        turned = np.diff(np.unwrap(self._yaws))
        return turned / (EVERY_US * 1e-6)

    @property
    def tracks(self) -> Tracks:
        """Its poses so far."""
        log = self._simulation.log()
        x, y, yaw = (log[name][:, np.newaxis] for name in ("x", "y", "yaw"))
        return Tracks(time=log.time, x=x, y=y, yaw=np.unwrap(yaw, axis=0))


class _Mover:
    """Moves a stand-in with the belts of a board in lockstep, and its gyroscope with that."""

    def __init__(self, board: Board, stand_in: FloorRobot) -> None:
        self._board, self._stand_in, self._belts = board, stand_in, TrueBelts()
        self._done = 0

    def __call__(self, step: BoardStep) -> None:
        """Move on with a step of the board."""
        self._belts(step)
        for left, right in self._belts.since(self._done):
            self._stand_in.advance(left, right)
            self._done += 1
            self._board.turn(float(self._stand_in.yaw_rates[0]))


def drive_floor_robot(
    course: str,
    stand_in: FloorRobot,
    name: str,
    *,
    heading: Heading,
    seed: int,
    random: Generator,
    kind: BoardKind = "sim",
    virtual: Robot | None = None,
) -> CourseErrors:
    """Return the errors of a course with one stand-in in the loop.

    Args:
        course: One of P0's courses.
        stand_in: What the belts of the board move.
        name: Its name in the result.
        heading: What turns the virtual robot.
        seed: That of the board.
        random: Source of the camera's noise.
        kind: Which board.
        virtual: The virtual robot with its slip; TP100 with P0's numbers if not given.

    Raises:
        GrouserError: The run is not valid.
    """
    options, kept = BoardOptions(heading=heading), []
    loaded, board = load_run(course, seed, options, virtual), make_board(kind, seed)
    if heading == "gyro":  # it measures a kick: nobody has to kick the virtual robot as well
        calm = loaded.course.model_copy(update={"disturbance": None})
        loaded = replace(loaded, course=calm)
    run = run_board(
        LockstepLink(board, observe=_Mover(board, stand_in)), loaded, options,
        started=lambda simulation, conversation: kept.append(conversation),
    )  # fmt: skip
    if not run.report.is_valid:
        raise GrouserError(f"{course} with {name}: {'; '.join(run.report.problems)}")
    seen = film(stand_in.tracks, random)
    (errors,) = compare_with(in_board_time(run.log, kept[0]), seen, (name,))
    return errors


def run_with_gyro(
    course: str, perturbation: Perturbation, kind: BoardKind = "sim", *, walk: float, seed: int
) -> tuple[CourseErrors, ...]:
    """Return the errors of a course for each perturbed robot, with its gyroscope in the loop."""
    loaded, found = load_run(course, seed), []
    for index, name in enumerate(perturbation.names):
        random = np.random.default_rng(seed + index)
        robots = StandIns(
            loaded.robot, loaded.course, pick(perturbation, index),
            walk=walk, random=random, kick_rate=KICK_RATE,
        )  # fmt: skip
        errors = drive_floor_robot(
            course, robots, name, heading="gyro", seed=seed + index, random=random, kind=kind
        )
        found.append(errors)
    return tuple(found)
