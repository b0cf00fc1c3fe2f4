"""A conversation over a link."""

import math
from typing import Protocol

from grouser.errors import LinkBroken
from grouser.hil.conversation import Connected, Conversation, Event, Implausible
from grouser.hil.messages import HelloAck
from grouser.hil.raw_log import RawLog


class Link(Protocol):
    """Bytes to and from a board, and the clock that they are timed by."""

    @property
    def name(self) -> str:
        """What it is, for messages and reports."""
        ...

    @property
    def boot_wait(self) -> float:
        """How long a board may take to start after the line was opened; 0 if it runs [s]."""
        ...

    def now(self) -> float:
        """Return the host's clock, as this link counts it [s]."""
        ...

    def send(self, data: bytes) -> None:
        """Send bytes.

        Raises:
            LinkBroken: The board is gone.
        """
        ...

    def receive(self, patience: float) -> bytes:
        """Return all bytes that have come, waiting for some at most `patience` seconds.

        Raises:
            LinkBroken: The board is gone.
        """
        ...

    def fault(self, words: str) -> None:
        """Let something go wrong on a simulated board, or right again.

        Raises:
            GrouserError: The words mean nothing, or the board is not simulated.
        """
        ...

    def close(self) -> None:
        """Let go of the line. A second time does nothing."""
        ...


CONNECT_PATIENCE = 3.0
"""Time in which a board must accept a connection [s]."""


class Connection:
    """Moves bytes between a link and a conversation."""

    def __init__(self, link: Link, conversation: Conversation, raw: RawLog | None = None) -> None:
        self.link, self.conversation = link, conversation
        self._raw = raw
        self.now = link.now()
        """The host's clock at the last look at the line [s]."""

    def open(self) -> HelloAck:
        """Return what the board says when it accepts the connection.

        Raises:
            LinkBroken: It does not, for three seconds and the time that it needs to start; or it
                says what cannot be, such as another protocol.
        """
        talk, link = self.conversation, self.link
        began = self.now = link.now()
        talk.open(began)
        self.flush()
        while self.now - began < CONNECT_PATIENCE + link.boot_wait:
            for event in self.pump(0.02):
                if isinstance(event, Implausible):
                    raise LinkBroken(link.name, event.problem)
                if isinstance(event, Connected):
                    return event.ack
        raise LinkBroken(
            link.name,
            f"no answer within {math.ceil(CONNECT_PATIENCE + link.boot_wait)} s; check that the "
            "firmware of grouser is on the board and that the baud rate is 250000",
        )

    def pump(self, patience: float) -> list[Event]:
        """Wait for bytes at most `patience` seconds; return what they and the time brought."""
        data = self.link.receive(patience)
        # Taken once and used for all that follows, so that a replay says the same.
        now = self.now = self.link.now()
        if self._raw is not None:
            self._raw.received(data, now)
        # Bytes first: a host that was busy must not take its board for silent.
        events = self.conversation.receive(data, now) if data else []
        events += self.conversation.tick(now)
        self.flush()
        return events

    def flush(self) -> None:
        """Send what the conversation has to say."""
        data = self.conversation.take()
        if data:
            if self._raw is not None:
                self._raw.sent(data, self.now)
            self.link.send(data)

    def mark_stop(self) -> None:
        """Write down that the run is told to stop now."""
        if self._raw is not None:
            self._raw.stop()

    def close(self) -> None:
        """Stop the motors, whatever they do, and let go of the line."""
        try:
            self.conversation.estop()
            self.flush()
        except LinkBroken:
            pass  # a board that is gone stops by its lease
        finally:
            self.link.close()
