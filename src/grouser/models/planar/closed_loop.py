"""The planar plant under its sampled controller, all compiled: ten states, manoeuvres at once."""

from typing import Any

import numpy as np

from grouser.limits import SUBSTEPS
from grouser.models.planar.compiled import compiled
from grouser.models.planar.integrate import STEPS_AT_ONCE, integrate
from grouser.models.planar.rates import (
    ground_forces,
    side_torque,
    speeds_over_ground,
    track_slips,
)
from grouser.models.planar.sampled_pd import sample_pd
from grouser.models.planar.stiffness import too_stiff

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
    """Return the history of every robot under the sampled controller.

    Args:
        states: One row of eight states for each robot at the start.
        filters: Left and right filter of each robot at the start [V].
        references: x, y [m] and yaw [rad] at each sample, the same for all robots.
        gains: One row of six gains for each robot, see `sample_pd`.
        grades: Weight along x, along y and into the ground, one row for each robot [N].
        records: Constants of each robot, see `Packed`.
        curves: Tables of `Packed`.
        keep: Share of a filter that one sample leaves [1].
        limit: Largest voltage [V].
        delay: By how many samples a command comes late.
        period: Time between samples [s].
        longest: Longest step of the integration [s].
        every: How many samples lie between two rows of the history.

    Returns:
        Numbers by robot, row and column of `COLUMNS`.

    Raises:
        InvalidValue: A robot is too stiff for the period.
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
