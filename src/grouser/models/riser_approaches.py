"""Risers of a terrain, how a robot can approach them, and its position relative to them."""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.terrain import Riser
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar
from grouser.laws.step_climb import StepClimb

LARGEST_OBLIQUENESS = np.deg2rad(45.0)
"""Angle between heading and riser's normal above which a riser is a wall [rad]."""


@dataclass(frozen=True, slots=True)
class RiserApproach:
    """A riser, approached with the nose towards its high side (+1) or with the tail (-1)."""

    low: float
    """Height of the ground below the riser [m]."""
    high: float
    """Height of the ground above the riser [m]."""
    facing: float
    """+1 if the nose points to the high side, -1 if the tail does [1]."""
    climb: StepClimb | None
    """How the robot climbs it; None if its wheels cannot reach the edge."""


@dataclass(frozen=True, slots=True)
class RiserGeometry:
    """Position of robots relative to every approach; the first axis counts approaches."""

    x: NDArray[np.float64]
    """Position of the body origin beyond the riser, along the heading [m]."""
    edge_x: NDArray[np.float64]
    """World x of the point at which the heading line crosses the riser [m]."""
    edge_y: NDArray[np.float64]
    """World y of that point [m]."""
    ahead: NDArray[np.bool_]
    """Whether the heading line crosses the riser, from this approach's side."""
    oblique: NDArray[np.bool_]
    """Whether it does so too obliquely to climb."""


class RiserApproaches:
    """All approaches of a robot to the risers of a terrain."""

    def __init__(
        self, robot: Robot, risers: tuple[Riser, ...], mode: Literal["exact", "paper"]
    ) -> None:
        _check_length(robot, risers)
        pairs = [(riser, facing) for riser in risers for facing in (+1.0, -1.0)]
        self.all = tuple(
            RiserApproach(riser.low, riser.high, facing, _climb(robot, riser, facing, mode))
            for riser, facing in pairs
        )
        self._start = np.array([riser.start for riser, _ in pairs])
        self._along = np.array([riser.end for riser, _ in pairs]) - self._start
        self._normal = np.array([riser.normal_to_high for riser, _ in pairs])
        self._facing = np.array([facing for _, facing in pairs])
        ends = np.concatenate((self._start, self._start + self._along))
        reach = max(robot.front, -robot.rear) + robot.wheel_distance
        self._low_x, self._low_y = ends.min(axis=0) - reach
        self._high_x, self._high_y = ends.max(axis=0) + reach

    def are_near(self, pose: Pose) -> bool:
        """Return whether any robot is near enough to the risers to meet one."""
        x, y = pose.x, pose.y
        near = (x > self._low_x) & (x < self._high_x) & (y > self._low_y) & (y < self._high_y)
        return bool(np.any(near))

    def geometry(self, pose: Pose) -> RiserGeometry:
        """Return the position of robots at `pose` relative to every approach."""
        shape = (len(self.all),) + (1,) * max(np.ndim(pose.x), np.ndim(pose.yaw))

        def column(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values.reshape(shape)

        start_x, start_y = column(self._start[:, 0]), column(self._start[:, 1])
        along_x, along_y = column(self._along[:, 0]), column(self._along[:, 1])
        normal_x, normal_y = column(self._normal[:, 0]), column(self._normal[:, 1])
        # Direction of the end of the robot that points to the high side.
        toward_x = column(self._facing) * np.cos(pose.yaw)
        toward_y = column(self._facing) * np.sin(pose.yaw)
        squareness = toward_x * normal_x + toward_y * normal_y
        towards = squareness > 1e-3
        distance = ((start_x - pose.x) * normal_x + (start_y - pose.y) * normal_y) / np.where(
            towards, squareness, 1.0
        )
        edge_x, edge_y = pose.x + distance * toward_x, pose.y + distance * toward_y
        along = (edge_x - start_x) * along_x + (edge_y - start_y) * along_y
        length_squared = along_x**2 + along_y**2
        return RiserGeometry(
            x=-distance,
            edge_x=edge_x,
            edge_y=edge_y,
            ahead=towards & (along >= 0.0) & (along <= length_squared),
            oblique=squareness < np.cos(LARGEST_OBLIQUENESS),
        )


def place_at_edge(
    approach: RiserApproach,
    edge: tuple[Scalar, Scalar],
    x: Scalar,
    z: Scalar,
    nose_up: Scalar,
    yaw: Scalar,
    radius: float,
) -> Pose:
    """Return the pose of a robot from its place in the frame of a step.

    (x, z) is the midpoint of the wheel centres, `radius` above the body origin [m]; the frame's
    origin is at `edge` in the world [m]; `nose_up` is the angle of the end towards the high side
    [rad], `yaw` the heading [rad].
    """
    beyond = approach.facing * (x + radius * np.sin(nose_up))
    return Pose(
        x=edge[0] + beyond * np.cos(yaw),
        y=edge[1] + beyond * np.sin(yaw),
        z=approach.low + z - radius * np.cos(nose_up),
        pitch=-approach.facing * nose_up,
        yaw=yaw,
    )


def _check_length(robot: Robot, risers: tuple[Riser, ...]) -> None:
    """Raise InvalidValue for an obstacle so short that a robot touches both its ends at once."""
    shortest = robot.wheel_distance / 2.0 + abs(robot.centre_of_mass[0])
    for one, other in combinations(risers, 2):
        across = np.array(one.normal_to_high)
        faces = float(across @ np.array(other.normal_to_high))
        length = float((np.array(other.start) - np.array(one.start)) @ across)
        if faces < -0.99 and one.high == other.high and 0.0 < length < shortest:
            required = (
                f"be at least {shortest:.3f} m long for robot {robot.name!r} and model 'slip'"
            )
            raise InvalidValue("an obstacle of this course", f"{length:.3g} m", required)


def _climb(
    robot: Robot, riser: Riser, facing: float, mode: Literal["exact", "paper"]
) -> StepClimb | None:
    com_x, _, com_z = robot.centre_of_mass
    try:
        return StepClimb(
            radius=robot.wheel_radius,
            wheel_distance=robot.wheel_distance,
            height=riser.high - riser.low,
            com_x=facing * com_x,
            com_z=com_z - robot.wheel_radius,
            mode=mode,
        )
    except InvalidValue as error:
        if error.name == "step.height":
            return None
        raise
