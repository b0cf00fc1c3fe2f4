"""What the page shows in 3D: nodes of a viser scene that follow frames."""

from grouser.viewer.figures.arrows_figure import ArrowsFigure
from grouser.viewer.figures.ground_figure import GroundFigure
from grouser.viewer.figures.robot_figure import RobotFigure
from grouser.viewer.figures.stage import Stage
from grouser.viewer.figures.trail_figure import TrailFigure

__all__ = ["ArrowsFigure", "GroundFigure", "RobotFigure", "Stage", "TrailFigure"]
