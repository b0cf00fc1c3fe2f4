"""The UDP port to which ArduPilot sends its frames."""

import math
import select
import socket
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from grouser.errors import InvalidValue, describe_bug, is_bug
from grouser.plugs.ardupilot.lock_step import LockStep
from grouser.plugs.ardupilot.packets import LONGEST_SERVOS

DEFAULT_PORT = 9002
"""Port to which ArduPilot's first instance sends; each further one adds 10."""
MOST_AT_ONCE = 100
"""Most datagrams that are read before a step, so that a flood cannot stop the simulation [1]."""
POLL = 0.1
"""Longest time without a look at the limits of a run [s]."""


class Port:
    """A UDP socket that serves the lock step."""

    def __init__(self, host: str = "127.0.0.1", port: int = DEFAULT_PORT) -> None:
        """Listen at `host`; port 0 takes any that is free.

        Raises:
            InvalidValue: The port is taken, or the host is no address of this machine.
        """
        if not 0 <= port <= 65535:
            raise InvalidValue("--port", port, "be from 0 to 65535")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            if isinstance(error, socket.gaierror) or not _is_own(host):
                required = f"be an address of this machine ({error.strerror})"
                raise InvalidValue("--host", host, required) from error
            required = f"be free at {host} ({error.strerror})"
            raise InvalidValue("--port", port, required) from error
        self._socket.setblocking(False)

    @property
    def number(self) -> int:
        """The number of the port."""
        return self._socket.getsockname()[1]

    def serve(self, lock_step: LockStep, now: Callable[[], float] = time.monotonic) -> None:
        """Wait for frames for a tenth of a second at most; make the step, and send the reply."""
        if not lock_step.is_waiting:
            select.select([self._socket], [], [], POLL)
        self._receive(lock_step, now)
        lock_step.step()
        self._receive(lock_step, now)
        found = lock_step.reply(now())
        if found is not None:
            try:
                self._socket.sendto(*found)
            except (BlockingIOError, ConnectionError):
                return  # as if it were lost on its way: ArduPilot sends the frame again
            except OSError as error:
                host, port = found[1]
                required = f"be reachable ({error.strerror})"
                raise InvalidValue("ArduPilot", f"{host}:{port}", required) from error

    def _receive(self, lock_step: LockStep, now: Callable[[], float]) -> None:
        for _ in range(MOST_AT_ONCE):
            try:
                data, source = self._socket.recvfrom(LONGEST_SERVOS + 1)
            except BlockingIOError:
                return
            except ConnectionError:
                continue  # some systems report here that an earlier reply met a closed port
            lock_step.take(data, source[:2], now())

    def close(self) -> None:
        """Close the port."""
        self._socket.close()

    def __enter__(self) -> Self:
        """Return the open port."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the port."""
        self.close()


def _is_own(host: str) -> bool:
    """Return whether a free port of that host can be opened."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((host, 0))
        except OSError:
            return False
    return True


def run_server(
    port: Port,
    lock_step: LockStep,
    *,
    time_of: Callable[[], float],
    duration: float = math.inf,
    patience: float = math.inf,
    now: Callable[[], float] = time.monotonic,
) -> tuple[str, str]:
    """Serve until a limit is reached or Ctrl-C; return the status of the run and why it ended.

    A tick that raises ends it with status `failed`, and the rows so far are kept.

    Args:
        port: Where ArduPilot's frames come.
        lock_step: What they advance.
        time_of: Returns the simulated time [s].
        duration: Simulated time at which to stop [s].
        patience: Longest silence of ArduPilot, before its first frame too [s].
        now: Returns the time of a clock that never jumps [s].
    """
    began = now()
    try:
        while time_of() < duration:
            port.serve(lock_step, now)
            if min(lock_step.silence(now()), now() - began) > patience:
                return "complete", f"no frame came for {patience:g} s"
    except KeyboardInterrupt:
        return "interrupted", "interrupted"
    except Exception as error:  # models of anybody run here
        if not is_bug(error):
            raise
        return "failed", describe_bug(error)
    return "complete", f"{duration:g} s have passed"
