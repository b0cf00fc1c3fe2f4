"""What clients send to the page: keys, viser's messages, heads of requests."""

import functools
import json
import math
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import viser
from viser import _messages
from websockets.http11 import Request
from websockets.server import ServerProtocol

from grouser.errors import GrouserError
from grouser.limits import LENGTH, NAME_LENGTH, PAGE_MESSAGE_BYTES
from grouser.viewer.access import PROTOCOL, AccessGate, no_access, silence_viser
from grouser.viewer.input import InputMessage, read_message
from grouser.viewer.messages import MessageFilter
from grouser.viewer.page import Page
from grouser.viewer.page_messages import CameraMessage, ControlMessage, Message
from tests.fuzz.target import Target, require

TOKEN = "8xkq-token"
OPTIONS = ("0.5 ×", "1 ×", "a name.parquet")
SLIDER = (0.01, 0.3)
CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1.0, 0.0, 0.0, 0.0], "position": [0.5, 0.0, 1.5],
    "fov": 1.3, "near": 0.01, "far": 1000, "image_height": 600, "image_width": 800,
    "look_at": [0, 0, 0], "up_direction": [0, 0, 1],
}  # fmt: skip
VALUES: dict[str, Any] = {
    "button": True, "box": False, "slider": 0.12, "list": OPTIONS[1], "group": OPTIONS[0],
}  # fmt: skip
MESSAGES = [
    CAMERA,
    *(
        {"type": "GuiUpdateMessage", "uuid": name, "updates": {"value": value}}
        for name, value in VALUES.items()
    ),
]


class NamedControls(MessageFilter):
    """A gate before one control of each kind, known by name instead of by a random number."""

    def __init__(self) -> None:
        super().__init__()
        with no_access(), silence_viser():
            server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        gui = server.gui
        low, high = SLIDER
        self._controls = {
            "button": gui.add_button("button"),
            "box": gui.add_checkbox("box", True),
            "slider": gui.add_slider("slider", min=low, max=high, step=0.01, initial_value=low),
            "list": gui.add_dropdown("list", OPTIONS),
            "group": gui.add_button_group("group", OPTIONS),
            "text": gui.add_text("text", "a name"),
            "number": gui.add_number("number", 1.0, min=-2.0, max=2.0),
            "off": gui.add_checkbox("off", True, disabled=True),
        }

    def _find(self, uuid: str) -> Any:
        return self._controls.get(uuid)


@functools.cache
def _gate() -> MessageFilter:
    return NamedControls()


def _pass_gate(content: bytes, folder: Path) -> Message:
    """Return what the gate passes on; viser itself must be able to read it."""
    passed = _gate().new_filter()(content)
    if passed is None or len(content) > PAGE_MESSAGE_BYTES:
        raise GrouserError("dropped")
    data = passed[0]
    assert isinstance(data, bytes)
    kind = type(_messages.Message.deserialize(data))
    require(
        kind in (_messages.ViewerCameraMessage, _messages.GuiUpdateMessage),
        f"{kind.__name__} passed",
    )
    message = _gate().check(data)
    assert message is not None
    return message


def _pass_fields(content: bytes, folder: Path) -> Message:
    """Return what the gate passes of a message whose fields were changed."""
    try:
        packed = msgspec.msgpack.encode(json.loads(content))
    except (ValueError, RecursionError, OverflowError):
        packed = content
    return _pass_gate(packed, folder)


def _check_message(message: Message) -> None:
    if isinstance(message, CameraMessage):
        numbers = (*message.wxyz, *message.position, *message.look_at, *message.up_direction)
        for number in (*numbers, message.fov, message.near, message.far):
            require(math.isfinite(number) and abs(number) <= LENGTH, f"camera {number}")
        return
    assert isinstance(message, ControlMessage)  # there is nothing else to touch here
    name, value = message.uuid, message.updates.value
    fits = {
        "button": value is True,
        "box": isinstance(value, bool),
        "slider": type(value) in (int, float) and SLIDER[0] <= float(value) <= SLIDER[1],
        "list": value in OPTIONS,
        "group": value in OPTIONS,
        "text": isinstance(value, str) and len(value) <= NAME_LENGTH,
        "number": type(value) in (int, float) and abs(float(value)) <= 2.0,
    }
    require(fits.get(name, False), f"{name} became {value!r}")


def _read_keys(content: bytes, folder: Path) -> InputMessage:
    message = read_message(content)
    if message is None:
        raise GrouserError("dropped")
    return message


def _check_keys(message: InputMessage) -> None:
    if message.axes is not None:
        for name in ("forward", "turn", "front", "rear"):
            value = getattr(message.axes.sticks, name)
            require(abs(value) <= 1.0, f"{name} {value}")
    require(message.act in (None, "pause", "step", "reset", "path", "camera"), f"{message.act}")


async def _no_keys(connection: object) -> None:
    """Answer nothing."""


def _knock(content: bytes, folder: Path) -> tuple[bytes, Request]:
    """Return a request that a gate lets in."""
    protocol = ServerProtocol()
    protocol.receive_data(content)
    events = [event for event in protocol.events_received() if isinstance(event, Request)]
    guarded = TOKEN.encode() in content
    gate = AccessGate(page=Page(b""), keys=_no_keys, token=TOKEN if guarded else None)
    if not events:
        raise GrouserError("no request")
    refusal = gate.check(events[0])
    if answer := refusal or gate.answer(events[0]):
        gate.protect(events[0], answer)
    if refusal is not None:
        raise GrouserError("not let in")
    return content, events[0]


def _check_request(let_in: tuple[bytes, Request]) -> None:
    content, request = let_in
    host = request.headers.get("Host", "")
    if TOKEN.encode() in content:
        carried = request.path.partition("?")[2]
        require(TOKEN in unquote(carried), f"let in without it: {carried}")
    else:
        name = host.rpartition(":")[0] or host
        home = name in ("localhost", "[::1]") or name.startswith("127.")
        require(home, f"let in with the host {host!r}")
    origin = request.headers.get("Origin")
    require(origin is None or origin.endswith(f"://{host}"), f"{origin!r} at {host!r}")


def _heads() -> list[bytes]:
    plain = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept-Encoding: gzip\r\n\r\n"
    socket = (
        "GET /?look=lean HTTP/1.1\r\nHost: [::1]:8080\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nOrigin: http://[::1]:8080\r\n"
        f"Sec-WebSocket-Protocol: {PROTOCOL}\r\n\r\n"
    )
    tokens = (
        f"GET /keys?token={TOKEN} HTTP/1.1\r\nHost: robot:80\r\nUpgrade: websocket\r\n\r\n",
        f"GET /?token={TOKEN}&robot=absolem HTTP/1.1\r\nHost: robot:8080\r\n"
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
        "Sec-Fetch-Dest: document\r\n\r\n",
    )
    return [head.encode() for head in (plain, socket, *tokens)]


TARGETS = [
    Target(
        name="keys message",
        samples=lambda: [
            b'{"axes": {"forward": 1, "turn": -0.5, "front": 0, "rear": 0.25}}',
            b'{"act": "pause"}',
            b'{"secret": "jZ0PqXx2m4cS1kq0bGg3Ag", "renderer": "ANGLE (SwiftShader)"}',
        ],
        attempt=_read_keys,
        check=_check_keys,
        names_file=False,
        words=("client", "axes", "act", "NaN", "Infinity", "-1e400", "true", "1" + 400 * "0"),
    ),
    Target(
        name="viser message",
        samples=lambda: [msgspec.msgpack.encode(message) for message in MESSAGES],
        attempt=_pass_gate,
        check=_check_message,
        names_file=False,
        is_text=False,
    ),
    Target(
        name="viser message fields",
        samples=lambda: [json.dumps(message).encode() for message in MESSAGES],
        attempt=_pass_fields,
        check=_check_message,
        names_file=False,
        words=(
            "NaN", "Infinity", "update_cb", "removed", "value", "true", "text", "off", "slider",
            *(kind.__name__ for kind in _messages.Message.get_subclasses()),
        ),
    ),
    Target(
        name="HTTP request head",
        samples=_heads,
        attempt=_knock,
        check=_check_request,
        names_file=False,
        words=("Host: evil", "Origin: null", "localhost", "@", "[", "Cookie:", "websocket", "%00"),
    ),
]  # fmt: skip
