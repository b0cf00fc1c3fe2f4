"""Time steps of the planar plant: classical Runge-Kutta, in steps as short as slips need."""

from typing import Any

import numpy as np

from grouser.limits import SUBSTEPS
from grouser.models.planar.compiled import compiled
from grouser.models.planar.constants import Packed
from grouser.models.planar.rates import (
    fastest_rate,
    planar_rates,
    side_torque,
)

STABLE = 0.9
"""Longest step times fastest rate; stable up to 2.78, exact to 1e-5 through reversals [1]."""
STEPS_AT_ONCE = 100_000
"""Steps after which compiled code returns, so that Python hears an interrupt: 0.1 s, as long as a
robot does not take more of them by itself [1]."""


@compiled
def _moved(state: Any, rate: Any, duration: float) -> Any:
    return (
        state[0] + duration * rate[0],
        state[1] + duration * rate[1],
        state[2] + duration * rate[2],
        state[3] + duration * rate[3],
        state[4] + duration * rate[4],
        state[5] + duration * rate[5],
        state[6] + duration * rate[6],
        state[7] + duration * rate[7],
    )


@compiled
def _step(
    state: Any, one: Any, left: Any, right: Any, grade: Any, c: Any, curves: Any, h: float
) -> Any:
    two = planar_rates(_moved(state, one, 0.5 * h), left, right, grade, c, curves)
    three = planar_rates(_moved(state, two, 0.5 * h), left, right, grade, c, curves)
    four = planar_rates(_moved(state, three, h), left, right, grade, c, curves)
    sixth = h / 6.0
    return (
        state[0] + sixth * (one[0] + 2.0 * (two[0] + three[0]) + four[0]),
        state[1] + sixth * (one[1] + 2.0 * (two[1] + three[1]) + four[1]),
        state[2] + sixth * (one[2] + 2.0 * (two[2] + three[2]) + four[2]),
        state[3] + sixth * (one[3] + 2.0 * (two[3] + three[3]) + four[3]),
        state[4] + sixth * (one[4] + 2.0 * (two[4] + three[4]) + four[4]),
        state[5] + sixth * (one[5] + 2.0 * (two[5] + three[5]) + four[5]),
        state[6] + sixth * (one[6] + 2.0 * (two[6] + three[6]) + four[6]),
        state[7] + sixth * (one[7] + 2.0 * (two[7] + three[7]) + four[7]),
    )


@compiled
def integrate(
    state: Any, left: Any, right: Any, grade: Any, c: Any, curves: Any, duration: float,
    longest: float,
) -> Any:  # fmt: skip
    """Return the state after constant demands, and how many steps it took.

    A robot that would take more than `SUBSTEPS` is left on its way; the number is larger then.

    Args:
        state: The eight states.
        left: Whether a torque [N m] or a sprocket speed [rad/s] is asked of the left, and it.
        right: The same of the right.
        grade: Weight along x, along y and into the ground [N].
        c: Constants of the robot, a record.
        curves: Tables, see `Packed`.
        duration: How long [s].
        longest: Longest step [s].
    """
    remaining, steps = duration, 0.0
    while remaining > 0.0:
        one = planar_rates(state, left, right, grade, c, curves)
        fastest = fastest_rate(state, one[8], c)
        bound = remaining * max(fastest / STABLE, 1.0 / longest)
        # A hair less, so that twenty steps are not made twenty-one by rounding.
        count = max(np.ceil(bound - 1e-9), 1.0)
        if steps + count > SUBSTEPS:
            return state, steps + count
        state = _step(state, one, left, right, grade, c, curves, remaining / count)
        remaining = 0.0 if count == 1.0 else remaining * (1.0 - 1.0 / count)
        steps += 1.0
    return state, steps


def advance_all(
    states: Any, by_voltage: bool, asked: Any, grades: Any, packed: Packed, duration: float,
    longest: float,
) -> int | None:  # fmt: skip
    """Advance robots in place, in turns that Ctrl-C can end; arguments as in `advance_robots`.

    Return the number of a robot that is too stiff, None if there is none.
    """
    reached = 0
    while 0 <= reached < len(states):
        reached = advance_robots(
            reached, states, by_voltage, asked, grades, *packed, duration, longest
        )
    return -1 - reached if reached < 0 else None


@compiled
def advance_robots(
    first: int, states: Any, by_voltage: bool, asked: Any, grades: Any, records: Any, curves: Any,
    duration: float, longest: float,
) -> int:  # fmt: skip
    """Advance robots in place; return up to which, for the next call to go on.

    Where one is too stiff, minus its number less one is returned.

    Args:
        first: The first robot.
        states: One row of eight states for each robot.
        by_voltage: Whether voltages [V] are asked for, or sprocket speeds [rad/s].
        asked: Those of the left and the right side, one row for each robot.
        grades: Weight along x, along y and into the ground, one row for each robot [N].
        records: Constants of each robot, see `Packed`.
        curves: Tables of `Packed`.
        duration: How long [s].
        longest: Longest step [s].
    """
    done = 0.0
    for i in range(first, states.shape[0]):
        c = records[i]
        left, right = asked[i, 0], asked[i, 1]
        if by_voltage:
            left = side_torque(left, c.left_forward, c.left_backward)
            right = side_torque(right, c.right_forward, c.right_backward)
        now = states[i]
        state = (now[0], now[1], now[2], now[3], now[4], now[5], now[6], now[7])
        grade = (grades[i, 0], grades[i, 1], grades[i, 2])
        state, steps = integrate(
            state, (by_voltage, left), (by_voltage, right), grade, c, curves, duration, longest
        )
        if steps > SUBSTEPS:
            return -1 - i
        for k in range(8):
            now[k] = state[k]
        done += steps
        if done > STEPS_AT_ONCE:
            return i + 1
    return states.shape[0]
