"""What `Orientation.txt` says: where the virtual robot is, in the engine's frame."""

from dataclasses import dataclass

from grouser.geometry import Pose
from grouser.hil.exchange.parse_numbers import parse_count, parse_numbers
from grouser.hil.exchange.unreal_frame import pose_from_unreal, pose_to_unreal


@dataclass(frozen=True, slots=True, kw_only=True)
class OrientationLine:
    """One line `seq,t_ms,x_cm,y_cm,z_cm,roll_deg,pitch_deg,yaw_deg`."""

    seq: int | None = None
    """Number of the line; None where the writer gives none."""
    time: float | None = None
    """When it was written, by the writer's clock; None where it gives none [s]."""
    pose: Pose
    """The pose in our own frame."""

    @classmethod
    def parse(cls, text: str) -> "OrientationLine | None":
        """Return the line; None if it is malformed.

        Three numbers are x, y and yaw, six are x, y, z, roll, pitch and yaw.
        """
        match parse_numbers(text):
            case [x_cm, y_cm, yaw_deg]:
                return cls(pose=pose_from_unreal(x_cm, y_cm, 0.0, 0.0, 0.0, yaw_deg))
            case [_, _, _, _, _, _] as numbers:
                return cls(pose=pose_from_unreal(*numbers))
            case [count, t_ms, *numbers] if len(numbers) == 6:
                seq = parse_count(count)
                pose = pose_from_unreal(*numbers)
                return None if seq is None else cls(seq=seq, time=1e-3 * t_ms, pose=pose)
            case _:
                return None

    def format(self) -> str:
        """Return the line as it is written, newline included."""
        numbers = ",".join(f"{number:.6f}" for number in pose_to_unreal(self.pose))
        return f"{self.seq or 0},{1e3 * (self.time or 0.0):.0f},{numbers}\n"
