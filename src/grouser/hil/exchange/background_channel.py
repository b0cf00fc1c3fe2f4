"""A channel whose files are touched by another thread, so that a loop never waits for a disk."""

import threading

from grouser.errors import GrouserError
from grouser.hil.exchange.channel import Channel

LOOK_EVERY = 0.002
"""Time between two looks at the other side's line [s]."""


class BackgroundChannel:
    """Hands lines to a thread and takes them from it; only the newest of each way is kept."""

    def __init__(self, channel: Channel) -> None:
        """Work `channel` in a thread of its own until `close`."""
        self._channel = channel
        self._outgoing: str | None = None
        self._incoming: str | None = None
        self._failure: GrouserError | None = None
        self._lock, self._over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="exchange", daemon=True)
        self._thread.start()

    @property
    def rejected(self) -> int:
        """How much came that was not looked at."""
        return self._channel.rejected

    def send(self, line: str) -> None:
        """Leave `line` for the thread.

        Raises:
            GrouserError: What went wrong with an earlier line.
        """
        with self._lock:
            self._outgoing = line
            failure = self._failure
        if failure is not None:
            raise failure

    def receive(self) -> str | None:
        """Return the newest line that the thread found since the last call; None if none."""
        with self._lock:
            line, self._incoming = self._incoming, None
        return line

    def close(self) -> None:
        """Send what is left, and end the thread."""
        self._over.set()
        self._thread.join()
        self._channel.close()

    def _work(self) -> None:
        try:
            while not self._over.wait(LOOK_EVERY):
                self._exchange()
            self._exchange()
        except GrouserError as error:
            with self._lock:
                self._failure = error

    def _exchange(self) -> None:
        with self._lock:
            line, self._outgoing = self._outgoing, None
        if line is not None:
            self._channel.send(line)
        heard = self._channel.receive()
        if heard is not None:
            with self._lock:
                self._incoming = heard
