"""Messages that a client may send to the page: filter and rate limits.

Messages above the rate limit wait in the network, invalid ones are dropped and counted, and a
client that goes on sending them is disconnected. No client can fill the memory or block others.

viser trusts its clients: it lets them set any attribute of a control, upload files, forward
messages to other pages and open a tunnel to a public host. Only messages that pass this filter
reach viser.
"""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import monotonic
from typing import Any

import msgspec
import viser
from viser import _messages
from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Data

from grouser import limits
from grouser.viewer.page_messages import (
    CameraMessage,
    ClickMessage,
    ControlMessage,
    DragMessage,
    Message,
    read_message,
)

POLICY = 1008
"""Close code of a web socket whose client broke the rules."""
REASON = "too many messages that this page does not send"

Filter = Callable[[Data], "tuple[Data, RateLimit] | None"]
"""Returns the checked message and its rate limit; None drops the message."""


class RateLimit:
    """Token bucket: a mean rate, and a number of events at once."""

    def __init__(
        self, rate: float, burst: float | None = None, now: Callable[[], float] = monotonic
    ) -> None:
        """Start with a full bucket; `burst` is one second at the mean `rate` [1/s] if not given."""
        self._rate, self._burst, self._now = rate, rate if burst is None else burst, now
        self._left, self._looked = self._burst, now()

    def take(self) -> float:
        """Count one event; return how long it must wait, 0 if it is within the limit [s]."""
        before, self._looked = self._looked, self._now()
        gained = (self._looked - before) * self._rate
        self._left = min(self._left + gained, self._burst) - 1.0
        return max(-self._left / self._rate, 0.0)


class Connections:
    """All connections of one server, limited in number."""

    def __init__(self) -> None:
        self._connections: dict[FilteredConnection, None] = {}
        self.dropped = 0
        """Number of invalid messages."""

    def add(self, connection: "FilteredConnection") -> None:
        """Add a connection; if too many are still opening, abort the oldest of them."""
        opening = [one for one in self._connections if one.state is not State.OPEN]
        if len(opening) >= limits.PAGE_REQUESTS:
            self.remove(opening[0])
            opening[0].transport.abort()
        self._connections[connection] = None

    def remove(self, connection: "FilteredConnection") -> None:
        """Remove a connection."""
        self._connections.pop(connection, None)

    def abort(self) -> None:
        """End all connections at once; only in the server's thread."""
        for connection in tuple(self._connections):
            connection.transport.abort()

    @property
    def is_full(self) -> bool:
        """Whether the largest number of open web sockets is reached."""
        return sum(one.state is State.OPEN for one in self._connections) >= limits.PAGE_SOCKETS


class FilteredConnection(ServerConnection):
    """A connection that delivers only messages that pass its filter."""

    def __init__(self, connections: Connections, *parts: Any, **options: Any) -> None:
        super().__init__(*parts, **options)
        self._all = connections
        self._mistakes = RateLimit(1.0, limits.PAGE_MISTAKES)
        keys = RateLimit(limits.PAGE_KEYS)
        self.filter: Filter = lambda data: (data, keys)
        """Checks each message."""

    async def recv(self, decode: bool | None = None) -> Data:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the next message that passes the filter."""
        while True:
            data = await super().recv(decode)
            passed = self.filter(data)
            if passed is None:
                await self.count_mistake()
                continue
            wait = passed[1].take()
            if wait > 0.0:
                await asyncio.sleep(wait)
            return passed[0]

    async def count_mistake(self) -> None:
        """Count an invalid message; close the connection after too many of them."""
        self._all.dropped += 1
        if self._mistakes.take() > 0.0:
            await self.close(POLICY, REASON)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Add the connection to the server's connections."""
        super().connection_made(transport)
        self._all.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the server's connections."""
        self._all.remove(self)
        super().connection_lost(exc)

    def process_event(self, event: Any) -> None:
        """Handle a frame; pings count as mistakes: no browser sends them, and each is answered."""
        if isinstance(event, Frame) and event.opcode is Opcode.PING and self._mistakes.take() > 0.0:
            self.transport.abort()
        super().process_event(event)


class MessageFilter:
    """Checks messages before viser handles them."""

    def __init__(self) -> None:
        self.server: viser.ViserServer | None = None
        """Server whose controls exist; before it is set, only camera messages pass."""

    def new_filter(self) -> Filter:
        """Return the filter of one connection, with its own rate limits."""
        cameras, changes = RateLimit(limits.PAGE_CAMERAS), RateLimit(limits.PAGE_CHANGES)
        drags = RateLimit(limits.PAGE_DRAGS)

        def pass_on(data: Data) -> tuple[Data, RateLimit] | None:
            message = self.check(data)
            if message is None:
                return None
            limit = changes
            if isinstance(message, CameraMessage):
                limit = cameras
            elif not isinstance(message, ControlMessage | ClickMessage):
                limit = drags
            # Encoded again, so that it holds only checked fields.
            return msgspec.msgpack.encode(message), limit

        return pass_on

    def check(self, data: Data) -> Message | None:
        """Return a client's message; None if the page cannot have sent it."""
        message = read_message(data)
        if isinstance(message, ControlMessage):
            control = self._find(message.uuid)
            is_valid = control is not None and accepts(control, message.updates.value)
            return message if is_valid else None
        is_known = message is None or isinstance(message, CameraMessage) or self._awaits(message)
        return message if is_known else None

    def _awaits(self, message: "Message") -> bool:
        """Return whether the page was given something to click on, drag or turn."""
        if self.server is None:
            return False
        pages = self.server.get_clients().values()
        scenes = (self.server.scene, *(client.scene for client in pages))
        if isinstance(message, ClickMessage):
            return any(scene._scene_pointer_cb for scene in scenes)  # noqa: SLF001 - no public API
        name = getattr(message, "name", "")
        if isinstance(message, DragMessage):
            nodes = (scene._handle_from_node_name.get(name) for scene in scenes)  # noqa: SLF001
            return any(node is not None and node._impl.drag_cb for node in nodes)  # noqa: SLF001
        return any(_has_gizmo(scene, name) for scene in scenes)

    def _find(self, uuid: str) -> Any:
        """Return a control that all pages share, or one of a single page."""
        if self.server is None:
            return None
        guis = (self.server.gui, *(client.gui for client in self.server.get_clients().values()))
        found = (gui._gui_input_handle_from_uuid.get(uuid) for gui in guis)  # noqa: SLF001 - no public API
        return next((control for control in found if control is not None), None)


def _has_gizmo(scene: viser.SceneApi, name: str) -> bool:
    """Return whether a scene has a gizmo, or one that was removed while it was dragged."""
    dragged = {key[1] for key in tuple(scene._active_transform_drag_handles)}  # noqa: SLF001
    return name in dragged or name in scene._handle_from_transform_controls_name  # noqa: SLF001


def accepts(control: Any, value: bool | float | str) -> bool:
    """Return whether a person can set a control to this value on the page."""
    if control.disabled or not control.visible:
        return False
    match control:
        case viser.GuiButtonHandle():
            fits = value is True
        case viser.GuiCheckboxHandle():
            fits = isinstance(value, bool)
        case viser.GuiSliderHandle() | viser.GuiNumberHandle():
            fits = _fits_number(control, value)
        case viser.GuiTextHandle():
            fits = isinstance(value, str) and len(value) <= limits.NAME_LENGTH
        case viser.GuiDropdownHandle() | viser.GuiButtonGroupHandle():
            fits = isinstance(value, str) and value in control.options
        case _:  # the page has no other kinds
            fits = False
    return fits


def _fits_number(control: Any, value: bool | float | str) -> bool:
    if isinstance(value, bool | str) or not abs(value) <= limits.LENGTH:
        return False
    low = -limits.LENGTH if control.min is None else control.min
    high = limits.LENGTH if control.max is None else control.max
    return low <= value <= high


def stop_sharing(server: viser.ViserServer) -> None:
    """Remove viser's handlers that open a tunnel to a public host."""
    listening = server._websock_server  # noqa: SLF001 - no public API
    for kind in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        listening.unregister_handler(kind)


class WakingEvent(asyncio.Event):
    """An event that other threads than the server's may set.

    viser sets its events in the thread that adds a message, and once more in the server's thread;
    the first may find the list of waiting tasks while it changes, and fail. Here only the second
    wakes them.
    """

    def __init__(self, thread: int) -> None:
        super().__init__()
        self._thread = thread

    def set(self) -> None:
        """Set it; in the server's thread, wake whoever waits for it."""
        if threading.get_ident() == self._thread:
            self._value = False
            super().set()
        else:
            self._value = True


def protect_events(server: viser.ViserServer) -> None:
    """Let all threads add messages to the pages of a server."""
    buffer = server._websock_server._broadcast_buffer  # noqa: SLF001 - no public API
    thread: SimpleQueue[int] = SimpleQueue()
    loop = server.get_event_loop()
    loop.call_soon_threadsafe(lambda: thread.put(threading.get_ident()))
    buffer.message_event = WakingEvent(thread.get())
