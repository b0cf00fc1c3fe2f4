"""Trajectories of the real robot: from a file, or a stand-in that is marked as one.

P1's recordings are not published. The stand-ins are assumed: on flat ground the kinematics of
centres of rotation with chi = 1.5; elsewhere the track settles on the terrain, quasi-statically,
while its midpoint moves along its path at 95 % of the belt's speed. Results that were obtained
with them are marked "synthetic reference".
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from grouser.description import Course, Robot
from grouser.errors import InvalidLog
from grouser.geometry import Pose, arc_displacement, running_length
from grouser.laws.icr import SteeringEfficiency, icr_twist
from grouser.log import read_log
from grouser.models.kinematic import RestOnTerrain
from grouser.papers.p1.scenarios import SAMPLING, P1Scenario

CHI = 1.5
"""Effective over true gauge, of the stand-in on flat ground [1]."""
SLIP = 0.05
"""Slip of the stand-in on obstacles [1]."""
GRID = 0.002
"""Spacing of the places at which the stand-in settles [m]."""
SYNTHETIC = "synthetic reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """Poses at the times of the samples."""

    positions: NDArray[np.float64]
    """A row per sample [m]."""
    rotations: Rotation
    """One per sample."""
    source: str
    """The file, or "synthetic reference"."""


def load_reference(
    scenario: P1Scenario, robot: Robot, course: Course, folder: Path | None
) -> Trajectory:
    """Return the trajectory that a scenario is measured against.

    Raises:
        InvalidLog: The log of a scenario has no pose, or is too short.
    """
    file = None if folder is None else folder / f"{scenario.name}.csv"
    times = sample_times(scenario)
    if file is not None and file.exists():
        return _read(file, times)
    poses = (
        _turn(scenario, robot, times)
        if scenario.scenario.course.name == "flat"
        else _settle(scenario, robot, course, times)
    )
    return Trajectory(positions=_positions(poses), rotations=poses.rotation, source=SYNTHETIC)


def sample_times(scenario: P1Scenario) -> NDArray[np.float64]:
    """Return the times of the samples: 0.1 s, 0.2 s, and so on [s]."""
    return SAMPLING * np.arange(1.0, round(scenario.duration / SAMPLING) + 1)


def _positions(poses: Pose) -> NDArray[np.float64]:
    places: NDArray[np.float64] = np.array(np.broadcast_arrays(poses.x, poses.y, poses.z))
    return places.T


def _read(file: Path, times: NDArray[np.float64]) -> Trajectory:
    log = read_log(file)
    missing = [name for name in ("x", "y", "z", "roll", "pitch", "yaw") if name not in log]
    if missing:
        raise InvalidLog(file, f"a reference needs the column {missing[0]!r}")
    if log.time[0] > times[0] or log.time[-1] < times[-1] - 1e-9:
        span = f"{log.time[0]:g} to {log.time[-1]:g} s"
        raise InvalidLog(file, f"a reference must last {times[-1]:g} s, and this is {span}")
    at = np.clip(times, log.time[0], log.time[-1])
    angles = np.stack([log[name] for name in ("yaw", "pitch", "roll")], axis=-1)
    slerp = Slerp(log.time, Rotation.from_euler("ZYX", angles))
    positions = np.stack([np.interp(at, log.time, log[name]) for name in ("x", "y", "z")], axis=-1)
    return Trajectory(positions=positions, rotations=slerp(at), source=str(file))


def _turn(scenario: P1Scenario, robot: Robot, times: NDArray[np.float64]) -> Pose:
    """Return poses on the arc of the constant speeds of a scenario on flat ground."""
    given = scenario.scenario.driver.parameters
    speed, rate = given["speed"], given["yaw_rate"]
    half = 0.5 * rate * robot.gauge
    icrs = SteeringEfficiency(chi=CHI).icrs(gauge=robot.gauge)
    vx, vy, turn = icr_twist(speed - half, speed + half, icrs.left_y, icrs.right_y)
    moved = [arc_displacement(vx, vy, turn, 0.0, float(time)) for time in times]
    places: NDArray[np.float64] = np.array(moved)
    yaws: NDArray[np.float64] = np.array([float(turn) * time for time in times])
    return Pose(x=places[:, 0], y=places[:, 1], yaw=yaws)


def _settle(scenario: P1Scenario, robot: Robot, course: Course, times: NDArray[np.float64]) -> Pose:
    """Return poses of the track at rest, where its midpoint has moved as far as it should."""
    speed = scenario.scenario.driver.parameters["speed"]
    start = course.start_pose
    most = speed * scenario.duration
    places = float(start.x) + GRID * np.arange(round(most / GRID) + 1.0)
    settled = RestOnTerrain(robot, course.terrain)(
        Pose(x=places, y=np.full_like(places, start.y), yaw=np.full_like(places, start.yaw))
    )
    radius = robot.wheel_radius
    pitch = np.asarray(settled.pitch)
    middle = np.asarray(settled.z) + radius / np.cos(pitch)  # straight above the place
    way = running_length(np.hypot(GRID, np.diff(middle)))
    at = np.interp((1.0 - SLIP) * speed * times, way, np.arange(len(places)))
    rows = np.arange(len(places))
    nose_up = -np.interp(at, rows, pitch)
    return Pose(
        x=np.interp(at, rows, places) + radius * np.sin(nose_up),
        y=np.full_like(at, start.y),
        z=np.interp(at, rows, middle) - radius * np.cos(nose_up),
        pitch=-nose_up,
        yaw=np.full_like(at, start.yaw),
    )
