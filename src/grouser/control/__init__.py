"""How to drive: path followers and control laws."""

from grouser.control.path_follower import PathFollower
from grouser.control.pd import Pd
from grouser.control.progress import PathProgress
from grouser.control.steering import STEERINGS, LookAhead, PurePursuit, Stanley, Steering

__all__ = [
    "STEERINGS",
    "LookAhead",
    "PathFollower",
    "PathProgress",
    "Pd",
    "PurePursuit",
    "Stanley",
    "Steering",
]
