"""What comes over a wire: raw logs, bytes of a board, fault words, lines of another program."""

import math
import socket
import tempfile
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from grouser import Scenario
from grouser.errors import InvalidValue
from grouser.hil.board import split_fault
from grouser.hil.conversation import Connected, Conversation, Event, StateArrived
from grouser.hil.exchange import EncoderLine, FileChannel, OrientationLine, UdpChannel
from grouser.hil.exchange.lines import parse_numbers
from grouser.hil.frames import RESYNC, encode_frame
from grouser.hil.links import LockstepLink
from grouser.hil.messages import HelloAck, State
from grouser.hil.options import BoardOptions, describe_run, load_for_board, read_run
from grouser.hil.plausible import RANGES
from grouser.hil.python_board import PythonBoard
from grouser.hil.raw_log import RawEntry, RawLog, read_raw_log
from grouser.hil.run import run_board
from grouser.limits import BELT_SPEED, LENGTH
from grouser.scenario.loaded import Loaded
from tests.fuzz.target import Target, require, write_input

SCENARIO = Scenario(course="flat", model="ideal", driver="constant:left=0.1,right=0.1", stop=0.3)


@cache
def _recorded() -> bytes:
    """Return the raw log of half a second of driving."""
    options = BoardOptions()
    loaded = load_for_board(SCENARIO, options)
    with tempfile.TemporaryDirectory() as folder:
        raw = RawLog(Path(folder) / "a.raw", describe_run(loaded, options))
        run_board(LockstepLink(PythonBoard(seed=1)), loaded, options, raw=raw)
        return raw.path.read_bytes()


def _heard() -> bytes:
    """Return all that a board said in a drive."""
    heard = bytearray()
    link = LockstepLink(PythonBoard(seed=1), lambda step: heard.extend(step.sent))
    run_board(link, SCENARIO)
    return bytes(heard)


def _read_raw(content: bytes, folder: Path) -> tuple[tuple[Loaded, BoardOptions], list[RawEntry]]:
    path = write_input(folder, ".raw", content)
    header, entries = read_raw_log(path)
    return read_run(header, path), entries


def _check_raw(value: tuple[tuple[Loaded, BoardOptions], list[RawEntry]]) -> None:
    (loaded, options), entries = value
    times = [entry.time for entry in entries]
    require(all(math.isfinite(time) for time in times), "a time that is not finite")
    require(times == sorted(times), "times that go back")
    require(10 <= options.rate <= 200, "a rate that no board has")
    require(0.05 <= options.command_timeout <= 0.5, "a timeout that no board has")
    require(0.0 < loaded.speed < math.inf, f"speed {loaded.speed}")


def _listen(content: bytes, folder: Path) -> tuple[Conversation, list[Event]]:
    """Feed bytes to a host in pieces while it drives; every answer must be possible."""
    talk = Conversation(1)
    talk.open(0.0)
    events: list[Event] = []
    for number, start in enumerate(range(0, len(content), 97)):
        now = 0.01 * number
        came = talk.receive(content[start : start + 97], now) + talk.tick(now)
        events += came
        if talk.ack is not None and any(isinstance(event, StateArrived) for event in came):
            talk.arm()
            talk.command(0.1, 0.1, now)
        talk.take_outgoing()
    return talk, events


def _check_talk(value: tuple[Conversation, list[Event]]) -> None:
    _, events = value
    for event in events:
        if isinstance(event, Connected):
            _check_message(event.ack)
            require(event.ack.protocol == 1, f"protocol {event.ack.protocol}")
        if isinstance(event, StateArrived):
            _check_message(event.state)
            require(math.isfinite(event.time), f"time {event.time}")


def _check_message(message: HelloAck | State) -> None:
    for field in fields(message):
        low, high = RANGES[type(message)][field.name]
        value = getattr(message, field.name)
        require(low <= value <= high, f"{field.name} {value}")


def _said_by(kind: type[HelloAck | State], content: bytes) -> tuple[Conversation, list[Event]]:
    """Let a board say type and body of one message, undamaged, at its place in a conversation."""
    talk = Conversation(1)
    talk.open(0.0)
    events: list[Event] = []
    words = [encode_frame(content)]
    if kind is State:
        words.insert(0, encode_frame(bytes((HelloAck.TYPE,)) + HelloAck.LAYOUT.pack(*_ACK)))
    for number, word in enumerate(words):
        events += talk.receive(RESYNC + word, 0.01 * number)
    return talk, events


_ACK = (1, 1, 1, 1, 10_000, 0xABCD, 360)
_STATE = (1, 0, 5_000_000, 0, 1, 0, 10, -10, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7392, 0, 0, 120)


def _parse_words(content: bytes, folder: Path) -> tuple[str, float]:
    text = _text(content)
    words, at = split_fault(text)
    board = PythonBoard()
    board.fault(words)
    board.step(20_000)
    return words, at


def _check_words(value: tuple[str, float]) -> None:
    words, at = value
    require(0.0 <= at <= 1e7, f"at {at} s")
    numbers = [word for word in words.split() if word[:1].isdigit() or word[:1] in "+-."]
    require(all(abs(float(number)) < 1e6 for number in numbers), words)


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidValue("text", content, "be UTF-8") from error


def _parse_lines(content: bytes, folder: Path) -> list[Any]:
    text = content.decode("ascii", errors="replace")
    return _believed([text, *text.splitlines()])


def _believed(texts: list[str]) -> list[Any]:
    parsers = (EncoderLine.parse, OrientationLine.parse, parse_numbers)
    return [found for text in texts for parse in parsers if (found := parse(text)) is not None]


def _check_lines(lines: list[Any]) -> None:
    for line in lines:
        if isinstance(line, EncoderLine):
            require(max(abs(line.left), abs(line.right)) <= BELT_SPEED, f"{line}")
        elif isinstance(line, OrientationLine):
            place = (float(number) for number in (line.pose.x, line.pose.y, line.pose.z))
            require(max(map(abs, place)) <= LENGTH, f"{line}")
        else:
            require(all(map(math.isfinite, line)), f"{line}")
        seq = getattr(line, "seq", None)
        require(seq is None or 0 <= seq <= 2**53, f"seq {seq}")


def _send(content: bytes, folder: Path) -> list[Any]:
    """Send a datagram from the peer's own address, cut to what one can hold."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        channel = UdpChannel(peer.getsockname(), 0)
        try:
            peer.sendto(content[:60_000], ("127.0.0.1", channel.port))
            text = channel.receive()
        finally:
            channel.close()
    require(text is None or len(text) <= 512, "a datagram that is too long")
    return [] if text is None else _believed([text])


def _leave(content: bytes, folder: Path) -> list[Any]:
    """Let another program write its file."""
    channel = FileChannel(folder / "ours.txt", folder / "input.txt", sleep=lambda seconds: None)
    write_input(folder, ".txt", content)
    text = channel.receive()
    return [] if text is None else _believed([text])


def _lines() -> list[bytes]:
    return [
        b"12,600,9.87,10.02\n", b"10.0 10.0\n", b"7,350,120.5,-40.25,0,0.5,-2,91.7\n",
        b"120.5;-40.25;91.7\n", b"1 2 3 4 5 6\n",
    ]  # fmt: skip


_NUMBERS = ("nan", "inf", "-inf", "1e308", "-1", "0x10", "1_0", ",", ";", "\t", "1e-320")

TARGETS = [
    Target(
        name="raw log",
        samples=lambda: [_recorded()],
        attempt=_read_raw,
        check=_check_raw,
        words=("# ", "# stop", "<", ">", '"rate"', "null", "[]", "{}", "1e999"),
    ),
    Target(
        name="serial bytes",
        samples=lambda: [_heard()],
        attempt=_listen,
        check=_check_talk,
        names_file=False,
        is_text=False,
    ),
    Target(
        name="HELLO_ACK",
        samples=lambda: [bytes((HelloAck.TYPE,)) + HelloAck.LAYOUT.pack(*_ACK)],
        attempt=lambda content, folder: _said_by(HelloAck, content),
        check=_check_talk,
        names_file=False,
        is_text=False,
    ),
    Target(
        name="STATE",
        samples=lambda: [bytes((State.TYPE,)) + State.LAYOUT.pack(*_STATE)],
        attempt=lambda content, folder: _said_by(State, content),
        check=_check_talk,
        names_file=False,
        is_text=False,
    ),
    Target(
        name="fault words",
        samples=lambda: [
            b"link lose 0.01",
            b"encoder left stuck @5",
            b"battery 4.2 @1.5",
            b"clock 10000",
            b"reset brownout",
            b"link clear",
        ],  # fmt: skip
        attempt=_parse_words,
        check=_check_words,
        names_file=False,
        words=("left", "right", "@", *_NUMBERS),
    ),
    Target(
        name="exchange line",
        samples=_lines,
        attempt=_parse_lines,
        check=_check_lines,
        names_file=False,
        words=_NUMBERS,
    ),
    Target(
        name="UDP datagram",
        samples=_lines,
        attempt=_send,
        check=_check_lines,
        names_file=False,
        words=_NUMBERS,
    ),
    Target(
        name="exchange file",
        samples=_lines,
        attempt=_leave,
        check=_check_lines,
        names_file=False,
        words=_NUMBERS,
    ),
]
