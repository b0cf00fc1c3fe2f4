"""From motions to observations."""

import numpy as np
from numpy.typing import NDArray

from grouser.envs.quantity import Quantity
from grouser.envs.setting import Setting
from grouser.geometry import Pose, Scalar, wrap_angle
from grouser.models import Motion, SideMeans

PREVIEWS = (0.5, 1.0)
"""How far ahead on the path the robot looks, in its lengths [1]."""
SCAN = np.linspace(-1.0, 2.0, 16)
"""Where the height of the ground is observed, ahead of the origin, in lengths of the robot [1]."""
FASTEST_TURN, FASTEST_TILT = 5.0, 10.0
"""Largest yaw rate, and largest roll and pitch rate, that are observed [rad/s]."""
DEEPEST = 1.0
"""Largest height above or below the robot that is observed [m]."""


class Observer:
    """Tells what the robots see; robots in rows."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._sides = SideMeans.of(setting.robot)
        self._scan = setting.length * SCAN if setting.task.scan else np.empty(0)
        self.quantities = tuple(_quantities(setting, self._scan))
        """What each number of an observation means."""
        self._low = np.array([quantity.low for quantity in self.quantities])
        self._high = np.array([quantity.high for quantity in self.quantities])

    def observe(
        self, motion: Motion, s: NDArray[np.float64], speeds: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        """Return a row for each robot.

        Args:
            motion: How they move.
            s: Path length of the nearest point of each [m].
            speeds: Reference speed of each [m/s].
        """
        count, setting = len(s), self._setting
        pose, twist = motion.pose, motion.twist
        offset, heading = off_path(setting, pose, s)
        columns: list[Scalar] = [offset, heading, *self._bearings(pose, s)]
        columns += [setting.goal - s, speeds]
        columns += [twist.vx, twist.vy, twist.yaw_rate]
        columns += [wrap_angle(pose.roll), pose.pitch, twist.roll_rate, twist.pitch_rate]
        columns += [*self._sides(motion.belt_speeds)]
        flippers = zip(setting.robot.flippers, motion.flipper_angles, strict=True)
        columns += [flipper.raising_sign * angle for flipper, angle in flippers]
        columns += [*self._heights(pose, count)]
        table = np.empty((count, len(columns)))
        for index, column in enumerate(columns):
            table[:, index] = column
        return np.clip(table, self._low, self._high).astype(np.float32)

    def _bearings(self, pose: Pose, s: NDArray[np.float64]) -> list[Scalar]:
        """Return the directions of points ahead on the path, from the heading [rad]."""
        bearings = []
        for lengths in PREVIEWS:
            x, y, _ = self._setting.path.at(s + lengths * self._setting.length)
            bearings.append(wrap_angle(np.arctan2(y - pose.y, x - pose.x) - pose.yaw))
        return bearings

    def _heights(self, pose: Pose, count: int) -> NDArray[np.float64]:
        """Return the height of the ground ahead and behind, from the robot's origin [m]."""
        if not len(self._scan):
            return np.empty((0, count))
        x, y, z, yaw = (np.broadcast_to(v, count) for v in (pose.x, pose.y, pose.z, pose.yaw))
        ahead = self._scan[:, None]
        height = self._setting.course.terrain.height(
            x + ahead * np.cos(yaw), y + ahead * np.sin(yaw)
        )
        return height - z


def off_path(setting: Setting, pose: Pose, s: NDArray[np.float64]) -> tuple[Scalar, Scalar]:
    """Return how far robots are to the left of the path [m], and turned to its left [rad]."""
    x, y, heading = setting.path.at(s)
    to_left = (pose.y - y) * np.cos(heading) - (pose.x - x) * np.sin(heading)
    return to_left, wrap_angle(pose.yaw - heading)


def _quantities(setting: Setting, scan: NDArray[np.float64]) -> list[Quantity]:
    robot, limit, pi = setting.robot, setting.robot.drive.speed_limit, float(np.pi)
    width = setting.task.corridor
    rows = [
        ("offset", "m", width, "to the left of the path"),
        ("heading", "rad", pi, "turned to the left of the path"),
        *(
            (f"bearing_{k}", "rad", pi, f"direction of the path {share:g} robot lengths ahead")
            for k, share in enumerate(PREVIEWS, start=1)
        ),
        ("to_goal", "m", setting.path.length, "path length to the goal"),
        ("reference_speed", "m/s", limit, "speed along the path that is asked for"),
        ("vx", "m/s", 2.0 * limit, "forward speed"),
        ("vy", "m/s", 2.0 * limit, "leftward speed"),
        ("yaw_rate", "rad/s", FASTEST_TURN, "turning to the left"),
        ("roll", "rad", pi, "right side down"),
        ("pitch", "rad", 0.5 * pi, "nose down"),
        ("roll_rate", "rad/s", FASTEST_TILT, "about body x"),
        ("pitch_rate", "rad/s", FASTEST_TILT, "about body y"),
        ("belt_left", "m/s", limit, "belt speed reached on the left"),
        ("belt_right", "m/s", limit, "belt speed reached on the right"),
        *(
            (f"tip_{f.name}", "rad", pi, "how far the flipper's tip is raised")
            for f in robot.flippers
        ),
        *(
            (f"height_{k}", "m", DEEPEST, f"of the ground {x:+.2f} m ahead, above the origin")
            for k, x in enumerate(scan, start=1)
        ),
    ]
    return [
        Quantity(
            name=name, unit=unit, meaning=meaning, high=high,
            low=0.0 if name == "reference_speed" else -high,
        )
        for name, unit, high, meaning in rows
    ]  # fmt: skip
