"""Where a robot is and how it slips, from its own sensors and a camera, as it drives.

A filter belongs to control: controllers steer by what it says, a simulation runs it as an
observer, and a loop with hardware feeds it what the board and the camera send. It sees neither.
"""

from grouser.control.fusion.belief import NAMES, UNITS, Belief
from grouser.control.fusion.fusion_settings import FusionSettings
from grouser.control.fusion.slip_filter import SlipFilter

__all__ = ["NAMES", "UNITS", "Belief", "FusionSettings", "SlipFilter"]
