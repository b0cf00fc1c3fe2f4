"""P1's metrics of one drive, and what else is worth telling."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.geometry import Pose
from grouser.papers.p1.reference import Trajectory
from grouser.papers.p1.scenario import MetricName, Scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """Where a model was at the samples of a scenario."""

    start: Pose
    """Where it stood at rest before."""
    positions: NDArray[np.float64]
    """A row per sample [m]."""
    rotations: Rotation
    """One per sample."""
    yaw: float
    """Heading at the end, never wrapped [rad]."""


def measure(scenario: Scenario, drive: Drive, reference: Trajectory | None) -> dict[str, float]:
    """Return the metrics of Table I by name, and further ones.

    d_omega is the angle of the rotation between two orientations, from 0 to pi. Further are, for
    sums, the mean per sample (`mean_d_t` [m], `mean_d_omega` [rad]) and the last distance
    (`last_d_t` [m]); for `rotate`, the distance to the start `d_st` and the error of the heading
    that is not wrapped, `d_yaw` [rad].
    """
    found: dict[str, float] = {}
    for name in scenario.metrics:
        found |= _measure(name, scenario, drive, reference)
    if scenario.target is not None and scenario.target[1]:
        turned = drive.yaw - float(drive.start.yaw)
        found |= {"d_yaw": turned - scenario.target[1], "d_st": _from_start(drive)}
    return found


def _measure(
    name: MetricName, scenario: Scenario, drive: Drive, reference: Trajectory | None
) -> dict[str, float]:
    match name:
        case "d_t":
            ahead = scenario.target[0] if scenario.target else 0.0
            target = _place(drive.start) + drive.start.rotation.apply([ahead, 0.0, 0.0])
            return {name: float(np.linalg.norm(drive.positions[-1] - target))}
        case "d_st":
            return {name: _from_start(drive)}
        case "d_omega":
            turn = Rotation.from_euler("z", scenario.target[1] if scenario.target else 0.0)
            error = (drive.start.rotation * turn).inv() * drive.rotations[-1]
            return {name: float(error.magnitude())}
    if reference is None:
        raise ValueError("sums need a reference")
    if name == "sum_d_t":
        gaps = np.linalg.norm(drive.positions - reference.positions, axis=1)
        mean, last = float(np.mean(gaps)), float(gaps[-1])
        return {name: float(np.sum(gaps)), "mean_d_t": mean, "last_d_t": last}
    angles = (reference.rotations.inv() * drive.rotations).magnitude()
    return {name: float(np.sum(angles)), "mean_d_omega": float(np.mean(angles))}


def _place(pose: Pose) -> NDArray[np.float64]:
    return np.array([pose.x, pose.y, pose.z], dtype=np.float64)


def _from_start(drive: Drive) -> float:
    return float(np.linalg.norm(drive.positions[-1] - _place(drive.start)))
