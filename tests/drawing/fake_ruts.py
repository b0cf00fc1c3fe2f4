"""Ruts of a fake plant: each belt presses what is below it by a depth, whatever the soil."""

import numpy as np

from grouser.models.contact.plant import ContactPlant
from grouser.models.ground.ruts import RutGrid

DEPTH = 0.03
"""Depth of all ruts [m]."""


def press_ruts(monkeypatch) -> None:
    """Let robots in three dimensions leave ruts on courses with a soil."""
    monkeypatch.setattr(ContactPlant, "ruts", property(_ruts), raising=False)


def _ruts(plant: ContactPlant) -> RutGrid | None:
    if plant.scene.course.ruts is None:
        return None
    grid = plant.__dict__.setdefault(
        "_pressed", RutGrid(x=-2.0, y=-4.0, cell=0.02, depth=np.zeros((400, 550)))
    )
    pose = plant.motion.pose
    for drive in plant.scene.robot.drives:
        u, v = np.meshgrid(np.arange(-0.2, 0.2, 0.01), drive.y + np.arange(-0.04, 0.041, 0.01))
        x = pose.x + np.cos(pose.yaw) * u - np.sin(pose.yaw) * v
        y = pose.y + np.sin(pose.yaw) * u + np.cos(pose.yaw) * v
        row = np.rint((y - grid.y) / grid.cell).astype(int)
        column = np.rint((x - grid.x) / grid.cell).astype(int)
        grid.depth[row, column] = DEPTH
    return grid
