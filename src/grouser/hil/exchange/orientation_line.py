"""What `Orientation.txt` says: where the virtual robot is, in the engine's frame."""

from dataclasses import dataclass

from grouser.geometry import Pose
from grouser.hil.exchange.parse_numbers import parse_count, parse_numbers, parse_time
from grouser.hil.exchange.unreal_frame import CM, pose_from_unreal, pose_to_unreal
from grouser.limits import LENGTH, TURN


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
        """Return the line; None if it is malformed, or the place is out of this world.

        Three numbers are x, y and yaw, six are x, y, z, roll, pitch and yaw.
        """
        match parse_numbers(text) or []:
            case [x, y, yaw]:
                head, pose = [], [x, y, 0.0, 0.0, 0.0, yaw]
            case [_, _, _, _, _, _] as pose:
                head = []
            case [*head, x, y, z, roll, pitch, yaw] if len(head) == 2:
                pose = [x, y, z, roll, pitch, yaw]
            case _:
                return None
        if max(map(abs, pose[:3])) * CM > LENGTH or max(map(abs, pose[3:])) > TURN:
            return None
        if not head:
            return cls(pose=pose_from_unreal(*pose))
        seq, moment = parse_count(head[0]), parse_time(head[1])
        if seq is None or moment is None:
            return None
        return cls(seq=seq, time=moment, pose=pose_from_unreal(*pose))

    def format(self) -> str:
        """Return the line as it is written, newline included."""
        numbers = ",".join(f"{number:.6f}" for number in pose_to_unreal(self.pose))
        return f"{self.seq or 0},{1e3 * (self.time or 0.0):.0f},{numbers}\n"
