"""Limits of the page's connections: how many there are, how much each may send.

What is sent too fast waits in the network, what makes no sense is dropped and counted, and who
goes on sending it is cut off. Nobody can fill the memory or keep others from being heard.
"""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Data

from grouser.limits import PAGE_KEYS, PAGE_MISTAKES, PAGE_REQUESTS, PAGE_SOCKETS

POLICY = 1008
"""Code of a socket that is closed for what came over it."""
REASON = "too many messages that this page does not send"

Screen = Callable[[Data], "tuple[Data, Allowance] | None"]
"""Returns what to pass on of a message and whose allowance it uses; None drops it."""


class Allowance:
    """How often something may happen: at a rate, and a number of times at once."""

    def __init__(
        self, rate: float, burst: float | None = None, now: Callable[[], float] = monotonic
    ) -> None:
        """Start with everything allowed.

        Args:
            rate: How often in the long run [1/s].
            burst: How many at once; what comes in one second if not given.
            now: The clock [s].
        """
        self._rate, self._burst, self._now = rate, rate if burst is None else burst, now
        self._left, self._looked = self._burst, now()

    def take(self) -> float:
        """Use one; return how long to wait until it is allowed, 0 if it already is [s]."""
        before, self._looked = self._looked, self._now()
        gained = (self._looked - before) * self._rate
        self._left = min(self._left + gained, self._burst) - 1.0
        return max(-self._left / self._rate, 0.0)


class Crowd:
    """All connections of one server, not more than there may be."""

    def __init__(self) -> None:
        self._connections: dict[Guarded, None] = {}
        self.dropped = 0
        """Messages that made no sense."""

    def enter(self, connection: "Guarded") -> None:
        """Note a new connection; the oldest of too many that are being opened is ended."""
        opening = [one for one in self._connections if one.state is not State.OPEN]
        if len(opening) >= PAGE_REQUESTS:
            self.leave(opening[0])
            opening[0].transport.abort()
        self._connections[connection] = None

    def leave(self, connection: "Guarded") -> None:
        """Forget a connection."""
        self._connections.pop(connection, None)

    @property
    def is_full(self) -> bool:
        """Whether there are as many open sockets as there may be."""
        return sum(one.state is State.OPEN for one in self._connections) >= PAGE_SOCKETS


class Guarded(ServerConnection):
    """A connection whose messages pass a screen before anybody sees them."""

    def __init__(self, crowd: Crowd, *parts: Any, **options: Any) -> None:
        super().__init__(*parts, **options)
        self._crowd = crowd
        self._mistakes = Allowance(1.0, PAGE_MISTAKES)
        keys = Allowance(PAGE_KEYS)
        self.screen: Screen = lambda data: (data, keys)
        """What messages must pass."""

    async def recv(self, decode: bool | None = None) -> Data:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the next message that passes the screen."""
        while True:
            data = await super().recv(decode)
            passed = self.screen(data)
            if passed is None:
                await self.blame()
                continue
            wait = passed[1].take()
            if wait > 0.0:
                await asyncio.sleep(wait)
            return passed[0]

    async def blame(self) -> None:
        """Count a message that made no sense; close after too many of them."""
        self._crowd.dropped += 1
        if self._mistakes.take() > 0.0:
            await self.close(POLICY, REASON)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note a connection."""
        super().connection_made(transport)
        self._crowd.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._crowd.leave(self)
        super().connection_lost(exc)

    def process_event(self, event: Any) -> None:
        """Take a frame; no browser sends pings, and each would be answered without being asked."""
        if isinstance(event, Frame) and event.opcode is Opcode.PING and self._mistakes.take() > 0.0:
            self.transport.abort()
        super().process_event(event)
