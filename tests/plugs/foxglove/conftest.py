"""Frames of a live simulation in this process, and what it would announce."""

from dataclasses import dataclass

import pytest
from foxglove import Context

from grouser import Scenario
from grouser.description import load_robot
from grouser.live import Frame, LiveSimulation, Started
from grouser.scenario import Part

SENSORS = """
[[sensors.lidar]]
name = "front_lidar"
rays = 31
field_of_view_deg = 180
range_m = [0.05, 20]
rate_hz = 20
position_m = [0.1, 0, 0.1]
[[sensors.lidar]]
name = "points_lidar"
rays = 20
rings = 3
elevation_deg = [-20, 0]
position_m = [0, 0, 0.3]
range_m = [0.05, 20]
rate_hz = 10
[sensors.gnss]
rate_hz = 10
latitude_deg = 47.0
longitude_deg = 8.0
yaw_deg = 90
"""


def robot_text() -> str:
    """Return the file of the TP100 with more sensors."""
    return load_robot("tp100").text + SENSORS


@dataclass
class Live:
    """A simulation, and what a server is told at its start."""

    simulation: LiveSimulation
    started: Started
    context: Context

    def frames(self, count: int) -> list[Frame]:
        return [self.simulation.advance() for _ in range(count)]


def start(scenario: Scenario) -> Live:
    live = LiveSimulation(scenario, factor=float("inf"), record=False)
    started = Started(
        scenario=live.loaded.scenario.content(),
        tick=live.loaded.tick,
        declarations=live.simulation.declarations,
        columns=live.simulation.columns_by_sensor,
        units=dict(live.simulation.sensor_columns),
    )
    return Live(live, started, Context())


@pytest.fixture
def live() -> Live:
    """The TP100 with encoders, gyroscope, two lidars and a receiver, on a flat floor."""
    robot = Part(name="mine", text=robot_text())
    return start(Scenario(robot=robot, course="flat", model="ideal", driver="foxglove"))
