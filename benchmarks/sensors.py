"""Cost of each sensor of the robot in examples/absolem-sensors.toml, on the playground."""

import time
from dataclasses import dataclass
from pathlib import Path

from grouser import Simulation, load_course, load_robot, make_model
from grouser.drivers import Constant, Sides
from grouser.simulation.sensors import Moment, Sensor
from grouser.simulation.sensors.suite import SensorSuite

ROBOT = Path(__file__).parents[1] / "examples/absolem-sensors.toml"
TICK = 0.01
SECONDS = 0.3
"""Wall time for which a sensor is sampled [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorCost:
    """What a sensor costs."""

    name: str
    """Name of the sensor, or of the model that moves the robot."""
    what: str
    """Numbers, rays or pixels of a sample."""
    rate: float
    """Samples or ticks per second [1/s]."""
    sample: float
    """Time of a sample, the best of several, or of a tick [s]."""

    @property
    def share(self) -> float:
        """Share of real time at that rate [1]."""
        return self.sample * self.rate


def measure_sensors() -> list[SensorCost]:
    robot, course = load_robot(ROBOT), load_course("playground")
    bare = load_robot("absolem")
    simulation = Simulation(make_model("csm"), bare, course)
    driver = Constant(bare, Sides(left=0.2, right=0.1))
    simulation.run(driver, duration=0.5)
    before = simulation.motion
    began, first = time.perf_counter(), simulation.ticks
    simulation.run(driver, duration=2.0)
    tick = (time.perf_counter() - began) / (simulation.ticks - first)
    moment = Moment(simulation.time, TICK, simulation.motion, before, TICK)
    rows = [SensorCost(name="csm", what="a tick without sensors", rate=1.0 / TICK, sample=tick)]
    return rows + [_measure(sensor, moment) for sensor in SensorSuite(robot, course, 0).sensors]


def _measure(sensor: Sensor, moment: Moment) -> SensorCost:
    values = sensor.sample(moment)
    times: list[float] = []
    until = time.perf_counter() + SECONDS
    while len(times) < 5 or time.perf_counter() < until:
        began = time.perf_counter()
        sensor.sample(moment)
        times.append(time.perf_counter() - began)
    shape = "" if sensor.array is None else f", {' x '.join(map(str, sensor.array.shape))}"
    rate = 1.0 / TICK if sensor.rate is None else min(sensor.rate, 1.0 / TICK)
    return SensorCost(
        name=sensor.name, what=f"{len(values)} numbers{shape}", rate=rate, sample=min(times)
    )
