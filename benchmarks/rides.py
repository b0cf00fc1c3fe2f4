"""P1's two simplest drives, by every model: 3 m straight ahead, and 10 s on the stairs."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import Plant, command_sides, make_model, start_model

ROBOT, SPEED, DURATION, TICK = "absolem", 0.3, 10.0, 0.01
MODELS = ("csm", "wheels:count=4", "wheels:count=8", "wheels:count=13", "frictionless",
          "segments", "plates:pitch=0.1", "plates:pitch=0.1,grousers=1")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RideRow:
    """One line of the table."""

    model: str
    """Reference of the model."""
    straight: float
    """Where it is after 10 s at 0.3 m/s on flat ground [m]."""
    stand: float
    """How far it moves in 10 s on the staircase [m]."""
    creep: float
    """Its mean speed there in the last 5 s [m/s]."""


def measure_rides(tell: Callable[[str], None] = lambda text: None) -> list[RideRow]:
    """Return all lines."""
    rows = []
    for model in MODELS:
        tell(model)
        straight = _drive(_start(model, "flat"), SPEED, DURATION)
        plant = _start(model, "staircase-stand")
        before = plant.motion.pose
        half = _drive(plant, 0.0, 0.5 * DURATION)
        after = _drive(plant, 0.0, 0.5 * DURATION)
        rows.append(
            RideRow(
                model=model,
                straight=float(straight.x),
                stand=_between(before, after),
                creep=_between(half, after) / (0.5 * DURATION),
            )
        )
    return rows


def _start(model: str, course: str) -> Plant:
    return start_model(make_model(model), load_robot(ROBOT), load_course(course))


def _drive(plant: Plant, speed: float, duration: float) -> Pose:
    command = command_sides(load_robot(ROBOT), speed, speed)
    for _ in range(round(duration / TICK)):
        plant.advance(command, TICK)
    return plant.motion.pose


def _between(a: Pose, b: Pose) -> float:
    return math.dist((a.x, a.y, a.z), (b.x, b.y, b.z))
