"""Simulated sensors of a robot, and their columns of a log."""

from grouser.simulation.sensors.encoders import Encoders
from grouser.simulation.sensors.imu import Gyroscope
from grouser.simulation.sensors.overhead import OverheadCamera, Sighting
from grouser.simulation.sensors.sensor import Moment, Reading, Sample, Sensor
from grouser.simulation.sensors.suite import SensorSuite

__all__ = [
    "Encoders",
    "Gyroscope",
    "Moment",
    "OverheadCamera",
    "Reading",
    "Sample",
    "Sensor",
    "SensorSuite",
    "Sighting",
]
