"""Actions and observations: what each number means, and the spaces they make."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from grouser.control import AutoFlippers
from grouser.description import Robot
from grouser.description.track import Flipper
from grouser.envs.path_view import PREVIEWS, PathView
from grouser.envs.quantity import Quantity
from grouser.envs.sensor_view import SensorView
from grouser.envs.task import LoadedTask, Task, load_task
from grouser.errors import InvalidValue
from grouser.geometry import Pose, wrap_angle
from grouser.models import Command, Motion, SideMeans, command_sides
from grouser.scenario import FlipperKeyframe
from grouser.simulation.sensors import Reading

RAISED = 0.5 * np.pi
"""Angle by which a full action raises the tips of flippers from level [rad]."""


class ActionMap:
    """Converts actions from -1 to 1 to belt speeds and flipper angles; a row per robot.

    Left and right flippers of one end move together.
    """

    def __init__(self, loaded: LoadedTask) -> None:
        self._robot, self._top = loaded.robot, loaded.top_speed
        given = loaded.task.flippers
        self._aim = _aim_of(loaded.robot, given) if isinstance(given, str) else ()
        moved = loaded.robot.flippers if given is True else ()
        ends = {flipper.raising_sign: flipper for flipper in moved}
        self._column = {sign: 2 + index for index, sign in enumerate(sorted(ends))}
        self._moved = bool(moved)
        self.quantities = tuple(_action_quantities(loaded.top_speed, ends))
        """Meaning of each number of an action, with its values at -1 and at 1."""

    def command(self, actions: NDArray[Any], gains: NDArray[np.float64], motion: Motion) -> Command:
        """Return the command for the robots.

        Args:
            actions: A row per robot; clipped to -1 and 1.
            gains: Factors on the belt speeds of the left and the right side, a row per robot [1].
            motion: Their motion, which flippers that are auto follow.

        Raises:
            InvalidValue: The number of columns is wrong, or a number is not finite.
        """
        if actions.shape != (len(gains), len(self.quantities)) or not np.isfinite(actions).all():
            required = f"be {len(self.quantities)} finite numbers for each robot"
            raise InvalidValue("action", np.asarray(actions).tolist(), required)
        clipped = np.clip(actions.astype(np.float64), -1.0, 1.0)
        belts = command_sides(self._robot, *(clipped[:, :2] * self._top * gains).T)
        if isinstance(self._aim, AutoFlippers):
            found = self._aim.angles(np.asarray(motion.pose.pitch), belts.belt_speeds)
            return replace(belts, flipper_angles=found)
        if not self._moved:
            return replace(belts, flipper_angles=self._aim) if self._aim else belts
        angles = tuple(
            flipper.raising_sign * RAISED * clipped[:, self._column[flipper.raising_sign]]
            for flipper in self._robot.flippers
        )
        return Command(belt_speeds=belts.belt_speeds, flipper_angles=angles)


def _aim_of(robot: Robot, posture: str) -> tuple[float, ...] | AutoFlippers:
    return FlipperKeyframe(time=0.0, posture=posture).aim_of(robot)


def _action_quantities(top_speed: float, ends: dict[float, Flipper]) -> list[Quantity]:
    found = [
        Quantity(name=f"belt_{side}", unit="m/s", low=-top_speed, high=top_speed,
                 meaning=f"belt speed on the {side}, positive drives forward")
        for side in ("left", "right")
    ]  # fmt: skip
    names = {-1.0: "front", 1.0: "rear"}
    for sign in sorted(ends):
        found.append(
            Quantity(name=f"tips_{names[sign]}", unit="rad", low=-RAISED, high=RAISED,
                     meaning=f"angle by which the tips of the {names[sign]} flippers are raised")
        )  # fmt: skip
    return found


SCAN = np.linspace(-1.0, 2.0, 16)
"""Places ahead of the origin where the ground's height is observed, in robot lengths [1]."""
MAX_YAW_RATE, MAX_TILT_RATE = 5.0, 10.0
"""Largest observed yaw rate, and largest observed roll and pitch rate [rad/s]."""
MAX_HEIGHT = 1.0
"""Largest observed height above or below the robot [m]."""


class ObservationMap:
    """Computes observations from motions; a row per robot."""

    def __init__(self, loaded: LoadedTask) -> None:
        self._loaded = loaded
        self._sides = SideMeans.of(loaded.robot)
        self._scan = loaded.length * SCAN if loaded.task.scan else np.empty(0)
        self.sensors = SensorView(loaded)
        """The sensors that are observed."""
        own, sensed = _observed_quantities(loaded, self._scan), self.sensors.quantities
        self._own, self.quantities = len(own), (*own, *sensed)
        """Meaning of each number of an observation."""
        self._low = np.array([[quantity.low] for quantity in self.quantities])
        self._high = np.array([[quantity.high] for quantity in self.quantities])
        self._signs = tuple(flipper.raising_sign for flipper in loaded.robot.flippers)
        self._table = np.empty((len(self.quantities), 0))

    def observe(
        self,
        motion: Motion,
        view: PathView,
        speeds: NDArray[np.float64],
        readings: Sequence[Reading] = (),
    ) -> NDArray[np.float32]:
        """Return the observations, a row per robot.

        Args:
            motion: Motion of the robots.
            view: Where they are beside the path.
            speeds: Reference speed of each [m/s].
            readings: Readings of the sensors of each, if some are observed.
        """
        count, pose, twist = len(view.s), motion.pose, motion.twist
        if self._table.shape[1] != count:
            self._table = np.empty((len(self.quantities), count))
        angles = zip(self._signs, motion.flipper_angles, strict=True)
        rows = (
            view.offset, view.heading, *view.bearings, self._loaded.goal - view.s, speeds,
            twist.vx, twist.vy, twist.yaw_rate,
            wrap_angle(pose.roll), pose.pitch, twist.roll_rate, twist.pitch_rate,
            *self._sides(motion.belt_speeds), *(sign * angle for sign, angle in angles),
        )  # fmt: skip
        table = self._table
        for index, row in enumerate(rows):
            table[index] = row
        if len(self._scan):
            table[len(rows) : self._own] = self._heights(pose, count)
        if self._own < len(table):
            table[self._own :] = self.sensors.numbers(readings)
        np.clip(table, self._low, self._high, out=table)
        return table.T.astype(np.float32, order="C")

    def _heights(self, pose: Pose, count: int) -> NDArray[np.float64]:
        """Return the heights of the ground ahead and behind, from the robot's origin [m]."""
        x, y, z, yaw = (np.broadcast_to(v, count) for v in (pose.x, pose.y, pose.z, pose.yaw))
        ahead, terrain = self._scan[:, None], self._loaded.course.terrain
        return terrain.height(x + ahead * np.cos(yaw), y + ahead * np.sin(yaw)) - z


def _observed_quantities(loaded: LoadedTask, scan: NDArray[np.float64]) -> list[Quantity]:
    robot, limit, pi = loaded.robot, loaded.robot.drive.speed_limit, float(np.pi)
    width = loaded.task.corridor
    rows = [
        ("offset", "m", width, "lateral offset to the left of the path"),
        ("heading", "rad", pi, "heading to the left of the path"),
        *(
            (f"bearing_{k}", "rad", pi, f"direction of the path {share:g} robot lengths ahead")
            for k, share in enumerate(PREVIEWS, start=1)
        ),
        ("to_goal", "m", loaded.path.length, "path length to the goal"),
        ("reference_speed", "m/s", limit, "reference speed along the path"),
        ("vx", "m/s", 2.0 * limit, "forward speed"),
        ("vy", "m/s", 2.0 * limit, "leftward speed"),
        ("yaw_rate", "rad/s", MAX_YAW_RATE, "turning to the left"),
        ("roll", "rad", pi, "right side down"),
        ("pitch", "rad", 0.5 * pi, "nose down"),
        ("roll_rate", "rad/s", MAX_TILT_RATE, "about body x"),
        ("pitch_rate", "rad/s", MAX_TILT_RATE, "about body y"),
        ("belt_left", "m/s", limit, "belt speed reached on the left"),
        ("belt_right", "m/s", limit, "belt speed reached on the right"),
        *(
            (f"tip_{f.name}", "rad", pi, "angle by which the flipper's tip is raised")
            for f in robot.flippers
        ),
        *(
            (f"height_{k}", "m", MAX_HEIGHT, f"of the ground {x:+.2f} m ahead, above the origin")
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


def action_space(quantities: Sequence[Quantity]) -> Box:
    """Return the space of actions, all from -1 to 1."""
    return Box(-1.0, 1.0, (len(quantities),), np.float32)


def observation_space(quantities: Sequence[Quantity]) -> Box:
    """Return the space of observations, each within its range."""
    low = np.array([quantity.low for quantity in quantities], np.float32)
    high = np.array([quantity.high for quantity in quantities], np.float32)
    return Box(low, high, dtype=np.float32)


def describe_task(task: str | Task, **changes: Any) -> str:
    """Return the actions and observations of a task as two tables in Markdown."""
    loaded = load_task(task, **changes)
    chosen, parts = loaded.task, loaded.task.scenario
    about = (
        f"Robot `{parts.robot.reference}`, model `{parts.model.reference}`, "
        f"course `{parts.course.reference}`.\n"
        f"Reference speed {loaded.speed:g} m/s, goal after {loaded.goal:.3g} m, "
        f"corridor {chosen.corridor:g} m, at most {loaded.scenario.limit:g} s."
    )
    tables = (
        ("action", ActionMap(loaded).quantities),
        ("observation", ObservationMap(loaded).quantities),
    )
    return "\n\n".join([about, *(_table(kind, rows) for kind, rows in tables)])


def _table(kind: str, quantities: Sequence[Quantity]) -> str:
    lines = [f"| | {kind} | unit | from | to | what |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {k} | `{q.name}` | {q.unit} | {q.low:.4g} | {q.high:.4g} | {q.meaning} |"
        for k, q in enumerate(quantities)
    ]
    return "\n".join(lines)
