"""One model in one scenario."""

import time

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.description import Course, Robot
from grouser.errors import NotFinite
from grouser.geometry import Pose
from grouser.models import Model, start_model
from grouser.papers.p1.measures import Drive
from grouser.papers.p1.scenario import SAMPLING, Scenario
from grouser.simulation import DEFAULT_DT

JITTER = (1e-3, 1e-3, np.radians(0.1))
"""Standard deviation of where repeated runs start: x, y [m], yaw [rad]; stands for the chance
that P1's simulator had, and ours has not."""


def drive_scenario(
    scenario: Scenario, model: Model, robot: Robot, course: Course, run: int
) -> tuple[Drive, float]:
    """Return the drive and the processor time that it took [s]; setting it up does not count.

    P1 took the wall time at high priority; processor time does not depend on who else computes.

    Args:
        scenario: What to drive.
        model: How the robot moves.
        robot: What drives.
        course: The scenario's course.
        run: Number of the repetition; 0 starts exactly where it should, others nearby.

    Raises:
        NotFinite: The model has come apart.
    """
    plant = start_model(model, robot, course, _start(course, run))
    motion, driver = plant.motion, scenario.driver(robot)
    start = motion.pose
    rows, ticks = [], round(SAMPLING / DEFAULT_DT)
    begin = time.process_time()
    for tick in range(round(scenario.duration / DEFAULT_DT)):
        command = driver(tick * DEFAULT_DT, motion)
        if command is None:
            break
        plant.advance(command, DEFAULT_DT)
        if (tick + 1) % ticks == 0:
            motion = plant.motion
            rows.append(motion.pose)
            if not np.isfinite(float(motion.pose.x)):
                raise NotFinite(f"x of {model.name}", (tick + 1) * DEFAULT_DT, None)
    seconds = time.process_time() - begin
    drive = Drive(
        start=start,
        positions=np.array([[pose.x, pose.y, pose.z] for pose in rows], dtype=np.float64),
        rotations=Rotation.concatenate([pose.rotation for pose in rows]),
        yaw=float(rows[-1].yaw),
    )
    return drive, seconds


def _start(course: Course, run: int) -> Pose | None:
    if run == 0:
        return None
    x, y, yaw = np.random.default_rng(run).normal(scale=JITTER)
    at = course.start_pose
    return Pose(x=float(at.x) + x, y=float(at.y) + y, yaw=float(at.yaw) + yaw)
