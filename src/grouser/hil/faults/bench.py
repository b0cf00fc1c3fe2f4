"""The firmware in lockstep with a fault, and what was found."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from grouser.hil.board import BoardStep
from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.messages import (
    BAUD,
    PROTOCOL,
    SPEED_STEP,
    Arm,
    Boot,
    Cmd,
    Hello,
    HelloAck,
    Message,
    Mode,
    Nak,
    State,
)
from grouser.hil.simulated_board import BUILD, SimulatedBoard

PERIOD_US = 10_000
"""Time between two set-points [us]."""
LINK_ID = 7
"""Number of the bench's connection."""
SPEED = 0.1
"""Belt speed that a bench drives at unless told otherwise, P0's [m/s]."""
BYTE_US = 10_000_000 // BAUD
"""Time of one byte on the wire [us]."""


def image_without(guard: str) -> Path | None:
    """Return the firmware that lacks a safety function; None, the real one, for an empty word."""
    return BUILD / "mutants" / f"no-{guard}.elf" if guard else None


class Bench:
    """A board, and a host that does exactly what it is told."""

    def __init__(self, without: str = "", *, seed: int = 1, image: Path | None = None) -> None:
        """Switch a board on.

        Args:
            without: Safety function that its firmware lacks; none if empty.
            seed: Seed of the noise of sensors and link.
            image: Another firmware altogether.
        """
        self.board = SimulatedBoard(image or image_without(without), seed=seed)
        self.now_us = 0
        self.last: BoardStep | None = None
        """The last step."""
        self.arrived_us = 0
        """When the last set-point was wholly on the board, if the line let it pass [us]."""
        self.states: list[tuple[int, State]] = []
        """States, and when they had come [us]."""
        self.naks: list[Nak] = []
        self.boots: list[Boot] = []
        self.acks: list[HelloAck] = []
        self.fastest = 0.0
        """Largest true belt speed since `watch` was called, either way [m/s]."""
        self.was_on = self.was_off = False
        """Whether both drivers were on, or off, at the end of any step since `watch`."""
        self.seq = 0
        self._decoder = FrameDecoder()
        self._outbox = bytearray()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.board.close()

    @property
    def state(self) -> State:
        """The newest state."""
        return self.states[-1][1]

    @property
    def off_us(self) -> float:
        """When the second of both drivers was switched off; infinite if one is on [us]."""
        is_on = self.last is not None and any(self.last.enabled)
        return float("inf") if is_on else float(max(self.board.pins()))

    def watch(self) -> None:
        """Begin to watch anew."""
        self.fastest, self.was_on, self.was_off = 0.0, False, False

    def say(self, message: Message) -> None:
        """Send a message with the next step."""
        frame = encode_message(message)
        self._outbox += frame
        if isinstance(message, Cmd):
            self.arrived_us = self.now_us + BYTE_US * len(self._outbox)

    def say_bytes(self, data: bytes) -> None:
        """Send anything at all with the next step."""
        self._outbox += data

    def command(self, left: float = SPEED, right: float = SPEED) -> None:
        """Send a new set-point of belt speeds [m/s]."""
        self.seq = (self.seq + 1) % 0x10000
        wire = round(left / SPEED_STEP), round(right / SPEED_STEP)
        self.say(Cmd(LINK_ID, self.seq, self.now_us % 2**32, *wire, Mode.SPEED))

    def step(self, duration_us: int = 1000) -> None:
        """Let time pass, and take what comes."""
        step = self.last = self.board.step(duration_us, bytes(self._outbox))
        self._outbox.clear()
        self.now_us = step.time_us
        self.fastest = max(self.fastest, *map(abs, step.belt_speeds))
        self.was_on |= any(step.enabled)
        self.was_off |= not all(step.enabled)
        for message in self._decoder.feed(step.sent):
            self._take(message)

    def wait(self, seconds: float) -> None:
        """Let time pass in silence."""
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
        """Send a set-point every period, or only in every so-manieth, and whatever `also` says."""
        for period in range(round(seconds * 1e6 / PERIOD_US)):
            if period % every == 0:
                self.command(left, right)
            also()
            for _ in range(PERIOD_US // 1000):
                self.step()

    def connect(self, *, protocol: int = PROTOCOL, link_id: int = LINK_ID) -> None:
        """Say HELLO and wait for its answer."""
        self.say_bytes(b"\x00")
        self.wait(0.02)
        self.say(Hello(protocol, link_id, 100, 100))
        self.wait(0.02)

    def set_off(self, seconds: float = 0.6) -> "Bench":
        """Connect, arm, and drive until the belts have settled."""
        self.connect()
        self.say(Arm(LINK_ID))
        self.drive(seconds)
        self.watch()
        return self

    def fault(self, words: str) -> int:
        """Let something go wrong; return when [us]."""
        self.board.fault(words)
        return self.now_us

    def _take(self, message: Message) -> None:
        match message:
            case State():
                self.states.append((self.now_us, message))
            case Nak():
                self.naks.append(message)
            case Boot():
                self.boots.append(message)
            case HelloAck():
                self.acks.append(message)
            case _:
                pass


@dataclass(frozen=True, slots=True)
class Finding:
    """A measurement, and whether it is what was promised."""

    is_kept: bool
    """Whether the promise holds."""
    measured: str
    """What was measured, in words."""
    figures: dict[str, float] = field(default_factory=dict)
    """The numbers behind the words [unit as its name spells]."""


def after(ms: float, digits: int = 1) -> str:
    """Return when something happened, in words; an infinite time means never [ms]."""
    return f"after {ms:.{digits}f} ms" if math.isfinite(ms) else "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """A fault, what must happen, and how to find out whether it does."""

    number: int
    """Its place in the table."""
    fault: str
    """What goes wrong."""
    behaviour: str
    """What must happen."""
    promise: str
    """In which figures."""
    check: Callable[[str], Finding]
    """Measures with everything in place (an empty word), or without one safety function."""
    twins: tuple[str, ...]
    """Safety functions without which the same measurement must show the fault."""
