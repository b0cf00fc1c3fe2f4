"""Packets of ArduPilot's JSON simulation interface: servo outputs in, a line of JSON out.

ArduPilot sends its servo outputs as a C structure of 16 or 32 channels, little-endian without
padding, and waits for the vehicle's state as text. The text must be one line between two newlines,
in one datagram.

Reference:
    ArduPilot, libraries/SITL/examples/JSON/readme.md, SIM_JSON.h and SIM_JSON.cpp.
"""

import json
import math
import struct
from dataclasses import dataclass
from typing import TypeAlias

from grouser.errors import InvalidValue

Vector: TypeAlias = tuple[float, float, float]
"""Three numbers along three axes."""
_HEAD = struct.Struct("<HHI")
CHANNELS = {18458: 16, 29569: 32}
"""Number of servo channels by the number with which a packet begins."""
LONGEST_SERVOS = _HEAD.size + 2 * max(CHANNELS.values())
"""Length of the longest servo packet [bytes]."""
LONGEST_REPLY = 4096
"""Longest reply that every version of ArduPilot reads [bytes]."""
RANGEFINDERS = 6
"""Rangefinders that a reply can have [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServoFrame:
    """One frame of ArduPilot: its servo outputs, and the time step that it would like."""

    count: int
    """Number of the frame since ArduPilot started, from 0."""
    rate: int
    """Frames per simulated second that ArduPilot would like [Hz]."""
    pulses: tuple[int, ...]
    """Pulse width of each servo channel, from channel 1 on; 0 for an output that is off [us]."""


def parse_servos(data: bytes) -> ServoFrame:
    """Return the frame of a servo packet.

    Raises:
        InvalidValue: It is no servo packet of 16 or 32 channels, or has a frame rate of zero.
    """
    if len(data) < _HEAD.size:
        required = f"have {_HEAD.size + 32} or {_HEAD.size + 64} bytes"
        raise InvalidValue("servo packet", f"{len(data)} bytes", required)
    magic, rate, count = _HEAD.unpack_from(data)
    channels = CHANNELS.get(magic)
    if channels is None:
        known = " or ".join(f"{number} ({width} channels)" for number, width in CHANNELS.items())
        raise InvalidValue("servo packet: magic", magic, f"be {known}")
    length = _HEAD.size + 2 * channels
    if len(data) != length:
        required = f"have {length} bytes for {channels} channels"
        raise InvalidValue("servo packet", f"{len(data)} bytes", required)
    if rate == 0:
        raise InvalidValue("servo packet: frame rate", rate, "be positive")
    pulses = struct.unpack_from(f"<{channels}H", data, _HEAD.size)
    return ServoFrame(count=count, rate=rate, pulses=pulses)


@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleState:
    """State of a vehicle in ArduPilot's frames: north, east, down; forward, right, down."""

    timestamp: float
    """Simulated time [s]."""
    gyro: Vector
    """Angular rates about forward, right and down axis [rad/s]."""
    accel_body: Vector
    """Specific force along forward, right and down axis: (0, 0, -9.81) at rest [m/s^2]."""
    position: Vector
    """Position to the north, to the east and down of the origin [m]."""
    velocity: Vector
    """Velocity to the north, to the east and down [m/s]."""
    attitude: Vector
    """Roll (right side down), pitch (nose up) and yaw (clockwise from north) [rad]."""
    quaternion: tuple[float, float, float, float]
    """The same rotation, from body to north, east, down; scalar first [1]."""
    distances: tuple[float, ...] = ()
    """Distances that rangefinders measure, at most six [m]."""


def compose_reply(state: VehicleState) -> bytes:
    """Return the datagram that reports a state.

    Raises:
        InvalidValue: A number is not finite, or there are more than six rangefinders.
    """
    if len(state.distances) > RANGEFINDERS:
        raise InvalidValue("distances", len(state.distances), f"be at most {RANGEFINDERS}")
    for name in state.__dataclass_fields__:
        value = getattr(state, name)
        for number in value if isinstance(value, tuple) else (value,):
            if not math.isfinite(number):
                raise InvalidValue(f"reply to ArduPilot: {name}", number, "be finite")
    # Older versions look for keys as plain text, so no key may be a piece of an earlier one.
    content = {
        "timestamp": state.timestamp,
        "imu": {"gyro": state.gyro, "accel_body": state.accel_body},
        "position": state.position,
        "attitude": state.attitude,
        "quaternion": state.quaternion,
        "velocity": state.velocity,
    }
    content |= {f"rng_{n}": distance for n, distance in enumerate(state.distances, 1)}
    return b"\n%s\n" % json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


class Timestamps:
    """Timestamps from which ArduPilot's clock gets every whole microsecond of simulated time.

    ArduPilot adds the difference of two timestamps to a clock of whole microseconds and drops what
    is left over. Differences of decimal fractions are often just below a whole number: after ten
    minutes of 500 Hz its clock would be 59 ms late. So timestamps are whole microseconds plus a few
    units in the last place more with each reply: 0.06 us after those ten minutes.
    """

    def __init__(self) -> None:
        self._excess = 0.0

    def next(self, time: float) -> float:
        """Return the timestamp of a simulated time, which is not before that of the last [s]."""
        seconds = round(time * 1e6) / 1e6
        self._excess += 4.0 * math.ulp(max(seconds, 1.0))
        return seconds + self._excess
