"""A robot comes to rest on the ground where it was put."""

from typing import Any

import mujoco
import numpy as np

from grouser.models.contact.layout import engine_layout
from grouser.models.contact.scene import Scene
from grouser.models.contact.supervision import Turns
from grouser.models.contact.traction import settle_with_traction
from grouser.models.contact.workspace import Memory

SETTLING_STEPS = 5000
"""Most steps in which a robot comes to rest at its start [1]."""
BRAKE = 0.97
"""Factor on all velocities after each step while a robot settles [1]."""
AT_REST = 1e-5
"""Largest joint velocity of a robot that has come to rest, while braked [m/s], [rad/s]."""
AT_REST_HELD = 1e-3
"""The same with belts of plates, whose pins creep for long on the engine's friction."""


def settle(scene: Scene, data: Any, memory: Memory, turns: Turns, *, own_friction: bool) -> None:
    """Let a robot come to rest, braked so that it does not bounce."""
    model = scene.model
    slow = AT_REST_HELD if model.neq else AT_REST
    for steps in turns.of(SETTLING_STEPS):
        if own_friction:
            at_rest = settle_with_traction(
                model._address, data._address, steps, BRAKE, slow, engine_layout(), scene.tables,
                memory,
            )  # fmt: skip
        else:
            at_rest = _settle_in_engine(model, data, steps)
        if at_rest:
            break
    data.qvel[:] = 0.0
    data.time = 0.0


def _settle_in_engine(model: Any, data: Any, steps: int) -> bool:
    """Do the same with the engine's own friction; return whether the robot is at rest."""
    for _ in range(steps):
        mujoco.mj_step(model, data)
        data.qvel *= BRAKE
        if data.ncon and np.abs(data.qvel).max() < AT_REST:
            return True
    return False
