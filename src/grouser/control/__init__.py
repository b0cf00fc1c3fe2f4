"""How to drive: by hand, along a path, by control laws."""

from grouser.control.path_follower import PathFollower
from grouser.control.pd import Pd
from grouser.control.pose_hold import GainMode, PoseGains, PoseHold
from grouser.control.progress import PathProgress
from grouser.control.steering import STEERINGS, LookAhead, PurePursuit, Stanley, Steering
from grouser.control.teleoperation import LET_GO, Sticks, Teleoperation, mix_sides

__all__ = [
    "LET_GO",
    "STEERINGS",
    "GainMode",
    "LookAhead",
    "PathFollower",
    "PathProgress",
    "Pd",
    "PoseGains",
    "PoseHold",
    "PurePursuit",
    "Stanley",
    "Steering",
    "Sticks",
    "Teleoperation",
    "mix_sides",
]
