"""Boards whose states are each possible: numbers that go on by other numbers.

Nonsense: states that are believed although speeds and counts are travels that differ by far more
than any measurement, and a board that is believed though it refuses more than it was sent.
"""

import math
from pathlib import Path

from grouser.errors import InvalidValue
from grouser.hil.conversation import Conversation, Implausible, StateArrived
from grouser.hil.frames import RESYNC, encode_message
from grouser.hil.messages import SPEED_STEP, HelloAck, Nak, Reason, State
from grouser.hil.python_vehicle import COUNT_LENGTH
from tests.fuzz.target import Target, require

STATES = 120
"""States of a board, in periods of 10 ms."""
KEYS = ("speed", "speed_step", "swing", "counts", "refusals", "lies_from")
HONEST = b"speed=1000 speed_step=0 swing=0 counts=2.387 refusals=0 lies_from=0"


def _parse(content: bytes) -> dict[str, float]:
    found = dict.fromkeys(KEYS, 0.0)
    for word in content.decode("utf-8", "replace").split():
        key, _, value = word.partition("=")
        try:
            number = float(value)
        except ValueError:
            raise InvalidValue("number", value[:40], "be a number") from None
        if key not in KEYS or not abs(number) < 1e6:
            raise InvalidValue("lie", key[:40], "be a number below a million of a known key")
        found[key] = number
    return found


def _talk(content: bytes, folder: Path) -> tuple[Conversation, bool, float, float]:
    """Return what came of a board, whether it was believed, and travels of speeds and counts."""
    lie = _parse(content)
    talk = Conversation(1)
    talk.open(0.0)
    ack = HelloAck(1, 1, 1, 1, 10_000, 0xABCD, 360)
    events = talk.receive(RESYNC + encode_message(ack), 0.0)
    said = count = 0.0
    first = 0.0
    for n in range(STATES):
        is_lie = n >= lie["lies_from"]
        swing = lie["swing"] * (1 if n % 2 else -1) if is_lie else 0.0
        speed = round(max(min(lie["speed"] + n * lie["speed_step"] + swing, 20_000), -20_000))
        count += lie["counts"] if is_lie else speed * SPEED_STEP * 0.01 / COUNT_LENGTH
        whole = max(min(math.floor(count), 2**31 - 1), -(2**31))
        first = whole if n == 0 else first
        said += 0.01 * speed * SPEED_STEP if n else 0.0
        words = encode_message(_state(n, whole, speed))
        refusal = encode_message(Nak(3, Reason.OLD_SEQ, 1, 1))
        words += refusal * min(max(round(lie["refusals"]), 0), 100)
        events += talk.receive(words, 0.01 * n)
        talk.tick(0.01 * n)
        talk.take_outgoing()
    believed = not any(isinstance(event, Implausible) for event in events)
    require(any(isinstance(event, StateArrived) for event in events), "no state came")
    return talk, believed, said, COUNT_LENGTH * (whole - first)


def _state(n: int, count: int, speed: int) -> State:
    rest = (0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7392, 0, 0, 120)
    return State(1, n, 10_000 * (n + 1), 0, 1, 0, count, count, speed, speed, *rest)


def _check(value: tuple[Conversation, bool, float, float]) -> None:
    talk, believed, said, counted = value
    if not believed:
        return
    far = 0.6 * max(abs(said), abs(counted)) + 0.1
    require(abs(said - counted) <= far, f"speeds of {said} m and counts of {counted} m")
    require(talk.counts.naks <= STATES, f"{talk.counts.naks} refusals")


TARGETS = [
    Target(
        name="lying board",
        samples=lambda: [HONEST, b"speed=-500 counts=-1.194", b"speed=0", b"speed=100 counts=0.24"],
        attempt=_talk,
        check=_check,
        names_file=False,
        words=("20000", "-20000", "swing=20000", "counts=0", "refusals=1", "lies_from=100"),
    )
]
