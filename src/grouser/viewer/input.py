"""Input of a page: keys over a websocket, and who drives."""

import asyncio
import json
import secrets
from collections.abc import Callable
from time import monotonic
from typing import Annotated, Any, Literal

import msgspec
from websockets.exceptions import ConnectionClosed

from grouser.control import LET_GO, Sticks
from grouser.limits import NAME_LENGTH, PAGE_CHANGES
from grouser.viewer.gate import Allowance, Guarded

PATIENCE = 0.4
"""How long sticks that are held count without being heard of again [s]."""


class Seat:
    """The driver's seat. Who sits in it drives; all others watch.

    A page repeats what it holds several times within `PATIENCE`, so that a tab that hangs, or a
    network that is gone, stops the robot as surely as a key that is let go.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._sticks, self._heard = LET_GO, 0.0
        self.driver: int | None = None
        """Who sits in it, or nobody."""

    def take(self, who: int) -> bool:
        """Sit down if the seat is free; return whether `who` drives."""
        if self.driver is None:
            self.driver, self._sticks = who, LET_GO
        return self.driver == who

    def hand_over(self, who: int) -> None:
        """Let `who` drive, whoever drove before."""
        self.driver, self._sticks = who, LET_GO

    def leave(self, who: int) -> None:
        """Get up; whoever drove lets go of everything."""
        if self.driver == who:
            self.driver, self._sticks = None, LET_GO

    def hold(self, who: int, sticks: Sticks) -> bool:
        """Take what `who` holds if it is the driver's; return whether it is.

        Reaching for the sticks of a free seat is sitting down.
        """
        if self.driver is None and not sticks.is_released:
            self.take(who)
        if self.driver != who:
            return False
        self._sticks, self._heard = sticks, self._now()
        return True

    @property
    def sticks(self) -> Sticks:
        """What the driver holds now."""
        if self._sticks.is_released or self._now() - self._heard > PATIENCE:
            return LET_GO
        return self._sticks


Act = Callable[[int, str], None]
"""Does what a key stands for that is pressed once: who, and which word."""
Meet = Callable[[int, str], None]
"""Learns what draws a page's pictures: who, and the name of the renderer."""
Travel = Annotated[float, msgspec.Meta(ge=-1.0, le=1.0)]


class Axes(msgspec.Struct, forbid_unknown_fields=True):
    """How far each stick is pushed."""

    forward: Travel = 0.0
    """Forward is positive [1]."""
    turn: Travel = 0.0
    """To the left is positive [1]."""
    front: Travel = 0.0
    """Raising the front flippers is positive [1]."""
    rear: Travel = 0.0
    """Raising the rear flippers is positive [1]."""

    @property
    def sticks(self) -> Sticks:
        """The same as sticks."""
        return Sticks(forward=self.forward, turn=self.turn, front=self.front, rear=self.rear)


class KeysMessage(msgspec.Struct, forbid_unknown_fields=True):
    """All that a page says on this socket."""

    secret: Annotated[str, msgspec.Meta(max_length=NAME_LENGTH)] | None = None
    """Whose page it is: what was sent to this page over viser's socket, and to no other."""
    renderer: Annotated[str, msgspec.Meta(max_length=10 * NAME_LENGTH)] = ""
    """What draws its pictures."""
    axes: Axes | None = None
    """What is held."""
    act: Literal["pause", "step", "reset", "path", "camera"] | None = None
    """What a key stands for that was pressed once."""


_DECODER = msgspec.json.Decoder(KeysMessage)


class Bridge:
    """All pages that are open, each known by the number that viser gave it."""

    def __init__(self, seat: Seat, act: Act, meet: Meet) -> None:
        self._seat, self._act, self._meet = seat, act, meet
        self._pages: dict[Guarded, int | None] = {}
        self._numbers: dict[str, int] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def invite(self, who: int) -> str:
        """Return the secret by which a page proves that it is `who`."""
        secret = secrets.token_urlsafe(16)
        self._numbers[secret] = who
        return secret

    async def serve(self, connection: Guarded) -> None:
        """Listen to one page until it goes; then it lets go of everything."""
        self._loop = asyncio.get_running_loop()
        self._pages[connection] = None
        acts = Allowance(PAGE_CHANGES)
        try:
            async for message in connection:
                if not self._hear(connection, message, acts):
                    await connection.blame()
        except ConnectionClosed:
            pass
        finally:
            who = self._pages.pop(connection)
            if who is not None:
                self._part(who)

    def forget(self, who: int) -> None:
        """Let a page go that viser has lost: its secret is no longer good for anything."""
        for secret, number in tuple(self._numbers.items()):
            if number == who:
                self._numbers.pop(secret, None)
        self._release(who)
        self._part(who)

    def send(self, status: dict[str, Any]) -> None:
        """Send the robot's state to all pages, from any thread."""
        loop = self._loop
        if loop is None or loop.is_closed() or not self._pages:
            return
        loop.call_soon_threadsafe(self._spread, status)

    def _part(self, who: int) -> None:
        """Get up; whoever is then alone drives, such as a page that was reloaded."""
        self._seat.leave(who)
        others = {page for page in tuple(self._pages.values()) if page is not None} - {who}
        if len(others) == 1:
            self._seat.take(others.pop())

    def _release(self, who: int) -> None:
        """Let no connection be `who` any more."""
        for connection, number in tuple(self._pages.items()):
            if number == who:
                self._pages[connection] = None

    def _spread(self, status: dict[str, Any]) -> None:
        for connection, who in tuple(self._pages.items()):
            mine = status | {"you": "drive" if who == self._seat.driver else "watch", "id": who}
            # Whoever reads slowly gets the next one instead: nothing piles up here.
            if connection.transport.get_write_buffer_size() == 0:
                task = asyncio.ensure_future(_send(connection, json.dumps(mine)))
                task.add_done_callback(lambda done: done.exception())

    def _hear(self, connection: Guarded, message: str | bytes, acts: Allowance) -> bool:
        """Do what a page says; return whether it made sense."""
        content = read_message(message)
        if content is None:
            who = self._pages[connection]
            if who is not None:
                self._seat.hold(who, LET_GO)
            return False
        if content.secret is not None and not self._introduce(connection, content):
            return False
        who = self._pages[connection]
        if who is None:
            return True  # it has not been told its secret yet
        if content.axes is not None:
            self._seat.hold(who, content.axes.sticks)
        if content.act is not None:
            if acts.take() > 0.0:
                return False
            self._act(who, content.act)
        return True

    def _introduce(self, connection: Guarded, content: KeysMessage) -> bool:
        """Learn who a page is; its newest connection counts."""
        who = self._numbers.get(content.secret or "")
        if who is None:
            return False
        self._release(who)
        self._pages[connection] = who
        self._seat.take(who)
        self._meet(who, content.renderer)
        return True


async def _send(connection: Guarded, text: str) -> None:
    try:
        await connection.send(text)
    except ConnectionClosed:
        return


def read_message(message: str | bytes) -> KeysMessage | None:
    """Return what a page said; None if our page cannot have said it."""
    try:
        return _DECODER.decode(message)
    except (ValueError, RecursionError):
        return None
