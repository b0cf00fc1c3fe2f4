"""A line to a board in lockstep, between which somebody sits who changes what the board says."""

from collections.abc import Callable
from dataclasses import dataclass, field

from grouser.errors import LinkBroken
from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.links import LockstepLink
from grouser.hil.messages import Arm, Cmd, Estop, HelloAck, Message
from grouser.hil.python_board import PythonBoard


class Gone(Exception):
    """Raised by a saboteur: the cable is pulled."""


Sabotage = Callable[["HostileLink", Message], list[Message | bytes]]
"""What to hand on instead of a message of the board."""


@dataclass
class Record:
    """What host and board said, and when."""

    commands: list[tuple[float, bool]] = field(default_factory=list)
    """Time of each command or ESTOP of the host, and whether it moves the robot [s]."""
    armed_at: float | None = None
    """When the host first said ARM [s]."""
    true_ack_at: float | None = None
    """When an untouched HELLO_ACK was handed on [s]."""
    fault_at: float | None = None
    """When the first false word was said, or the first true one was kept back [s]."""
    moving_early: int = 0
    """Commands that move the robot before a valid handshake and ARM."""

    @property
    def zero_after(self) -> float | None:
        """Time from the fault to the end of the last command that moves the robot.

        That end is the next command for standstill, or ESTOP; at the latest the end of the lease
        is the board's business. None if it was never moved after the fault, or there was none [s].
        """
        if self.fault_at is None:
            return None
        moving = [time for time, moves in self.commands if moves]
        if not moving or moving[-1] < self.fault_at:
            return 0.0
        later = [time for time, moves in self.commands if not moves and time >= moving[-1]]
        return (later[0] if later else moving[-1]) - self.fault_at

    @property
    def pause_after(self) -> float | None:
        """Time from the fault to the first word for standstill; None if there was none [s]."""
        if self.fault_at is None:
            return None
        stops = [time for time, moves in self.commands if not moves and time >= self.fault_at]
        return stops[0] - self.fault_at if stops else None


class HostileLink(LockstepLink):
    """Hands on what a board in Python says, as the saboteur wants it."""

    def __init__(self, sabotage: Sabotage, *, also: Callable[["HostileLink"], bytes] | None = None):
        """Put `sabotage` between board and host.

        Args:
            sabotage: Called with each message of the board.
            also: Called in every millisecond, for bytes that nobody of the board said.
        """
        super().__init__(PythonBoard(seed=1))
        self._sabotage, self._also = sabotage, also
        self._from_board, self._from_host = FrameDecoder(), FrameDecoder()
        self._waiting = bytearray()
        self.record = Record()
        self.is_gone = False

    def fault_now(self) -> None:
        """Note that the false begins here."""
        if self.record.fault_at is None:
            self.record.fault_at = self.now()

    @property
    def drives_for(self) -> float:
        """How long the host has been moving the robot [s]."""
        moving = [time for time, moves in self.record.commands if moves]
        return self.now() - moving[0] if moving else 0.0

    def send(self, data: bytes) -> None:
        """Note what the host says."""
        if self.is_gone:
            raise LinkBroken(self.name, "the board is disconnected")
        for message in self._from_host.feed(data):
            self._note(message)
        super().send(data)

    def receive(self, patience: float) -> bytes:
        """Return what the saboteur makes of it."""
        left_us = max(round(patience * 1e6), 1)
        while left_us > 0:
            duration = min(1000, left_us)
            sent = self.step(duration).sent
            left_us -= duration
            for message in self._from_board.feed(sent):
                self._hand_on(message)
            if self._also is not None:
                self._waiting += self._also(self)
            if self.is_gone:
                raise LinkBroken(self.name, "the board is disconnected")
            if self._waiting:
                data = bytes(self._waiting)
                self._waiting.clear()
                return data
        return b""

    def _hand_on(self, message: Message) -> None:
        try:
            instead = self._sabotage(self, message)
        except Gone:
            self.fault_now()
            self.is_gone = True
            return
        if instead != [message]:
            self.fault_now()
        elif isinstance(message, HelloAck) and self.record.fault_at is None:
            self.record.true_ack_at = self.now()
        for word in instead:
            self._waiting += word if isinstance(word, bytes) else encode_message(word)

    def _note(self, message: Message) -> None:
        record = self.record
        match message:
            case Arm():
                record.armed_at = record.armed_at or self.now()
            case Cmd():
                moves = bool(message.left or message.right)
                ready = record.armed_at is not None and record.true_ack_at is not None
                record.moving_early += moves and not ready
                record.commands.append((self.now(), moves))
            case Estop():
                record.commands.append((self.now(), False))
            case _:
                pass
