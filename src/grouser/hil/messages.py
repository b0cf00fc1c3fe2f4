"""What host and board say to each other: the messages of protocol v1, as on the wire.

Numbers are those of the wire; properties give them in SI. `firmware/protocol.md` has the table.
"""

from dataclasses import astuple, dataclass
from enum import IntEnum, IntFlag
from math import radians
from struct import Struct
from typing import ClassVar, TypeAlias

PROTOCOL = 1
"""Version of the protocol."""
BAUD = 250_000
"""Speed of the line: exact at 16 MHz, where 115200 is not [1/s]."""
SPEED_STEP = 1e-4
"""Belt speed that one unit of a speed or set-point stands for [m/s]."""
LARGEST_SPEED = 5000
"""Largest set-point, in steps [1]."""
LARGEST_DUTY = 1000
"""Largest duty, in thousandths [1]."""
GYRO_STEP = radians(1.0 / 131.0)
"""Angular rate that one count of the gyroscope stands for, at 250 deg/s full scale [rad/s]."""
ACCEL_STEP = 9.80665 / 16384.0
"""Acceleration that one count stands for, at 2 g full scale [m/s^2]."""


class Mode(IntEnum):
    """What the two numbers of a command are."""

    SPEED = 0
    DUTY = 1


class BoardState(IntEnum):
    """State of the board; only `ARMED` drives."""

    WAIT_HELLO = 0
    IDLE = 1
    ARMED = 2
    SAFE = 3


class Fault(IntFlag):
    """What the board found wrong."""

    LEASE = 1 << 0
    ESTOP = 1 << 1
    STALL_LEFT = 1 << 2
    STALL_RIGHT = 1 << 3
    RUNAWAY_LEFT = 1 << 4
    RUNAWAY_RIGHT = 1 << 5
    BATTERY = 1 << 6
    IMU = 1 << 7
    OVERRUN = 1 << 8
    LOOP_LATE = 1 << 9


class Reason(IntEnum):
    """Why the board refused a message."""

    WRONG_PROTOCOL = 1
    WRONG_LINK_ID = 2
    OLD_SEQ = 3
    OUT_OF_RANGE = 4
    NOT_ARMED = 5
    UNKNOWN_TYPE = 6
    WRONG_LENGTH = 7
    FAULTS = 8


class ResetCause(IntFlag):
    """Why the board started, as its register MCUSR says."""

    POWER = 1 << 0
    EXTERNAL = 1 << 1
    BROWNOUT = 1 << 2
    WATCHDOG = 1 << 3


@dataclass(frozen=True, slots=True)
class Hello:
    """The host asks for a connection."""

    TYPE: ClassVar[int] = 0x01
    LAYOUT: ClassVar[Struct] = Struct("<BHHH")
    protocol: int
    link_id: int
    rate_hz: int
    lease_ms: int


@dataclass(frozen=True, slots=True)
class Arm:
    """The host permits the motors to run."""

    TYPE: ClassVar[int] = 0x02
    LAYOUT: ClassVar[Struct] = Struct("<H")
    link_id: int


@dataclass(frozen=True, slots=True)
class Cmd:
    """The host asks for belt speeds or duties, and renews the lease."""

    TYPE: ClassVar[int] = 0x03
    LAYOUT: ClassVar[Struct] = Struct("<HHIhhB")
    link_id: int
    seq: int
    t_host_us: int
    left: int
    right: int
    mode: int = Mode.SPEED


@dataclass(frozen=True, slots=True)
class Ping:
    """The host asks for the board's clock."""

    TYPE: ClassVar[int] = 0x04
    LAYOUT: ClassVar[Struct] = Struct("<HI")
    seq: int
    t_host_us: int


@dataclass(frozen=True, slots=True)
class Estop:
    """The host stops the motors, whatever else."""

    TYPE: ClassVar[int] = 0x05
    LAYOUT: ClassVar[Struct] = Struct("<")


@dataclass(frozen=True, slots=True)
class Boot:
    """The board has started."""

    TYPE: ClassVar[int] = 0x80
    LAYOUT: ClassVar[Struct] = Struct("<BBH")
    protocol: int
    mcusr: int
    boot_count: int


@dataclass(frozen=True, slots=True)
class HelloAck:
    """The board accepts a connection."""

    TYPE: ClassVar[int] = 0x81
    LAYOUT: ClassVar[Struct] = Struct("<BHBHIIH")
    protocol: int
    link_id: int
    mcusr: int
    boot_count: int
    period_us: int
    firmware_hash: int
    counts_per_revolution: int


@dataclass(frozen=True, slots=True)
class State:
    """What the board measures and does, sent at the agreed rate."""

    TYPE: ClassVar[int] = 0x83
    LAYOUT: ClassVar[Struct] = Struct("<HHIHBHiihhhhhh3h3hHHHH")
    link_id: int
    seq: int
    t_us: int
    cmd_seq: int
    state: int
    faults: int
    encoder_left: int
    encoder_right: int
    speed_left: int
    speed_right: int
    duty_left: int
    duty_right: int
    setpoint_left: int
    setpoint_right: int
    gyro_x: int
    gyro_y: int
    gyro_z: int
    accel_x: int
    accel_y: int
    accel_z: int
    battery_mv: int
    crc_errors: int
    overruns: int
    worst_loop_us: int

    @property
    def speeds(self) -> tuple[float, float]:
        """Measured belt speeds, left and right [m/s]."""
        return self.speed_left * SPEED_STEP, self.speed_right * SPEED_STEP

    @property
    def setpoints(self) -> tuple[float, float]:
        """Belt speeds that the board was asked for and took, left and right [m/s]."""
        return self.setpoint_left * SPEED_STEP, self.setpoint_right * SPEED_STEP

    @property
    def yaw_rate(self) -> float:
        """Yaw rate by the gyroscope, its bias included [rad/s]."""
        return self.gyro_z * GYRO_STEP


@dataclass(frozen=True, slots=True)
class Pong:
    """The board answers a ping with its clock."""

    TYPE: ClassVar[int] = 0x84
    LAYOUT: ClassVar[Struct] = Struct("<HIII")
    seq: int
    t_host_us: int
    t_rx_us: int
    t_tx_us: int


@dataclass(frozen=True, slots=True)
class Nak:
    """The board refuses a message."""

    TYPE: ClassVar[int] = 0x8F
    LAYOUT: ClassVar[Struct] = Struct("<BBHH")
    refused_type: int
    reason: int
    link_id: int
    seq: int


Message: TypeAlias = (
    Hello | Arm | Cmd | Ping | Estop | Boot | HelloAck | State | Pong | Nak
)  # fmt: skip
"""Anything that is said."""
KINDS: dict[int, type[Message]] = {
    kind.TYPE: kind
    for kind in (Hello, Arm, Cmd, Ping, Estop, Boot, HelloAck, State, Pong, Nak)
}  # fmt: skip
"""Kind of message by the first byte of a frame."""


def pack(message: Message) -> bytes:
    """Return type and body of a message."""
    return bytes((message.TYPE,)) + message.LAYOUT.pack(*astuple(message))


def unpack(content: bytes) -> Message | None:
    """Return the message of type and body; None for an unknown type or a wrong length."""
    kind = KINDS.get(content[0]) if content else None
    if kind is None or len(content) != 1 + kind.LAYOUT.size:
        return None
    return kind(*kind.LAYOUT.unpack(content[1:]))
