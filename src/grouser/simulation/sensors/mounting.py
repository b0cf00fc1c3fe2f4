"""Where a mounted sensor is in the world, now and a little earlier."""

import numpy as np
from numpy.typing import ArrayLike

from grouser.description.sensors import MountedSensor
from grouser.geometry import Array
from grouser.laws.inertial import rates_in_body, turn_matrix, velocity_in_body
from grouser.log.declaration import BODY
from grouser.models import Motion


class Mounting:
    """Place and turn of a sensor in the body frame."""

    def __init__(self, table: MountedSensor) -> None:
        self.place_in_body: Array = np.array(table.position, dtype=np.float64)
        """Origin of the sensor's frame [m]."""
        self.turn_to_body: Array = table.rotation.as_matrix()
        """Takes coordinates of the sensor's frame to the body's (3, 3) [1]."""
        is_body = not any((*table.position, table.roll, table.pitch, table.yaw))
        self.frame = BODY if is_body else table.frame
        """Name of the sensor's frame; that of the body where both are the same."""
        self.is_turned = any((table.roll, table.pitch, table.yaw))
        """Whether its axes are not those of the body."""

    def in_world(self, motion: Motion) -> tuple[Array, Array]:
        """Return the place of the sensor [m], and the matrix from its frame to the world [1]."""
        turn, origin = turn_matrix(motion.pose), place_of(motion)
        return origin + turn @ self.place_in_body, turn @ self.turn_to_body

    def earlier_in_world(self, motion: Motion, ages: ArrayLike) -> tuple[Array, Array]:
        """Return places (n, 3) and matrices (n, 3, 3) some times ago (n) [s].

        The velocity in the body frame is taken as constant since then.
        """
        ages = np.asarray(ages, np.float64)[:, np.newaxis]
        rates, velocity = rates_in_body(motion.twist), velocity_in_body(motion.twist)
        turns_back, means = _exponentials(-ages * rates)
        turn = turn_matrix(motion.pose)
        origins = place_of(motion) - ages * (means @ velocity) @ turn.T
        turns = turn @ turns_back
        return origins + turns @ self.place_in_body, turns @ self.turn_to_body


def place_of(motion: Motion) -> Array:
    """Return the position of the body's origin in the world [m]."""
    pose = motion.pose
    return np.array((pose.x, pose.y, pose.z), dtype=np.float64)


def _exponentials(vectors: Array) -> tuple[Array, Array]:
    """Return the matrices of rotation vectors (n, 3), and their means on the way there [1].

        exp(K) = 1 + s1 K + s2 K^2        mean = 1 + s2 K + s3 K^2

    with s1 = sin a / a, s2 = (1 - cos a) / a^2, s3 = (a - sin a) / a^3 of the angle a. A constant
    velocity in a frame that turns by `exp(K)` carries it by `mean` times velocity times duration.
    """
    angle = np.linalg.norm(vectors, axis=1)[:, np.newaxis, np.newaxis]
    is_small = angle < 1e-3  # where differences would cancel, two terms of the series are exact
    safe = np.where(is_small, 1.0, angle)
    first = np.sinc(angle / np.pi)
    second = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    third = np.where(is_small, 1.0 / 6.0 - angle**2 / 120.0, (safe - np.sin(safe)) / safe**3)
    x, y, z = vectors.T
    zero = np.zeros_like(x)
    rows = ((zero, -z, y), (z, zero, -x), (-y, x, zero))
    cross = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    twice = cross @ cross
    return np.eye(3) + first * cross + second * twice, np.eye(3) + second * cross + third * twice
