"""The board's side of the protocol in Python: states, lease, refusals, faults."""

from dataclasses import dataclass, field

from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.messages import (
    LARGEST_DUTY,
    LARGEST_SPEED,
    PROTOCOL,
    SPEED_STEP,
    Arm,
    BoardState,
    Boot,
    Cmd,
    Estop,
    Fault,
    Hello,
    HelloAck,
    Message,
    Mode,
    Nak,
    Ping,
    Pong,
    Reason,
    State,
)
from grouser.hil.speed_control import SpeedControl
from grouser.hil.track_plant import COUNTS_PER_REVOLUTION

FIRMWARE_HASH = 0x50594247
"""What stands in for the hash of a firmware image: it says that there is none."""
LOWEST_BATTERY_MV = 5000
"""Below it nothing drives [mV]."""
LATCHED = (
    Fault.LEASE | Fault.ESTOP | Fault.STALL_LEFT | Fault.STALL_RIGHT | Fault.RUNAWAY_LEFT
    | Fault.RUNAWAY_RIGHT | Fault.BATTERY
)  # fmt: skip
"""Faults that stay until the next ARM."""
STALLS, RUNAWAYS = (
    (Fault.STALL_LEFT, Fault.STALL_RIGHT),
    (Fault.RUNAWAY_LEFT, Fault.RUNAWAY_RIGHT),
)


@dataclass(slots=True)
class Inputs:
    """What the board's sensors say."""

    counts: tuple[int, int] = (0, 0)
    """Encoders, left and right."""
    gyro: tuple[int, int, int] = (0, 0, 0)
    """Angular rates about x, y, z, in counts."""
    accel: tuple[int, int, int] = (0, 0, 16384)
    """Accelerations along x, y, z, in counts."""
    battery_mv: int = 7400
    """Battery [mV]."""
    has_imu: bool = True
    """Whether the inertial sensor answers."""


@dataclass(slots=True)
class PythonFirmware:
    """Takes bytes and ticks of a millisecond; gives bytes, duties and whether motors are on."""

    mcusr: int
    """Why it started."""
    boot_count: int
    """How often it started."""
    inputs: Inputs = field(default_factory=Inputs)
    """What its sensors say; set from outside before each tick."""
    outbox: bytearray = field(default_factory=bytearray)
    """What is to be sent."""
    state: BoardState = BoardState.WAIT_HELLO
    """What it may do."""
    faults: Fault = Fault(0)
    """What is wrong."""
    controls: tuple[SpeedControl, SpeedControl] = field(
        default_factory=lambda: (SpeedControl(), SpeedControl())
    )
    """Control of the left and of the right track."""
    _decoder: FrameDecoder = field(default_factory=FrameDecoder)
    _link_id: int = 0
    _period_us: int = 10_000
    _lease_us: int = 100_000
    _lease_left_us: int = 0
    _next_state_us: int = 0
    _seq: int = 0
    _cmd_seq: int = 0
    _has_command: bool = False
    _setpoints: tuple[int, int] = (0, 0)
    _mode: int = Mode.SPEED

    def __post_init__(self) -> None:
        self.outbox += b"\x00" + encode_message(Boot(PROTOCOL, self.mcusr, self.boot_count))

    @property
    def duties(self) -> tuple[float, float]:
        """Duty of each motor [1]."""
        if self.state != BoardState.ARMED:
            return 0.0, 0.0
        return self.controls[0].duty, self.controls[1].duty

    def receive(self, data: bytes, now_us: int) -> None:
        """Take bytes from the line."""
        for message in self._decoder.feed(data):
            self._obey(message, now_us)
        for kind, is_known in self._decoder.refused:
            reason = Reason.WRONG_LENGTH if is_known else Reason.UNKNOWN_TYPE
            self._refuse(kind, reason, 0, 0)

    def tick_lease(self) -> None:
        """Let a millisecond pass in the timer's interrupt: the lease runs out here."""
        if self.state == BoardState.ARMED:
            self._lease_left_us -= 1000
            if self._lease_left_us <= 0:
                self._stop(Fault.LEASE)

    def tick_loop(self, now_us: int) -> None:
        """Let a millisecond pass in the main loop: measure, control, watch, report."""
        for index, control in enumerate(self.controls):
            control.measure(self.inputs.counts[index], now_us)
            self._drive(index, control)
        if self.inputs.battery_mv < LOWEST_BATTERY_MV:
            self._stop(Fault.BATTERY)
        if self.inputs.has_imu:
            self.faults &= ~Fault.IMU
        else:
            self.faults |= Fault.IMU
        if self.state != BoardState.WAIT_HELLO and now_us >= self._next_state_us:
            self._next_state_us += self._period_us
            self._report(now_us)

    def _drive(self, index: int, control: SpeedControl) -> None:
        if self.state != BoardState.ARMED:
            control.release()
        elif self._mode == Mode.DUTY:
            control.duty = self._setpoints[index] / LARGEST_DUTY
        else:
            control.hold(self._setpoints[index] * SPEED_STEP, 1e-3)
        stalls, runs_away = control.check(1000)
        if stalls:
            self._stop(STALLS[index])
        if runs_away:
            self._stop(RUNAWAYS[index])

    def _stop(self, fault: Fault) -> None:
        self.faults |= fault
        if self.state == BoardState.ARMED:
            self.state = BoardState.SAFE
        self._setpoints = (0, 0)

    def _obey(self, message: Message, now_us: int) -> None:
        match message:
            case Hello():
                self._greet(message, now_us)
            case Arm():
                self._arm(message)
            case Cmd():
                self._command(message)
            case Ping():
                answer = Pong(message.seq, message.t_host_us, _u32(now_us), _u32(now_us))
                self.outbox += encode_message(answer)
            case Estop():
                self._stop(Fault.ESTOP)
                if self.state != BoardState.WAIT_HELLO:
                    self.state = BoardState.SAFE
            case _:
                self._refuse(message.TYPE, Reason.UNKNOWN_TYPE, 0, 0)

    def _greet(self, hello: Hello, now_us: int) -> None:
        if hello.protocol != PROTOCOL:
            self._refuse(hello.TYPE, Reason.WRONG_PROTOCOL, hello.link_id, 0)
            return
        fits = 10 <= hello.rate_hz <= 200 and 50 <= hello.lease_ms <= 500 and hello.link_id != 0
        if not fits:
            self._refuse(hello.TYPE, Reason.OUT_OF_RANGE, hello.link_id, 0)
            return
        self._link_id, self._lease_us = hello.link_id, hello.lease_ms * 1000
        self._period_us = round(1e6 / hello.rate_hz)
        self._next_state_us = now_us + self._period_us
        self._has_command, self._setpoints = False, (0, 0)
        self.state = BoardState.IDLE
        self.outbox += encode_message(
            HelloAck(
                PROTOCOL, self._link_id, self.mcusr, self.boot_count, self._period_us,
                FIRMWARE_HASH, COUNTS_PER_REVOLUTION,
            )
        )  # fmt: skip

    def _arm(self, arm: Arm) -> None:
        if self.state == BoardState.WAIT_HELLO or arm.link_id != self._link_id:
            self._refuse(arm.TYPE, Reason.WRONG_LINK_ID, arm.link_id, 0)
        elif self.inputs.battery_mv < LOWEST_BATTERY_MV:
            self._refuse(arm.TYPE, Reason.FAULTS, arm.link_id, 0)
        elif self.state != BoardState.ARMED:
            self.faults &= ~LATCHED
            self.state, self._setpoints = BoardState.ARMED, (0, 0)
            self._lease_left_us = self._lease_us
            self.controls = (SpeedControl(), SpeedControl())

    def _command(self, cmd: Cmd) -> None:
        largest = {Mode.SPEED: LARGEST_SPEED, Mode.DUTY: LARGEST_DUTY}.get(cmd.mode, -1)  # type: ignore[call-overload]
        if self.state == BoardState.WAIT_HELLO or cmd.link_id != self._link_id:
            self._refuse(cmd.TYPE, Reason.WRONG_LINK_ID, cmd.link_id, cmd.seq)
        elif self._has_command and not 1 <= (cmd.seq - self._cmd_seq) % 0x10000 <= 0x7FFF:
            self._refuse(cmd.TYPE, Reason.OLD_SEQ, cmd.link_id, cmd.seq)
        elif max(abs(cmd.left), abs(cmd.right)) > largest:
            self._refuse(cmd.TYPE, Reason.OUT_OF_RANGE, cmd.link_id, cmd.seq)
        elif self.state != BoardState.ARMED:
            self._refuse(cmd.TYPE, Reason.NOT_ARMED, cmd.link_id, cmd.seq)
        else:
            self._cmd_seq, self._has_command = cmd.seq, True
            self._setpoints, self._mode = (cmd.left, cmd.right), cmd.mode
            self._lease_left_us = self._lease_us

    def _refuse(self, kind: int, reason: Reason, link_id: int, seq: int) -> None:
        self.outbox += encode_message(Nak(kind, reason, link_id, seq))

    def _report(self, now_us: int) -> None:
        self._seq = (self._seq + 1) % 0x10000
        counts, inputs = self.inputs.counts, self.inputs
        left, right = self.controls
        speeds = (_i16(left.speed / SPEED_STEP), _i16(right.speed / SPEED_STEP))
        duties = (_i16(self.duties[0] * LARGEST_DUTY), _i16(self.duties[1] * LARGEST_DUTY))
        crc_errors = self._decoder.counts.bad % 0x10000
        self.outbox += encode_message(
            State(
                self._link_id, self._seq, _u32(now_us), self._cmd_seq, self.state, self.faults,
                *counts, *speeds, *duties, *self._setpoints, *inputs.gyro, *inputs.accel,
                inputs.battery_mv, crc_errors, 0, 0,
            )
        )  # fmt: skip
        self.faults &= ~(Fault.OVERRUN | Fault.LOOP_LATE)


def _u32(value: int) -> int:
    return value % 0x1_0000_0000


def _i16(value: float) -> int:
    return min(max(round(value), -0x8000), 0x7FFF)
