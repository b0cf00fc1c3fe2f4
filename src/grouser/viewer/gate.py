"""Messages that a client of the page may send.

What is sent too fast waits in the network, what makes no sense is dropped and counted, and who
goes on sending it is cut off. Nobody can fill the memory or keep others from being heard.

viser itself believes its page: it sets any attribute of a control, takes files, passes signals on
to other pages and opens a tunnel to a public host. Nothing but what is checked here reaches it.
"""

import asyncio
import math
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Annotated, Any

import msgspec
import viser
from viser import _messages
from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Data

from grouser.limits import (
    LENGTH,
    PAGE_CAMERAS,
    PAGE_CHANGES,
    PAGE_KEYS,
    PAGE_MISTAKES,
    PAGE_REQUESTS,
    PAGE_SOCKETS,
)

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


Coordinate = Annotated[float, msgspec.Meta(ge=-LENGTH, le=LENGTH)]
Triple = tuple[Coordinate, Coordinate, Coordinate]
Pixels = Annotated[int, msgspec.Meta(ge=0, le=1 << 16)]


class Camera(
    msgspec.Struct, tag_field="type", tag="ViewerCameraMessage", forbid_unknown_fields=True
):
    """From where a page looks."""

    wxyz: tuple[Coordinate, Coordinate, Coordinate, Coordinate]
    """Its orientation [1]."""
    position: Triple
    """Where it is [m]."""
    fov: Coordinate
    """Its field of view [rad]."""
    near: Coordinate
    """Nearest that is seen [m]."""
    far: Coordinate
    """Farthest that is seen [m]."""
    image_height: Pixels
    """Height of the picture [pixels]."""
    image_width: Pixels
    """Width of the picture [pixels]."""
    look_at: Triple
    """What it looks at [m]."""
    up_direction: Triple
    """What is up [1]."""

    @property
    def is_finite(self) -> bool:
        """Whether every number is one; limits alone let through what is not a number."""
        numbers = (*self.wxyz, *self.position, *self.look_at, *self.up_direction)
        return all(map(math.isfinite, (*numbers, self.fov, self.near, self.far)))


class Value(msgspec.Struct, forbid_unknown_fields=True):
    """The only attribute of a control that a page may change."""

    value: bool | int | float | str
    """What it is to be, in the control's own unit [1]."""


class Change(msgspec.Struct, tag_field="type", tag="GuiUpdateMessage", forbid_unknown_fields=True):
    """A control that was used."""

    uuid: str
    """Which one."""
    updates: Value
    """Its value."""


Message = Camera | Change
_DECODER = msgspec.msgpack.Decoder(Message)


class Gate:
    """Stands before viser's handlers."""

    def __init__(self) -> None:
        self.server: viser.ViserServer | None = None
        """Whose controls there are; until it is known, only cameras pass."""

    def screen(self) -> Screen:
        """Return what one connection's messages must pass."""
        cameras, changes = Allowance(PAGE_CAMERAS), Allowance(PAGE_CHANGES)

        def pass_on(data: Data) -> tuple[Data, Allowance] | None:
            message = self.check(data)
            if message is None:
                return None
            allowance = cameras if isinstance(message, Camera) else changes
            # Written anew: nothing that was not checked can be in it.
            return msgspec.msgpack.encode(message), allowance

        return pass_on

    def check(self, data: Data) -> Message | None:
        """Return what a page said; None if our page cannot have said it."""
        message = read_message(data)
        if isinstance(message, Change):
            control = self._find(message.uuid)
            is_fit = control is not None and takes(control, message.updates.value)
            return message if is_fit else None
        return message

    def _find(self, uuid: str) -> Any:
        for gui in self._guis():
            control = gui._gui_input_handle_from_uuid.get(uuid)  # noqa: SLF001 - viser has no other
            if control is not None:
                return control
        return None

    def _guis(self) -> Iterator[viser.GuiApi]:
        """Yield the controls of all pages, and those that each page has for itself.

        viser sees to it that a page reaches its own alone.
        """
        if self.server is not None:
            yield self.server.gui
            for client in self.server.get_clients().values():
                yield client.gui


def read_message(data: Data) -> Message | None:
    """Return a message that has all fields of its kind and no others; None if it is none."""
    try:
        message = _DECODER.decode(data) if isinstance(data, bytes) else None
    except (ValueError, RecursionError):
        return None
    return None if isinstance(message, Camera) and not message.is_finite else message


def takes(control: Any, value: bool | float | str) -> bool:
    """Return whether a person could give a control this value by hand."""
    if control.disabled or not control.visible:
        return False
    match control:
        case viser.GuiButtonHandle():
            return value is True
        case viser.GuiCheckboxHandle():
            return isinstance(value, bool)
        case viser.GuiSliderHandle():
            return not isinstance(value, bool | str) and control.min <= value <= control.max
        case viser.GuiDropdownHandle() | viser.GuiButtonGroupHandle():
            return isinstance(value, str) and value in control.options
    return False  # of no other kind is any on our page


def stop_sharing(server: viser.ViserServer) -> None:
    """Take from viser what opens a tunnel to a public host."""
    listening = server._websock_server  # noqa: SLF001 - viser has no other way
    for kind in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        listening.unregister_handler(kind)
