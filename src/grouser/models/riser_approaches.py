"""Risers of a terrain, how a robot can approach them, and its position relative to them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.footprint_index import FootprintIndex
from grouser.description.terrain import Riser
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar
from grouser.laws.step_climb import StepClimb

LARGEST_OBLIQUENESS = np.deg2rad(45.0)
"""Angle between heading and riser's normal above which a riser is a wall [rad]."""

_ENDS = "start", "end"
_FACINGS = (+1.0, -1.0)


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
    """Position of robots relative to some approaches; the first axis counts these."""

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
    """All approaches of a robot to the risers of a terrain.

    Each riser has two, numbered one after the other. How the robot climbs is found when an approach
    is first asked for.
    """

    def __init__(
        self, robot: Robot, risers: tuple[Riser, ...], mode: Literal["exact", "paper"]
    ) -> None:
        self._robot, self._risers = robot, risers
        self._mode: Literal["exact", "paper"] = mode
        self._made: dict[int, RiserApproach] = {}
        start, end = (np.array([getattr(riser, side) for riser in risers]) for side in _ENDS)
        self._start = np.repeat(start, 2, axis=0)
        self._along = np.repeat(end, 2, axis=0) - self._start
        self._normal = np.repeat(np.array([riser.normal_to_high for riser in risers]), 2, axis=0)
        self._facing = np.tile(_FACINGS, len(risers))
        low, high = np.minimum(start, end), np.maximum(start, end)
        _check_length(robot, risers, low, high)
        reach = max(robot.front, -robot.rear) + robot.wheel_distance
        self._index = FootprintIndex(low - reach, high + reach)
        self[0]  # a robot that can climb nothing is told so at the start
        self[1]

    def __getitem__(self, number: int) -> RiserApproach:
        """Return an approach by its number."""
        found = self._made.get(number)
        if found is None:
            riser, facing = self._risers[number // 2], _FACINGS[number % 2]
            climb = _climb(self._robot, riser, facing, self._mode)
            found = RiserApproach(riser.low, riser.high, facing, climb)
            self._made[number] = found
        return found

    def near(self, pose: Pose) -> NDArray[np.intp]:
        """Return, in ascending order, the approaches that any robot at `pose` may meet."""
        if np.ndim(pose.x) == 0 and np.ndim(pose.y) == 0:
            risers = np.array(self._index.at(float(pose.x), float(pose.y)), np.intp)
        else:
            x, y = np.broadcast_arrays(pose.x, pose.y)
            risers = np.unique(self._index.pairs(x.ravel(), y.ravel())[1])
        return (2 * risers[:, np.newaxis] + (0, 1)).ravel()

    def geometry(self, pose: Pose, approaches: NDArray[np.intp]) -> RiserGeometry:
        """Return the position of robots at `pose` relative to some approaches, by number."""
        shape = (len(approaches),) + (1,) * max(np.ndim(pose.x), np.ndim(pose.yaw))

        def column(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values[approaches].reshape(shape)

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


def _check_length(
    robot: Robot,
    risers: tuple[Riser, ...],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None:
    """Raise InvalidValue for an obstacle so short that a robot touches both its ends at once.

    `low` and `high` are the lowest and highest x and y of the risers (n, 2) [m]. Risers farther
    apart than the robot is long and wide belong to different obstacles.
    """
    shortest = robot.wheel_distance / 2.0 + abs(robot.centre_of_mass[0])
    size = max(robot.front - robot.rear, robot.body.size[1], robot.gauge, shortest)
    one, other = FootprintIndex(low, high).neighbours(size)
    one, other = one[one < other], other[one < other]
    across = np.array([riser.normal_to_high for riser in risers])
    start, top = np.array([riser.start for riser in risers]), np.array([r.high for r in risers])
    faces = (across[one] * across[other]).sum(axis=1)
    length = ((start[other] - start[one]) * across[one]).sum(axis=1)
    short = (faces < -0.99) & (top[one] == top[other]) & (length > 0.0) & (length < shortest)
    if short.any():
        found = float(length[np.argmax(short)])
        required = f"be at least {shortest:.3f} m long for robot {robot.name!r} and model 'slip'"
        raise InvalidValue("an obstacle of this course", f"{found:.3g} m", required)


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
