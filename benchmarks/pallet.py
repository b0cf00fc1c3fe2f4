"""Where models stick on P1's pallet, by the friction along their belts."""

from collections.abc import Callable
from dataclasses import dataclass

from grouser.description import load_course, load_robot
from grouser.models import command_sides, make_model, start_model

ROBOT, SPEED, DURATION, TICK = "absolem", 0.1, 30.0, 0.01
MODELS = ("wheels:count=4", "wheels:count=8", "csm")
FRICTIONS = (0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
ACROSS = 0.5
"""Friction across belts, that of P1's public plugin [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PalletRow:
    """One line of the table."""

    model: str
    """Reference of the model."""
    advances: tuple[float, ...]
    """Where it is after 30 s at 0.1 m/s, by friction: the pallet is from 0.6 to 1.8 [m]."""


def measure_pallet(tell: Callable[[str], None] = lambda text: None) -> list[PalletRow]:
    """Return all lines."""
    rows = []
    for model in MODELS:
        advances = []
        for friction in FRICTIONS:
            tell(f"{model}, friction {friction:g}")
            advances.append(_advance(model, friction))
        rows.append(PalletRow(model=model, advances=tuple(advances)))
    return rows


def _advance(model: str, friction: float) -> float:
    robot = load_robot(ROBOT, {"posture": "raised"})  # P1's, as its authors' demo world has it
    course = load_course("pallet").with_friction(friction, ACROSS)
    plant = start_model(make_model(model), robot, course)
    command = command_sides(robot, SPEED, SPEED)
    for _ in range(round(DURATION / TICK)):
        plant.advance(command, TICK)
    return float(plant.motion.pose.x)
