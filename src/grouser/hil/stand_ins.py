"""Stand-ins for the real robot: slip odometry with its own parameters, on a level floor.

The virtual obstacles do not exist for it, as in P0's set-up: the real crawler drives on the floor
of the laboratory while the virtual one climbs. It does not know where it is, and nothing of it goes
back into the loop: one run of the board serves any number of stand-ins.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Course, Robot, load_course
from grouser.geometry import Pose
from grouser.hil.perturbation import Perturbation
from grouser.hil.true_belts import EVERY_US
from grouser.models import command_sides, effective_width
from grouser.models.kinematic import KinematicPlant
from grouser.models.slip import SlipModel

NO_LIMIT = 1e9
"""Belts of a stand-in do what the board's belts did, whatever that was [m/s, m/s^2]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracks:
    """Where many robots were; the first axis is time, the second the robot."""

    time: NDArray[np.float64]
    """Time of the board since its start [s]."""
    x: NDArray[np.float64]
    """World x [m]."""
    y: NDArray[np.float64]
    """World y [m]."""
    yaw: NDArray[np.float64]
    """Heading [rad]."""


def move_stand_ins(
    robot: Robot,
    course: Course,
    belts: NDArray[np.float64],
    perturbation: Perturbation,
    *,
    walk: float = 0.0,
    random: Generator,
) -> Tracks:
    """Return where robots of these parameters go when their belts run as the board's did.

    Args:
        robot: What they are, before it is perturbed.
        course: Whose start and disturbance count; its terrain does not.
        belts: True belt speeds (n, 2), every 10 ms [m/s].
        perturbation: How each differs.
        walk: Random walk of the heading [rad/sqrt(s)].
        random: Where the walk comes from.
    """
    dt, count = EVERY_US * 1e-6, len(perturbation)
    plant = _start(robot, course, perturbation)
    kicked = np.zeros(count, dtype=bool)
    poses = [plant.motion.pose]
    for left, right in belts:
        plant.advance(command_sides(robot, np.full(count, left), np.full(count, right)), dt)
        turned = _kick(course, plant.motion.pose, kicked)
        if walk and (left or right):
            turned = turned + random.normal(0.0, walk * np.sqrt(dt), count)
        if np.any(turned):
            plant.turn(turned)  # type: ignore[arg-type]
        poses.append(plant.motion.pose)
    x, y, yaw = (
        np.stack([np.broadcast_to(getattr(pose, name), count) for pose in poses])
        for name in ("x", "y", "yaw")
    )
    return Tracks(time=dt * np.arange(len(poses), dtype=np.float64), x=x, y=y, yaw=yaw)


def _start(robot: Robot, course: Course, perturbation: Perturbation) -> KinematicPlant:
    start, slip = course.start_pose, robot.slip
    model = SlipModel(
        slip_left=slip.left * perturbation.left,
        slip_right=slip.right * perturbation.right,
        width=effective_width(robot) * perturbation.width,
    )
    drive = robot.drive.model_copy(
        update={"speed_limit": NO_LIMIT, "acceleration_limit": NO_LIMIT}
    )  # fmt: skip
    free = robot.model_copy(update={"drive": drive})
    count = len(perturbation)
    pose = Pose(x=np.full(count, start.x), y=np.full(count, start.y), yaw=np.full(count, start.yaw))
    plant = model.start(free, load_course("flat"), pose)
    assert isinstance(plant, KinematicPlant)  # level ground has no risers
    return plant


def _kick(course: Course, pose: Pose, kicked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return by how much each robot is turned now; notes who was."""
    disturbance, path = course.disturbance, course.path
    if disturbance is None or path is None or kicked.all():
        return np.zeros(len(kicked))
    due = ~kicked & (np.asarray(path.nearest(pose.x, pose.y)) >= disturbance.at)
    kicked |= due
    return np.where(due, disturbance.yaw, 0.0)
