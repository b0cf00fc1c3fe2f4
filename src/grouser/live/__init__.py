"""The adapter between a simulation and the outside world.

Boards, exchange, page, ROS 2, Foxglove and ArduPilot drive a robot through it: one place for clock,
pacing, command timeout, arming, reset and changes while a run goes on.
"""

from grouser.live.command_input import CommandInput, InputCounts
from grouser.live.live_simulation import Frame, LiveSimulation
from grouser.live.process import PhysicsProcess, Started

__all__ = [
    "CommandInput",
    "Frame",
    "InputCounts",
    "LiveSimulation",
    "PhysicsProcess",
    "Started",
]
