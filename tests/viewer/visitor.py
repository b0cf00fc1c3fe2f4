"""A page without a browser: what viser's and our own script say, said by a test."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import msgspec
import viser
import zstandard
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from grouser.viewer.app import DriveApp
from tests.surroundings import LONGEST_WAIT

PROTOCOL = f"viser-v{viser.__version__}"
CAMERA: dict[str, Any] = {
    "type": "ViewerCameraMessage", "wxyz": [1.0, 0, 0, 0], "position": [0, 0, 1.5], "fov": 1.3,
    "near": 0.01, "far": 1000, "image_height": 600, "image_width": 800,
    "look_at": [0, 0, 0], "up_direction": [0, 0, 1],
}  # fmt: skip
"""What viser's page says first."""


def encode(message: object) -> bytes:
    """Return a message as viser's page writes it."""
    return msgspec.msgpack.encode(message)


def open_socket(page: DriveApp, path: str = "", **options: Any) -> ClientConnection:
    """Return a socket of a page: viser's, or another."""
    address, mark, query = page.address.replace("http:", "ws:").partition("?")
    address += path + mark + query
    if not path:
        options = {"subprotocols": [PROTOCOL]} | options
    # Without pings: on a busy machine an attack may keep a server from answering them for a while.
    options = {"proxy": None, "max_size": None, "close_timeout": 0.5} | options
    return connect(address, ping_interval=None, **options)


class Visitor:
    """Both sockets of one page, introduced to the server."""

    def __init__(self, page: DriveApp) -> None:
        self.page = page
        self.scene = open_socket(page)
        self.scene.send(encode(CAMERA))
        self.secret = self._read_secret()
        self.keys = open_socket(page, "keys")
        self.say(secret=self.secret, renderer="SwiftShader")
        self.number = self._read_number()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.keys.close()
        self.scene.close()

    def say(self, **message: Any) -> None:
        """Say something on the socket of the keys."""
        self.keys.send(json.dumps(message))

    def use(self, label: str, value: object) -> None:
        """Give a control its value."""
        uuid = find_control(self.page, label)._impl.uuid
        message = {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value}}
        self.scene.send(encode(message))

    def status(self, timeout: float = LONGEST_WAIT) -> dict[str, Any]:
        """Return the next state of the robot that the server tells."""
        return json.loads(self.keys.recv(timeout=timeout))

    def _read_secret(self) -> str:
        until = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < until:
            for message in decode(self.scene.recv(timeout=LONGEST_WAIT)):
                if message.get("key") == "grouser-secret":
                    return message["value"]
        raise AssertionError("no secret was sent")

    def _read_number(self) -> int:
        until = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < until:
            if (number := self.status()["id"]) is not None:
                return number
        raise AssertionError("the secret was not understood")


def decode(data: str | bytes) -> Iterator[dict[str, Any]]:
    """Yield the messages of what viser sends at a time."""
    assert isinstance(data, bytes)
    size, compressed = (int.from_bytes(data[n : n + 8], "little") for n in (0, 8))
    plain = zstandard.decompress(data[16 : 16 + compressed], max_output_size=size)
    yield from msgspec.msgpack.decode(plain)["messages"]


def find_control(page: DriveApp, label: str) -> Any:
    """Return a control that all pages share."""
    controls = page.server.gui._gui_input_handle_from_uuid.values()
    return next(control for control in controls if control.label == label)


@contextmanager
def visiting(page: DriveApp, count: int) -> Iterator[list[Visitor]]:
    """Yield several pages, opened one after another."""
    visitors: list[Visitor] = []
    try:
        for _ in range(count):
            visitors.append(Visitor(page))
        yield visitors
    finally:
        for visitor in visitors:
            visitor.__exit__()


def drain(visitor: Visitor) -> None:
    """Read all that a page is sent, as a browser does."""

    def read(socket: Any) -> None:
        try:
            while True:
                socket.recv()
        except ConnectionClosed:
            return

    for socket in (visitor.scene, visitor.keys):
        threading.Thread(target=read, args=(socket,), daemon=True).start()
