"""Simulations of one robot or many, open-loop drivers, sensors, recording and pacing."""

from grouser.simulation.fleet import BatchRun, Fleet, run_batch
from grouser.simulation.pace import Pace
from grouser.simulation.programs import Constant, Legs, Replay, Sides, Step, Wave
from grouser.simulation.sensors import (
    Encoders,
    Gyroscope,
    OverheadCamera,
    Reading,
    SensorSuite,
    Sighting,
)
from grouser.simulation.simulation import DEFAULT_DT, Driver, Observer, Simulation
from grouser.simulation.with_flippers import WithFlippers

__all__ = [
    "DEFAULT_DT",
    "BatchRun",
    "Constant",
    "Driver",
    "Encoders",
    "Fleet",
    "Gyroscope",
    "Legs",
    "Observer",
    "OverheadCamera",
    "Pace",
    "Reading",
    "Replay",
    "SensorSuite",
    "Sides",
    "Sighting",
    "Simulation",
    "Step",
    "Wave",
    "WithFlippers",
    "run_batch",
]
