"""Simulations of one robot or many, sensors, recording and pacing."""

from grouser.simulation.fleet import BatchRun, Fleet, run_batch
from grouser.simulation.pace import Pace
from grouser.simulation.rollouts import Rollouts
from grouser.simulation.sensors import (
    Encoders,
    Gyroscope,
    OverheadCamera,
    Reading,
    SensorSuite,
    Sighting,
)
from grouser.simulation.simulation import DEFAULT_DT, Driver, Observer, Simulation

__all__ = [
    "DEFAULT_DT",
    "BatchRun",
    "Driver",
    "Encoders",
    "Fleet",
    "Gyroscope",
    "Observer",
    "OverheadCamera",
    "Pace",
    "Reading",
    "Rollouts",
    "SensorSuite",
    "Sighting",
    "Simulation",
    "run_batch",
]
