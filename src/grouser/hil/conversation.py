"""The host's side of the protocol, without input and output."""

from dataclasses import dataclass
from typing import TypeAlias

from grouser.errors import InvalidValue
from grouser.hil.clock_sync import ClockSync
from grouser.hil.frames import (
    RESYNC,
    Counts,
    FrameCounts,
    FrameDecoder,
    Unwrapped,
    encode_message,
    wire_time,
)
from grouser.hil.messages import (
    LARGEST_SPEED,
    PROTOCOL,
    SPEED_STEP,
    Arm,
    BoardState,
    Boot,
    Cmd,
    Estop,
    Hello,
    HelloAck,
    Message,
    Mode,
    Nak,
    Ping,
    Pong,
    Reason,
    State,
)
from grouser.hil.plausible import StateCheck, describe_protocol, find_implausible, find_wrong_period


@dataclass(frozen=True, slots=True)
class Booted:
    """The board has started; without being asked for if it was connected."""

    boot: Boot
    """What it said."""
    was_connected: bool
    """Whether it was connected before: then all it knew is gone."""


@dataclass(frozen=True, slots=True)
class Connected:
    """The board accepts the connection."""

    ack: HelloAck
    """What it said."""


@dataclass(frozen=True, slots=True)
class StateArrived:
    """A new state; the newest, if several were waiting."""

    state: State
    """As it came."""
    seq: int
    """Its number, which does not wrap [1]."""
    time: float
    """The board's clock, which does not wrap [s]."""
    skipped: int
    """States that were waiting and are older [1]."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The board refused a message."""

    nak: Nak
    """What it said."""


@dataclass(frozen=True, slots=True)
class LinkLost:
    """The board has said nothing for too long."""

    silence: float
    """Time since its last state [s]."""


@dataclass(frozen=True, slots=True)
class LinkBack:
    """A board that had fallen silent speaks again."""


@dataclass(frozen=True, slots=True)
class Implausible:
    """The board said what no board of this protocol can say; it was not acted upon."""

    problem: str
    """What it said, and what would have been possible."""


Event: TypeAlias = Booted | Connected | StateArrived | Refused | LinkLost | LinkBack | Implausible
"""Anything that happens."""


HELLO_EVERY = 0.25
"""Time after which an unanswered HELLO is repeated [s]."""
PING_EVERY = 1.0
"""Time between two pings [s]."""
SILENT_PERIODS = 3
"""Periods without a state after which the link counts as lost, plus `SILENT_MORE` [1]."""
SILENT_MORE = 0.001
"""See `SILENT_PERIODS` [s]."""
PONG_DISTANCE = 3.0
"""How far the clock of an answer may be from that of the last state [s]."""


class Conversation:
    """Talks to one board. Whoever owns the line feeds it bytes and sends what it `take`s."""

    def __init__(
        self, link_id: int, *, rate_hz: int = 100, lease_ms: int = 100, boot_wait: float = 0.0
    ) -> None:
        """Prepare a conversation; `open` begins it.

        Args:
            link_id: Number of this connection, another for each, never 0.
            rate_hz: States per second, 10 to 200.
            lease_ms: How long a command holds, 50 to 500 ms.
            boot_wait: How long to wait for a BOOT before the first HELLO, for boards that start
                anew when their port is opened [s].
        """
        if not 0 < link_id < 0x10000:
            raise InvalidValue("link id", link_id, "be from 1 to 65535")
        if not 10 <= rate_hz <= 200:
            raise InvalidValue("rate", rate_hz, "be from 10 to 200 Hz")
        if not 50 <= lease_ms <= 500:
            raise InvalidValue("lease", lease_ms, "be from 50 to 500 ms")
        self.link_id, self.rate_hz, self.lease_ms = link_id, rate_hz, lease_ms
        self.clock, self.counts = ClockSync(), Counts()
        self.ack: HelloAck | None = None
        """What the board said when it accepted the connection; None before."""
        self.last: StateArrived | None = None
        """The newest state."""
        self.is_lost = False
        """Whether the board is silent."""
        self._decoder = FrameDecoder()
        self._boot_wait = boot_wait
        self._outbox = bytearray()
        self._seq = self._ping_seq = 0
        self._pings: dict[int, float] = {}
        self._next_hello: float | None = None
        self._open_hellos = 0
        self._next_ping = self._heard_at = 0.0
        self._t_us, self._states = Unwrapped(32), Unwrapped(16)
        self._previous: State | None = None
        self._check: StateCheck | None = None

    @property
    def frames(self) -> FrameCounts:
        """Counts of good and damaged frames."""
        return self._decoder.counts

    @property
    def period(self) -> float:
        """Time between two states, as agreed [s]."""
        return 1.0 / self.rate_hz if self.ack is None else self.ack.period_us * 1e-6

    def take(self) -> bytes:
        """Return what is to be sent, once."""
        data = bytes(self._outbox)
        self._outbox.clear()
        return data

    def open(self, now: float) -> None:
        """Begin: HELLO now, or after a wait for the board to start."""
        self._outbox += RESYNC
        self._next_hello = now + self._boot_wait
        self.tick(now)

    def arm(self) -> None:
        """Permit the motors to run; clears latched faults.

        Raises:
            InvalidValue: No board has accepted the connection.
        """
        self._require_board("arm").note_arm()
        self._say(Arm(self.link_id))

    def command(self, left: float, right: float, now: float) -> int:
        """Ask for belt speeds; return the number of the command.

        Args:
            left: Belt speed on the left [m/s].
            right: Belt speed on the right [m/s].
            now: The host's clock [s].

        Raises:
            InvalidValue: No board has accepted the connection, or no board can do that.
        """
        for speed in (left, right):
            if not abs(speed) <= LARGEST_SPEED * SPEED_STEP:
                most = f"be from {-LARGEST_SPEED * SPEED_STEP} to {LARGEST_SPEED * SPEED_STEP} m/s"
                raise InvalidValue("belt speed", speed, most)
        return self.command_raw(round(left / SPEED_STEP), round(right / SPEED_STEP), now)

    def command_raw(self, left: int, right: int, now: float, mode: int = Mode.SPEED) -> int:
        """Send a command with numbers as on the wire; return its number."""
        check = self._require_board("command")
        self._seq = (self._seq + 1) % 0x10000
        command = Cmd(self.link_id, self._seq, wire_time(now), left, right, mode)
        check.note_command(command)
        self._say(command)
        self.counts.commands += 1
        return self._seq

    def estop(self) -> None:
        """Stop the motors, whatever else."""
        self._say(Estop())

    def tick(self, now: float) -> list[Event]:
        """Do what is due; return what the passing of time alone brings."""
        if self._next_hello is not None and now >= self._next_hello:
            self._say(Hello(PROTOCOL, self.link_id, self.rate_hz, self.lease_ms))
            self._open_hellos += 1
            self._next_hello = now + HELLO_EVERY
        if self.ack is None:
            return []
        if now >= self._next_ping:
            self._ping(now)
        silence = self.silence(now)
        if not self.is_lost and silence > SILENT_PERIODS * self.period + SILENT_MORE:
            self.is_lost = True
            self.counts.losses += 1
            return [LinkLost(silence)]
        return []

    def silence(self, now: float) -> float:
        """Return the time since the last state [s]."""
        return now - self._heard_at

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Return what these bytes bring: of several states only the newest, at the end."""
        events: list[Event] = []
        states: list[StateArrived] = []
        for message in self._decoder.feed(data):
            arrived = self._hear(message, now, events)
            if arrived is not None:
                states.append(arrived)
        if states:
            newest = states[-1]
            skipped = len(states) - 1
            self.counts.skipped += skipped
            if self.is_lost:
                self.is_lost = False
                events.append(LinkBack())
            self.last = StateArrived(newest.state, newest.seq, newest.time, skipped)
            events.append(self.last)
        return events

    def _hear(self, message: Message, now: float, events: list[Event]) -> StateArrived | None:
        if getattr(message, "link_id", 0) not in (0, self.link_id):
            return None  # of an earlier connection
        problem = find_implausible(message)
        if problem is not None:
            self._disbelieve(problem, events)
            return None
        match message:
            case State() if self._check is not None:
                return self._hear_state(message, self._check, now, events)
            case HelloAck() if self._open_hellos > 0:
                self._hear_ack(message, now, events)
            case Boot():
                self._hear_boot(message, now, events)
            case Pong() if self.ack is not None:
                self._hear_pong(message, now, events)
            case Nak():
                self.counts.naks += 1
                if message.reason == Reason.WRONG_PROTOCOL and self.ack is None:
                    self._disbelieve(describe_protocol(None), events)
                events.append(Refused(message))
            case _:
                pass  # nobody asked for it, or an echo of our own
        return None

    def _disbelieve(self, problem: str, events: list[Event]) -> None:
        self.counts.implausible += 1
        events.append(Implausible(problem))

    def _hear_boot(self, boot: Boot, now: float, events: list[Event]) -> None:
        self.counts.boots += 1
        self.counts.reboots += self.ack is not None
        events.append(Booted(boot, self.ack is not None))
        self.ack = self._check = None
        self._next_hello, self._seq = now, 0
        self.tick(now)

    def _hear_ack(self, ack: HelloAck, now: float, events: list[Event]) -> None:
        problem = find_wrong_period(ack, self.rate_hz)
        if problem is None and self.ack is not None and self.ack != ack:
            problem = f"it answered HELLO with {self.ack}, then with {ack}"
        if problem is not None:
            self._disbelieve(problem, events)
            return
        self._open_hellos -= 1
        self.ack, self._next_hello = ack, None
        self._next_ping, self._heard_at = float("inf"), now
        # A HELLO that was said twice is answered twice, and the board counts states anew.
        self._t_us, self._states, self._previous = Unwrapped(32), Unwrapped(16), None
        self._check = self._check or StateCheck(self.period, ack.counts_per_revolution)
        self._check.forget_states()
        events.append(Connected(ack))

    def _hear_state(
        self, state: State, check: StateCheck, now: float, events: list[Event]
    ) -> StateArrived | None:
        """Count a state, and what must have happened since the one before; None if it is no news.

        Only news ends a silence: a board that repeats itself is as good as mute.
        """
        before, seq = self._states.value, self._states.near(state.seq)
        if before is not None and seq <= before:
            self.counts.old += 1
            return None
        time = self._t_us.near(state.t_us) * 1e-6
        problem = check.find(state, seq, time)
        if problem is not None:
            self._disbelieve(problem, events)
            return None
        self._heard_at = now
        self._states.update(state.seq)
        self._t_us.update(state.t_us)
        self.counts.states += 1
        if before is None:
            self._next_ping = now  # not before: its answer is compared with the states' clock
        else:
            self.counts.missing += seq - before - 1
        previous, self._previous = self._previous, state
        if previous is not None and previous.state == state.state == BoardState.ARMED:
            self.counts.late += previous.cmd_seq == state.cmd_seq
        return StateArrived(state, seq, time, 0)

    def _ping(self, now: float) -> None:
        self._ping_seq = (self._ping_seq + 1) % 0x10000
        # Only the last few can still be answered in time to count.
        self._pings = {**dict(list(self._pings.items())[-3:]), self._ping_seq: now}
        self._say(Ping(self._ping_seq, wire_time(now)))
        self._next_ping = now + PING_EVERY

    def _hear_pong(self, pong: Pong, now: float, events: list[Event]) -> None:
        sent, last = self._pings.pop(pong.seq, None), self._t_us.value
        if sent is None or last is None or pong.t_host_us != wire_time(sent):
            return
        came, left = (self._t_us.near(t) * 1e-6 for t in (pong.t_rx_us, pong.t_tx_us))
        if abs(came - 1e-6 * last) <= PONG_DISTANCE:
            self.clock.add(sent, now, came, left)
        else:
            self._disbelieve(f"its Pong says {came} s, its last State {1e-6 * last} s", events)

    def _require_board(self, what: str) -> StateCheck:
        if self._check is None:
            raise InvalidValue(what, "now", "come after a board has accepted the connection")
        return self._check

    def _say(self, message: Message) -> None:
        self._outbox += encode_message(message)
