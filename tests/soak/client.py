"""A page without a browser: it comes, drives at random, and goes, politely or not."""

import contextlib
import json
import random
import threading
import time
from collections.abc import Iterator

import msgspec
import viser
import zstandard
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1.0, 0, 0, 0], "position": [0, 0, 1.5], "fov": 1.3,
    "near": 0.01, "far": 1000, "image_height": 600, "image_width": 800,
    "look_at": [0, 0, 0], "up_direction": [0, 0, 1],
}  # fmt: skip
"""What viser's page says first."""


def open_sockets(address: str) -> tuple[ClientConnection, ClientConnection, str | int]:
    """Return viser's socket, that of the keys, and by what the page is known there."""
    base, _, query = address.replace("http:", "ws:").partition("?")
    options = {"proxy": None, "max_size": None, "close_timeout": 0.5}
    scene = connect(f"{base}?{query}", subprotocols=[f"viser-v{viser.__version__}"], **options)
    scene.send(msgspec.msgpack.encode(CAMERA))
    until, known = time.monotonic() + 5.0, random.randrange(1, 1 << 30)
    while time.monotonic() < until:
        with contextlib.suppress(TimeoutError):
            for message in _decode(scene.recv(timeout=0.5)):
                if message.get("key") == "grouser-secret":
                    known, until = message["value"], 0.0
    return scene, connect(f"{base}keys?{query}", **options), known


def visit(address: str, seconds: float, *, polite: bool) -> int:
    """Stay on a page for some time and drive; return how many states of the robot were heard."""
    scene, keys, known = open_sockets(address)
    drains = [threading.Thread(target=_drain, args=(scene,), daemon=True)]
    drains[0].start()
    heard = 0
    keys.send(json.dumps({"secret" if isinstance(known, str) else "client": known}))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        axes = {"forward": random.uniform(-1.0, 1.0), "turn": random.uniform(-1.0, 1.0)}
        keys.send(json.dumps({"axes": axes}))
        with contextlib.suppress(TimeoutError):
            keys.recv(timeout=0.05)
            heard += 1
    for connection in (keys, scene):
        if polite:
            connection.close()
        else:
            connection.socket.close()  # as a cable that is pulled
    return heard


def _drain(scene: ClientConnection) -> None:
    with contextlib.suppress(ConnectionClosed, OSError):
        for _ in scene:
            pass


def _decode(data: str | bytes) -> Iterator[dict[str, object]]:
    assert isinstance(data, bytes)
    size, packed = (int.from_bytes(data[n : n + 8], "little") for n in (0, 8))
    plain = zstandard.decompress(data[16 : 16 + packed], max_output_size=size)
    yield from msgspec.msgpack.decode(plain)["messages"]
