"""The board's side of the protocol in Python: `link.c` and `report.c` of the firmware."""

from dataclasses import dataclass, field

from grouser.hil import messages as wire
from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.python_vehicle import CONTROL_MS, COUNTS_PER_REVOLUTION, PythonVehicle

FIRMWARE_HASH = 0x50594247
"""Hash that the board reports, as there is no firmware image."""
NO_RATES = (0, 0, 0)
"""Reading of a sensor that does not answer."""


@dataclass(slots=True)
class PythonFirmware:
    """Protocol and timing of the firmware: receives bytes and ticks of 1 ms, controls a vehicle."""

    mcusr: int
    """Cause of the reset: the register MCUSR."""
    boot_count: int
    """How often it booted."""
    vehicle: PythonVehicle = field(default_factory=PythonVehicle)
    """Motors and sensors that it controls."""
    outbox: bytearray = field(default_factory=bytearray)
    _decoder: FrameDecoder = field(default_factory=FrameDecoder)
    _link_id: int = 0
    _period_ms: int = 10
    _due_ms: int = 0
    _ticks: int = 0
    _seq: int = 0
    _cmd_seq: int = 0
    _has_command: bool = False

    def __post_init__(self) -> None:
        self.outbox += b"\x00" + encode_message(
            wire.Boot(wire.PROTOCOL, self.mcusr, self.boot_count)
        )

    def receive(self, data: bytes, now_us: int) -> None:
        """Handle received bytes."""
        for message in self._decoder.feed(data):
            self._handle(message, now_us)
        for kind, is_known in self._decoder.rejected:
            if kind == wire.Estop.TYPE:  # of any length
                self.vehicle.stop_for(wire.Fault.ESTOP)
            else:
                reason = wire.Reason.WRONG_LENGTH if is_known else wire.Reason.UNKNOWN_TYPE
                self._reject(kind, reason, 0, 0)

    def check_command_timeout(self, now_us: int) -> None:
        """Do one timer interrupt of 1 ms."""
        self._ticks += 1
        self.vehicle.check_command_timeout(now_us)

    def tick_loop(self, now_us: int) -> None:
        """Do one pass of the main loop: control and report when due."""
        if self._ticks % CONTROL_MS == 0:
            self.vehicle.step()
        if self._link_id and self._ticks >= self._due_ms:
            self._due_ms += self._period_ms
            self._report(now_us)

    def _handle(self, message: wire.Message, now_us: int) -> None:
        match message:
            case wire.Hello():
                self._connect(message)
            case wire.Arm():
                self._arm(message, now_us)
            case wire.Cmd():
                self._command(message, now_us)
            case wire.Ping():
                answer = wire.Pong(message.seq, message.t_host_us, _u32(now_us), _u32(now_us))
                self.outbox += encode_message(answer)
            case wire.Estop():
                self.vehicle.stop_for(wire.Fault.ESTOP)
            case _:
                self._reject(message.TYPE, wire.Reason.UNKNOWN_TYPE, 0, 0)

    def _connect(self, hello: wire.Hello) -> None:
        if hello.protocol != wire.PROTOCOL:
            self._reject(hello.TYPE, wire.Reason.WRONG_PROTOCOL, 0, 0)
            return
        is_valid = 10 <= hello.rate_hz <= 200 and 50 <= hello.lease_ms <= 500 and hello.link_id != 0
        if not is_valid:
            self._reject(hello.TYPE, wire.Reason.OUT_OF_RANGE, hello.link_id, 0)
            return
        self.vehicle.connect(hello.lease_ms)
        self._link_id = hello.link_id
        self._period_ms = (1000 + hello.rate_hz // 2) // hello.rate_hz
        self._due_ms = self._ticks + self._period_ms
        self._seq = self._cmd_seq = 0
        self._has_command = False
        self.outbox += encode_message(
            wire.HelloAck(
                wire.PROTOCOL, self._link_id, self.mcusr, self.boot_count,
                1000 * self._period_ms, FIRMWARE_HASH, COUNTS_PER_REVOLUTION,
            )
        )  # fmt: skip

    def _arm(self, arm: wire.Arm, now_us: int) -> None:
        if not self._is_ours(arm.link_id):
            self._reject(arm.TYPE, wire.Reason.WRONG_LINK_ID, arm.link_id, 0)
        elif not self.vehicle.arm(now_us):
            self._reject(arm.TYPE, wire.Reason.FAULTS, arm.link_id, 0)

    def _command(self, cmd: wire.Cmd, now_us: int) -> None:
        reason = self._check(cmd)
        if reason is not None:
            self._reject(cmd.TYPE, reason, cmd.link_id, cmd.seq)
            return
        self._cmd_seq, self._has_command = cmd.seq, True
        self.vehicle.command(cmd.left, cmd.right, cmd.mode, now_us)

    def _check(self, cmd: wire.Cmd) -> wire.Reason | None:
        largest = {
            int(wire.Mode.SPEED): wire.LARGEST_SPEED,
            int(wire.Mode.DUTY): wire.LARGEST_DUTY,
        }.get(cmd.mode, -1)
        if not self._is_ours(cmd.link_id):
            return wire.Reason.WRONG_LINK_ID
        if self.vehicle.state != wire.BoardState.ARMED:
            return wire.Reason.NOT_ARMED
        if max(abs(cmd.left), abs(cmd.right)) > largest:
            return wire.Reason.OUT_OF_RANGE
        if self._has_command and not 1 <= (cmd.seq - self._cmd_seq) % 0x10000 <= 0x7FFF:
            return wire.Reason.OLD_SEQ
        return None

    def _is_ours(self, link_id: int) -> bool:
        return self._link_id != 0 and link_id == self._link_id

    def _reject(self, kind: int, reason: wire.Reason, link_id: int, seq: int) -> None:
        self.outbox += encode_message(wire.Nak(kind, reason, link_id, seq))

    def _report(self, now_us: int) -> None:
        vehicle, inputs = self.vehicle, self.vehicle.inputs
        left, right = vehicle.tracks
        sensed = (NO_RATES, NO_RATES) if vehicle.has_lost_imu else (inputs.gyro, inputs.accel)
        self.outbox += encode_message(
            wire.State(
                self._link_id, self._seq, _u32(now_us), self._cmd_seq, vehicle.state,
                vehicle.faults, *inputs.counts, left.speed, right.speed, left.duty, right.duty,
                left.setpoint, right.setpoint, *sensed[0], *sensed[1], max(vehicle.battery_mv, 0),
                self._decoder.counts.bad % 0x10000, 0, 0,
            )
        )  # fmt: skip
        self._seq = (self._seq + 1) % 0x10000


def _u32(value: int) -> int:
    return value % 0x1_0000_0000
