"""Time per step of every kinematic model, one robot and many."""

import time
from dataclasses import dataclass

import numpy as np

from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import CATALOGUE, Plant, command_sides, make_model, start_model

MANY = 10_000
DT = 0.01
KINEMATIC = [name for name, kind in CATALOGUE.items() if kind.engine.startswith("numpy")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    case: str
    """What was measured."""
    step_us: float
    """Time of one step [us]."""
    robot_steps_per_second: float
    """Steps times robots per second of one core [1/s]."""
    real_time_factor: float
    """Simulated over wall time of one robot at a 10 ms tick [1]."""


def time_step(plant: Plant, command, steps: int, repeats: int = 5) -> float:
    """Return the time of one step, the best of some repeats [s]."""
    best = float("inf")
    for _ in range(repeats):
        plant.reset(None if np.ndim(command.belt_speeds[0]) == 0 else many_poses())
        begin = time.perf_counter()
        for _ in range(steps):
            plant.advance(command, DT)
        best = min(best, (time.perf_counter() - begin) / steps)
    return best


def many_poses() -> Pose:
    generator = np.random.default_rng(0)
    return Pose(x=generator.normal(size=MANY), y=generator.normal(size=MANY),
                yaw=generator.uniform(-3.0, 3.0, MANY))  # fmt: skip


def measure() -> list[Row]:
    """Return all lines: one robot on flat ground, on a slope and over a step; many on flat."""
    robot = load_robot("tp100")
    cases = [(f"{name}, 1 robot, flat", name, "flat", 1) for name in KINEMATIC]
    cases += [("slip, 1 robot, slope", "slip", "slope:angle_deg=15", 1)]
    cases += [("slip, 1 robot, step and ramp", "slip", "behaviour-3", 1)]
    cases += [(f"{name}, {MANY} robots, flat", name, "flat", MANY) for name in KINEMATIC]
    rows = []
    for case, name, course, count in cases:
        model = make_model(name)
        plant = start_model(model, robot, load_course(course), many_poses() if count > 1 else None)
        speeds = (
            (0.06, 0.12) if count == 1 else np.random.default_rng(1).uniform(-0.2, 0.2, (2, MANY))
        )
        step = time_step(plant, command_sides(robot, *speeds), 2000 if count == 1 else 50)
        rows.append(
            Row(case=case, step_us=step * 1e6, robot_steps_per_second=count / step,
                real_time_factor=DT / step)
        )  # fmt: skip
    return rows
