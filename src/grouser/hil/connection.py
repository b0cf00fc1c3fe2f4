"""The protocol over a link: moves bytes and writes them to a raw log."""

import math
from typing import Protocol

from grouser.errors import LinkBroken
from grouser.hil.conversation import Connected, Conversation, Event, Implausible
from grouser.hil.messages import HelloAck
from grouser.hil.raw_log import RawLog


class Link(Protocol):
    """Bytes to and from a board, and the host's clock for them."""

    @property
    def name(self) -> str:
        """What it is, for messages and reports."""
        ...

    @property
    def boot_wait(self) -> float:
        """Time that the board needs to boot after the port was opened; 0 if it runs already [s]."""
        ...

    def now(self) -> float:
        """Return the host's clock of this link [s]."""
        ...

    def send(self, data: bytes) -> None:
        """Send bytes; raises `LinkBroken` if the board is disconnected."""

    def receive(self, timeout: float) -> bytes:
        """Return all received bytes; wait for the first of them at most `timeout` [s].

        Raises `LinkBroken` if the board is disconnected.
        """
        ...

    def fault(self, words: str) -> None:
        """Inject or clear a fault of a simulated board."""

    def close(self) -> None:
        """Close the link. A second call does nothing."""


CONNECT_TIMEOUT = 3.0
"""Time in which a board must accept a connection [s]."""


class Connection:
    """Moves bytes between a link and a conversation."""

    def __init__(self, link: Link, conversation: Conversation, raw: RawLog | None = None) -> None:
        self.link, self.conversation = link, conversation
        self._raw = raw
        self.now = link.now()
        """The host's clock when bytes were last read [s]."""

    def open(self) -> HelloAck:
        """Connect, and return the board's HELLO_ACK.

        Raises `LinkBroken` if the board does not answer in time, or its answer is implausible.
        """
        conversation, link = self.conversation, self.link
        began = self.now = link.now()
        conversation.open(began)
        self.flush()
        while self.now - began < CONNECT_TIMEOUT + link.boot_wait:
            for event in self.pump(0.02):
                if isinstance(event, Implausible):
                    raise LinkBroken(link.name, event.problem)
                if isinstance(event, Connected):
                    return event.ack
        raise LinkBroken(
            link.name,
            f"no answer within {math.ceil(CONNECT_TIMEOUT + link.boot_wait)} s; check that the "
            "firmware of grouser is on the board and that the baud rate is 250000",
        )

    def pump(self, timeout: float) -> list[Event]:
        """Read bytes, waiting at most `timeout` [s]; return their events and those of time."""
        data = self.link.receive(timeout)
        # Read once for all that follows, so that a replay sends the same bytes.
        now = self.now = self.link.now()
        if self._raw is not None:
            self._raw.received(data, now)
        # Bytes before `tick`: a late host must not report a lost link while states are queued.
        events = self.conversation.receive(data, now) if data else []
        events += self.conversation.tick(now)
        self.flush()
        return events

    def flush(self) -> None:
        """Send the queued messages."""
        data = self.conversation.take_outgoing()
        if data:
            if self._raw is not None:
                self._raw.sent(data, self.now)
            self.link.send(data)

    def mark_stop(self) -> None:
        """Write to the raw log that the run is stopped from outside now."""
        if self._raw is not None:
            self._raw.stop()

    def close(self) -> None:
        """Stop the motors and close the link."""
        try:
            self.conversation.estop()
            self.flush()
        except LinkBroken:
            pass  # a disconnected board stops by its command timeout
        finally:
            self.link.close()
