"""Robots of a batch: one call of compiled code, in lanes and threads, for each tick.

Arguments are as in `integrate`.
"""

from collections.abc import Iterator
from typing import Any

from grouser.limits import SUBSTEPS
from grouser.models.planar.compiled import compiled
from grouser.models.planar.constants import Packed
from grouser.models.planar.dynamics import side_torque
from grouser.models.planar.integrate import STEPS_AT_ONCE, integrate
from grouser.models.planar.lanes import advance_lanes
from grouser.models.planar.share import share_robots


def advance_all(
    states: Any, by_voltage: bool, commanded: Any, grades: Any, packed: Packed, duration: float,
    longest: float, threads: int | None = None,
) -> int | None:  # fmt: skip
    """Advance robots in place, in turns that Ctrl-C can end; arguments as in `advance_robots`.

    Return the number of the first robot that is too stiff, None if there is none. One thread for
    each core works, unless `threads` says how many.
    """
    stiff: list[int] = []
    in_lanes = len(states) > 1 and bool((packed.records["points"] == 1.0).all())
    work = advance_lanes if in_lanes else advance_robots

    def advance(first: int, end: int) -> Iterator[None]:
        while 0 <= first < end:
            first = work(
                first, end, states, by_voltage, commanded, grades, *packed, duration, longest
            )
            yield
        if first < 0:
            stiff.append(-1 - first)

    share_robots(len(states), advance, threads)
    return min(stiff, default=None)


@compiled
def advance_robots(
    first: int, end: int, states: Any, by_voltage: bool, commanded: Any, grades: Any, records: Any,
    curves: Any, duration: float, longest: float,
) -> int:  # fmt: skip
    """Advance robots from `first` up to `end` in place; return up to which, to go on from there.

    Where one is too stiff, minus its number less one is returned.
    """
    done = 0.0
    for i in range(first, end):
        c = records[i]
        left, right = commanded[i, 0], commanded[i, 1]
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
    return end
