"""What host and board say to each other: the messages of protocol v1, as on the wire.

Numbers are those of the wire; properties give them in SI. `firmware/protocol.md` has the table.
"""

from collections.abc import Callable
from dataclasses import astuple, dataclass
from enum import IntEnum, IntFlag
from math import radians
from struct import Struct
from typing import (
    Annotated,
    ClassVar,
    TypeAlias,
    TypeVar,
    dataclass_transform,
    get_args,
    get_type_hints,
)

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


class Wired:
    """What a message has on the wire, beside its numbers."""

    __slots__ = ()
    TYPE: ClassVar[int]
    """First byte of its frame."""
    LAYOUT: ClassVar[Struct]
    """Its numbers, as they follow."""


U8: TypeAlias = Annotated[int, "B"]
U16: TypeAlias = Annotated[int, "H"]
U32: TypeAlias = Annotated[int, "I"]
I16: TypeAlias = Annotated[int, "h"]
I32: TypeAlias = Annotated[int, "i"]
WiredT = TypeVar("WiredT", bound=Wired)


@dataclass_transform(frozen_default=True)
def message(kind: int) -> Callable[[type[WiredT]], type[WiredT]]:
    """Return what makes a class a message, with a layout that follows from its fields.

    Args:
        kind: First byte of its frame.
    """

    def make(declared: type[WiredT]) -> type[WiredT]:
        made = dataclass(frozen=True, slots=True)(declared)
        hints = get_type_hints(made, include_extras=True)
        codes = (hints[name].__metadata__[0] for name in declared.__annotations__)
        made.TYPE, made.LAYOUT = kind, Struct("<" + "".join(codes))
        return made

    return make


@message(0x01)
class Hello(Wired):
    """The host asks for a connection."""

    protocol: U8
    link_id: U16
    rate_hz: U16
    lease_ms: U16


@message(0x02)
class Arm(Wired):
    """The host permits the motors to run."""

    link_id: U16


@message(0x03)
class Cmd(Wired):
    """The host asks for belt speeds or duties, and renews the lease."""

    link_id: U16
    seq: U16
    t_host_us: U32
    left: I16
    right: I16
    mode: U8 = Mode.SPEED


@message(0x04)
class Ping(Wired):
    """The host asks for the board's clock."""

    seq: U16
    t_host_us: U32


@message(0x05)
class Estop(Wired):
    """The host stops the motors, whatever else."""


@message(0x80)
class Boot(Wired):
    """The board has started."""

    protocol: U8
    mcusr: U8
    boot_count: U16


@message(0x81)
class HelloAck(Wired):
    """The board accepts a connection."""

    protocol: U8
    link_id: U16
    mcusr: U8
    boot_count: U16
    period_us: U32
    firmware_hash: U32
    counts_per_revolution: U16


@message(0x83)
class State(Wired):
    """What the board measures and does, sent at the agreed rate."""

    link_id: U16
    seq: U16
    t_us: U32
    cmd_seq: U16
    state: U8
    faults: U16
    encoder_left: I32
    encoder_right: I32
    speed_left: I16
    speed_right: I16
    duty_left: I16
    duty_right: I16
    setpoint_left: I16
    setpoint_right: I16
    gyro_x: I16
    gyro_y: I16
    gyro_z: I16
    accel_x: I16
    accel_y: I16
    accel_z: I16
    battery_mv: U16
    crc_errors: U16
    overruns: U16
    worst_loop_us: U16

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


@message(0x84)
class Pong(Wired):
    """The board answers a ping with its clock."""

    seq: U16
    t_host_us: U32
    t_rx_us: U32
    t_tx_us: U32


@message(0x8F)
class Nak(Wired):
    """The board refuses a message."""

    refused_type: U8
    reason: U8
    link_id: U16
    seq: U16


Message: TypeAlias = (
    Hello | Arm | Cmd | Ping | Estop | Boot | HelloAck | State | Pong | Nak
)  # fmt: skip
"""Anything that is said."""
KINDS: dict[int, type[Message]] = {kind.TYPE: kind for kind in get_args(Message)}
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
