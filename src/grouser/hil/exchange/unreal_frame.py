"""Poses in the frame of Unreal Engine, and back.

Unreal is left-handed: X forward, Y to the right, Z up, in centimetres; yaw is positive to the
right, pitch positive nose up, roll positive right side down, in degrees. Both map onto themselves:
y, yaw and pitch change sign, nothing else does.
"""

import math

from grouser.geometry import Pose, wrap_angle

CM = 0.01
"""One centimetre [m]."""


def pose_from_unreal(
    x_cm: float, y_cm: float, z_cm: float, roll_deg: float, pitch_deg: float, yaw_deg: float
) -> Pose:
    """Return the pose that an engine's location [cm] and rotation [deg] mean."""
    return Pose(
        x=CM * x_cm,
        y=-CM * y_cm,
        z=CM * z_cm,
        roll=math.radians(roll_deg),
        pitch=-math.radians(pitch_deg),
        yaw=-math.radians(yaw_deg),
    )


def pose_to_unreal(pose: Pose) -> tuple[float, float, float, float, float, float]:
    """Return x, y, z [cm], roll, pitch, yaw [deg] of a pose as the engine would say it.

    The engine keeps its yaw from -180 (excluded) to 180 degrees, so it is wrapped.
    """
    return (
        float(pose.x) / CM,
        -float(pose.y) / CM,
        float(pose.z) / CM,
        math.degrees(float(pose.roll)),
        -math.degrees(float(pose.pitch)),
        math.degrees(float(wrap_angle(-float(pose.yaw)))),
    )
