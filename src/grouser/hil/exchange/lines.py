"""Text lines of the exchange, and conversion from and to Unreal's frame.

Unreal's frame is left-handed: X forward, Y right, Z up, in centimetres; yaw is positive to the
right, pitch positive nose up, roll positive right side down, in degrees. Both conversions change
the signs of y, yaw and pitch, and only those.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

from grouser.geometry import Pose, wrap_angle
from grouser.limits import BELT_SPEED, LENGTH, TURN

LARGEST_COUNT = 2**53
"""Largest sequence number, and time [ms]: floats represent integers exactly up to here."""
MOST_NUMBERS = 8
"""Most numbers of a line."""
_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,4})?")
_GAP = re.compile(r"[\s,;]+")


def parse_numbers(line: str) -> list[float] | None:
    """Return the numbers of one line; None if it is not a line of finite numbers.

    Separators are commas, semicolons, blanks and tabs; those at the ends are ignored.
    """
    text = line.strip(" \t\r\n,;\ufeff\x00")
    if not text or "\n" in text or not text.isascii():
        return None
    words = _GAP.split(text)
    if len(words) > MOST_NUMBERS or not all(map(_NUMBER.fullmatch, words)):
        return None
    numbers = [float(word) for word in words]
    return numbers if all(map(math.isfinite, numbers)) else None


CM = 0.01
"""One centimetre [m]."""


def pose_from_unreal(
    x_cm: float, y_cm: float, z_cm: float, roll_deg: float, pitch_deg: float, yaw_deg: float
) -> Pose:
    """Return the pose of a location [cm] and rotation [deg] in Unreal's frame."""
    return Pose(
        x=CM * x_cm,
        y=-CM * y_cm,
        z=CM * z_cm,
        roll=math.radians(roll_deg),
        pitch=-math.radians(pitch_deg),
        yaw=-math.radians(yaw_deg),
    )


def pose_to_unreal(pose: Pose) -> tuple[float, float, float, float, float, float]:
    """Return x, y, z [cm], roll, pitch, yaw [deg] in Unreal's frame; yaw above -180 to 180."""
    return (
        float(pose.x) / CM,
        -float(pose.y) / CM,
        float(pose.z) / CM,
        math.degrees(float(pose.roll)),
        -math.degrees(float(pose.pitch)),
        math.degrees(float(wrap_angle(-float(pose.yaw)))),
    )


def _parse_stamp(head: list[float]) -> dict[str, Any] | None:
    """Return the fields of sequence number and time [ms]; none if `head` is empty, None if bad."""
    if not head:
        return {}
    seq, milliseconds = head
    if not (
        0.0 <= seq <= LARGEST_COUNT and seq.is_integer() and abs(milliseconds) <= LARGEST_COUNT
    ):
        return None
    return {"seq": int(seq), "time": 1e-3 * milliseconds}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    seq: int | None = None
    """Sequence number; None if the line has none."""
    time: float | None = None
    """Time of the writer's clock; None if the line has none [s]."""

    def _join(self, *numbers: float) -> str:
        words = ",".join(f"{number:.6f}" for number in numbers)
        return f"{self.seq or 0},{1e3 * (self.time or 0.0):.0f},{words}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderLine(_Line):
    """One line `seq,t_ms,left_cm_s,right_cm_s`."""

    left: float
    """Speed of the left belt, forward positive [m/s]."""
    right: float
    """Speed of the right belt, forward positive [m/s]."""

    @classmethod
    def parse(cls, text: str) -> "EncoderLine | None":
        """Return the line, also one of left and right only; None if malformed or out of range."""
        numbers = parse_numbers(text) or []
        if len(numbers) not in (2, 4):
            return None
        *head, left, right = numbers
        stamp = _parse_stamp(head)
        if stamp is None or max(abs(left), abs(right)) * CM > BELT_SPEED:
            return None
        return cls(**stamp, left=CM * left, right=CM * right)

    def format(self) -> str:
        """Return the text of the line, newline included."""
        return self._join(self.left / CM, self.right / CM)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrientationLine(_Line):
    """One line `seq,t_ms,x_cm,y_cm,z_cm,roll_deg,pitch_deg,yaw_deg`."""

    pose: Pose
    """The pose, in the world frame of grouser."""

    @classmethod
    def parse(cls, text: str) -> "OrientationLine | None":
        """Return the line; None if it is malformed or the pose is out of range.

        Three numbers are x, y and yaw, six are x, y, z, roll, pitch and yaw.
        """
        match parse_numbers(text) or []:
            case [x, y, yaw]:
                head, pose = [], [x, y, 0.0, 0.0, 0.0, yaw]
            case [*head, x, y, z, roll, pitch, yaw] if len(head) in (0, 2):
                pose = [x, y, z, roll, pitch, yaw]
            case _:
                return None
        stamp = _parse_stamp(head)
        is_far = max(map(abs, pose[:3])) * CM > LENGTH or max(map(abs, pose[3:])) > TURN
        return None if stamp is None or is_far else cls(**stamp, pose=pose_from_unreal(*pose))

    def format(self) -> str:
        """Return the text of the line, newline included."""
        return self._join(*pose_to_unreal(self.pose))
