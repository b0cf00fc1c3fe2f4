"""Controllers and estimators: driving by hand, following paths, plans by rollouts, slip filter."""

from grouser.control.auto_flippers import AutoFlippers
from grouser.control.mppi import Mppi, MppiSettings, MppiWeights
from grouser.control.path_following import (
    STEERINGS,
    LookAhead,
    PathFollower,
    PathProgress,
    Pd,
    PurePursuit,
    Stanley,
    Steering,
)
from grouser.control.pose_hold import GainMode, PoseGains, PoseHold
from grouser.control.slip_filter import SlipFilter
from grouser.control.slip_filter_model import STATE_NAMES, STATE_UNITS, Belief, FusionSettings
from grouser.control.teleoperation import LET_GO, Sticks, Teleoperation, mix_sides

__all__ = [
    "LET_GO",
    "STATE_NAMES",
    "STATE_UNITS",
    "STEERINGS",
    "AutoFlippers",
    "Belief",
    "FusionSettings",
    "GainMode",
    "LookAhead",
    "Mppi",
    "MppiSettings",
    "MppiWeights",
    "PathFollower",
    "PathProgress",
    "Pd",
    "PoseGains",
    "PoseHold",
    "PurePursuit",
    "SlipFilter",
    "Stanley",
    "Steering",
    "Sticks",
    "Teleoperation",
    "mix_sides",
]
