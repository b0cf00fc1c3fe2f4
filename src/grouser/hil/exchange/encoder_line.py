"""What `Encoder.txt` says: the measured speeds of the belts."""

from dataclasses import dataclass

from grouser.hil.exchange.parse_numbers import parse_count, parse_numbers, parse_time
from grouser.hil.exchange.unreal_frame import CM
from grouser.limits import BELT_SPEED


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderLine:
    """One line `seq,t_ms,left_cm_s,right_cm_s`."""

    seq: int | None = None
    """Number of the line; None where the writer gives none."""
    time: float | None = None
    """When it was written, by the writer's clock; None where it gives none [s]."""
    left: float
    """Belt speed on the left, forward positive [m/s]."""
    right: float
    """Belt speed on the right, forward positive [m/s]."""

    @classmethod
    def parse(cls, text: str) -> "EncoderLine | None":
        """Return the line, also of two numbers, left and right.

        None if it is malformed, or no belt can be so fast.
        """
        numbers = parse_numbers(text) or []
        if len(numbers) not in (2, 4):
            return None
        *head, left, right = numbers
        if max(abs(left), abs(right)) * CM > BELT_SPEED:
            return None
        if not head:
            return cls(left=CM * left, right=CM * right)
        seq, moment = parse_count(head[0]), parse_time(head[1])
        if seq is None or moment is None:
            return None
        return cls(seq=seq, time=moment, left=CM * left, right=CM * right)

    def format(self) -> str:
        """Return the line as it is written, newline included."""
        speeds = f"{self.left / CM:.6f},{self.right / CM:.6f}"
        return f"{self.seq or 0},{1e3 * (self.time or 0.0):.0f},{speeds}\n"
