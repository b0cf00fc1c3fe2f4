"""The socket beside viser's: what a page holds comes in, how the robot fares goes out."""

import asyncio
import json
import math
from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from grouser.control import Sticks
from grouser.viewer.seat import Seat

AXES = ("forward", "turn", "front", "rear")
LONGEST = 2000
"""Longest message that a page sends [bytes]."""

Act = Callable[[int, str], None]
"""Does what a key stands for that is pressed once: who, and which word."""
Meet = Callable[[int, str], None]
"""Learns what draws a page's pictures: who, and the name of the renderer."""


class Bridge:
    """All pages that are open, each known by the number that viser gave it."""

    def __init__(self, seat: Seat, act: Act, meet: Meet) -> None:
        self._seat, self._act, self._meet = seat, act, meet
        self._pages: dict[ServerConnection, int | None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, connection: ServerConnection) -> None:
        """Listen to one page until it goes; then it lets go of everything."""
        self._loop = asyncio.get_running_loop()
        self._pages[connection] = None
        try:
            async for message in connection:
                self._hear(connection, message)
        except ConnectionClosed:
            pass
        finally:
            who = self._pages.pop(connection)
            if who is not None:
                self.part(who)

    def part(self, who: int) -> None:
        """Let a page go; whoever is then alone drives, such as a page that was reloaded."""
        self._seat.leave(who)
        others = {page for page in self._pages.values() if page is not None} - {who}
        if len(others) == 1:
            self._seat.take(others.pop())

    def send(self, status: dict[str, Any]) -> None:
        """Send the robot's state to all pages, from any thread."""
        loop = self._loop
        if loop is None or loop.is_closed() or not self._pages:
            return
        loop.call_soon_threadsafe(self._spread, status)

    def _spread(self, status: dict[str, Any]) -> None:
        for connection, who in tuple(self._pages.items()):
            mine = status | {"you": "drive" if who == self._seat.driver else "watch", "id": who}
            # Whoever reads slowly gets the next one instead: nothing piles up here.
            if connection.transport.get_write_buffer_size() == 0:
                task = asyncio.ensure_future(_send(connection, json.dumps(mine)))
                task.add_done_callback(lambda done: done.exception())

    def _hear(self, connection: ServerConnection, message: str | bytes) -> None:
        content = read_message(message)
        who = self._pages[connection]
        if isinstance(content.get("client"), int):
            who = self._pages[connection] = content["client"]
            self._seat.take(who)
            self._meet(who, str(content.get("renderer", "")))
        if who is None:
            return
        if isinstance(content.get("axes"), dict):
            self._seat.hold(who, read_sticks(content["axes"]))
        if isinstance(content.get("act"), str):
            self._act(who, content["act"])


async def _send(connection: ServerConnection, text: str) -> None:
    try:
        await connection.send(text)
    except ConnectionClosed:
        return


def read_message(message: str | bytes) -> dict[str, Any]:
    """Return what a page said; nothing if it is no message of ours."""
    if len(message) > LONGEST:
        return {}
    try:
        content = json.loads(message)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def read_sticks(axes: dict[str, Any]) -> Sticks:
    """Return the sticks of a message; what is no number from -1 to 1 counts as let go."""
    values = {}
    for name in AXES:
        value = axes.get(name, 0.0)
        usable = isinstance(value, int | float) and math.isfinite(value) and abs(value) <= 1.0
        values[name] = float(value) if usable else 0.0
    return Sticks(**values)
