"""The robot with all sensors in examples/: it loads, runs, is replayed, and its logs are read."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.description.sensors import Sensors
from grouser.drivers import Constant, Sides
from grouser.geometry import Pose
from grouser.log import read_log, write_log
from grouser.log.declaration import Declaration
from grouser.simulation.sensors import SensorSuite

FILE = Path(__file__).parents[3] / "examples/absolem-sensors.toml"


def run(seed=1, without=("camera",)) -> Simulation:
    robot = load_robot(FILE)
    kept = robot.sensors.model_copy(
        update={kind: Sensors.model_fields[kind].default for kind in without}
    )
    robot = robot.model_copy(update={"sensors": kept})
    simulation = Simulation(make_model("csm"), robot, load_course("playground"), seed=seed)
    simulation.run(Constant(robot, Sides(left=0.3, right=0.2)), duration=0.3)
    return simulation


def bits(simulation: Simulation, sensor: str) -> list[bytes]:
    sample = simulation.reading.latest(sensor)
    assert sample is not None
    array = b"" if sample.array is None else sample.array.tobytes()
    return [np.array(sample.values).tobytes(), array]


def test_every_kind_of_sensor_is_in_the_file():
    sensors = load_robot(FILE).sensors
    assert all(getattr(sensors, kind) for kind in Sensors.model_fields)
    assert {camera.kind for camera in sensors.camera} == {"colour", "depth"}
    assert {lidar.rings > 1 for lidar in sensors.lidar} == {True, False}


def test_the_same_seed_gives_the_same_samples_and_another_sensor_changes_none():
    whole, again, other = run(), run(), run(seed=2)
    names = [sample.sensor for sample in whole.reading.known]
    assert len(names) == 8
    assert all(bits(whole, name) == bits(again, name) for name in names)
    differ = {name for name in names if bits(whole, name) != bits(other, name)}
    assert differ == {"imu", "gnss", "compass", "motor_current", "lidar", "lidar3d"}
    fewer = run(without=("camera", "gnss", "bumper", "compass"))
    for name in ("imu", "motor_current", "lidar", "lidar3d"):
        assert bits(whole, name) == bits(fewer, name)


@pytest.mark.parametrize("pose", [Pose(x=np.nan), Pose(yaw=np.inf), Pose(pitch=np.nan, z=np.inf)])
def test_a_robot_that_is_nowhere_has_readings_all_the_same(pose):
    simulation = run()
    nowhere = replace(simulation.motion, pose=pose)
    suite = SensorSuite(simulation.robot, simulation.course, seed=0)
    with np.errstate(invalid="ignore"):  # as in a tick of a simulation
        reading = suite.read(0.0, nowhere, 0.01)
    assert np.isnan(reading["lidar_nearest"] + reading["bumper_pressed"]).all()


@pytest.mark.parametrize("suffix", [".csv", ".mcap"])
def test_logs_keep_the_columns_and_messages_of_sensors(suffix, tmp_path):
    simulation = run()
    write_log(simulation.log(), tmp_path / f"run{suffix}")
    found = read_log(tmp_path / f"run{suffix}")
    for name, unit in simulation.reading.columns:
        assert found.unit(name) == unit
        assert found[name].tobytes() == simulation.log()[name].tobytes()
    kept = found.provenance.notes["sensors"]
    declared = {
        name: tuple(map(Declaration.from_dict, told["messages"])) for name, told in kept.items()
    }
    assert declared == simulation.declarations
