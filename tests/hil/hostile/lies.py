"""The table of what a hostile board does: lies in each field of each message, deaths, floods."""

import random
from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from grouser.hil.frames import encode_message
from grouser.hil.messages import (
    BoardState,
    Boot,
    HelloAck,
    Message,
    Nak,
    Pong,
    Reason,
    State,
)
from grouser.hil.plausible import RANGES
from tests.hil.hostile.board import Gone, HostileLink, Sabotage
from tests.hil.hostile.disagreements import disagreements
from tests.hil.hostile.rows import AT, COMMAND_TIMEOUT, Row

WIRE = {"B": (0, 0xFF), "H": (0, 0xFFFF), "I": (0, 2**32 - 1), "h": (-(2**15), 2**15 - 1)}
WIRE["i"] = (-(2**31), 2**31 - 1)


def all_rows() -> list[Row]:
    """Return the whole table."""
    parts = _false_numbers, _false_words, _deaths, _floods, _stalls, disagreements
    return [row for part in parts for row in part()]


def from_then(kind: type[Message], change: Callable[[Message], list[Message | bytes]]) -> Sabotage:
    """Return a saboteur that changes each message of a kind, later ones once the robot drives."""

    def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
        late = kind not in (State, Pong) or link.drives_for >= AT
        return change(message) if isinstance(message, kind) and late else [message]

    return sabotage


def _false_numbers() -> Iterator[Row]:
    """Each field of each message, at and beyond the ends of its range."""
    for kind, ranges in RANGES.items():
        codes = kind.LAYOUT.format.lstrip("<")
        for field, code in zip(fields(kind), codes, strict=True):
            low, high = ranges[field.name]
            least, most = WIRE[code]
            for value in sorted({low - 1, high + 1, least, most}):
                if not least <= value <= most or low <= value <= high:
                    continue
                yield _false_number(kind, field.name, value)


def _false_number(kind: type[Message], field: str, value: int) -> Row:
    def change(message: Message) -> list[Message | bytes]:
        return [replace(message, **{field: value})]  # type: ignore[type-var]

    name, words = kind.__name__, f"{field} = {value}"
    if kind is Nak:  # nothing is refused in a good run
        said = encode_message(replace(Nak(3, Reason.OLD_SEQ, 1, 1), **{field: value}))  # type: ignore[arg-type]
        return Row(name, words, lambda: (_as_it_is, _repeat(said)))
    early = kind in (HelloAck, Boot)
    return Row(name, words, lambda: (from_then(kind, change), None), connects=not early)


def _false_words() -> Iterator[Row]:
    """What is within its range, and yet cannot be."""
    yield _false_number(HelloAck, "protocol", 99)
    yield _false_number(HelloAck, "protocol", 2)
    yield _false_number(HelloAck, "period_us", 20_000)
    yield _false_number(HelloAck, "link_id", 77)
    yield _false_number(Boot, "protocol", 99)
    for kind in (State, HelloAck):
        yield _false_number(kind, "link_id", 77)
    yield _false_number(State, "state", BoardState.IDLE)
    yield _false_number(State, "state", BoardState.SAFE)
    for field, value in (
        ("encoder_left", 1_000_000), ("encoder_right", -(2**31)), ("setpoint_left", 4000),
        ("setpoint_right", -1), ("cmd_seq", 40_000), ("seq", 3), ("seq", 0), ("t_us", 0),
        ("t_us", 2**31), ("t_us", 5),
    ):  # fmt: skip
        yield _false_number(State, field, value)
    yield Row("State", "ARMED before ARM", lambda: (_armed_at_once, None))
    yield Row("Pong", "another clock", lambda: (from_then(Pong, _other_clock), None))
    wrong = Nak(1, Reason.WRONG_PROTOCOL, 0, 0)
    yield Row(
        "Nak",
        "wrong protocol, instead of HelloAck",
        lambda: (from_then(HelloAck, lambda m: [wrong]), None),
        connects=False,
    )


def _armed_at_once(link: HostileLink, message: Message) -> list[Message | bytes]:
    return [replace(message, state=BoardState.ARMED) if isinstance(message, State) else message]


def _other_clock(pong: Message) -> list[Message | bytes]:
    assert isinstance(pong, Pong)
    return [replace(pong, t_rx_us=2**31, t_tx_us=2**31 + 10)]


def _deaths() -> Iterator[Row]:
    """The board falls silent, is torn off or is cut in half, at each message."""
    ways: dict[str, Callable[[Message], list[Message | bytes]]] = {
        "silent from here on": lambda m: [],
        "half a frame, then silent": lambda m: [encode_message(m)[:7]],
    }
    for kind in (Boot, HelloAck, State, Pong):
        connects = kind in (State, Pong)
        for words, change in ways.items():
            yield Row(
                kind.__name__, words, lambda k=kind, c=change: (_dying(k, c), None),
                connects=connects,
            )  # fmt: skip
        yield Row(
            kind.__name__, "torn off", lambda k=kind: (_dying(k, _tear), None), connects=connects
        )
    yield Row("State", "silent from the first on", lambda: (_mute_states, None))
    yield Row("State", "the board starts anew", lambda: (_resetting, None))


def _tear(message: Message) -> list[Message | bytes]:
    raise Gone


def _dying(kind: type[Message], change: Callable[[Message], list[Message | bytes]]) -> Sabotage:
    dead = [False]

    def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
        if dead[0]:
            return []
        if isinstance(message, kind) and (kind in (Boot, HelloAck) or link.drives_for >= AT):
            dead[0] = True
            return change(message)
        return [message]

    return sabotage


def _mute_states(link: HostileLink, message: Message) -> list[Message | bytes]:
    return [] if isinstance(message, State) else [message]


def _resetting(link: HostileLink, message: Message) -> list[Message | bytes]:
    if link.drives_for >= AT and link.record.fault_at is None:
        link.fault_now()
        link.board.fault("reset brownout")
        return []
    return [message]


def _floods() -> Iterator[Row]:
    """More than a line can say: junk, and each message again and again."""
    source = random.Random(1)
    junk = bytes(source.randrange(256) for _ in range(2500))
    yield Row("line", "junk instead of words", lambda: (_mute_later, _repeat(junk)))
    yield Row("line", "junk between words", lambda: (_as_it_is, _repeat(junk)))
    yield Row("line", "junk without an end", lambda: (_mute_later, _repeat(b"\x55" * 2500)))
    for message in (
        Boot(1, 1, 1),
        Pong(1, 1, 1, 1),
        HelloAck(1, 1, 1, 1, 10_000, 1, 360),
    ):
        yield Row(
            type(message).__name__,
            "a hundred in each millisecond",
            lambda m=message: (_as_it_is, _repeat(100 * encode_message(m))),
            harmless=not isinstance(message, Boot),
        )
    yield Row("State", "the same one for ever", lambda: (_replaying(1), None))
    yield Row("State", "the last ten for ever", lambda: (_replaying(10), None))
    yield Row("State", "ten for each, in a row", lambda: (_hurrying(), None), within=0.7)
    yield Row("State", "numbers backwards", lambda: (_backwards(), None))


def _as_it_is(link: HostileLink, message: Message) -> list[Message | bytes]:
    return [message]


def _mute_later(link: HostileLink, message: Message) -> list[Message | bytes]:
    return [] if link.drives_for >= AT else [message]


def _repeat(data: bytes) -> Callable[[HostileLink], bytes]:
    def also(link: HostileLink) -> bytes:
        if link.drives_for < AT:
            return b""
        link.fault_now()
        return data

    return also


def _replaying(count: int) -> Sabotage:
    kept: list[Message] = []

    def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
        if not isinstance(message, State):
            return [message]
        if link.drives_for < AT:
            kept[:] = [*kept, message][-count:]
            return [message]
        kept.append(kept.pop(0))
        return [kept[-1]]

    return sabotage


def _hurrying() -> Sabotage:
    """Return one who makes ten states of one, each a period later than the one before."""
    made = [0]

    def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
        if not isinstance(message, State) or link.drives_for < AT:
            return [message]
        first = message
        made[0] += 9
        ahead = made[0] - 9
        return [
            replace(
                first, seq=(first.seq + ahead + n) % 65536, t_us=first.t_us + (ahead + n) * 10_000
            )
            for n in range(10)
        ]

    return sabotage


def _backwards() -> Sabotage:
    start: list[int] = []

    def change(message: Message) -> list[Message | bytes]:
        assert isinstance(message, State)
        start[:] = start or [message.seq]
        return [replace(message, seq=(2 * start[0] - message.seq - 1) % 65536)]

    return from_then(State, change)


def _stalls() -> Iterator[Row]:
    """The board says nothing for a while, then all at once."""
    for seconds in (0.05, 0.15, 0.5):
        yield Row(
            "line", f"stalls for {seconds:g} s, then all at once",
            lambda s=seconds: (_stalling(s), None), harmless=True,
            pauses=seconds > COMMAND_TIMEOUT,
        )  # fmt: skip
    yield Row("line", "each pair of states exchanged", lambda: (_swapping(), None), harmless=True)


def _stalling(seconds: float) -> Sabotage:
    kept: list[Message | bytes] = []
    began: list[float] = []

    def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
        if link.drives_for < AT:
            return [message]
        began[:] = began or [link.now()]
        kept.append(message)
        if link.now() - began[0] < seconds:
            return []
        said = list(kept)
        kept.clear()
        return said

    return sabotage


def _swapping() -> Sabotage:
    kept: list[Message | bytes] = []

    def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
        if not isinstance(message, State) or link.drives_for < AT:
            return [message]
        kept.append(message)
        if len(kept) < 2:
            return []
        said = kept[::-1]
        kept.clear()
        return said

    return sabotage
