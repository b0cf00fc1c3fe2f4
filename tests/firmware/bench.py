"""A bench: the simulated board in lockstep, and the least of a host to talk to it."""

import binascii
import itertools
import struct
import subprocess
from pathlib import Path
from typing import NamedTuple

from cobs import cobs

HELLO, ARM, CMD, PING, ESTOP = 0x01, 0x02, 0x03, 0x04, 0x05
BOOT, HELLO_ACK, STATE, PONG, NAK = 0x80, 0x81, 0x83, 0x84, 0x8F
WAIT_HELLO, IDLE, ARMED, SAFE = range(4)
POWER_ON, EXTERNAL, BROWN_OUT, WATCHDOG = 1, 2, 4, 8
"""Bits of MCUSR."""
PERIOD = 10_000
"""Time between two commands [µs]."""
LINK = 7
BODY = struct.Struct("<HHIHBHiihhhhhh3h3hHHHH")


class State(NamedTuple):
    """A STATE, in the units of the wire."""

    link_id: int
    seq: int
    t_us: int
    cmd_seq: int
    state: int
    faults: int
    encoder: tuple[int, int]
    speed: tuple[int, int]
    duty: tuple[int, int]
    setpoint: tuple[int, int]
    gyro: tuple[int, int, int]
    accel: tuple[int, int, int]
    battery: int
    crc_errors: int
    overruns: int
    worst_loop: int

    @classmethod
    def read(cls, body: bytes) -> "State":
        n = BODY.unpack(body)
        pairs = tuple(n[i : i + 2] for i in (6, 8, 10, 12))
        return cls(*n[:6], *pairs, n[14:17], n[17:20], *n[20:])


def checksum(plain: bytes) -> bytes:
    return binascii.crc_hqx(plain, 0xFFFF).to_bytes(2, "little")


def frame(kind: int, body: bytes = b"") -> bytes:
    """Return a message as it goes over the wire."""
    plain = bytes([kind]) + body
    return cobs.encode(plain + checksum(plain)) + b"\0"


class Bench:
    """A board that can be talked to; `messages` are all good frames it has sent."""

    def __init__(self, board: Path, elf: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [board, "--lockstep", *options, elf],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.time = 0  # board time [µs]
        self.enabled = (False, False)
        self.speeds = (0.0, 0.0)  # [m/s]
        self.resets = 0
        self.messages: list[tuple[int, bytes]] = []
        self.damaged = 0
        self.answers: list[str] = []
        self.seq = itertools.count(1)
        self.rest = b""
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready lockstep\n"
        self.step(30_000)

    def close(self) -> None:
        self.process.communicate("quit\n")

    def ask(self, line: str) -> str:
        """Return the board's answer to a line."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def fault(self, words: str) -> None:
        assert self.ask(f"fault {words}") == "ok"

    def step(self, us: int, sent: bytes = b"") -> None:
        """Let time pass while bytes are sent."""
        answer = self.ask(f"step {us} {sent.hex() or '-'}")
        self.answers.append(answer)
        said, time, received, left, right, *others = answer.split()
        assert said == "ok"
        self.time, self.enabled = int(time), (left == "1", right == "1")
        self.speeds, self.resets = (float(others[0]), float(others[1])), int(others[2])
        self._take(b"" if received == "-" else bytes.fromhex(received))

    def _take(self, received: bytes) -> None:
        *frames, self.rest = (self.rest + received).split(b"\0")
        for stuffed in filter(None, frames):
            try:
                plain = cobs.decode(stuffed)
            except cobs.DecodeError:
                plain = b""
            if len(plain) > 2 and checksum(plain[:-2]) == plain[-2:]:
                self.messages.append((plain[0], plain[1:-2]))
            else:
                self.damaged += 1

    def off_since(self) -> int:
        """Return when the last of the two EN pins went low [µs]."""
        assert self.enabled == (False, False)
        return max(int(when) for when in self.ask("pins").split()[1:])

    def bodies(self, kind: int) -> list[bytes]:
        return [body for found, body in self.messages if found == kind]

    @property
    def states(self) -> list[State]:
        return [State.read(body) for body in self.bodies(STATE)]

    @property
    def state(self) -> State:
        """The newest STATE."""
        return self.states[-1]

    @property
    def reasons(self) -> list[int]:
        """Why messages were refused."""
        return [body[1] for body in self.bodies(NAK)]

    def hello(self, link: int = LINK, rate: int = 100, lease: int = 100, protocol: int = 1) -> None:
        self.step(PERIOD, b"\0" + frame(HELLO, struct.pack("<BHHH", protocol, link, rate, lease)))

    def arm(self, link: int = LINK) -> None:
        self.step(PERIOD, frame(ARM, struct.pack("<H", link)))

    def connect(self, **settings: int) -> None:
        self.hello(**settings)
        self.arm(settings.get("link", LINK))

    def command(
        self, left: int, right: int, mode: int = 0, *, link: int = LINK, seq: int | None = None
    ) -> bytes:
        number = (next(self.seq) if seq is None else seq) & 0xFFFF
        return frame(CMD, struct.pack("<HHIhhB", link, number, self.time, left, right, mode))

    def drive(self, seconds: float, left: int, right: int, mode: int = 0) -> None:
        """Send a command every period."""
        for _ in range(round(seconds * 1e6 / PERIOD)):
            self.step(PERIOD, self.command(left, right, mode))

    def drive_until_off(self, seconds: float, left: int, right: int) -> int:
        """Go on driving until the motors are off; return when that was [µs]."""
        for _ in range(round(seconds * 1e6 / PERIOD)):
            self.step(PERIOD, self.command(left, right))
            if self.enabled == (False, False):
                return self.off_since()
        raise AssertionError(f"the motors are still on after {seconds} s")
