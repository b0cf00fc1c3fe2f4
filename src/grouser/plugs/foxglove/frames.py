"""Stamps, and the tree of frames as messages.

No odometry is computed here: odom is at the origin of map, and base_link in it is the truth.
"""

from collections.abc import Iterable

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
from grouser.plugs.frames import (
    BODY,
    MAP,
    ODOM,
    Transform,
    drive_transforms,
    flipper_transforms,
    pose_transform,
    sensor_transforms,
)

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


class FrameTree:
    """All frames of a robot."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._fixed = [
            pose_transform(MAP, ODOM, Pose()), *sensor_transforms(robot), *drive_transforms(robot)
        ]  # fmt: skip

    def fixed(self, now: int) -> FrameTransforms:
        """Return the transforms that never change, at a time [ns]."""
        return _message(self._fixed, now)

    def moving(self, motion: Motion, now: int) -> FrameTransforms:
        """Return the transforms of body and flippers at a time [ns]."""
        angles = (float(angle) for angle in motion.flipper_angles)
        flippers = flipper_transforms(self._robot, angles)
        return _message([pose_transform(ODOM, BODY, motion.pose), *flippers], now)


def _message(transforms: Iterable[Transform], now: int) -> FrameTransforms:
    when = stamp(now)
    return FrameTransforms(
        transforms=[
            FrameTransform(
                timestamp=when,
                parent_frame_id=one.parent,
                child_frame_id=one.child,
                translation=Vector3(**dict(zip("xyz", one.position, strict=True))),
                rotation=Quaternion(**dict(zip("xyzw", one.rotation, strict=True))),
            )
            for one in transforms
        ]
    )
