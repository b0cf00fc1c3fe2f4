"""Poses, twists and angles.

Frames follow REP-103. World: z up. Body: x forward, y left, z up, with its origin midway
between the tracks, on the ground that the robot stands on when it stands level. Yaw is
positive to the left, pitch positive nose down, roll positive right side down.

A field is a number or an array of numbers: one formula serves one robot or many.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

Array: TypeAlias = NDArray[np.float64]
"""Array of numbers."""
Scalar: TypeAlias = float | Array
"""One number, or one number for each of many robots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """Where the body frame is in the world frame; rotations apply as yaw, pitch, roll."""

    x: Scalar = 0.0
    """Position of the body origin along world x [m]."""
    y: Scalar = 0.0
    """Position of the body origin along world y [m]."""
    z: Scalar = 0.0
    """Position of the body origin along world z [m]."""
    roll: Scalar = 0.0
    """Rotation about body x, positive right side down [rad]."""
    pitch: Scalar = 0.0
    """Rotation about y after yaw, positive nose down [rad]."""
    yaw: Scalar = 0.0
    """Heading, counter-clockwise seen from above, never wrapped [rad]."""

    @property
    def rotation(self) -> "Rotation":
        """The rotation that takes body coordinates to world coordinates."""
        # Imported here: scipy.spatial takes a quarter of the start-up time of a command.
        from scipy.spatial.transform import Rotation

        angles = np.broadcast_arrays(self.yaw, self.pitch, self.roll)
        return Rotation.from_euler("ZYX", np.stack(angles, axis=-1))

    @property
    def quaternion(self) -> Array:
        """The same rotation as a unit quaternion (..., 4), scalar first; without scipy [1]."""
        angles = np.broadcast_arrays(self.roll, self.pitch, self.yaw)
        (cr, cp, cy), (sr, sp, sy) = (f(0.5 * np.stack(angles)) for f in (np.cos, np.sin))
        w, x = cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy
        y, z = cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy
        return np.stack([w, x, y, z], axis=-1)

    @property
    def matrix(self) -> Array:
        """The same rotation as a matrix (..., 3, 3); without scipy [1]."""
        angles = np.broadcast_arrays(self.roll, self.pitch, self.yaw)
        (cr, cp, cy), (sr, sp, sy) = (f(np.stack(angles)) for f in (np.cos, np.sin))
        rows = (
            (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (0.0 - sp, cp * sr, cp * cr),
        )
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    @property
    def is_many(self) -> bool:
        """Whether this is the pose of many robots: some field is an array."""
        return any(np.ndim(getattr(self, f.name)) for f in fields(self))

    def __getitem__(self, index: Any) -> "Pose":
        """Return the pose of one (or some) of many robots; shared fields stay shared."""
        return Pose(
            **{
                f.name: value[index] if np.ndim(value := getattr(self, f.name)) else value
                for f in fields(self)
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Twist:
    """How fast the body moves, expressed in the body frame."""

    vx: Scalar = 0.0
    """Forward speed of the body origin [m/s]."""
    vy: Scalar = 0.0
    """Leftward speed of the body origin [m/s]."""
    vz: Scalar = 0.0
    """Upward speed of the body origin [m/s]."""
    roll_rate: Scalar = 0.0
    """Angular speed about body x [rad/s]."""
    pitch_rate: Scalar = 0.0
    """Angular speed about body y [rad/s]."""
    yaw_rate: Scalar = 0.0
    """Angular speed about body z [rad/s]."""


def wrap_angle(angle: Scalar) -> Scalar:
    """Return the angle between -pi (excluded) and pi (included) that points the same way [rad]."""
    return np.pi - np.mod(np.pi - angle, 2.0 * np.pi)


def rotate(x: Scalar, y: Scalar, angle: Scalar) -> tuple[Scalar, Scalar]:
    """Return the vector (x, y) turned counter-clockwise by `angle` [rad]."""
    cos, sin = np.cos(angle), np.sin(angle)
    return x * cos - y * sin, x * sin + y * cos


def arc_displacement(
    vx: Scalar, vy: Scalar, yaw_rate: Scalar, yaw: Scalar, duration: float
) -> tuple[Scalar, Scalar]:
    """Return how far a constant planar twist carries a body, in the world frame [m].

    A constant twist is an arc. Its chord is shorter than the arc by sinc(dyaw / 2) and points
    half-way between the first and the last heading, which holds for any turn, also none:

        (dx, dy) = R(yaw + dyaw / 2) (vx, vy) dt sinc(dyaw / 2),  dyaw = yaw_rate dt
    """
    half_turn = yaw_rate * (0.5 * duration)
    # The offset makes 0/0 a 1 and is far below the last bit of any other turn.
    safe = half_turn + 1e-300
    sinc = np.sin(safe) / safe
    dx, dy = rotate(vx, vy, yaw + half_turn)
    chord = sinc * duration
    return dx * chord, dy * chord


def euler_displacement(
    vx: Scalar, vy: Scalar, yaw: Scalar, duration: float
) -> tuple[Scalar, Scalar]:
    """Return the displacement if the first heading held for the whole step [m].

    This is what a game engine's tick does; it converges to `arc_displacement` with the step.
    """
    dx, dy = rotate(vx, vy, yaw)
    return dx * duration, dy * duration


def carry_over_ground(
    pose: Pose, ahead: Scalar, left: Scalar, turn: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """Return a motion in the plane that a body lies in, seen from above: dx, dy [m], dyaw [rad].

    Seen from above, in axes turned by yaw, the body's x axis is (cos p, 0) and its y axis is
    (sin p sin r, cos r). The turn is about the body's z axis, the normal of that plane.
    """
    slant, level = np.cos(pose.pitch), np.cos(pose.roll)
    skew = np.sin(pose.pitch) * np.sin(pose.roll)
    dx, dy = rotate(ahead * slant + left * skew, left * level, pose.yaw)
    cos, sin = np.cos(turn), np.sin(turn)
    x, y = cos * slant + sin * skew, sin * level
    # The turn, and how far the heading seen from above is ahead of it: 0 on level ground.
    return dx, dy, turn + np.arctan2(cos * y - sin * x, cos * x + sin * y)


def heading_on_ground(pose: Pose) -> Scalar:
    """Return the angle in the plane that a body lies in, from the line above world x [rad].

    It is yaw on level ground, and yaw at every whole turn.
    """
    cos, sin = np.cos(pose.yaw), np.sin(pose.yaw)
    skew = np.sin(pose.pitch) * np.sin(pose.roll)
    x, y = cos * np.cos(pose.roll) + sin * skew, sin * np.cos(pose.pitch)
    return pose.yaw + np.arctan2(cos * y - sin * x, cos * x + sin * y)


def tilt_rates(before: Pose, after: Pose, duration: float) -> tuple[Scalar, Scalar]:
    """Return roll and pitch rate in the body frame, mean of a tick: how its z axis tilts [rad/s].

    They are not the rates of the angles roll and pitch: a body that turns on a slope has those,
    but its gyroscope about x and y shows nothing.
    """
    turn = after.yaw - before.yaw
    slant, level = np.sin(after.pitch) * np.cos(after.roll), np.sin(after.roll)
    up = np.cos(after.pitch) * np.cos(after.roll)
    x, y = rotate(slant, 0.0 - level, turn)
    x, up = (
        x * np.cos(before.pitch) - up * np.sin(before.pitch),
        (x * np.sin(before.pitch) + up * np.cos(before.pitch)),
    )
    y, up = rotate(y, up, 0.0 - before.roll)
    return np.arctan2(0.0 - y, up) / duration, np.arctan2(x, up) / duration


def running_length(steps: ArrayLike) -> NDArray[np.float64]:
    """Return the length of a line up to each vertex, from 0, given the steps between them."""
    return np.concatenate(([0.0], np.cumsum(steps)))


def clamp(value: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """Return `value`, or the bound that it exceeds."""
    if isinstance(value, float) and isinstance(low, float) and isinstance(high, float):
        return min(max(value, low), high)  # the same numbers, ten times as fast for one robot
    return np.minimum(np.maximum(value, low), high)


def half_hull(points: Array, order: Sequence[int]) -> list[int]:
    """Return one half of the convex hull of points (x, y): their numbers, by Andrew's chain.

    In the order of rising x it is the lower half, in that of falling x the upper one.
    """
    chain: list[int] = []
    for place in order:
        while len(chain) >= 2:
            (ax, ay), (bx, by) = points[chain[-2]], points[chain[-1]]
            x, y = points[place]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-12:
                break
            chain.pop()
        chain.append(place)
    return chain


def convex_hull(points: Array) -> list[int]:
    """Return the numbers of the points (x, y) that are corners of their hull, anticlockwise."""
    order: list[int] = np.lexsort((points[:, 1], points[:, 0])).tolist()
    if len(order) < 3:
        return order
    return half_hull(points, order)[:-1] + half_hull(points, order[::-1])[:-1]
