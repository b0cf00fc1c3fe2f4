"""Nodes of the 3D scene in the browser."""

from grouser.viewer.scene.ground import GroundNode
from grouser.viewer.scene.overlays import TrailNode
from grouser.viewer.scene.robot import RobotNode
from grouser.viewer.scene.stage import Stage

__all__ = ["GroundNode", "RobotNode", "Stage", "TrailNode"]
