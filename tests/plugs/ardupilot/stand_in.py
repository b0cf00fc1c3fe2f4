"""A stand-in for ArduPilot's side of the JSON interface, and an autopilot that drives a square.

Written from the documentation and the source of SIM_JSON and SIM_Aircraft, and from nothing of
grouser: packets by `struct`, replies read as ArduPilot reads them, its clock of whole microseconds,
its frame rate that follows the timestamps. It is no ArduPilot: no estimator, no parameters, no
MAVLink; sensors are what the simulation sends.
"""

import json
import math
import re
import struct
from dataclasses import dataclass, field

FLOAT_EPSILON = 1.1920929e-07
BUFFER = 65000
RESEND_AFTER = 1.1
"""Silence after which a frame is sent again: eleven waits of 100 ms [s]."""
VECTORS = {"gyro": 3, "accel_body": 3, "position": 3, "attitude": 3, "velocity": 3, "quaternion": 4}


def f32(number: float) -> float:
    """Return a number as a C float holds it."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


@dataclass(frozen=True, slots=True)
class Sensed:
    """What a reply says."""

    timestamp: float
    """Simulated time [s]."""
    gyro: tuple[float, ...]
    """Rates [rad/s]."""
    accel_body: tuple[float, ...]
    """Specific force [m/s^2]."""
    position: tuple[float, ...]
    """North, east, down [m]."""
    velocity: tuple[float, ...]
    """North, east, down [m/s]."""
    attitude: tuple[float, ...]
    """Roll, pitch, yaw [rad]."""
    quaternion: tuple[float, ...]
    """Body to north, east, down [1]."""


def read_by_search(line: str) -> Sensed | None:
    """Read a line as versions up to 4.7 do: look for keys as text, and skip two characters."""
    found: dict[str, tuple[float, ...]] = {}
    for section, key in (
        ("", "timestamp"), ("imu", "gyro"), ("imu", "accel_body"), ("", "position"),
        ("", "attitude"), ("", "quaternion"), ("", "velocity"),
    ):  # fmt: skip
        at = line.find(section)
        at = -1 if at < 0 else line.find(key, at + len(section) + 1)
        if at < 0:
            return None
        found[key] = _numbers(line[at + len(key) + 2 :], VECTORS.get(key, 0))
    timestamp = found.pop("timestamp")[0]
    return Sensed(timestamp=timestamp, **found)


def _numbers(text: str, count: int) -> tuple[float, ...]:
    """Return what atof reads at the beginning, or in each place between brackets and commas."""
    if count == 0:
        return (_atof(text),)
    places = text[: text.index("]")].split(",")
    assert len(places) == count, text
    return tuple(_atof(place[re.search(r"[-0-9]", place).start() :]) for place in places)


def _atof(text: str) -> float:
    found = re.match(r"\s*[-+]?\d+\.?\d*([eE][-+]?\d+)?", text)
    return float(found[0]) if found else 0.0


def read_strictly(line: str) -> Sensed | None:
    """Read a line as later versions do: JSON in full, of 4096 bytes at most, each key complete."""
    if len(line) + 1 > 4096 or any(len(n) > 39 for n in re.findall(r"[-+.eE0-9]+", line)):
        return None
    content = json.loads(line, parse_constant=lambda word: 1 / 0)
    flat = {**content, **content["imu"]}
    for key, count in VECTORS.items():
        assert len(flat[key]) == count
    vectors = {key: tuple(map(float, flat[key])) for key in VECTORS}
    return Sensed(timestamp=float(flat["timestamp"]), **vectors)


@dataclass
class StandIn:
    """ArduPilot's JSON backend, one call for each thing that happens to it."""

    rate: float = 1200.0
    """SIM_RATE_HZ [Hz]."""
    channels: int = 16
    """Channels of its packets."""
    read: object = read_by_search
    """How it reads a line."""
    left: int = 1
    """Channel with SERVOx_FUNCTION 73."""
    right: int = 3
    """Channel with SERVOx_FUNCTION 74."""
    frames: int = 0
    """Its frame counter."""
    clock_us: int = 0
    """Its clock [us]."""
    timestamp: float = 0.0
    """Timestamp of the last reply [s]."""
    sensed: Sensed | None = None
    """The last reply."""
    resets_seen: int = 0
    """Replies whose timestamp was before the last one."""
    unread: int = 0
    """Datagrams in which there was no reply."""
    pulses: tuple[int, int] = (1500, 1500)
    """Left and right pulse [us]."""
    _rate_hz: float = field(default=0.0, init=False)
    _last_us: int = field(default=0, init=False)
    _buffer: bytes = field(default=b"", init=False)

    def __post_init__(self) -> None:
        self._rate_hz = f32(self.rate)

    def output_servos(self) -> bytes:
        """Return the packet of the current frame."""
        pulses = [0] * self.channels
        pulses[self.left - 1], pulses[self.right - 1] = self.pulses
        magic = {16: 18458, 32: 29569}[self.channels]
        head = struct.pack("<HHI", magic, int(self._rate_hz), self.frames)
        return head + struct.pack(f"<{self.channels}H", *pulses)

    def receive(self, data: bytes) -> bool:
        """Take a datagram as the reply; return whether one was read from it."""
        taken = data[: BUFFER - len(self._buffer)].replace(b"\n", b"\0")
        self._buffer += taken
        end = self._buffer.rfind(b"\0")
        begin = self._buffer.rfind(b"\0", 0, max(end, 0))
        sensed = None
        if end > 0 and begin >= 0:
            sensed = self.read(self._buffer[begin + 1 : end].decode("ascii"))  # type: ignore[operator]
        if sensed is None:
            self.unread += 1
            return False
        self._buffer = self._buffer[end:]
        self.sensed = sensed
        self._advance_clock(sensed.timestamp)
        self.frames += 1
        self._adjust(min(max(self.rate, self._rate_hz - 1.0), self._rate_hz + 1.0))
        return True

    def _advance_clock(self, timestamp: float) -> None:
        delta = timestamp - self.timestamp
        if delta < 0.0:
            self.resets_seen += 1
            delta = 0.0
        self.clock_us = int(float(self.clock_us) + delta * 1.0e6)  # uint64_t += double
        if FLOAT_EPSILON <= delta < 0.1:
            self._adjust(1.0 / delta)
            if self._last_us == self.clock_us:
                self.clock_us += int(1.0e6 / self._rate_hz)
            self._last_us = self.clock_us
        self.timestamp = timestamp

    def _adjust(self, rate: float) -> None:
        self._rate_hz = f32(rate)


@dataclass
class SquareDriver:
    """Drives to the corners of a square, one after the other: turns to each, then holds course."""

    side: float
    """Length of a side [m]."""
    throttle: float = 0.4
    """Share of the full speed [1]."""
    period: float = 0.02
    """Time between two decisions, 50 Hz as ArduPilot's rover [s]."""
    laps: float = 1
    """How many times it drives around [1]."""
    reached: int = 0
    """Corners that it has reached."""
    _corners: list[tuple[float, float]] = field(default_factory=list)
    _due_us: int = 0
    path: list[tuple[float, float, float]] = field(default_factory=list)
    """Time [s], north and east [m] of each decision."""

    def drive(self, stand_in: StandIn) -> None:
        """Set the stand-in's pulses from what it has sensed, when a decision is due."""
        sensed = stand_in.sensed
        if sensed is None or stand_in.clock_us < self._due_us:
            return
        self._due_us += round(self.period * 1e6)
        north, east, _ = sensed.position
        if not self._corners:
            side = self.side
            self._corners = [
                (north + n, east + e) for n, e in ((0, side), (side, side), (side, 0), (0, 0))
            ]
        self.path.append((sensed.timestamp, north, east))
        if not self.is_done and self._distance(north, east) < 0.15:
            self.reached += 1
        throttle, steering = self._decide(north, east, sensed)
        shares = (throttle + steering, throttle - steering)
        left, right = (round(1500 + 500 * min(max(s, -1.0), 1.0)) for s in shares)
        stand_in.pulses = (left, right)

    @property
    def is_done(self) -> bool:
        """Whether all laps are driven."""
        return self.reached >= 4 * self.laps

    def _distance(self, north: float, east: float) -> float:
        n, e = self._corners[self.reached % 4]
        return math.hypot(n - north, e - east)

    def _decide(self, north: float, east: float, sensed: Sensed) -> tuple[float, float]:
        if self.is_done:
            return 0.0, 0.0
        n, e = self._corners[self.reached % 4]
        error = math.remainder(math.atan2(e - east, n - north) - sensed.attitude[2], math.tau)
        steering = min(max(0.35 * error - 0.05 * sensed.gyro[2], -0.3), 0.3)
        near = min(1.0, 0.25 + self._distance(north, east))
        return (self.throttle * near if abs(error) < 0.35 else 0.0), steering
