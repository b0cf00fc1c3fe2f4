"""A line to a real board: a serial port. The only door to pyserial."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from grouser.extras import require_extra

require_extra("a serial port", "hil", "serial")

import serial

from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.messages import BAUD

try:
    import termios
except ModuleNotFoundError:  # Windows has no terminals of that kind
    termios = None

FAILURES: tuple[type[Exception], ...] = (
    serial.SerialException,
    OSError,
    TypeError,
    ValueError,
    OSError if termios is None else termios.error,
)
"""What pyserial raises when a port goes: closed while it is read, its number no longer a file, its
speed no longer settable."""
BOOT_WAIT = 2.0
"""Time that an Arduino may take to start after its port was opened [s]."""


class SerialPort:
    """A serial port that nobody else has open."""

    def __init__(self, port: str, *, boot_wait: float = BOOT_WAIT) -> None:
        """Open a port.

        Args:
            port: Its name, such as /dev/ttyACM0.
            boot_wait: How long to wait for the board to start [s].

        Raises:
            LinkBroken: It does not exist, may not be opened, or is open elsewhere.
        """
        self.name, self.boot_wait = port, boot_wait
        try:
            self._port = serial.Serial(
                port, BAUD, timeout=0.0, write_timeout=0.2, exclusive=True
            )  # fmt: skip
            # What an earlier program left unread is no news.
            self._port.reset_input_buffer()
        except FAILURES as error:
            raise LinkBroken(port, _explain(error)) from error

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return time.monotonic()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        with self._present():
            self._port.write(data)

    def receive(self, patience: float) -> bytes:
        """Return all bytes that have come, waiting for some at most `patience` seconds."""
        with self._present():
            if waiting := self._port.in_waiting:
                return self._port.read(waiting)
            if self._port.timeout != patience:  # each change configures the whole port anew
                self._port.timeout = patience
            first = self._port.read(1)
            return first + self._port.read(self._port.in_waiting) if first else first

    def fault(self, words: str) -> None:
        """Refuse: a real board has only real faults."""
        raise InvalidValue("--fault", words, "be for a simulated board: --board sim or python")

    def close(self) -> None:
        """Close the port."""
        self._port.close()

    @contextmanager
    def _present(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            raise LinkBroken(self.name, f"the board is gone ({error})") from error


def _explain(error: Exception) -> str:
    words = str(error).lower()
    if "lock" in words or "busy" in words or "unavailable" in words:
        return "another program has it open; close that first"
    if "permission" in words:
        return "may not be opened; on Linux, add yourself to the group dialout"
    if "no such file" in words or "could not open" in words:
        return "does not exist; plug the board in, and see which /dev/ttyACM* appears"
    return f"cannot be opened ({error})"
