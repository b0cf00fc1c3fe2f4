"""The adapter between a simulation and the outside world.

Boards, exchange, page, ROS 2, Foxglove and ArduPilot drive a robot through it: one place for clock,
pacing, command timeout, arming, reset and changes while a run goes on.
"""

from grouser.live.command_input import CommandInput, InputCounts
from grouser.live.held import Held
from grouser.live.live_simulation import Frame, LiveSimulation, OutsideDriver
from grouser.live.measured import LogRobot, MeasuredRobot, Measurement
from grouser.live.physics_server import Options, Started
from grouser.live.process import PhysicsProcess
from grouser.live.tick_loop import Request, TickLoop
from grouser.live.twins import Divergence, Limits, Twins

__all__ = [
    "CommandInput",
    "Divergence",
    "Frame",
    "Held",
    "InputCounts",
    "Limits",
    "LiveSimulation",
    "LogRobot",
    "MeasuredRobot",
    "Measurement",
    "Options",
    "OutsideDriver",
    "PhysicsProcess",
    "Request",
    "Started",
    "TickLoop",
    "Twins",
]
