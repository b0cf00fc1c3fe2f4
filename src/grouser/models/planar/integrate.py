"""Integration of the planar dynamics: RK4, sampled PD control, closed loops.

P3 eqs 25-29 in the project frame, derivative on the measured state [A], discrete as P3 ran it:

    V_x = K_px (R_x - x) - K_dx dx/dt, likewise V_y and V_psi
    f_L <- k f_L + (1 - k) (V_x - V_y - V_psi),   f_R <- k f_R + (1 - k) (V_x + V_y + V_psi)

k = exp(-50 rad/s x 0.010 s); the command is f, limited to +-10 V.

Arrays have one row for each robot: `states` the eight states of `dynamics`, `commanded` the left
and right voltage [V] or sprocket speed [rad/s], `grades` the weight along x, along y and into the
ground [N], `gains` those of `sample_pd`, `filters` f_L and f_R [V]; `records` and `curves` are of
`Packed`. `longest` is the longest step of the integration, `period` the time between samples [s],
`limit` the largest voltage [V], `keep` is k [1]. `references` has one row (x, y, yaw) for each
sample. A command comes `delay` samples late; the history has a row for every `every` samples.
"""

from typing import Any

import numpy as np

from grouser.errors import InvalidValue
from grouser.limits import SUBSTEPS
from grouser.models.planar.compiled import compiled, inlined
from grouser.models.planar.dynamics import (
    fastest_rate,
    ground_forces,
    planar_rates,
    side_torque,
    speeds_over_ground,
    track_slips,
)

STABLE = 0.9
"""Longest step times fastest rate; stable up to 2.78. With steps of at most 1.25 ms the Tankbot is
exact to 2e-5 m and 5e-5 rad through reversals, also while it slides aside [1]."""
STEPS_AT_ONCE = 100_000
"""Steps after which compiled code returns, so that Python handles an interrupt: 0.1 s, as long as a
robot does not need more of them [1]."""


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


@inlined
def count_steps(remaining: float, fastest: float, longest: float) -> float:
    """Return in how many steps to go on, at the fastest rate now [1/s]."""
    bound = remaining * max(fastest / STABLE, 1.0 / longest)
    # A hair less, so that twenty steps are not made twenty-one by rounding.
    return max(np.ceil(bound - 1e-9), 1.0)


@inlined
def time_left(remaining: float, count: float) -> float:
    """Return the time that is left after one of so many steps [s]."""
    return 0.0 if count == 1.0 else remaining * (1.0 - 1.0 / count)


@compiled
def integrate(
    state: Any, left: Any, right: Any, grade: Any, c: Any, curves: Any, duration: float,
    longest: float,
) -> Any:  # fmt: skip
    """Return the state after constant demands, and how many steps it took.

    A robot that would take more than `SUBSTEPS` is left on its way; the number is larger then.
    """
    remaining, steps = duration, 0.0
    while remaining > 0.0:
        one = planar_rates(state, left, right, grade, c, curves)
        fastest = fastest_rate(state, one[8], c)
        count = count_steps(remaining, fastest, longest)
        if steps + count > SUBSTEPS:
            return state, steps + count
        state = _step(state, one, left, right, grade, c, curves, remaining / count)
        remaining = time_left(remaining, count)
        steps += 1.0
    return state, steps


_NAMES = {
    "inertia": ("tankbot:inertia", "kg m^2"),
    "mass": ("mass", "kg"),
    "drive_inertia": ("inertia of [drive.motor]", "kg m^2"),
    "servo_time": ("tankbot:servo_time", "s"),
}
"""Names and units of constants that may be too small, as in the robot file."""


def too_stiff(record: Any, duration: float, robot: str = "") -> InvalidValue:
    """Return the complaint about a robot that takes too many steps in a tick.

    The message names the constant that would slow the robot down most if it were larger.
    """

    def rate(changed: str = "") -> float:
        with_change = np.array([record])
        if changed:
            with_change[changed] *= 10.0
        return float(fastest_rate(np.zeros(8), (0.0, 0.0, 0.0, 0.0), with_change[0]))

    fault = min(_NAMES, key=rate)
    name, unit = _NAMES[fault]
    longest = SUBSTEPS * STABLE / rate()
    required = (
        f"be larger, or friction less, for ticks of {duration:g} s: slip or speed settles within "
        f"{1.0 / rate():.2g} s, and a tick has at most {SUBSTEPS:,} steps; ticks of up to "
        f"{longest:.2g} s would do"
    )
    whose = f" of robot {robot!r}" if robot else ""
    return InvalidValue(name + whose, f"{float(record[fault]):g} {unit}", required)


@compiled
def sample_pd(state: Any, reference: Any, gains: Any, filters: Any, keep: float) -> Any:
    """Return the left and the right filter after a sample [V].

    `gains` are K_px, K_dx [V/m, V s/m], K_py, K_dy, K_ppsi, K_dpsi [V/rad, V s/rad].
    """
    along = gains[0] * (reference[0] - state[0]) - gains[1] * state[3]
    across = gains[2] * (reference[1] - state[1]) - gains[3] * state[4]
    turning = gains[4] * (reference[2] - state[2]) - gains[5] * state[5]
    left, right = along - across - turning, along + across + turning
    return (
        keep * filters[0] + (1.0 - keep) * left,
        keep * filters[1] + (1.0 - keep) * right,
    )


COLUMNS = (
    "x", "y", "yaw", "x_rate", "y_rate", "yaw_rate", "sprocket_left", "sprocket_right",
    "voltage_left", "voltage_right", "force_left", "force_right", "force_lateral",
    "slip_left", "slip_right", "sideslip", "utilisation",
)  # fmt: skip
"""What a row of the history holds: states before a sample, voltages after it, and forces."""


@compiled
def describe(state: Any, left: float, right: float, c: Any, curves: Any, row: Any) -> None:
    """Write one row of the history: state, voltages [V], forces, slips without shift."""
    for k in range(8):
        row[k] = state[k]
    forward, leftward, left_ground, right_ground, _, _ = speeds_over_ground(state, c)
    left_slip, right_slip = track_slips(state, left_ground, right_ground, c)
    forces = ground_forces(state, c, curves)
    row[8], row[9] = left, right
    row[10], row[11], row[12] = forces[0], forces[1], forces[2]
    row[13], row[14] = left_slip - c.shift, right_slip - c.shift
    row[15] = np.arctan2(leftward, max(abs(forward), c.speed_floor))
    row[16] = forces[4]


def run_loops(
    states: Any, filters: Any, references: Any, gains: Any, grades: Any, records: Any,
    curves: Any, keep: float, limit: float, delay: int, period: float, longest: float, every: int,
) -> Any:  # fmt: skip
    """Return the history under the sampled controller, by robot, row and column of `COLUMNS`.

    Raises InvalidValue for a robot that is too stiff for the period.
    """
    samples, count = references.shape[0], states.shape[0]
    history = np.empty((count, (samples - 1) // every + 1, len(COLUMNS)))
    states, filters = states.copy(), filters.copy()
    late = np.repeat(filters[:, None, :], delay + 1, axis=1)
    robot, sample = 0, 0
    while robot < count:
        robot, sample = _run_some(
            robot, sample, states, filters, late, references, gains, grades, records, curves,
            keep, limit, period, longest, every, history,
        )  # fmt: skip
        if sample < 0:
            raise too_stiff(records[robot], period)
    return history


@compiled
def _run_some(
    robot: int, sample: int, states: Any, filters: Any, late: Any, references: Any, gains: Any,
    grades: Any, records: Any, curves: Any, keep: float, limit: float, period: float,
    longest: float, every: int, history: Any,
) -> Any:  # fmt: skip
    """Go on with a robot at a sample, and with those after it; return where to go on next.

    The sample is -1 where the robot is too stiff.
    """
    done = 0.0
    while robot < states.shape[0]:
        while sample < references.shape[0]:
            steps = _run_sample(
                sample, states[robot], filters[robot], late[robot], references[sample],
                gains[robot], grades[robot], records[robot], curves, keep, limit, period, longest,
                every, history[robot],
            )  # fmt: skip
            if steps > SUBSTEPS:
                return robot, -1
            sample += 1
            done += steps
            if done > STEPS_AT_ONCE:
                return robot, sample
        robot, sample = robot + 1, 0
    return robot, sample


@compiled
def _run_sample(
    sample: int, now: Any, filters: Any, late: Any, reference: Any, gains: Any, grades: Any,
    c: Any, curves: Any, keep: float, limit: float, period: float, longest: float, every: int,
    history: Any,
) -> float:  # fmt: skip
    """Let the controller and the robot move on by a sample; return the steps it took."""
    state = (now[0], now[1], now[2], now[3], now[4], now[5], now[6], now[7])
    inside = sample_pd(state, reference, gains, (filters[0], filters[1]), keep)
    filters[0], filters[1] = inside
    slots = late.shape[0]
    late[sample % slots, 0] = min(max(inside[0], -limit), limit)
    late[sample % slots, 1] = min(max(inside[1], -limit), limit)
    left, right = late[(sample + 1) % slots, 0], late[(sample + 1) % slots, 1]
    if sample % every == 0:
        describe(state, left, right, c, curves, history[sample // every])
    state, steps = integrate(
        state,
        (True, side_torque(left, c.left_forward, c.left_backward)),
        (True, side_torque(right, c.right_forward, c.right_backward)),
        (grades[0], grades[1], grades[2]), c, curves, period, longest,
    )  # fmt: skip
    for k in range(8):
        now[k] = state[k]
    return steps
