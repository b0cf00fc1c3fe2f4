"""Messages of protocol v1 between host and board.

Fields have the units and names of the wire (`lease_ms` is the command timeout); properties return
SI. `firmware/protocol.md` has the table.
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
"""Bits per second: exact at 16 MHz, where 115200 is not [1/s]."""
SPEED_STEP = 1e-4
"""Belt speed per unit of a speed or set-point [m/s]."""
LARGEST_SPEED = 5000
"""Largest set-point, in steps [1]."""
LARGEST_DUTY = 1000
"""Largest duty, in thousandths [1]."""
GYRO_STEP = radians(1.0 / 131.0)
"""Angular rate per count of the gyroscope, at 250 deg/s full scale [rad/s]."""


def period_us(rate: int) -> int:
    """Return the period of the states at a rate [Hz]: whole milliseconds, as on the board [us]."""
    return 1000 * ((1000 + rate // 2) // rate)


class Mode(IntEnum):
    """Quantity of the two set-points of a command."""

    SPEED = 0
    DUTY = 1


class BoardState(IntEnum):
    """State of the board; the motors run only in `ARMED`."""

    WAIT_HELLO = 0
    IDLE = 1
    ARMED = 2
    SAFE = 3


class Fault(IntFlag):
    """Fault flags of the board."""

    COMMAND_TIMEOUT = 1 << 0
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
    """Why the board rejected a message."""

    WRONG_PROTOCOL = 1
    WRONG_LINK_ID = 2
    OLD_SEQ = 3
    OUT_OF_RANGE = 4
    NOT_ARMED = 5
    UNKNOWN_TYPE = 6
    WRONG_LENGTH = 7
    FAULTS = 8


class ResetCause(IntFlag):
    """Cause of the last reset, by the register MCUSR."""

    POWER = 1 << 0
    EXTERNAL = 1 << 1
    BROWNOUT = 1 << 2
    WATCHDOG = 1 << 3


class Wired:
    """Type byte and layout of a message."""

    __slots__ = ()
    TYPE: ClassVar[int]
    """First byte of the frame."""
    LAYOUT: ClassVar[Struct]
    """Layout of the fields that follow."""


U8: TypeAlias = Annotated[int, "B"]
U16: TypeAlias = Annotated[int, "H"]
U32: TypeAlias = Annotated[int, "I"]
I16: TypeAlias = Annotated[int, "h"]
I32: TypeAlias = Annotated[int, "i"]
WiredT = TypeVar("WiredT", bound=Wired)


@dataclass_transform(frozen_default=True)
def message(kind: int) -> Callable[[type[WiredT]], type[WiredT]]:
    """Return a decorator that makes a class a message; its layout follows from its fields."""

    def make(declared: type[WiredT]) -> type[WiredT]:
        made = dataclass(frozen=True, slots=True)(declared)
        hints = get_type_hints(made, include_extras=True)
        codes = (hints[name].__metadata__[0] for name in declared.__annotations__)
        made.TYPE, made.LAYOUT = kind, Struct("<" + "".join(codes))
        return made

    return make


@message(0x01)
class Hello(Wired):
    """The host requests a connection."""

    protocol: U8
    link_id: U16
    rate_hz: U16
    lease_ms: U16


@message(0x02)
class Arm(Wired):
    """The host enables the motors."""

    link_id: U16


@message(0x03)
class Cmd(Wired):
    """The host sets belt speeds or duties, and restarts the command timeout."""

    link_id: U16
    seq: U16
    t_host_us: U32
    left: I16
    right: I16
    mode: U8 = Mode.SPEED


@message(0x04)
class Ping(Wired):
    """The host requests the board's clock."""

    seq: U16
    t_host_us: U32


@message(0x05)
class Estop(Wired):
    """The host stops the motors, in any state."""


@message(0x80)
class Boot(Wired):
    """The board has booted."""

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
    """Measurements and outputs of the board, sent at the rate of the connection."""

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
        """Belt speeds of the last accepted command, left and right [m/s]."""
        return self.setpoint_left * SPEED_STEP, self.setpoint_right * SPEED_STEP

    @property
    def yaw_rate(self) -> float:
        """Yaw rate of the gyroscope, bias included [rad/s]."""
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
    """The board rejects a message."""

    refused_type: U8
    reason: U8
    link_id: U16
    seq: U16


Message: TypeAlias = (
    Hello | Arm | Cmd | Ping | Estop | Boot | HelloAck | State | Pong | Nak
)  # fmt: skip
"""Any message."""
KINDS: dict[int, type[Message]] = {kind.TYPE: kind for kind in get_args(Message)}
"""Class of message by the first byte of a frame."""


def pack(message: Message) -> bytes:
    """Return type and body of a message."""
    return bytes((message.TYPE,)) + message.LAYOUT.pack(*astuple(message))


def unpack(content: bytes) -> Message | None:
    """Return the message of type and body; None for an unknown type or a wrong length."""
    kind = KINDS.get(content[0]) if content else None
    if kind is None or len(content) != 1 + kind.LAYOUT.size:
        return None
    return kind(*kind.LAYOUT.unpack(content[1:]))
