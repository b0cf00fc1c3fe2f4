"""A model that raises what no model should, for tests of everything that advances one.

It drives as `ideal` does, until a belt is commanded to run faster than `TOO_FAST`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from grouser.models import CATALOGUE
from grouser.models.kinematic import KinematicPlant
from grouser.models.kinematic_models import IdealModel

TOO_FAST = 0.15
"""Belt speed above which a tick raises [m/s]."""
MESSAGE = "the gear box is gone"
"""What it says then."""
PLACE = "ZeroDivisionError at tests.breaking:"
"""How a sentence about it begins."""


class BreakingPlant(KinematicPlant):
    """Raises in the middle of a tick: its state has changed, its time has not passed."""

    def advance(self, command, duration):
        super().advance(command, duration)
        if np.abs(command.belt_speeds).max() > TOO_FAST:
            raise ZeroDivisionError(MESSAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakingModel(IdealModel):
    """The model, as a plug-in declares one."""

    name: ClassVar[str] = "breaking"

    def start(self, robot, course, pose=None):
        """Put the robot on the course."""

        def twist(left, right, pose):
            return 0.5 * (left + right), 0.0, (right - left) / robot.gauge

        return BreakingPlant(twist, robot, course, pose, self.integration)


def install(folder: Path) -> Path:
    """Declare the model in a folder; processes that have it in their path know the model."""
    info = folder / "grouser_breaking-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: grouser-breaking\nVersion: 1.0\n")
    place = f"{__name__}:{BreakingModel.__name__}"
    (info / "entry_points.txt").write_text(f"[grouser.models]\nbreaking = {place}\n")
    return folder


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process know the model until the test is over."""
    monkeypatch.setitem(CATALOGUE._entries, "breaking", BreakingModel)
