"""A client of Foxglove's websocket protocol, written from its description, and a reader of
protocol buffers: neither uses the SDK that is tested.
"""

import json
import socket
import struct
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from websockets.sync.client import connect

SUBPROTOCOL = "foxglove.sdk.v1"
MESSAGE, TIME, SERVICE = 1, 2, 3


class Client:
    """A connection; everything that came is kept."""

    def __init__(self, port: int, room: int = 0) -> None:
        """Connect; `room` is the size of the buffer for what was not read yet, if given."""
        line = socket.socket()
        if room:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        line.connect(("127.0.0.1", port))
        self._socket = connect(
            f"ws://127.0.0.1:{port}",
            sock=line,
            subprotocols=[SUBPROTOCOL],
            max_size=None,
            ping_interval=None,
            close_timeout=0.1,  # messages that nobody reads are in the way of a proper goodbye
        )
        self.info: dict[str, Any] = {}
        self.channels: dict[str, dict[str, Any]] = {}
        self.services: dict[str, int] = {}
        self.parameters: dict[str, Any] = {}
        self.statuses: list[str] = []
        self.messages: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        self.answers: dict[int, Any] = {}
        self.times: list[int] = []
        self._topics: dict[int, str] = {}
        self._numbers = iter(range(1, 1_000_000))
        self.wait(lambda: self.info and self.channels and self.services, "an introduction")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, **words: Any) -> None:
        self._socket.send(json.dumps(words))

    def send_text(self, text: str | bytes) -> None:
        self._socket.send(text)

    def subscribe(self, *topics: str) -> None:
        wanted = []
        for topic in topics or self.channels:
            number = next(self._numbers)
            self._topics[number] = topic
            wanted.append({"id": number, "channelId": self.channels[topic]["id"]})
        self.send(op="subscribe", subscriptions=wanted)

    def advertise(self, topic: str, encoding: str = "json") -> int:
        number = next(self._numbers)
        channel = {"id": number, "topic": topic, "encoding": encoding, "schemaName": "Twist"}
        self.send(op="advertise", channels=[channel])
        return number

    def publish(self, channel: int, content: Any) -> None:
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        self._socket.send(struct.pack("<BI", 1, channel) + text)

    def call(self, service: str, **request: Any) -> dict[str, Any]:
        number = next(self._numbers)
        head = struct.pack("<BIII", 2, self.services[service], number, 4)
        self._socket.send(head + b"json" + json.dumps(request).encode())
        self.wait(lambda: number in self.answers, f"an answer of {service}")
        return self.answers[number]

    def set(self, name: str, value: Any) -> Any:
        number = str(next(self._numbers))
        self.send(op="setParameters", parameters=[{"name": name, "value": value}], id=number)
        self.wait(lambda: number in self.parameters, f"parameter {name}")
        return self.parameters[number].get(name)

    def get(self) -> dict[str, Any]:
        number = str(next(self._numbers))
        self.send(op="getParameters", parameterNames=[], id=number)
        self.wait(lambda: number in self.parameters, "parameters")
        return self.parameters[number]

    def json(self, topic: str) -> dict[str, Any]:
        """Return the newest message of a topic."""
        return json.loads(self.messages[topic][-1][1])

    def wait(self, until: Callable[[], Any], what: str, timeout: float = 20.0) -> None:
        """Receive until something is true."""
        limit = time.monotonic() + timeout
        while not until():
            assert time.monotonic() < limit, f"waited in vain for {what}"
            self.receive(0.1)

    def receive(self, timeout: float) -> None:
        """Take in a message, if one comes in time."""
        try:
            content = self._socket.recv(timeout)
        except TimeoutError:
            return
        if isinstance(content, str):
            self._take(json.loads(content))
        elif content[0] == MESSAGE:
            number, when = struct.unpack_from("<IQ", content, 1)
            self.messages[self._topics[number]].append((when, content[13:]))
        elif content[0] == TIME:
            self.times.append(struct.unpack_from("<Q", content, 1)[0])
        elif content[0] == SERVICE:
            _, number, length = struct.unpack_from("<III", content, 1)
            self.answers[number] = json.loads(content[13 + length :])

    def _take(self, message: dict[str, Any]) -> None:
        match message["op"]:
            case "serverInfo":
                self.info = message
            case "advertise":
                self.channels |= {channel["topic"]: channel for channel in message["channels"]}
            case "advertiseServices":
                self.services |= {one["name"]: one["id"] for one in message["services"]}
            case "status":
                self.statuses.append(message["message"])
            case "parameterValues":
                values = {one["name"]: one.get("value") for one in message["parameters"]}
                self.parameters[message.get("id", "")] = values
            case "serviceCallFailure":
                self.answers[message["callId"]] = message


def decode(data: bytes) -> dict[int, list[Any]]:
    """Return the fields of a protocol buffer by number: whole numbers, floats or bytes."""
    found: dict[int, list[Any]] = defaultdict(list)
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        match key & 7:
            case 0:
                value, place = _varint(data, place)
            case 1:
                value, place = struct.unpack_from("<d", data, place)[0], place + 8
            case 2:
                length, place = _varint(data, place)
                value, place = data[place : place + length], place + length
            case kind:
                assert kind == 5, kind
                value, place = struct.unpack_from("<f", data, place)[0], place + 4
        found[key >> 3].append(value)
    return found


def vector(data: bytes, *fields: int) -> tuple[float, ...]:
    """Return the numbers of fields 1, 2, 3 and so on, or of some; 0 where they are left out."""
    content = decode(data)
    return tuple(content[n][0] if n in content else 0.0 for n in fields or (1, 2, 3))


def transforms(data: bytes) -> dict[str, tuple[str, tuple[float, ...], tuple[float, ...]]]:
    """Return the parent, the place and the quaternion x, y, z, w of each frame."""
    found = {}
    for one in decode(data)[1]:
        fields = decode(one)
        child = fields[3][0].decode()
        assert child not in found, "a frame has one parent"
        found[child] = (
            fields[2][0].decode(), vector(fields[4][0]), vector(fields[5][0], 1, 2, 3, 4),
        )  # fmt: skip
    return found


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value, shift, place = value | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return value, place
