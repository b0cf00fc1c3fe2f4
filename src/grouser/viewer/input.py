"""Input of the page: the web socket for keys, and which page drives."""

import asyncio
import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Annotated, Any, Literal

import msgspec
from websockets.exceptions import ConnectionClosed

from grouser.control import LET_GO, Sticks
from grouser.limits import LENGTH, NAME_LENGTH, PAGE_CHANGES, PAGE_PICTURES, PAGE_SIGNALS
from grouser.live import Held
from grouser.viewer.address import SceneWish
from grouser.viewer.messages import FilteredConnection, RateLimit

TIMEOUT = 0.4
"""Time after which held sticks count as released, unless the page repeats them [s]."""


class DriverLock:
    """At most one page drives at a time; all others watch.

    A driving page repeats the held sticks several times per `timeout`. So the robot also stops
    when its tab hangs or the network fails.
    """

    def __init__(self, timeout: float = TIMEOUT, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._sticks: Held[Sticks] = Held(timeout)
        self.driver: int | None = None
        """Client id of the page that drives; None if no page does."""
        self.changed: Callable[[], None] = lambda: None
        """Is called when another page drives, or none."""

    def acquire(self, client: int) -> bool:
        """Make `client` the driver if there is none; return whether it is the driver now."""
        if self.driver is None:
            self.give_to(client)
        return self.driver == client

    def give_to(self, client: int) -> None:
        """Make `client` the driver, with released sticks, instead of any other."""
        self.driver = client
        self._sticks.drop()
        self.changed()

    def release(self, client: int) -> None:
        """Release the lock and the sticks if `client` is the driver."""
        if self.driver == client:
            self.driver = None
            self._sticks.drop()
            self.changed()

    def set_sticks(self, client: int, sticks: Sticks) -> bool:
        """Set the sticks if `client` is the driver, or moves them while there is none."""
        if self.driver is None and not sticks.is_released:
            self.acquire(client)
        if self.driver != client:
            return False
        self._sticks.put(LET_GO if sticks.is_released else sticks, self._now())
        return True

    @property
    def sticks(self) -> Sticks:
        """The driver's sticks; released after the timeout."""
        return self._sticks.take(self._now()) or LET_GO


Act = Callable[[int, str], None]
"""Runs the action of a key: client id, name of the action."""
Identified = Callable[[int, str], None]
"""Is called when a page has identified itself: client id, name of its WebGL renderer."""
Word = Literal[
    "pause", "step", "reset", "path", "flippers", "camera", "drive", "take", "ghosts", "end"
]
"""Action of a key or button that was pressed once; `drive` ends a replay, `take` makes the page the
driver, `end` ends a mode of clicks."""
Travel = Annotated[float, msgspec.Meta(ge=-1.0, le=1.0)]


class Axes(msgspec.Struct, forbid_unknown_fields=True):
    """Positions of the sticks."""

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
        """The positions as `Sticks`."""
        return Sticks(forward=self.forward, turn=self.turn, front=self.front, rear=self.rear)


SignalName = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH)]
Place = Annotated[float, msgspec.Meta(ge=-LENGTH, le=LENGTH)]


class Reads(msgspec.Struct, forbid_unknown_fields=True):
    """What a page chooses to read, or how it looks at the scene; None leaves it as it is."""

    signals: Annotated[list[SignalName], msgspec.Meta(max_length=PAGE_SIGNALS)] | None = None
    """Signals of all its charts."""
    closed: bool = False
    """Whether it shows no charts."""
    cameras: Annotated[list[SignalName], msgspec.Meta(max_length=PAGE_PICTURES)] | None = None
    """Cameras whose pictures it shows."""
    camera: Literal["follow", "orbit", "top", "fixed"] | None = None
    """How its own camera follows the robot."""
    eye: tuple[Place, Place, Place, Place, Place, Place] | None = None
    """Where its own camera is, and the point that it looks at [m]."""


class InputMessage(msgspec.Struct, forbid_unknown_fields=True):
    """Message of a page on this web socket."""

    secret: Annotated[str, msgspec.Meta(max_length=NAME_LENGTH)] | None = None
    """Identifies the page: the secret that it alone received over viser's web socket."""
    renderer: Annotated[str, msgspec.Meta(max_length=10 * NAME_LENGTH)] = ""
    """Name of its WebGL renderer."""
    axes: Axes | None = None
    frame_rate: Annotated[float, msgspec.Meta(ge=0.0, le=1000.0)] | None = None
    """Frames that the page draws per second while something moves [1/s]."""
    look: Literal["full", "painted", "lean"] | None = None
    """Look of those frames."""
    wish: Literal["automatic", "full", "painted", "lean"] | None = None
    """Look that the page's address names."""
    act: Word | None = None
    reads: Reads | None = None
    scene: SceneWish | None = None
    """The scene of the page's address."""

    @property
    def is_seldom(self) -> bool:
        """Whether a person sends it a few times per second at most."""
        seldom = (self.act, self.reads, self.scene, self.frame_rate, self.wish)
        return any(part is not None for part in seldom)


Looked = Callable[[int, InputMessage], None]
"""Is called when a page reports its frame rate or wishes a look: client id, message."""

_DECODER = msgspec.json.Decoder(InputMessage)


class InputSocket:
    """Web socket of all open pages for sticks and keys; each page has its client id of viser."""

    def __init__(self, lock: DriverLock, act: Act, identified: Identified) -> None:
        self._lock, self._act, self._identified = lock, act, identified
        self.looked: Looked = lambda client, content: None
        """Called with reports and wishes about the look."""
        self._clients: dict[FilteredConnection, int | None] = {}
        self._secrets: dict[str, int] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.on_reads: Callable[[int, Reads], None] = lambda client, reads: None
        """Is called with what a page chooses to read."""
        self.on_scene: Callable[[int, SceneWish], None] = lambda client, wish: None
        """Is called with the scene of a page's address."""
        self.own_status: Callable[[int], dict[str, Any]] = lambda client: {}
        """Returns what a status message says to one page only."""
        self.moved: Callable[[], None] = lambda: None
        """Is called while the driver moves a stick."""
        self.locked: Callable[[], Sequence[str]] = tuple
        """Returns the identifiers of the controls that a page that watches cannot use."""

    def new_secret(self, client: int) -> str:
        """Return a new secret by which a page proves its client id."""
        secret = secrets.token_urlsafe(16)
        self._secrets[secret] = client
        return secret

    def client_of(self, secret: str) -> int | None:
        """Return the client id of the page that has a secret; None if no page has it."""
        return self._secrets.get(secret)

    async def serve(self, connection: FilteredConnection) -> None:
        """Handle the messages of one page until it disconnects; then release its sticks."""
        self._loop = asyncio.get_running_loop()
        self._clients[connection] = None
        acts = RateLimit(PAGE_CHANGES)
        try:
            with suppress(ConnectionClosed):
                async for message in connection:
                    if not self._handle(connection, message, acts):
                        await connection.count_mistake()
        finally:
            client = self._clients.pop(connection)
            if client is not None:
                self._release_lock(client)

    def disconnect(self, client: int) -> None:
        """Remove a page that viser has disconnected; its secret becomes invalid."""
        for secret, number in tuple(self._secrets.items()):
            if number == client:
                self._secrets.pop(secret, None)
        self._detach(client)
        self._release_lock(client)

    def send(self, status: dict[str, Any]) -> None:
        """Send the robot's state to all pages, from any thread."""
        loop = self._loop
        if loop is None or loop.is_closed() or not self._clients:
            return
        loop.call_soon_threadsafe(self._send_all, status)

    def offer(self, make: Callable[[int], dict[str, Any] | None]) -> None:
        """Send each page the message that `make` returns for its client id, from any thread.

        It is called in the server's thread, for pages that have received all earlier messages.
        """
        loop = self._loop
        if loop is not None and not loop.is_closed() and self._clients:
            loop.call_soon_threadsafe(self._offer_all, make)

    def _offer_all(self, make: Callable[[int], dict[str, Any] | None]) -> None:
        for connection, client in tuple(self._clients.items()):
            if client is None or connection.transport.get_write_buffer_size():
                continue
            message = make(client)
            if message is not None:
                self._send_to(connection, message)

    def _release_lock(self, client: int) -> None:
        """Release the driver lock; a page that is alone then, as after a reload, gets it."""
        self._lock.release(client)
        others = {number for number in tuple(self._clients.values()) if number is not None}
        others -= {client}
        if len(others) == 1:
            self._lock.acquire(others.pop())

    def _detach(self, client: int) -> None:
        for connection, number in tuple(self._clients.items()):
            if number == client:
                self._clients[connection] = None

    def _send_all(self, status: dict[str, Any]) -> None:
        for connection, client in tuple(self._clients.items()):
            more = {"you": self._role(client), "id": client}
            if more["you"] == "watch":
                more["locked"] = self.locked()
            # A slow reader skips messages, so that none queue up here.
            if connection.transport.get_write_buffer_size() == 0:
                own = {} if client is None else self.own_status(client)
                self._send_to(connection, status | more | own)

    @staticmethod
    def _send_to(connection: FilteredConnection, message: dict[str, Any]) -> None:
        text = json.dumps(message, separators=(",", ":"))
        task = asyncio.ensure_future(_send(connection, text))
        task.add_done_callback(lambda done: done.exception())

    def _role(self, client: int | None) -> str:
        """Return what a page does: drive, watch, or nothing yet, as nobody drives: `free`."""
        driver = self._lock.driver
        if driver is None and client is not None:
            return "free"
        return "drive" if client == driver else "watch"

    def _handle(
        self, connection: FilteredConnection, message: str | bytes, acts: RateLimit
    ) -> bool:
        """Act on a message; return whether it was valid."""
        content = read_message(message)
        if content is None:
            client = self._clients[connection]
            if client is not None:
                self._lock.set_sticks(client, LET_GO)
            return False
        if content.secret is not None and not self._identify(connection, content):
            return False
        client = self._clients[connection]
        if client is None:
            return True  # the page has not received its secret yet
        if content.axes is not None:
            sticks = content.axes.sticks
            if self._lock.set_sticks(client, sticks) and not sticks.is_released:
                self.moved()
        if content.is_seldom and acts.take() > 0.0:
            return False
        if content.act is not None:
            self._act(client, content.act)
        if content.reads is not None:
            self.on_reads(client, content.reads)
        if content.scene is not None:
            self.on_scene(client, content.scene)
        if content.frame_rate is not None or content.wish is not None:
            self.looked(client, content)
        return True

    def _identify(self, connection: FilteredConnection, content: InputMessage) -> bool:
        """Bind a connection to the client id of its secret, instead of an older connection."""
        client = self._secrets.get(content.secret or "")
        if client is None:
            return False
        self._detach(client)
        self._clients[connection] = client
        self._lock.acquire(client)
        self._identified(client, content.renderer)
        return True


async def _send(connection: FilteredConnection, text: str) -> None:
    with suppress(ConnectionClosed):
        await connection.send(text)


def read_message(message: str | bytes) -> InputMessage | None:
    """Return a client's message; None if the page cannot have sent it."""
    try:
        return _DECODER.decode(message)
    except (ValueError, RecursionError):
        return None
