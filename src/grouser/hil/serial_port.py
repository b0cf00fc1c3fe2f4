"""Link to a real board by a serial port. The only module that imports pyserial."""

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
except ModuleNotFoundError:  # Windows
    termios = None

FAILURES: tuple[type[Exception], ...] = (
    serial.SerialException,
    OSError,
    TypeError,
    ValueError,
    OSError if termios is None else termios.error,
)
"""What pyserial raises when a port disappears while it is read or configured."""
BOOT_WAIT = 2.0
"""Time that an Arduino needs to boot after its port was opened [s]."""


class SerialPort:
    """A serial port, opened exclusively."""

    def __init__(self, port: str, *, boot_wait: float = BOOT_WAIT) -> None:
        """Open a port, such as /dev/ttyACM0, whose board boots for `boot_wait` [s]."""
        self.name, self.boot_wait = port, boot_wait
        try:
            self._port = serial.Serial(port, BAUD, timeout=0.0, write_timeout=0.2, exclusive=True)
            # Discard what an earlier program left unread.
            self._port.reset_input_buffer()
        except FAILURES as error:
            raise LinkBroken(port, _explain(error)) from error

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return time.monotonic()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        with self._connected():
            self._port.write(data)

    def receive(self, timeout: float) -> bytes:
        """Return all received bytes; wait for the first of them at most `timeout` [s]."""
        with self._connected():
            if waiting := self._port.in_waiting:
                return self._port.read(waiting)
            if self._port.timeout != timeout:  # each change reconfigures the port
                self._port.timeout = timeout
            first = self._port.read(1)
            return first + self._port.read(self._port.in_waiting) if first else first

    def fault(self, words: str) -> None:
        """Raise `InvalidValue`: faults can only be injected into simulated boards."""
        raise InvalidValue("--fault", words, "be for a simulated board: --board sim or python")

    def close(self) -> None:
        """Close the port."""
        self._port.close()

    @contextmanager
    def _connected(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            raise LinkBroken(self.name, f"the board is disconnected ({error})") from error


def _explain(error: Exception) -> str:
    words = str(error).lower()
    if "lock" in words or "busy" in words or "unavailable" in words:
        return "another program has it open; close that first"
    if "inappropriate ioctl" in words or "is a directory" in words or "not a tty" in words:
        return "is not a serial port; a board is at one such as /dev/ttyACM0"
    if "permission" in words:
        return "access is denied; on Linux, add yourself to the group dialout"
    if "no such file" in words or "could not open" in words:
        return "does not exist; plug the board in and look which /dev/ttyACM* appears"
    return f"cannot be opened ({error})"
