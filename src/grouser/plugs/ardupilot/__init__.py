"""ArduPilot's JSON simulation interface: its rover drives a simulated robot in lock step."""

from grouser.plugs.ardupilot.lock_step import LockStep, Vehicle
from grouser.plugs.ardupilot.packets import (
    ServoFrame,
    Timestamps,
    VehicleState,
    compose_reply,
    parse_servos,
)
from grouser.plugs.ardupilot.server import DEFAULT_PORT, Port, run_server
from grouser.plugs.ardupilot.servos import ServoMap

__all__ = [
    "DEFAULT_PORT",
    "LockStep",
    "Port",
    "ServoFrame",
    "ServoMap",
    "Timestamps",
    "Vehicle",
    "VehicleState",
    "compose_reply",
    "parse_servos",
    "run_server",
]
