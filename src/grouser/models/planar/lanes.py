"""Several robots in step, so that the processor works on all of them at once.

A robot has a lane, which another one takes when it is done. Numbers lie in one array, in rows of
one number for each lane; loops over a row become vector instructions, but for those that read
tables. Every number is computed by the functions that `integrate` calls, in their order: its bits
do not depend on other lanes, and are those of a robot alone.

`s` is the array, `robots` the number of the robot in each lane, -1 for none; other arguments are as
in `integrate`.
"""

from typing import Any, NamedTuple

import numpy as np

from grouser.limits import SUBSTEPS
from grouser.models.planar.compiled import compiled, inlined
from grouser.models.planar.dynamics import (
    cubic,
    fastest_rate,
    lateral_moment,
    lateral_slip,
    place_in_table,
    plain_slips,
    rates_by_forces,
    side_torque,
    slip_shift,
    speeds_over_ground,
    within_ellipse,
)
from grouser.models.planar.integrate import STEPS_AT_ONCE, count_steps, time_left

LANES = 8
"""Robots in step [1]."""


class Lane(NamedTuple):
    """Constants of the robot in a lane, as in `Constants`; units as there."""

    mass: float
    inertia: float
    gauge: float
    front: float
    rear: float
    com_height: float
    lateral_stiffness: float
    lateral_shape: float
    lateral_limit: float
    track_stiffness: float
    track_shape: float
    track_limit: float
    shift: float
    shift_width: float
    speed_floor: float
    yaw_rate_floor: float
    points: float
    sprocket_radius: float
    drive_inertia: float
    drive_damping: float
    servo_time: float
    torque_limit: float
    ground_speed: float


# Places of rows are unsigned: they are never counted from the end.
_ROWS = tuple(np.uint64(LANES * number) for number in range(len(Lane._fields)))
_ALL, _EIGHT = np.uint64(LANES), np.uint64(8)
STATE, BEGIN, RATES, FIRST_RATES, MIDDLE_RATES = (np.uint64(8 * LANES * k) for k in range(5))
"""Rows of eight states: now, at the beginning of a step, rates now, at its beginning and middle."""
(
    COS, SIN, FORWARD, LEFTWARD, LEFT_GROUND, RIGHT_GROUND, LEFT_SLIP, RIGHT_SLIP, LATERAL_SLIP,
    LEFT_INTERVAL, RIGHT_INTERVAL, LATERAL_INTERVAL, LEFT_VALUE, RIGHT_VALUE, LATERAL_VALUE,
    LEFT_ASKED, RIGHT_ASKED, ALONG_X, ALONG_Y, INTO_GROUND, REMAINING, COUNT, STEP,
    STEPS,
) = (np.uint64(LANES * (40 + k)) for k in range(24))  # fmt: skip
"""Rows of one number: speeds, slips, places in tables and their values, demands, weights, steps."""
CONSTANTS = np.uint64(LANES * 64)
"""Rows of `Lane`."""
SIZE = LANES * (64 + len(Lane._fields))
"""Numbers of the array [1]."""


@inlined
def _constants(s: Any, k: Any) -> Any:
    at, r = CONSTANTS + k, _ROWS
    return Lane(
        s[at], s[at + r[1]], s[at + r[2]], s[at + r[3]], s[at + r[4]], s[at + r[5]], s[at + r[6]],
        s[at + r[7]], s[at + r[8]], s[at + r[9]], s[at + r[10]], s[at + r[11]], s[at + r[12]],
        s[at + r[13]], s[at + r[14]], s[at + r[15]], s[at + r[16]], s[at + r[17]], s[at + r[18]],
        s[at + r[19]], s[at + r[20]], s[at + r[21]], s[at + r[22]],
    )  # fmt: skip


@inlined
def _state(s: Any, k: Any) -> Any:
    r = _ROWS
    return (
        s[k], s[k + r[1]], s[k + r[2]], s[k + r[3]],
        s[k + r[4]], s[k + r[5]], s[k + r[6]], s[k + r[7]],
    )  # fmt: skip


@inlined
def _find_slips(s: Any) -> None:
    """Write speeds over the ground, and by which numbers forces are looked up."""
    for k in range(_ALL):
        c, state = _constants(s, k), _state(s, k)
        forward, leftward, left, right, cos, sin = speeds_over_ground(state, c)
        s[FORWARD + k], s[LEFTWARD + k], s[COS + k], s[SIN + k] = forward, leftward, cos, sin
        s[LEFT_GROUND + k], s[RIGHT_GROUND + k] = left, right
        left_slip, right_slip = plain_slips(state[6], state[7], left, right, c)
        s[LEFT_SLIP + k], s[RIGHT_SLIP + k] = left_slip, right_slip
    for k in range(_ALL):
        c = _constants(s, k)
        left = c.track_stiffness * (s[LEFT_SLIP + k] + slip_shift(s[LEFT_GROUND + k], c))
        right = c.track_stiffness * (s[RIGHT_SLIP + k] + slip_shift(s[RIGHT_GROUND + k], c))
        lateral = lateral_slip(s[FORWARD + k], s[LEFTWARD + k], c)
        s[LEFT_SLIP + k], s[RIGHT_SLIP + k], s[LATERAL_SLIP + k] = left, right, lateral
        s[LEFT_INTERVAL + k], s[LEFT_VALUE + k] = place_in_table(left)
        s[RIGHT_INTERVAL + k], s[RIGHT_VALUE + k] = place_in_table(right)
        s[LATERAL_INTERVAL + k], s[LATERAL_VALUE + k] = place_in_table(lateral)


@inlined
def _look_up(s: Any, tables: Any, curves: Any) -> None:
    """Put the values of tables in place of where to look; `tables` are two for each lane."""
    for k in range(_ALL):
        track, lateral = tables[k, 0], tables[k, 1]
        s[LEFT_VALUE + k] = cubic(curves, track, s[LEFT_INTERVAL + k], s[LEFT_VALUE + k])
        s[RIGHT_VALUE + k] = cubic(curves, track, s[RIGHT_INTERVAL + k], s[RIGHT_VALUE + k])
        s[LATERAL_VALUE + k] = cubic(curves, lateral, s[LATERAL_INTERVAL + k], s[LATERAL_VALUE + k])


@inlined
def _signed(value: float, number: float) -> float:
    return value if number >= 0.0 else -value


@compiled
def _find_rates(s: Any, by_voltage: bool, tables: Any, curves: Any) -> None:
    """Write the rates of all lanes at their states, as `planar_rates` returns them."""
    _find_slips(s)
    _look_up(s, tables, curves)
    r = _ROWS
    for k in range(_ALL):
        c, state = _constants(s, k), _state(s, k)
        left = c.track_limit * _signed(s[LEFT_VALUE + k], s[LEFT_SLIP + k])
        right = c.track_limit * _signed(s[RIGHT_VALUE + k], s[RIGHT_SLIP + k])
        lateral = -c.lateral_limit * _signed(s[LATERAL_VALUE + k], s[LATERAL_SLIP + k])
        moment = lateral_moment(lateral, s[LEFTWARD + k], state[5], c)
        left, right, lateral, moment, _ = within_ellipse(left, right, lateral, moment, c)
        rates = rates_by_forces(
            state, (left, right, lateral, moment), s[COS + k], s[SIN + k],
            (by_voltage, s[LEFT_ASKED + k]), (by_voltage, s[RIGHT_ASKED + k]),
            (s[ALONG_X + k], s[ALONG_Y + k], s[INTO_GROUND + k]), c,
        )  # fmt: skip
        at = RATES + k
        s[at], s[at + r[1]], s[at + r[2]], s[at + r[3]] = rates[0], rates[1], rates[2], rates[3]
        s[at + r[4]], s[at + r[5]], s[at + r[6]] = rates[4], rates[5], rates[6]
        s[at + r[7]] = rates[7]


@compiled
def _begin_step(s: Any, longest: float) -> None:
    """Choose the steps of all lanes at their rates."""
    for k in range(_ALL):
        speeds = s[FORWARD + k], s[LEFTWARD + k], s[LEFT_GROUND + k], s[RIGHT_GROUND + k]
        fastest = fastest_rate(_state(s, k), speeds, _constants(s, k))
        s[COUNT + k] = count_steps(s[REMAINING + k], fastest, longest)
        s[STEP + k] = s[REMAINING + k] / s[COUNT + k]


@compiled
def _make_step(s: Any, by_voltage: bool, tables: Any, curves: Any) -> None:
    """Make one step in all lanes, whose rates are known."""
    for row in range(_EIGHT):
        for k in range(_ALL):
            at, h = row * _ALL + k, s[STEP + k]
            s[BEGIN + at], s[FIRST_RATES + at] = s[at], s[RATES + at]
            s[at] = s[BEGIN + at] + 0.5 * h * s[RATES + at]
    _find_rates(s, by_voltage, tables, curves)
    for row in range(_EIGHT):
        for k in range(_ALL):
            at, h = row * _ALL + k, s[STEP + k]
            s[MIDDLE_RATES + at] = s[RATES + at]
            s[at] = s[BEGIN + at] + 0.5 * h * s[RATES + at]
    _find_rates(s, by_voltage, tables, curves)
    for row in range(_EIGHT):
        for k in range(_ALL):
            at, h = row * _ALL + k, s[STEP + k]
            s[MIDDLE_RATES + at] = s[MIDDLE_RATES + at] + s[RATES + at]
            s[at] = s[BEGIN + at] + h * s[RATES + at]
    _find_rates(s, by_voltage, tables, curves)
    for row in range(_EIGHT):
        for k in range(_ALL):
            at, h = row * _ALL + k, s[STEP + k]
            total = s[FIRST_RATES + at] + 2.0 * s[MIDDLE_RATES + at] + s[RATES + at]
            s[at] = s[BEGIN + at] + h / 6.0 * total
    for k in range(_ALL):
        s[REMAINING + k] = time_left(s[REMAINING + k], s[COUNT + k])
        s[STEPS + k] += 1.0


@compiled
def _load(
    s: Any, tables: Any, k: int, i: int, states: Any, by_voltage: bool, commanded: Any,
    grades: Any, records: Any, duration: float,
) -> None:  # fmt: skip
    """Put robot `i` into lane `k`."""
    c = records[i]
    for row in range(8):
        s[row * LANES + k] = states[i, row]
    values = (
        c.mass, c.inertia, c.gauge, c.front, c.rear, c.com_height, c.lateral_stiffness,
        c.lateral_shape, c.lateral_limit, c.track_stiffness, c.track_shape, c.track_limit,
        c.shift, c.shift_width, c.speed_floor, c.yaw_rate_floor, c.points, c.sprocket_radius,
        c.drive_inertia, c.drive_damping, c.servo_time, c.torque_limit, c.ground_speed,
    )  # fmt: skip
    for row in range(len(values)):
        s[int(CONSTANTS) + row * LANES + k] = values[row]
    tables[k, 0], tables[k, 1] = c.track_curve, c.lateral_curve
    left, right = commanded[i, 0], commanded[i, 1]
    if by_voltage:
        left = side_torque(left, c.left_forward, c.left_backward)
        right = side_torque(right, c.right_forward, c.right_backward)
    s[LEFT_ASKED + np.uint64(k)], s[RIGHT_ASKED + np.uint64(k)] = left, right
    s[ALONG_X + np.uint64(k)], s[ALONG_Y + np.uint64(k)] = grades[i, 0], grades[i, 1]
    s[INTO_GROUND + np.uint64(k)] = grades[i, 2]
    s[REMAINING + np.uint64(k)], s[STEPS + np.uint64(k)] = duration, 0.0


@compiled
def advance_lanes(
    first: int, end: int, states: Any, by_voltage: bool, commanded: Any, grades: Any,
    records: Any, curves: Any, duration: float, longest: float,
) -> int:  # fmt: skip
    """Advance robots with one point of lateral force, as `advance_robots` does."""
    s, tables = np.empty(SIZE), np.empty((LANES, 2), np.int64)
    robots = np.full(LANES, -1)
    following, stiff, active, done = first, end, 0, 0.0
    for k in range(LANES):
        _load(s, tables, k, min(following, end - 1), states, by_voltage, commanded, grades,
              records, duration)  # fmt: skip
        if following < end:
            robots[k], following, active = following, following + 1, active + 1
        else:
            s[REMAINING + np.uint64(k)] = 0.0
    while active > 0:
        _find_rates(s, by_voltage, tables, curves)
        _begin_step(s, longest)
        for k in range(LANES):
            at = np.uint64(k)
            if robots[k] >= 0 and s[STEPS + at] + s[COUNT + at] > SUBSTEPS:
                stiff, robots[k], active = min(stiff, robots[k]), -1, active - 1
                s[REMAINING + at] = s[STEP + at] = 0.0
        _make_step(s, by_voltage, tables, curves)
        for k in range(LANES):
            at = np.uint64(k)
            if robots[k] < 0 or s[REMAINING + at] > 0.0:
                continue
            for row in range(8):
                states[robots[k], row] = s[row * LANES + k]
            done += s[STEPS + at]
            if following < end and done <= STEPS_AT_ONCE and stiff == end:
                _load(s, tables, k, following, states, by_voltage, commanded, grades, records,
                      duration)  # fmt: skip
                robots[k], following = following, following + 1
            else:
                robots[k], active, s[REMAINING + at] = -1, active - 1, 0.0
    return following if stiff == end else -1 - stiff
