"""Nodes of the 3D scene in the browser."""

from grouser.viewer.scene.ground import GroundFigure
from grouser.viewer.scene.overlays import ArrowsFigure, TrailFigure
from grouser.viewer.scene.robot import RobotFigure
from grouser.viewer.scene.stage import Stage

__all__ = ["ArrowsFigure", "GroundFigure", "RobotFigure", "Stage", "TrailFigure"]
