"""A board in lockstep for fault tests, and the rows and results of the fault table."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from grouser.hil import messages as wire
from grouser.hil.board import BoardStep
from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.simulated_board import BUILD, SimulatedBoard

PERIOD_US = 10_000
"""Period of the set-points [us]."""
LINK_ID = 7
"""Number of the connection."""
SPEED = 0.1
"""Default belt speed, that of P0 [m/s]."""
BYTE_US = 10_000_000 // wire.BAUD
"""Transmission time of one byte [us]."""


def image_without(guard: str) -> Path | None:
    """Return the firmware without a safety function; None, the complete one, if it is empty."""
    return BUILD / "mutants" / f"no-{guard}.elf" if guard else None


class Bench:
    """A simulated board with a host that sends exactly what a test needs."""

    def __init__(self, without: str = "", *, seed: int = 1, image: Path | None = None) -> None:
        """Switch a board on, whose firmware lacks the safety function `without`, or is `image`."""
        self.board = SimulatedBoard(image or image_without(without), seed=seed)
        self.now_us = 0
        self.last: BoardStep | None = None
        """The last step."""
        self.arrived_us = 0
        """When the last set-point was transmitted completely [us]."""
        self.states: list[tuple[int, wire.State]] = []
        """States with their times of arrival [us]."""
        self.naks: list[wire.Nak] = []
        self.boots: list[wire.Boot] = []
        self.acks: list[wire.HelloAck] = []
        self.fastest = 0.0
        """Largest true belt speed since `watch`, in either direction [m/s]."""
        self.was_on = self.was_off = False
        """Whether any driver was on, or any was off, at the end of a step since `watch`."""
        self.seq = 0
        self._decoder = FrameDecoder()
        self._outbox = bytearray()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *exception: object) -> None:
        self.board.close()

    @property
    def state(self) -> wire.State:
        """The newest state."""
        return self.states[-1][1]

    @property
    def off_us(self) -> float:
        """When the last of both drivers was switched off; infinite if one is on [us]."""
        is_on = self.last is not None and any(self.last.enabled)
        return float("inf") if is_on else float(max(self.board.pins()))

    def watch(self) -> None:
        """Reset `fastest`, `was_on` and `was_off`."""
        self.fastest, self.was_on, self.was_off = 0.0, False, False

    def send(self, message: wire.Message) -> None:
        """Send a message with the next step."""
        frame = encode_message(message)
        self._outbox += frame
        if isinstance(message, wire.Cmd):
            self.arrived_us = self.now_us + BYTE_US * len(self._outbox)

    def send_bytes(self, data: bytes) -> None:
        """Send any bytes with the next step."""
        self._outbox += data

    def command(self, left: float = SPEED, right: float = SPEED) -> None:
        """Send a new set-point of belt speeds [m/s]."""
        self.seq = (self.seq + 1) % 0x10000
        steps = round(left / wire.SPEED_STEP), round(right / wire.SPEED_STEP)
        self.send(wire.Cmd(LINK_ID, self.seq, self.now_us % 2**32, *steps, wire.Mode.SPEED))

    def step(self, duration_us: int = 1000) -> None:
        """Advance the board, and receive its messages."""
        step = self.last = self.board.step(duration_us, bytes(self._outbox))
        self._outbox.clear()
        self.now_us = step.time_us
        self.fastest = max(self.fastest, *map(abs, step.belt_speeds))
        self.was_on |= any(step.enabled)
        self.was_off |= not all(step.enabled)
        for message in self._decoder.feed(step.sent):
            self._take(message)

    def wait(self, seconds: float) -> None:
        """Advance the board without sending."""
        for _ in range(round(seconds * 1000)):
            self.step()

    def drive(
        self,
        seconds: float,
        left: float = SPEED,
        right: float = SPEED,
        *,
        every: int = 1,
        also: Callable[[], None] = lambda: None,
    ) -> None:
        """Send a set-point in each period, or each `every` periods, and call `also`."""
        for period in range(round(seconds * 1e6 / PERIOD_US)):
            if period % every == 0:
                self.command(left, right)
            also()
            for _ in range(PERIOD_US // 1000):
                self.step()

    def connect(self, *, protocol: int = wire.PROTOCOL, link_id: int = LINK_ID) -> None:
        """Send HELLO and wait for the answer."""
        self.send_bytes(b"\x00")
        self.wait(0.02)
        self.send(wire.Hello(protocol, link_id, 100, 100))
        self.wait(0.02)

    def start_driving(self, seconds: float = 0.6) -> "Bench":
        """Connect, arm, and drive until the belts have a constant speed."""
        self.connect()
        self.send(wire.Arm(LINK_ID))
        self.drive(seconds)
        self.watch()
        return self

    def fault(self, words: str) -> int:
        """Inject a fault; return its time [us]."""
        self.board.fault(words)
        return self.now_us

    def _take(self, message: wire.Message) -> None:
        match message:
            case wire.State():
                self.states.append((self.now_us, message))
            case wire.Nak():
                self.naks.append(message)
            case wire.Boot():
                self.boots.append(message)
            case wire.HelloAck():
                self.acks.append(message)
            case _:
                pass

    def count_wrong(self, since: int) -> tuple[int, int]:
        """Return how many armed states have other set-points than `SPEED`, and of how many."""
        armed = [state for _, state in self.states[since:] if state.state == wire.BoardState.ARMED]
        commanded = {round(SPEED / wire.SPEED_STEP)}
        wrong = sum({state.setpoint_left, state.setpoint_right} != commanded for state in armed)
        return wrong, len(armed)


@dataclass(frozen=True, slots=True)
class Finding:
    """A measurement, and whether it is as required."""

    is_kept: bool
    """Whether the requirement is met."""
    measured: str
    """Measurement as text."""
    figures: dict[str, float] = field(default_factory=dict)
    """Measured numbers by name [unit of the name]."""


def after(ms: float, digits: int = 1) -> str:
    """Return a time [ms] as text; an infinite one is `never`."""
    return f"after {ms:.{digits}f} ms" if math.isfinite(ms) else "never"


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault, the required reaction, and a function that measures it."""

    number: int
    fault: str
    behaviour: str
    """Required reaction."""
    promise: str
    """Required figures."""
    twins: tuple[str, ...]
    """Safety functions without which the measurement must fail, by the names of the firmware's
    build, where `lease` is the command timeout."""
    check: Callable[[str], Finding]
    """Measures with all safety functions (an empty word), or without the named one."""


def fault_row(
    number: int, fault: str, behaviour: str, promise: str, *twins: str
) -> Callable[[Callable[[str], Finding]], FaultRow]:
    """Return a decorator that makes a measuring function a row; see the fields of `FaultRow`."""
    return partial(FaultRow, number, fault, behaviour, promise, twins)
