"""Conversion from our frames to ArduPilot's.

Ours (REP-103): x east, y north, z up; in the body x forward, y left, z up. ArduPilot's: north, east,
down; in the body forward, right, down. In the world x and y swap and z turns; in the body y and z
turn. Pitch is positive nose down here and nose up there, yaw counter-clockwise from east here and
clockwise from north there.
"""

import math

import numpy as np

from grouser.geometry import Pose, wrap_angle
from grouser.models import Motion
from grouser.plugs.ardupilot.packets import Vector, VehicleState


def world_to_ned(x: float, y: float, z: float) -> Vector:
    """Return a vector of our world frame along north, east and down."""
    return float(y), float(x), 0.0 - float(z)


def body_to_frd(x: float, y: float, z: float) -> Vector:
    """Return a vector of our body frame along the forward, right and down axis."""
    return float(x), 0.0 - float(y), 0.0 - float(z)


def attitude_in_ned(pose: Pose) -> Vector:
    """Return roll (right side down), pitch (nose up) and yaw (clockwise from north) [rad]."""
    yaw = float(wrap_angle(0.5 * math.pi - float(pose.yaw)))
    return float(pose.roll), 0.0 - float(pose.pitch), yaw


def describe_vehicle(
    motion: Motion, force: tuple[float, float, float], timestamp: float
) -> VehicleState:
    """Return a motion as ArduPilot sees it.

    Args:
        motion: Motion of one robot.
        force: Specific force in our body frame, (0, 0, 9.81) at rest [m/s^2].
        timestamp: Simulated time, as it is sent [s].
    """
    pose, twist = motion.pose, motion.twist
    velocity = pose.matrix @ np.array((twist.vx, twist.vy, twist.vz), dtype=np.float64)
    roll, pitch, yaw = attitude = attitude_in_ned(pose)
    quaternion = Pose(roll=roll, pitch=pitch, yaw=yaw).quaternion
    rates = (twist.roll_rate, twist.pitch_rate, twist.yaw_rate)
    return VehicleState(
        timestamp=timestamp,
        gyro=body_to_frd(*map(float, rates)),
        accel_body=body_to_frd(*force),
        position=world_to_ned(*map(float, (pose.x, pose.y, pose.z))),
        velocity=world_to_ned(*velocity.tolist()),
        attitude=attitude,
        quaternion=tuple(quaternion.tolist()),
    )
