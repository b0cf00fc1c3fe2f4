"""Conversion from our frames to ArduPilot's.

Ours (REP-103): x east, y north, z up; in the body x forward, y left, z up. ArduPilot's: north,
east, down; in the body forward, right, down. In the world x and y swap and z changes its sign; in
the body y and z change theirs. Pitch is positive nose down here and nose up there, yaw
counter-clockwise from east here and clockwise from north there.
"""

import math

import numpy as np

from grouser.geometry import Array, Pose, wrap_angle
from grouser.laws.inertial import rates_in_body, specific_force_in_body, velocity_in_body
from grouser.models import Motion
from grouser.plugs.ardupilot.packets import Vector, VehicleState

BODY_ORIGIN: Array = np.zeros(3)
"""Place of the accelerometer: where ArduPilot assumes it unless INS_POS1_X and so on differ [m]."""


def world_to_ned(vector: Array) -> Vector:
    """Return a vector of our world frame along north, east and down."""
    x, y, z = vector.tolist()
    return y, x, 0.0 - z


def body_to_frd(vector: Array) -> Vector:
    """Return a vector of our body frame along the forward, right and down axis."""
    x, y, z = vector.tolist()
    return x, 0.0 - y, 0.0 - z


def attitude_in_ned(pose: Pose) -> Vector:
    """Return roll (right side down), pitch (nose up) and yaw (clockwise from north) [rad]."""
    yaw = float(wrap_angle(0.5 * math.pi - float(pose.yaw)))
    return float(pose.roll), 0.0 - float(pose.pitch), yaw


def describe_vehicle(
    before: Motion, now: Motion, duration: float, timestamp: float
) -> VehicleState:
    """Return a motion as ArduPilot sees it, with an accelerometer at the body's origin.

    Args:
        before: Motion of the robot at the last reply.
        now: Its motion now.
        duration: Time between them [s].
        timestamp: Simulated time, as it is sent [s].
    """
    pose, twist = now.pose, now.twist
    force = specific_force_in_body(
        (before.pose, before.twist), (pose, twist), duration, BODY_ORIGIN
    )
    roll, pitch, yaw = attitude = attitude_in_ned(pose)
    quaternion = Pose(roll=roll, pitch=pitch, yaw=yaw).quaternion
    return VehicleState(
        timestamp=timestamp,
        gyro=body_to_frd(rates_in_body(twist)),
        accel_body=body_to_frd(force),
        position=world_to_ned(np.array((pose.x, pose.y, pose.z), dtype=np.float64)),
        velocity=world_to_ned(pose.matrix @ velocity_in_body(twist)),
        attitude=attitude,
        quaternion=tuple(quaternion.tolist()),
    )
