"""Time passes: simulations, programs, sensors, replays and batches."""

from grouser.simulation.batch import BatchRun, run_batch
from grouser.simulation.fleet import Fleet
from grouser.simulation.observer import Observer
from grouser.simulation.overhead_camera import OverheadCamera, Sighting
from grouser.simulation.pace import Pace
from grouser.simulation.programs import Constant, Legs, Replay, Sides, Step, Wave
from grouser.simulation.sensors import Encoders, Gyroscope, Reading, SensorSuite
from grouser.simulation.simulation import DEFAULT_DT, Driver, Simulation
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
