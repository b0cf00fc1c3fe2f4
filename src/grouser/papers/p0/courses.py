"""P0's behaviour courses, driven with a board in the loop."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.control import PathFollower
from grouser.description import Course, Robot
from grouser.drivers import DriverPlan, Replay
from grouser.hil.conversation import Conversation
from grouser.hil.links import BoardKind, LockstepLink, make_board
from grouser.hil.options import OPEN_LOOP, BoardOptions, load_for_board
from grouser.hil.run import BoardRun, run_board
from grouser.hil.virtual_robot import SIDES, BeltScale
from grouser.log import Column, Comparison, Log, compare
from grouser.papers.p0.experiments import SECTIONS, TITLES
from grouser.papers.p0.stand_ins import (
    EVERY_US,
    Perturbation,
    Tracks,
    TrueBelts,
    corners,
    draw_apart,
    draws,
    film,
    move_stand_ins,
)
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour
from grouser.scenario import Part, Scenario
from grouser.scenario.run import Loaded
from grouser.simulation import Driver

WALK = float(np.deg2rad(0.1))
"""Random walk of the heading of drawn robots, an assumption [rad/sqrt(s)]."""
SAMPLE = EVERY_US * 1e-6
"""Time between two samples of belts [s]."""
LONGEST = 180.0
"""Time after which a course is given up [s]."""


@dataclass(frozen=True, slots=True)
class CourseErrors:
    """Errors of the virtual robot against one stand-in, as the camera measured them."""

    name: str
    """Name of the stand-in."""
    largest: float
    """Largest position error [m]."""
    mean: float
    """Mean position error [m]."""
    rms: float
    """Root mean square of the position error [m]."""
    final: float
    """Position error at the end [m]."""
    mse_x: float
    """Mean square error along x [m^2]."""
    mse_y: float
    """Mean square error along y [m^2]."""
    mse_yaw: float
    """Mean square error of the yaw [rad^2]."""

    @property
    def yaw_rms(self) -> float:
        """Root mean square of the yaw error [rad]."""
        return self.mse_yaw**0.5


@dataclass(frozen=True, slots=True)
class CourseResult:
    """A course with all its stand-ins."""

    course: str
    """Its name."""
    run: BoardRun
    """The run with the board."""
    corners: tuple[CourseErrors, ...]
    """The nominal stand-in first, then the corners."""
    draws: tuple[CourseErrors, ...]
    """Stand-ins drawn at random."""


def run_course(
    name: str, board: BoardKind = "sim", *, count: int = 200, seed: int = 0, apart: bool = False
) -> CourseResult:
    """Return the result of a course; with `apart`, each track of a draw has a floor of its own.

    Course 1 is driven open loop, as P0 did: belts get the speeds that the model needs.
    The others close the loop on the virtual pose.
    """
    belts, kept = TrueBelts(), []
    link = LockstepLink(make_board(board, seed), observe=belts)
    loaded = load_run(name, seed)
    run = run_board(link, loaded, started=lambda simulation, connection: kept.append(connection))
    model = in_board_time(run.log, kept[0])
    random = np.random.default_rng(seed)
    judge = _judge(loaded.robot, loaded.course, belts.speeds, model, random)
    drawn = (draw_apart if apart else draws)(count, random)
    return CourseResult(name, run, judge(corners(), 0.0), judge(drawn, WALK))


def judge_run(
    loaded: Loaded, run: BoardRun, conversation: Conversation, *, count: int
) -> CourseResult:
    """Return the result of a course that was driven in real time.

    Nobody knows the true belts of a real board: stand-ins move by the counts of its encoders.
    """
    log = newest_rows(run.log)
    model = in_board_time(log, conversation)
    times = model.time - model.time[0]
    belts = counted_speeds(loaded.robot, log, times, conversation)
    columns = {name: Column(model[name], model.unit(name)) for name in ("x", "y", "yaw")}
    model = Log({"time": Column(times, "s"), **columns}, model.provenance)
    random = np.random.default_rng(loaded.scenario.seed)
    judge = _judge(loaded.robot, loaded.course, belts, model, random)
    name = loaded.course.name
    return CourseResult(name, run, judge(corners(), 0.0), judge(draws(count, random), WALK))


def newest_rows(log: Log) -> Log:
    """Return the last row of each state: where states were skipped, one has several ticks."""
    ends = np.flatnonzero(np.diff(log["device_time"], append=np.inf) > 0.0)
    return Log({name: Column(log[name][ends], log.unit(name)) for name in log}, log.provenance)


def counted_speeds(
    robot: Robot, log: Log, times: NDArray[np.float64], conversation: Conversation
) -> NDArray[np.float64]:
    """Return the mean belt speeds between samples (n, 2) by the counts of encoders [m/s]."""
    assert conversation.ack is not None  # the run has states
    lengths = BeltScale.of(robot).count_lengths(conversation.ack.counts_per_revolution)
    sampled = np.arange(0.0, times[-1] + 0.5 * SAMPLE, SAMPLE)
    travels = [
        length * np.interp(sampled, times, log[f"board_encoder.{side}"])
        for side, length in zip(SIDES, lengths, strict=True)
    ]
    return np.diff(np.stack(travels, axis=-1), axis=0) / SAMPLE


def run_courses(
    names: Sequence[str],
    board: BoardKind,
    *,
    draws: int,
    seed: int,
    jobs: int | None,
    show: Callable[[float], None] = lambda share: None,
) -> list[CourseResult]:
    """Return the results of several courses, in their order.

    Args:
        names: Names of the courses.
        board: Kind of the board.
        draws: Number of random stand-ins.
        seed: Seed of all noise.
        jobs: Number of processes; one per core if not given.
        show: Called with the share of the courses that is done [1].
    """
    workers = min(jobs or cpu_count() or 1, len(names))
    settings: dict[str, Any] = {"count": draws, "seed": seed}
    if workers == 1:
        results = []
        for name in names:
            results.append(run_course(name, board, **settings))
            show(len(results) / len(names))
        return results
    # Spawned: a fork of a process with threads may hang.
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        futures = [pool.submit(run_course, name, board, **settings) for name in names]
        for number, _ in enumerate(as_completed(futures), start=1):
            show(number / len(names))
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def load_run(
    name: str, seed: int, options: BoardOptions | None = None, virtual: Robot | None = None
) -> Loaded:
    """Return a run whose driver follows the path, or replays what the model needs to follow it.

    `virtual` is the virtual robot; TP100 if not given.
    """
    scenario = Scenario(course=name, stop=LONGEST, seed=seed)
    loaded = load_for_board(scenario, options or BoardOptions())
    loaded = loaded if virtual is None else replace(loaded, robot=virtual)
    robot, course = loaded.robot, loaded.course
    driver: Driver = PathFollower(robot, course.path, course.speed)
    name = OPEN_LOOP if course.name in SECTIONS else "follow"
    if name == OPEN_LOOP:
        simulation = loaded.start()
        simulation.run(driver, LONGEST)
        driver = Replay(robot, simulation.log())
    return replace(loaded, plan=DriverPlan(driver=driver, duration=LONGEST), driver_name=name)


def in_board_time(log: Log, conversation: Conversation) -> Log:
    """Return a log on the clock of the link, which is the one that the camera has."""
    times = [conversation.clock.to_host(float(time)) for time in log["device_time"]]
    names = ("x", "y", "yaw")
    columns = {name: Column(log[name], log.unit(name)) for name in names}
    return Log({"time": Column(np.array(times), "s"), **columns}, log.provenance)


def _judge(
    robot: Robot,
    course: Course,
    belts: NDArray[np.float64],
    model: Log,
    random: np.random.Generator,
) -> Callable[[Perturbation, float], tuple[CourseErrors, ...]]:
    def judge(perturbation: Perturbation, walk: float) -> tuple[CourseErrors, ...]:
        tracks = move_stand_ins(
            robot, course, belts, perturbation, walk=walk, random=random
        )  # fmt: skip
        return compare_with(model, film(tracks, random), perturbation.names)

    return judge


def compare_with(model: Log, seen: Tracks, names: Sequence[str]) -> tuple[CourseErrors, ...]:
    """Return the errors of a log against each of the robots that the camera saw."""
    return tuple(
        _errors(name, compare(model, _track(seen, index))) for index, name in enumerate(names)
    )


def _track(seen: Tracks, index: int) -> Log:
    return Log(
        {
            "time": Column(seen.time, "s"),
            "x": Column(seen.x[:, index], "m"),
            "y": Column(seen.y[:, index], "m"),
            "yaw": Column(seen.yaw[:, index], "rad"),
        }
    )


def _errors(name: str, found: Comparison) -> CourseErrors:
    position = found.position
    return CourseErrors(
        name, position.max, position.mean, position.rms, position.final,
        found.mse_x, found.mse_y, found.mse_yaw,
    )  # fmt: skip


DRAWS = 50
"""Random stand-ins of each course."""
ONE_FLOOR = slice(1, 5)
"""Corners of the perturbation at which both tracks slip more, or both less."""


def drive_course(name: str, variation: Variation = AS_STATED) -> Findings:
    """Return the errors of the virtual robot against its stand-ins on a course, and its path.

    Neither friction nor mass is in the model: of a variation only the seed counts.
    """
    result = run_course(name, "sim", count=DRAWS, seed=variation.seed)
    title, nominal = TITLES[name], result.corners[0]
    others = (*result.corners[ONE_FLOOR], *result.draws)
    values = {
        f"largest position error, {title}": nominal.largest,
        f"final position error, {title}": nominal.final,
        f"rms position error, {title}": nominal.rms,
        f"rms yaw error, {title}": nominal.yaw_rms,
        f"largest position error, {title}, slip off by 20 %": max(e.largest for e in others),
        f"final position error, {title}, slip off by 20 %": max(e.final for e in others),
        f"rms yaw error, {title}, slip off by 20 %": max(e.yaw_rms for e in others),
    }
    medians, intervals = sum_up_errors(result.draws, f"{title}, drawn robots")
    # The sections of course 1 are driven open loop: their ends have no meaning.
    panels = () if name in SECTIONS else (_plan(result),)
    return Findings(values=values | medians, intervals=intervals, panels=panels)


def sum_up_errors(
    errors: Sequence[CourseErrors], words: str
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return medians of the errors of many stand-ins, and the range of nine tenths of them."""
    samples = {
        f"median of the largest position errors, {words}": [e.largest for e in errors],
        f"median of the final position errors, {words}": [e.final for e in errors],
        f"median of the rms yaw errors, {words}": [e.yaw_rms for e in errors],
    }
    quantiles = {key: np.quantile(values, (0.05, 0.5, 0.95)) for key, values in samples.items()}
    medians = {key: float(middle) for key, (_, middle, _) in quantiles.items()}
    return medians, {key: (float(low), float(high)) for key, (low, _, high) in quantiles.items()}


def _plan(result: CourseResult) -> Panel:
    path, log = Part(name=result.course).load_course().path, result.run.log
    assert path is not None
    way = np.linspace(0.0, path.length, 200)
    at = np.array([path.at(float(s))[:2] for s in way])
    lines = (
        Series(name="path", x=at[:, 0], y=at[:, 1], colour=REFERENCE, dash="dashed"),
        Series(name="virtual robot", x=log["x"][::5], y=log["y"][::5], colour=line_colour(0)),
    )
    return Panel(
        key=f"loop-{result.course}", title=f"{TITLES[result.course].capitalize()} with the board",
        x_label="x [m]", y_label="y [m]", series=lines, equal_axes=True,
    )  # fmt: skip
