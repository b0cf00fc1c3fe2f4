"""Real-time factor of the planar plant: compiled and in plain numpy, one robot and many."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.plain_planar import plain_rates
from grouser.control import PoseGains
from grouser.laws.slope import grade_forces
from grouser.models.planar.constants import Constants
from grouser.papers.p3.manoeuvre import (
    MANOEUVRES,
    cruise_sprocket,
    cruise_voltage,
    run_many,
    tankbot_constants,
)

MANY = 200
STEP, PERIOD = 0.00125, 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanarRow:
    """One line of the table."""

    case: str
    """What was measured."""
    robots: int
    """How many at once."""
    real_time_factor: float
    """Simulated over processor time, times robots [1]."""
    ratio: float
    """That over the first line's [1]."""


def run_plain(count: int, duration: float) -> None:
    """Follow step-y with the same controller and Runge-Kutta in plain numpy."""
    constants, gains = tankbot_constants(), PoseGains()
    k, manoeuvre = gains.effective, MANOEUVRES["step-y"]
    voltage = float(cruise_voltage(constants))
    state = np.zeros((8, count))
    state[0], state[6:] = -voltage / gains.x_p, cruise_sprocket(constants)
    filters = np.full((2, count), voltage)
    grade = grade_forces(float(constants.mass), 0.0, 0.0)
    if count == 1:
        state, filters = state[:, 0], filters[:, 0]
    for sample in range(round(duration / PERIOD)):
        x, y, yaw = manoeuvre.at(5.0 + sample * PERIOD)
        along = k[0] * (x - state[0]) - k[1] * state[3]
        across = k[2] * (y - state[1]) - k[3] * state[4]
        turning = k[4] * (yaw - state[2]) - k[5] * state[5]
        raw = np.stack((along - across - turning, along + across + turning))
        filters = gains.keep * filters + (1.0 - gains.keep) * raw
        volts = np.clip(filters, -10.0, 10.0)
        for _ in range(round(PERIOD / STEP)):
            state = runge_kutta(state, volts, grade, constants)


def runge_kutta(state, volts, grade, constants: Constants):
    one = np.stack(plain_rates(state, volts, grade, constants))
    two = np.stack(plain_rates(state + 0.5 * STEP * one, volts, grade, constants))
    three = np.stack(plain_rates(state + 0.5 * STEP * two, volts, grade, constants))
    four = np.stack(plain_rates(state + STEP * three, volts, grade, constants))
    return state + STEP / 6.0 * (one + 2.0 * (two + three) + four)


def best(action: Callable[[], object], repeats: int) -> float:
    """Return the shortest processor time of some repeats [s]; others may use the machine."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times)


def measure_planar() -> list[PlanarRow]:
    """Return all lines; the first is plain numpy, one robot."""
    step_y = MANOEUVRES["step-y"]
    run_many(step_y, duration=0.1)  # compiles
    cases = [
        ("plain numpy", 1, 0.2, lambda: run_plain(1, 0.2), 3),
        ("plain numpy", MANY, 0.2, lambda: run_plain(MANY, 0.2), 3),
        ("compiled, step-y", 1, 45.0, lambda: run_many(step_y, duration=45.0), 20),
        ("compiled, step-x", 1, 45.0, lambda: run_many(MANOEUVRES["step-x"], duration=45.0), 20),
        ("compiled, step-y", MANY, 5.0,
         lambda: run_many(step_y, duration=5.0, count=MANY, every=100), 3),
    ]  # fmt: skip
    rows: list[PlanarRow] = []
    for case, robots, duration, action, repeats in cases:
        factor = robots * duration / best(action, repeats)
        first = rows[0].real_time_factor if rows else factor
        rows.append(
            PlanarRow(case=case, robots=robots, real_time_factor=factor, ratio=factor / first)
        )
    return rows
