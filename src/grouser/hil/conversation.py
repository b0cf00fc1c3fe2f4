"""The host's side of the protocol: bytes and time in, events and bytes out. Touches nothing."""

from dataclasses import dataclass

from grouser.errors import InvalidValue
from grouser.hil.clock_sync import ClockSync
from grouser.hil.counters import Unwrapped
from grouser.hil.events import (
    Booted,
    Connected,
    Event,
    LinkBack,
    LinkLost,
    Refused,
    StateArrived,
)
from grouser.hil.frames import RESYNC, FrameCounts, FrameDecoder, encode_message
from grouser.hil.messages import (
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
    State,
)

HELLO_EVERY = 0.25
"""Time after which an unanswered HELLO is repeated [s]."""
PING_EVERY = 1.0
"""Time between two pings [s]."""
SILENT_PERIODS = 3
"""Periods without a state after which the link counts as lost, plus `SILENT_MORE` [1]."""
SILENT_MORE = 0.001
"""See `SILENT_PERIODS` [s]."""


@dataclass(slots=True)
class Counts:
    """What happened on the link so far."""

    states: int = 0
    """States that came."""
    missing: int = 0
    """States that never came, by their numbers."""
    skipped: int = 0
    """States that came while an older one was still to be looked at, and were passed over."""
    commands: int = 0
    """Commands that were sent."""
    late: int = 0
    """Periods of an armed board in which no new command came in time."""
    naks: int = 0
    """Messages that the board refused."""
    losses: int = 0
    """Times that the board fell silent."""
    boots: int = 0
    """Times that the board started."""
    reboots: int = 0
    """Times that the board started while it was connected."""


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
        self._next_ping = self._heard_at = 0.0
        self._forget()

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
        """Permit the motors to run; clears latched faults."""
        self._say(Arm(self.link_id))

    def command(self, left: float, right: float, now: float) -> int:
        """Ask for belt speeds; return the number of the command.

        Args:
            left: Belt speed on the left [m/s].
            right: Belt speed on the right [m/s].
            now: The host's clock [s].
        """
        return self.command_raw(round(left / SPEED_STEP), round(right / SPEED_STEP), now)

    def command_raw(self, left: int, right: int, now: float, mode: int = Mode.SPEED) -> int:
        """Send a command with numbers as on the wire; return its number."""
        self._seq = (self._seq + 1) % 0x10000
        self._say(Cmd(self.link_id, self._seq, _wire_time(now), left, right, mode))
        self.counts.commands += 1
        return self._seq

    def estop(self) -> None:
        """Stop the motors, whatever else."""
        self._say(Estop())

    def tick(self, now: float) -> list[Event]:
        """Do what is due; return what the passing of time alone brings."""
        if self._next_hello is not None and now >= self._next_hello:
            self._say(Hello(PROTOCOL, self.link_id, self.rate_hz, self.lease_ms))
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
        match message:
            case State() if message.link_id == self.link_id and self.ack is not None:
                self._heard_at = now
                return self._note(message)
            case HelloAck() if message.link_id == self.link_id:
                self._connected(message, now)
                events.append(Connected(message))
            case Boot():
                self.counts.boots += 1
                self.counts.reboots += self.ack is not None
                events.append(Booted(message, self.ack is not None))
                self.ack = None
                self._next_hello = now
                self.tick(now)
            case Pong():
                self._hear_pong(message, now)
            case Nak():
                self.counts.naks += 1
                events.append(Refused(message))
            case _:
                pass  # of an earlier connection, or an echo of our own
        return None

    def _connected(self, ack: HelloAck, now: float) -> None:
        self.ack, self._next_hello = ack, None
        self._next_ping, self._heard_at = now, now
        self._forget()

    def _forget(self) -> None:
        self._t_us, self._states = Unwrapped(32), Unwrapped(16)
        self._previous: State | None = None

    def _note(self, state: State) -> StateArrived:
        """Count a state, and what must have happened since the one before."""
        before = self._states.value
        seq = self._states.update(state.seq)
        self.counts.states += 1
        if before is not None:
            self.counts.missing += max(seq - before - 1, 0)
        previous, self._previous = self._previous, state
        if previous is not None and previous.state == state.state == BoardState.ARMED:
            self.counts.late += previous.cmd_seq == state.cmd_seq
        return StateArrived(state, seq, self._t_us.update(state.t_us) * 1e-6, 0)

    def _ping(self, now: float) -> None:
        self._ping_seq = (self._ping_seq + 1) % 0x10000
        # Only the last few can still be answered in time to count.
        self._pings = {**dict(list(self._pings.items())[-3:]), self._ping_seq: now}
        self._say(Ping(self._ping_seq, _wire_time(now)))
        self._next_ping = now + PING_EVERY

    def _hear_pong(self, pong: Pong, now: float) -> None:
        sent = self._pings.pop(pong.seq, None)
        if sent is None or pong.t_host_us != _wire_time(sent):
            return
        came, left = (self._t_us.update(t) * 1e-6 for t in (pong.t_rx_us, pong.t_tx_us))
        self.clock.add(sent, now, came, left)

    def _say(self, message: Message) -> None:
        self._outbox += encode_message(message)


def _wire_time(now: float) -> int:
    return round(now * 1e6) % 0x1_0000_0000
