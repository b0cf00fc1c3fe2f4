"""Servo outputs of a skid-steer rover as belt speeds."""

from dataclasses import dataclass

from grouser.errors import InvalidValue
from grouser.plugs.ardupilot.packets import CHANNELS, ServoFrame

MOST_CHANNELS = max(CHANNELS.values())
"""Largest number of channels of a servo packet [1]."""
LONGEST_PULSE = 65535
"""Longest pulse that a packet can hold [us]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServoMap:
    """Which channels drive the belts, and how fast they run at which pulse.

    The channels are those whose SERVOx_FUNCTION is 73 (ThrottleLeft) and 74 (ThrottleRight); the
    pulses are SERVOx_MIN, SERVOx_TRIM and SERVOx_MAX of these.
    """

    left: int = 1
    """Channel of the left belts, from 1 on."""
    right: int = 3
    """Channel of the right belts, from 1 on."""
    least: float = 1000.0
    """Pulse at which belts run backward at full speed [us]."""
    trim: float = 1500.0
    """Pulse at which belts stand [us]."""
    most: float = 2000.0
    """Pulse at which belts run forward at full speed [us]."""
    dead_zone: float = 0.0
    """Difference from `trim` up to which belts stand [us]."""

    def __post_init__(self) -> None:
        for name in ("left", "right"):
            if not 1 <= getattr(self, name) <= MOST_CHANNELS:
                required = f"be a channel from 1 to {MOST_CHANNELS}"
                raise InvalidValue(f"{name} channel", getattr(self, name), required)
        if self.left == self.right:
            raise InvalidValue("right channel", self.right, "differ from the left channel")
        if not 0.0 < self.least < self.trim < self.most <= LONGEST_PULSE:
            given = f"{self.least:g}, {self.trim:g}, {self.most:g}"
            required = f"rise, above 0 and up to {LONGEST_PULSE} us"
            raise InvalidValue("pulses at full speed backward, at rest, forward", given, required)
        largest = min(self.trim - self.least, self.most - self.trim)
        if not 0.0 <= self.dead_zone < largest:
            raise InvalidValue("dead zone", self.dead_zone, f"be from 0 to below {largest:g} us")

    def belts(self, frame: ServoFrame) -> tuple[float, float]:
        """Return the left and the right belt's share of the full speed, from -1 to 1.

        Raises:
            InvalidValue: The packet has fewer channels than this map needs.
        """
        highest, known = max(self.left, self.right), len(frame.pulses)
        if highest > known:
            required = f"be at most {known}, or ArduPilot's SERVO_32_ENABLE be 1"
            raise InvalidValue("channel of a belt", highest, required)
        return self.share(frame.pulses[self.left - 1]), self.share(frame.pulses[self.right - 1])

    def share(self, pulse: float) -> float:
        """Return the share of the full speed at a pulse; 0 for an output that is off."""
        offset = pulse - self.trim
        if pulse == 0 or abs(offset) <= self.dead_zone:
            return 0.0
        whole = self.most - self.trim if offset > 0.0 else self.trim - self.least
        share = (abs(offset) - self.dead_zone) / (whole - self.dead_zone)
        return min(share, 1.0) if offset > 0.0 else -min(share, 1.0)
