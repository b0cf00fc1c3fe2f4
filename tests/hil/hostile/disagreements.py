"""Boards whose numbers are each possible, and do not fit together: speeds, counts, refusals."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from grouser.hil.frames import encode_message
from grouser.hil.messages import Message, Nak, Reason, State
from tests.hil.hostile.board import HostileLink, Sabotage
from tests.hil.hostile.rows import AT, Row

Lie = Callable[[State, State, int], State]
"""Makes what is said of a state, of the last true one, and of how many states were false before."""


def disagreements() -> Iterator[Row]:
    """Return boards that are called valid if each of their states is looked at alone."""
    travel = r"its (left|right) speeds are [\d.]+ m (forward|backward) in [\d.]+ s, its counts"
    for words, lie in TRAVELS.items():
        yield Row("State", words, _make(lie), within=0.35, reason=travel)
    yield Row(
        "State", "2 m/s and -2 m/s in turn, standing", _make(_in_turn_standing, watch=True),
        within=0.35, reason=travel, arms=False,
    )  # fmt: skip
    yield Row(
        "State", "counts that stand at 0.02 m/s", _make(_counts(0.0)),
        within=1.6, reason=travel, speed=0.02, duration=2.5,
    )  # fmt: skip
    for words, ratio in (("2 m/s, as counted", 20.0), ("0.3 m/s, as counted", 3.0)):
        yield Row(
            "State", words, _make(_consistent(ratio), after=1.7), within=0.05, duration=3.0,
            reason=r"its left belt runs at [\d.]+ m/s, set-points of 0.100 m/s at most allow 0.225",
        )  # fmt: skip
    for words, ratio in (("both stand", 0.0), ("both run backwards", -1.0)):
        yield Row(
            "State", f"{words} as counted, without a fault", _make(_consistent(ratio)),
            within=1.6, duration=3.0,
            reason=r"its left belt has moved 0.\d+ m in 1.\d+ s along set-points of 0.100 m/s",
        )  # fmt: skip
    nak = encode_message(Nak(3, Reason.OUT_OF_RANGE, 1, 1))
    yield Row(
        "Nak", "a hundred in each millisecond", lambda: (_as_it_is, _say(nak * 100, 0.001)),
        reason=r"it is armed, and refused 20 messages while \d+ were sent",
    )  # fmt: skip
    yield Row(
        "Nak", "a hundred in each millisecond, not armed",
        lambda: (_as_it_is, _say(nak * 100, 0.001, watch=True)),
        reason=r"it refused \d+ messages, \d+ were sent", arms=False,
    )  # fmt: skip
    yield Row(
        "Nak", "one for each command", lambda: (_as_it_is, _say(nak, 0.01)),
        within=0.25, reason=r"it is armed, and refused 20 messages while \d+ were sent",
    )  # fmt: skip
    yield Row(
        "Nak", "one for three commands", lambda: (_as_it_is, _say(nak, 0.03)), harmless=True,
        problem=r"messages rejected while armed: \d+ of \d+ \(\d+\.\d%\), at most 1%",
    )  # fmt: skip


def _make(
    lie: Lie, *, after: float = AT, watch: bool = False
) -> Callable[[], tuple[Sabotage, None]]:
    """Return what makes a saboteur that lies from some time of driving, or of watching, on."""

    def make() -> tuple[Sabotage, None]:
        kept: list[State] = []
        said = [0]

        def sabotage(link: HostileLink, message: Message) -> list[Message | bytes]:
            if not isinstance(message, State):
                return [message]
            passed = link.now() if watch else link.drives_for
            if passed < after:
                kept[:] = [message]
                return [message]
            false = lie(message, kept[0], said[0])
            said[0] += 1
            return [false]

        return sabotage, None

    return make


def _as_it_is(link: HostileLink, message: Message) -> list[Message | bytes]:
    return [message]


def _say(data: bytes, every: float, *, watch: bool = False) -> Callable[[HostileLink], bytes]:
    """Return what is said besides, at an interval [s]."""
    last = [0.0]

    def also(link: HostileLink) -> bytes:
        passed = link.now() if watch else link.drives_for
        if passed < AT or link.now() - last[0] < every - 1e-6:
            return b""
        last[0] = link.now()
        link.fault_now()
        return data

    return also


def _speeds(left: int, right: int) -> Lie:
    return lambda state, then, n: replace(state, speed_left=left, speed_right=right)


def _in_turn(state: State, then: State, n: int) -> State:
    speed = 20_000 if n % 2 else -20_000
    return replace(state, speed_left=speed, speed_right=speed)


def _in_turn_standing(state: State, then: State, n: int) -> State:
    return _counts(0.0)(_in_turn(state, then, n), then, n)


def _peaks(state: State, then: State, n: int) -> State:
    return replace(state, speed_right=19_000) if n % 10 == 0 else state


def _speed_ratio(ratio: float) -> Lie:
    return lambda state, then, n: replace(
        state,
        speed_left=round(ratio * state.speed_left),
        speed_right=round(ratio * state.speed_right),
    )


def _counts(left: float, right: float | None = None) -> Lie:
    """Return a lie whose counts go on at a ratio of the true ones."""

    def lie(state: State, then: State, n: int) -> State:
        ratios = left, left if right is None else right
        new = [
            getattr(then, key) + round(ratio * (getattr(state, key) - getattr(then, key)))
            for key, ratio in zip(("encoder_left", "encoder_right"), ratios, strict=True)
        ]
        return replace(state, encoder_left=new[0], encoder_right=new[1])

    return lie


def _swinging(state: State, then: State, n: int) -> State:
    return replace(state, encoder_left=state.encoder_left + (30 if n % 2 else -30))


def _consistent(ratio: float) -> Lie:
    def lie(state: State, then: State, n: int) -> State:
        return _speed_ratio(ratio)(_counts(ratio)(state, then, n), then, n)

    return lie


TRAVELS: dict[str, Lie] = {
    "speeds of 2 m/s": _speeds(20_000, 20_000),
    "speeds of -2 m/s": _speeds(-20_000, -20_000),
    "speeds of 2 m/s and -2 m/s in turn": _in_turn,
    "right speed of 1.9 m/s in each tenth state": _peaks,
    "speeds of 0 while counts run": _speeds(0, 0),
    "left speed of 0 while its counts run": lambda s, t, n: replace(s, speed_left=0),
    "twice the speed": _speed_ratio(2.0),
    "a third of the speed": _speed_ratio(0.333),
    "speeds of the other sign": _speed_ratio(-1.0),
    "counts that stand": _counts(0.0),
    "right counts that stand": _counts(1.0, 0.0),
    "counts that run backwards": _counts(-1.0),
    "twice the counts": _counts(2.0),
    "left counts that swing": _swinging,
}
"""Speeds and counts that disagree, while the belts run at 0.1 m/s."""
