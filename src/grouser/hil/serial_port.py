"""A line to a real board: a serial port. The only door to pyserial."""

import time

from grouser.extras import require_extra

require_extra("a serial port", "hil", "serial")

import serial

from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.messages import BAUD

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
        except (serial.SerialException, OSError, ValueError) as error:
            raise LinkBroken(port, _explain(error)) from error
        # What an earlier program left unread is no news.
        self._port.reset_input_buffer()

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return time.monotonic()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        try:
            self._port.write(data)
        except (serial.SerialException, OSError) as error:
            raise LinkBroken(self.name, f"the board is gone ({error})") from error

    def receive(self, patience: float) -> bytes:
        """Return all bytes that have come, waiting for some at most `patience` seconds."""
        try:
            waiting = self._port.in_waiting
            if not waiting:
                self._port.timeout = patience
                first = self._port.read(1)
                waiting = self._port.in_waiting if first else 0
                self._port.timeout = 0.0
                return first + self._port.read(waiting) if waiting else first
            return self._port.read(waiting)
        except (serial.SerialException, OSError, TypeError) as error:
            # A port that is closed while it is read raises a TypeError inside pyserial.
            raise LinkBroken(self.name, f"the board is gone ({error})") from error

    def fault(self, words: str) -> None:
        """Refuse: a real board has only real faults."""
        raise InvalidValue("--fault", words, "be for a simulated board: --board sim or python")

    def close(self) -> None:
        """Close the port."""
        self._port.close()


def _explain(error: Exception) -> str:
    words = str(error).lower()
    if "lock" in words or "busy" in words or "unavailable" in words:
        return "another program has it open; close that first"
    if "permission" in words:
        return "may not be opened; on Linux, add yourself to the group dialout"
    if "no such file" in words or "could not open" in words:
        return "does not exist; plug the board in, and see which /dev/ttyACM* appears"
    return f"cannot be opened ({error})"
