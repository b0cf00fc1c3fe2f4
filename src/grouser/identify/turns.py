"""P2's procedure on a log: steady turns and their circles."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grouser.description import Robot
from grouser.errors import GrouserError, InvalidLog
from grouser.geometry import Array
from grouser.identify.families.kinematic import smallest_difference
from grouser.identify.identify import Identification
from grouser.identify.record import Record
from grouser.identify.turn_intervals import (
    DrawnTurn,
    count_dropped,
    draw_turn,
    find_intervals,
    observation_noise,
    rest_stretches,
)
from grouser.identify.turn_motion import ObservedMotion, clean_observation, observe_motion
from grouser.identify.turn_ranges import find_rests, find_steady_turns
from grouser.identify.turning_tables import (
    Turn,
    TurningTables,
    paths_of_result,
    read_paths,
    tabulate_of_robot,
)
from grouser.laws.turning_experiment import DROPPED, TurningRun, process_turning_run
from grouser.laws.turning_geometry import FourWheels
from grouser.log import Log

SEED = 0
"""Seed of the draws of each turn [1]."""
MIN_TURNS = 3
"""Number of turns below which P2's procedure is not run."""


def find_turns(record: Record, robot: Robot, smallest: float) -> list[Turn]:
    """Return P2's results for each forward turn of at least a `smallest` difference [m/s]."""
    if record.steady or record.observation.kind not in ("pose", "twist"):
        return []
    seen = clean_observation(record.observation)
    rests = rest_stretches(*seen, find_rests(record))
    found: list[Turn] = []
    for sign, rows in find_steady_turns(record, smallest):
        motion = observe_motion(record, rows, seen, robot.gauge)
        if motion is None:
            continue
        wheels = FourWheels(*(wheel[rows] for wheel in _wheels(record, robot, sign)))
        try:
            turn = _process(record.time[rows], motion, rests, wheels, sign, robot)
        except GrouserError:
            continue  # the heading did not change
        found.append(replace(turn, number=len(found) + 1))
    return found


def _process(
    time: Array, motion: ObservedMotion, rests: Sequence[Array], wheels: FourWheels, sign: float,
    robot: Robot,
) -> Turn:  # fmt: skip
    """Return P2's results for one turn, with intervals."""
    u, v, yaw = motion.body_motion(time)
    measured = DrawnTurn(time=time, speed=u, leftward=sign * v, yaw=sign * yaw, wheels=wheels)
    noises, source = observation_noise(motion, rests)
    generator = np.random.default_rng(SEED)
    drawn = draw_turn(motion, noises, time, wheels, sign, generator)
    # A heading that is integrated has no noise at its start.
    dropped = count_dropped(measured.yaw, drawn) if motion.kind == "pose" else DROPPED
    run = TurningRun(
        times=time, speed=u, yaw=measured.yaw, wheel_speeds=wheels, leftward_speed=sign * v
    )
    result = process_turning_run(run, robot.wheel_distance, robot.gauge, dropped)
    return Turn(
        number=1,
        radius=result.radius,
        calculated_width=result.calculated_width,
        true_difference=result.true_difference,
        apparent_difference=result.apparent_difference,
        slippage=result.slippage,
        mean_wheel_speed=sum(map(float, result.wheel_speeds)) / len(result.wheel_speeds),
        direction="left" if sign > 0.0 else "right",
        start=float(time[0]),
        end=float(time[-1]),
        dropped_at_start=dropped,
        intervals=find_intervals(measured, drawn, robot.gauge, dropped),
        noise_source=source,
        paths=paths_of_result(result, robot.wheel_distance, robot.gauge),
    )


def read_turns(log: Log, name: str, robot: Robot) -> list[Turn]:
    """Return the turns of a table with one turn in each row, such as P2's Table 5.

    Columns: `radius`, `calculated_width`, `true_difference`, `apparent_difference`, `slippage.o1`
    to `slippage.i2`; optional `run` and `mean_wheel_speed`, which otherwise follows from slippage
    and differences, to the precision of their digits. Rows with `duration`,
    `standard_length.outer`, `standard_length.inner` and `rolled_length.o1` to `rolled_length.i2`
    give the rest of Table 3, and with `offset_ahead` Table 4.
    """
    wheels = [f"slippage.{wheel}" for wheel in FourWheels._fields]
    needed = ("radius", "calculated_width", "true_difference", "apparent_difference", *wheels)
    if missing := [column for column in needed if column not in log]:
        raise InvalidLog(name, f"lacks {', '.join(missing)}, which a table of turns needs")
    given = {column: log[column] for column in log}
    with np.errstate(all="ignore"):
        speeds = given.get("mean_wheel_speed", _mean_wheel_speeds(given))
    numbers = given.get("run", np.arange(1, len(log) + 1))
    if not np.all(np.isfinite(numbers)):
        raise InvalidLog(name, "column run has a gap; number every turn")
    return [
        Turn(
            number=int(numbers[row]),
            radius=float(log["radius"][row]),
            calculated_width=float(log["calculated_width"][row]),
            true_difference=float(log["true_difference"][row]),
            apparent_difference=float(log["apparent_difference"][row]),
            slippage=FourWheels(*(float(log[wheel][row]) for wheel in wheels)),
            mean_wheel_speed=float(speeds[row]),
            paths=read_paths(given, row, robot.wheel_distance, robot.gauge),
        )
        for row in range(len(log))
    ]


def tabulate_found(found: Identification, left_out: Sequence[int]) -> TurningTables | None:
    """Return P2's tables of the turns in the records; None if there are too few of them."""
    robot = found.known_robot.robot
    if "turning" not in found.fits or robot is None:
        return None
    smallest = smallest_difference((found.record,), found.known_robot)
    turns = find_turns(found.record, robot, smallest)
    if len(turns) - len(left_out) < MIN_TURNS:
        return None
    return tabulate_of_robot(turns, robot, left_out)


def _mean_wheel_speeds(given: dict[str, Array]) -> Array:
    """Return the mean speed of four wheels from eqs 17 and 18 [m/s].

    Ev_a = a (u + Ev_t / 2) - b (u - Ev_t / 2), a the mean slippage of the outer wheels and b
    the mean of the inverse one of the inner wheels, gives u, and with it the wheels.
    """
    a = 0.5 * (given["slippage.o1"] + given["slippage.o2"])
    b = 0.5 * (1.0 / given["slippage.i1"] + 1.0 / given["slippage.i2"])
    half = 0.5 * given["true_difference"]
    u = (given["apparent_difference"] - (a + b) * half) / (a - b)
    speeds = 0.5 * (a * (u + half) + b * (u - half))
    return np.where(np.isfinite(speeds), speeds, np.nan)


def _wheels(record: Record, robot: Robot, sign: float) -> tuple[Array, Array, Array, Array]:
    """Return o1, o2, i1, i2: outer and inner side, 1 the rear and 2 the front as P2 measured."""
    sides = {}
    for side in ("left", "right"):
        drives = sorted((d for d in robot.drives if d.side == side), key=lambda d: d.centre[0])
        speeds = [record.wheels[d.name] for d in drives if d.name in record.wheels]
        sides[side] = speeds or [record.left if side == "left" else record.right]
    outer, inner = ("right", "left") if sign > 0.0 else ("left", "right")
    return sides[outer][0], sides[outer][-1], sides[inner][0], sides[inner][-1]
