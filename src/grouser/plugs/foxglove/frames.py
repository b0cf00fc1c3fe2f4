"""Stamps, and the tree of frames: map, odom, base_link, flippers and sensors.

By REP-105, map is fixed to the world and base_link is the body. No odometry is computed here: odom
is at the origin of map, and base_link in it is the truth. Axes are those of REP-103.
"""

import math
from collections.abc import Iterator

from foxglove.messages import (
    FrameTransform,
    FrameTransforms,
    Quaternion,
    Timestamp,
    Vector3,
)

from grouser.description import Robot
from grouser.geometry import Pose
from grouser.models import Motion

MAP, ODOM, BODY = "map", "odom", "base_link"
"""Names of frames by REP-105."""
OPTICAL = (-0.5, 0.5, -0.5, 0.5)
"""Quaternion x, y, z, w of an optical frame, z ahead and y down, in its camera's frame [1]."""
SECOND = 1_000_000_000
"""Nanoseconds."""


class SessionTime:
    """Simulated time of one run after another, as nanoseconds that never go back.

    It begins at the wall time at which the session began, so that recordings have a date.
    """

    def __init__(self, start: int) -> None:
        """Begin at a time since 1970 [ns]."""
        self._start, self._offset, self._run = start, 0, -1
        self.now = start
        """The last time that was returned [ns]."""

    def at(self, run: int, time: float) -> int:
        """Return the nanoseconds of a time of a run [s]; a new run begins where the last ended."""
        if run != self._run:
            self._run, self._offset = run, self.now - self._start
        self.now = max(self.now, self.of(time))
        return self.now

    def of(self, time: float) -> int:
        """Return the nanoseconds of a time of the current run, which may have passed [s]."""
        return self._start + self._offset + round(time * SECOND)


def stamp(nanoseconds: int) -> Timestamp:
    """Return a time as messages have it."""
    return Timestamp(*divmod(nanoseconds, SECOND))


def turn(pose: Pose) -> Quaternion:
    """Return the rotation of a pose of numbers; faster than by arrays."""
    roll, pitch, yaw = (0.5 * float(angle) for angle in (pose.roll, pose.pitch, pose.yaw))
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return Quaternion(
        x=sr * cp * cy - cr * sp * sy,
        y=cr * sp * cy + sr * cp * sy,
        z=cr * cp * sy - sr * sp * cy,
        w=cr * cp * cy + sr * sp * sy,
    )


def flipper_frame(name: str) -> str:
    """Return the name of a flipper's frame, whose origin is the hinge."""
    return f"{name}_link"


class FrameTree:
    """All frames of a robot."""

    def __init__(self, robot: Robot) -> None:
        self._hinges = [
            (flipper_frame(flipper.name), _vector(flipper.hinge)) for flipper in robot.flippers
        ]
        self._fixed = [(MAP, ODOM, Vector3(), Quaternion(w=1.0)), *_sensor_frames(robot)]

    def fixed(self, now: int) -> FrameTransforms:
        """Return the transforms that never change, at a time [ns]."""
        when = stamp(now)
        return FrameTransforms(transforms=[_transform(when, *frame) for frame in self._fixed])

    def moving(self, motion: Motion, now: int) -> FrameTransforms:
        """Return the transforms of body and flippers at a time [ns]."""
        when, pose = stamp(now), motion.pose
        place = Vector3(x=float(pose.x), y=float(pose.y), z=float(pose.z))
        transforms = [_transform(when, ODOM, BODY, place, turn(pose))]
        for (name, hinge), angle in zip(self._hinges, motion.flipper_angles, strict=True):
            half = 0.5 * float(angle)
            rotation = Quaternion(y=math.sin(half), w=math.cos(half))
            transforms.append(_transform(when, BODY, name, hinge, rotation))
        return FrameTransforms(transforms=transforms)


def _sensor_frames(robot: Robot) -> Iterator[tuple[str, str, Vector3, Quaternion]]:
    """Yield the frame of each sensor that has one, and the optical frame of each camera."""
    for table in robot.sensors.tables:
        frame, rotation = getattr(table, "frame", ""), getattr(table, "rotation", None)
        if not frame or rotation is None:
            continue
        place = _vector(getattr(table, "position", (0.0, 0.0, 0.0)))
        yield BODY, frame, place, _quaternion(rotation.as_quat().tolist())
        if optical := getattr(table, "optical_frame", ""):
            yield frame, optical, Vector3(), _quaternion(OPTICAL)


def _transform(
    when: Timestamp, parent: str, child: str, place: Vector3, rotation: Quaternion
) -> FrameTransform:
    return FrameTransform(
        timestamp=when,
        parent_frame_id=parent,
        child_frame_id=child,
        translation=place,
        rotation=rotation,
    )


def _vector(place: tuple[float, float, float]) -> Vector3:
    x, y, z = place
    return Vector3(x=x, y=y, z=z)


def _quaternion(numbers: tuple[float, float, float, float] | list[float]) -> Quaternion:
    x, y, z, w = numbers
    return Quaternion(x=x, y=y, z=z, w=w)
