"""What `Encoder.txt` says: the measured speeds of the belts."""

from dataclasses import dataclass

from grouser.hil.exchange.parse_numbers import parse_count, parse_numbers
from grouser.hil.exchange.unreal_frame import CM


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
        """Return the line, also of two numbers, left and right; None if it is malformed."""
        match parse_numbers(text):
            case [left, right]:
                return cls(left=CM * left, right=CM * right)
            case [count, t_ms, left, right] if (seq := parse_count(count)) is not None:
                return cls(seq=seq, time=1e-3 * t_ms, left=CM * left, right=CM * right)
            case _:
                return None

    def format(self) -> str:
        """Return the line as it is written, newline included."""
        speeds = f"{self.left / CM:.6f},{self.right / CM:.6f}"
        return f"{self.seq or 0},{1e3 * (self.time or 0.0):.0f},{speeds}\n"
