"""P2's procedure on a log: steady turns and their circles."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

from grouser.description import Robot
from grouser.errors import GrouserError, InvalidLog
from grouser.geometry import Array, rotate
from grouser.identify.families.kinematic import smallest_difference
from grouser.identify.identify import Identification
from grouser.identify.record import Record
from grouser.identify.turning_tables import (
    Turn,
    TurningTables,
    paths_of_result,
    read_paths,
    tabulate_of_robot,
)
from grouser.laws.turning_experiment import TurningRun, process_turning_run
from grouser.laws.turning_geometry import FourWheels
from grouser.log import Log

MIN_TURN_TIME = 2.0
"""Shortest turn that is processed [s]."""
SMOOTHING_TIME = 0.5
"""Time over which positions are smoothed before they are differentiated [s]."""
MIN_TURNS = 3
"""Number of turns below which P2's procedure is not run."""


def find_turns(record: Record, robot: Robot, smallest: float) -> list[Turn]:
    """Return P2's results for each forward turn of at least a `smallest` difference [m/s]."""
    if record.steady or record.observation.kind not in ("pose", "twist"):
        return []
    u, v, yaw = _motion(record)
    found = []
    for sign, first, end in _turning_ranges(record, smallest):
        run = TurningRun(
            times=record.time[first:end],
            speed=u[first:end],
            yaw=sign * yaw[first:end],
            wheel_speeds=FourWheels(*(w[first:end] for w in _wheels(record, robot, sign))),
            leftward_speed=sign * v[first:end],
        )
        try:
            result = process_turning_run(run, robot.wheel_distance, robot.gauge)
        except GrouserError:
            continue  # the heading did not change
        found.append(
            Turn(
                number=len(found) + 1,
                radius=result.radius,
                calculated_width=result.calculated_width,
                true_difference=result.true_difference,
                apparent_difference=result.apparent_difference,
                slippage=result.slippage,
                mean_wheel_speed=sum(float(v) for v in result.wheel_speeds)
                / len(result.wheel_speeds),
                paths=paths_of_result(result, robot.wheel_distance, robot.gauge),
            )
        )
    return found


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
            **{key: float(log[key][row]) for key in needed[:4]},
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


def _turning_ranges(record: Record, smallest: float) -> Iterator[tuple[float, int, int]]:
    """Yield direction (+1 left, -1 right), first row and end of each turn."""
    difference = record.right - record.left
    at_least = smallest * (1.0 - 1e-9)  # rounding does not end a turn
    forward = (record.right > 0.0) & (record.left > 0.0)
    for sign in (1.0, -1.0):
        for first, end in true_ranges(forward & (sign * difference >= at_least)):
            if record.time[end - 1] - record.time[first] >= MIN_TURN_TIME:
                yield sign, first, end


def true_ranges(used: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first row and end (exclusive) of each range of rows that are True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], used, [False]))))
    return [(int(a), int(b)) for a, b in list(pairwise(edges))[::2]]


def _wheels(record: Record, robot: Robot, sign: float) -> tuple[Array, Array, Array, Array]:
    """Return o1, o2, i1, i2: outer and inner side, 1 the rear and 2 the front as P2 measured."""
    sides = {}
    for side in ("left", "right"):
        drives = sorted((d for d in robot.drives if d.side == side), key=lambda d: d.centre[0])
        speeds = [record.wheels[d.name] for d in drives if d.name in record.wheels]
        sides[side] = speeds or [record.left if side == "left" else record.right]
    outer, inner = ("right", "left") if sign > 0.0 else ("left", "right")
    return sides[outer][0], sides[outer][-1], sides[inner][0], sides[inner][-1]


def _motion(record: Record) -> tuple[Array, Array, Array]:
    """Return forward speed, leftward speed and yaw at the times of the belt speeds."""
    seen, times = record.observation, record.observation.time
    known = np.isfinite(seen.values).all(axis=0)
    values, at = seen.values[:, known], times[known]
    if seen.kind == "twist":
        u, v, rate = (np.interp(record.time, at, row) for row in values)
        return u, v, np.cumsum(rate * record.steps)
    yaw = np.unwrap(values[2])
    size = max(5, 2 * (round(SMOOTHING_TIME / float(np.median(np.diff(at)))) // 2) + 1)
    size = min(size, 2 * ((at.size - 1) // 2) + 1)
    x, y = (np.asarray(savgol_filter(row, size, 2), dtype=np.float64) for row in values[:2])
    vx, vy = rotate(np.gradient(x, at), np.gradient(y, at), -yaw)
    columns = (np.asarray(vx), np.asarray(vy), yaw)
    u, v, heading = (np.interp(record.time, at, row) for row in columns)
    return u, v, heading
