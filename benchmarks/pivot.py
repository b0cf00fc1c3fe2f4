"""Turning on the spot: exact traction beside MuJoCo's own friction, in one table."""

from dataclasses import dataclass

import numpy as np

from grouser.description import load_course, load_robot
from grouser.drawing.at_rest import start_in_3d
from grouser.models import command_sides, make_model

ROBOT = "packbot510"
SPEEDS = (0.01, 0.1, 0.4)
DT = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    engine: str
    """What computed it."""
    patches: int
    """Places along each straight run at which the ground carries it."""
    turn_per_belt: tuple[float, ...]
    """Yaw rate over belt speed, at each speed [1/m]."""
    airborne: tuple[float, ...]
    """Share of the time without any contact, at each speed [1]."""


def end_contacts() -> float:
    """Return yaw rate over belt speed of a robot that is carried by its track ends [1/m]."""
    robot = load_robot(ROBOT)
    half_length, half_gauge = robot.contact_length / 2, robot.gauge / 2
    return half_gauge / (half_length**2 + half_gauge**2)


def measure_pivot() -> list[Row]:
    """Return all lines."""
    rows = []
    for engine in ("native", "mujoco"):
        for patches in (2, 4, 6, 10):
            turns, flights = zip(*(_turn(engine, patches, speed) for speed in SPEEDS), strict=True)
            row = Row(engine=engine, patches=patches, turn_per_belt=turns, airborne=flights)
            rows.append(row)
    return rows


def _turn(engine: str, patches: int, speed: float) -> tuple[float, float]:
    robot = load_robot(ROBOT)
    model = make_model(f"csm:engine={engine},patches={patches}")
    plant = start_in_3d(model, robot, load_course("flat"))
    command = command_sides(robot, -speed, speed)
    for _ in range(round(1.5 / DT)):
        plant.advance(command, DT)
    begin, ticks, airborne = plant.motion.pose.yaw, round(2.0 / DT), 0
    for _ in range(ticks):
        plant.advance(command, DT)
        airborne += not plant.world.contacts(0).belt
    turned = float(np.asarray(plant.motion.pose.yaw)) - begin
    return turned / (ticks * DT) / speed, airborne / ticks
