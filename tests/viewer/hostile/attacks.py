"""What hostile clients try. Each attack gets an open page and is over within a second or so."""

import dataclasses
import json
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from viser import _messages
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from grouser.limits import PAGE_MESSAGE_BYTES, PAGE_MISTAKES, PAGE_REQUESTS, PAGE_SOCKETS
from grouser.viewer.app import DriveApp
from grouser.viewer.messages import REASON
from tests.surroundings import LONGEST_WAIT
from tests.viewer.browser import wait_until
from tests.viewer.visitor import CAMERA, Visitor, encode, open_socket

Attack = Callable[[DriveApp], None]
MANY = 3 * PAGE_MISTAKES
NONSENSE: tuple[Any, ...] = (
    float("nan"), float("inf"), -float("inf"), -1e300, 1e300, 2**63, -1, True, None, "", "x" * 3000,
    "../../etc/passwd", "/dev/zero", b"\0" * 100, [], [[]], {}, {"value": 1}, "nan",
)  # fmt: skip
"""Values that no control takes; a button takes True, and sliders do not reach -1."""
BOMBS = (
    b"", b"\xc1", b"\x81", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff",
    b"\xc6\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x01", b"\x91" * 4000,
    b"\x81\xa1a" * 1300,
    b"\xdc\xff\xff" + b"\xc0" * 4000, bytes(range(256)),
)  # fmt: skip
"""Messages in msgpack that are damaged, or promise more than they hold."""


def send_all(connection: ClientConnection, messages: Iterator[bytes | str]) -> None:
    """Send until there is no more, or the server has had enough."""
    with suppress(ConnectionClosed), connection:
        for message in messages:
            connection.send(message)
            with suppress(TimeoutError):
                connection.recv(timeout=0)  # a socket whose server's words are not read is stuck


def end_of(connection: ClientConnection) -> tuple[int, str]:
    """Return code and reason with which the server closes a connection."""
    try:
        while True:
            connection.recv(timeout=LONGEST_WAIT)
    except ConnectionClosed as closed:
        frame = closed.rcvd
    return (0, "") if frame is None else (frame.code, frame.reason)


def drive_as_another(page: DriveApp) -> None:
    """Say to be each of the first clients, by number and by guessed secrets."""
    keys = open_socket(page, "keys")
    push = {"axes": {"forward": -1.0}}
    for name in ("client", "id", "who", "secret"):
        for guess in (0, 1, "0", "", None, "A" * 22, 10**400):
            keys.send(json.dumps({name: guess, **push}))
    for act in ("pause", "reset", "step", "path"):
        keys.send(json.dumps({"act": act}))
    keys.close()


def send_nonsense_keys(page: DriveApp) -> None:
    """Send what is no message until the server closes with a reason."""
    big = '{"axes": {"forward": 1' + 400 * "0" + "}}"
    keys = open_socket(page, "keys")
    with suppress(ConnectionClosed):
        for _ in range(MANY):
            keys.send(big)
    assert end_of(keys) == (1008, REASON)


def send_too_much(page: DriveApp) -> None:
    """Send messages that are too long on both sockets."""
    for path in ("", "keys"):
        connection = open_socket(page, path)
        with suppress(ConnectionClosed):
            connection.send(b"x" * (PAGE_MESSAGE_BYTES + 1))
        assert end_of(connection)[0] == 1009


def send_bombs(page: DriveApp) -> None:
    """Send damaged msgpack, and text where viser expects bytes."""
    send_all(open_socket(page), (bomb for _ in range(3) for bomb in (*BOMBS, "text", "{}")))


def fill_memory(page: DriveApp) -> None:
    """Upload 100 MB without an upload control, in parts that are short enough and in long ones."""
    uuid = next(iter(page.server.gui._gui_input_handle_from_uuid))
    start = {
        "type": "FileTransferStartUpload", "source_component_uuid": uuid, "transfer_uuid": "t",
        "filename": "f", "mime_type": "x", "part_count": 100_000, "size_bytes": 10**9,
    }  # fmt: skip
    for size in (PAGE_MESSAGE_BYTES // 2, 4 << 20):
        part = {"type": "FileTransferPart", "source_component_uuid": uuid, "transfer_uuid": "t"}
        parts = (encode(part | {"part_index": n, "content": b"x" * size}) for n in range(25))
        send_all(open_socket(page), iter((encode(start), *parts)))
    assert page.server.gui._current_file_upload_states == {}


def ask_for_a_tunnel(page: DriveApp) -> None:
    """Ask viser to open a tunnel to a public host."""
    asked: list[object] = []
    page.server.request_share_url = lambda *_, **__: asked.append(1)  # type: ignore[method-assign]
    before = page.dropped
    with open_socket(page) as scene:
        for kind in ("ShareUrlRequest", "ShareUrlDisconnect"):
            scene.send(encode({"type": kind}))
        wait_until(lambda: page.dropped == before + 2, "both are dropped", 5.0)
    assert not asked


def send_every_kind(page: DriveApp) -> None:
    """Send every message that viser knows, with plausible fields, none, too many and wrong ones."""
    kinds = [k for k in _messages.Message.get_subclasses() if k.__name__ != "ViewerCameraMessage"]
    uuid = next(iter(page.server.gui._gui_input_handle_from_uuid))
    messages = []
    for kind in kinds:
        names = [field.name for field in dataclasses.fields(kind)]
        messages += [
            {"type": kind.__name__, **dict.fromkeys(names, uuid)},
            {"type": kind.__name__, **dict.fromkeys(names, float("nan"))},
        ]
    messages += [{"type": "Nothing"}, {}, {"type": None}, {"type": ["x"]}, [], None, 3]
    messages += [CAMERA | {name: bad} for name in CAMERA for bad in (float("nan"), [1], "x", None)]
    messages += [CAMERA | {"more": 1}, {"type": CAMERA["type"]}]
    before = page.dropped
    for first in range(0, len(messages), PAGE_MISTAKES - 5):
        batch = messages[first : first + PAGE_MISTAKES - 5]
        send_all(open_socket(page), (encode(message) for message in batch))
    wait_until(lambda: page.dropped - before == len(messages), "each of them is dropped")


def change_controls(page: DriveApp) -> None:
    """Set every attribute of every control, and give values that no control takes."""
    controls = dict(page.server.gui._gui_input_handle_from_uuid)
    state = [(vars(c._impl).copy(), len(c._impl.update_cb)) for c in controls.values()]
    updates: list[dict[str, Any]] = []
    for uuid, control in controls.items():
        wrong = [{"update_cb": []}, {"removed": True}, {"sync_cb": None}, {"props": {}}, {}]
        wrong += [{"value": bad} for bad in NONSENSE if not isinstance(bad, bool)]
        wrong += [{"value": control.value, "disabled": True}, {"disabled": True}]
        updates += [{"type": "GuiUpdateMessage", "uuid": uuid, "updates": one} for one in wrong]
    usable = [change for change in updates if _can_be_sent(change)]
    for first in range(0, len(usable), PAGE_MISTAKES - 5):
        batch = usable[first : first + PAGE_MISTAKES - 5]
        send_all(open_socket(page), (encode(change) for change in batch))
    now = [(vars(c._impl).copy(), len(c._impl.update_cb)) for c in controls.values()]
    for (before, callbacks), (after, left) in zip(state, now, strict=True):
        assert callbacks == left
        # The scrubber and the list of recordings are the program's to change.
        same = {"update_cb", "removed", "sync_cb", "props", "uuid"}
        assert {k: before[k] for k in same} == {k: after[k] for k in same}


def _can_be_sent(change: dict[str, Any]) -> bool:
    try:
        return len(encode(change)) <= PAGE_MESSAGE_BYTES
    except (OverflowError, msgspec.EncodeError):
        return False


def flood_with_pings(page: DriveApp) -> None:
    """Send pings and never read what answers them, until the server hangs up."""
    frame = b"\x89\xfd\0\0\0\0" + b"x" * 125
    with raw_socket(page) as raw:
        raw.sendall(upgrade(page, "/keys"))
        raw.recv(4096)
        with pytest.raises(ConnectionError):
            raw.sendall(frame * 100_000)


def flood_with_messages(page: DriveApp) -> None:
    """Send good messages as fast as possible for a while, without being introduced."""
    for path, message in (("keys", '{"axes": {"forward": -1}}'), ("", encode(CAMERA))):
        until = time.monotonic() + 0.3

        def many(message: bytes | str = message, until: float = until) -> Iterator[bytes | str]:
            while time.monotonic() < until:
                yield message

        connection = open_socket(page, path)
        connection.socket.settimeout(1.0)
        send_all(connection, many())


def send_half_requests(page: DriveApp) -> None:
    """Begin more requests than may be open, never end them; others are still served."""
    with ExitStack() as stack:
        begun = [stack.enter_context(raw_socket(page)) for _ in range(2 * PAGE_REQUESTS)]
        for raw in begun:
            with suppress(OSError):
                raw.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        assert status_of(page, request(page)) == 200
        ended = select.select(begun, [], [], 0.0)[0]
        assert len(ended) > PAGE_REQUESTS


def open_too_many(page: DriveApp) -> None:
    """Open more sockets than there may be."""
    with ExitStack() as stack:
        refused = 0
        for _ in range(PAGE_SOCKETS + 4):
            try:
                stack.enter_context(open_socket(page, "keys"))
            except InvalidStatus as answer:
                refused += answer.response.status_code == 503
        assert refused >= 4
    wait_until(lambda: status_of(page, upgrade(page, "/keys")) == 101, "there is room again")


def send_odd_requests(page: DriveApp) -> None:
    """Send heads that are no requests of our page."""
    host = "127.0.0.1"
    assert status_of(page, request(page, Host="evil.example")) == 403
    assert status_of(page, request(page, Origin="http://evil.example")) == 403
    assert status_of(page, upgrade(page, "/keys", Origin="null")) == 403
    assert status_of(page, upgrade(page, "/keys", Origin=f"http://{host}:1")) == 403
    assert status_of(page, upgrade(page, "/")) == 400  # not viser's protocol
    assert status_of(page, upgrade(page, "/", **{"Sec-WebSocket-Protocol": "viser-v0"})) == 400
    assert status_of(page, upgrade(page, "/elsewhere")) == 400
    assert status_of(page, request(page, "/%2e%2e/%2e%2e/etc/passwd")) == 404
    for odd in ("[::1", "127.0.0.1@evil.example", "127.0.0.1:1:2", "", "\xe9"):
        assert status_of(page, request(page, Host=odd)) in (400, 403)
    twice = request(page).replace(b"\r\n\r\n", b"\r\nHost: evil.example\r\n\r\n")
    assert status_of(page, twice) == 400
    for head in (
        b"\0" * 100 + b"\n", b"\x16\x03\x01\x02\0\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", request(page, X="x" * 9000),
        request(page, **{f"X-{n}": "x" for n in range(200)}), request(page, "/?" + "x" * 9000),
    ):  # fmt: skip
        assert status_of(page, head) not in (101, 200)


def raw_socket(page: DriveApp) -> socket.socket:
    """Return a bare connection."""
    return socket.create_connection(("127.0.0.1", page.server.get_port()), timeout=LONGEST_WAIT)


def request(page: DriveApp, path: str = "/", **headers: str) -> bytes:
    """Return the head of a request as a browser writes it."""
    lines = {"Host": urlsplit(page.address).netloc} | headers
    words = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"GET {path} HTTP/1.1\r\n{words}\r\n".encode("latin-1")


def upgrade(page: DriveApp, path: str, **headers: str) -> bytes:
    """Return the head of a request for a socket."""
    asked = {
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }  # fmt: skip
    return request(page, path, **(asked | headers))


def status_of(page: DriveApp, head: bytes) -> int:
    """Return the status with which the server answers, 0 if it only hangs up."""
    with raw_socket(page) as raw:
        try:
            raw.sendall(head)
            answer = raw.recv(64)
        except OSError:
            return 0
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def take_over_by_hand(page: DriveApp) -> None:
    """Open a page like any other and drive without having the wheel."""
    with Visitor(page) as other:
        other.say(axes={"forward": -1.0})
        for act in ("reset", "step", "path"):
            other.say(act=act)
        other.use("Speed [m/s]", 0.01)
        other.status()


def choose_without_end(page: DriveApp) -> None:
    """Choose other signals, scenes and cameras all the time as a page that only watches."""
    with Visitor(page) as visitor, suppress(ConnectionClosed):
        for number in range(PAGE_MISTAKES):
            names = [f"{number}.{n}" for n in range(30)]
            visitor.say(reads={"signals": ["vx", *names], "cameras": ["camera"]})
            visitor.say(scene={"robot": "absolem", "course": "step:height_m=0.1", "ghosts": []})
            visitor.say(scene={"robot": "../../etc/passwd", "course": "/dev/zero"})
            with suppress(TimeoutError):
                visitor.keys.recv(timeout=0)


ATTACKS: tuple[Attack, ...] = (
    drive_as_another, send_nonsense_keys, send_too_much, send_bombs, fill_memory, ask_for_a_tunnel,
    send_every_kind, change_controls, flood_with_pings, flood_with_messages, send_half_requests,
    open_too_many, send_odd_requests, take_over_by_hand, choose_without_end,
)  # fmt: skip
