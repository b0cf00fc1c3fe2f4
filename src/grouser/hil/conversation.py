"""The host's side of the protocol as a state machine: no input, no output, no clock of its own."""

from dataclasses import dataclass
from typing import TypeAlias

from grouser.errors import InvalidValue
from grouser.hil import messages as wire
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
from grouser.hil.plausible import StateCheck, describe_protocol, find_implausible, find_wrong_period


@dataclass(frozen=True, slots=True)
class Booted:
    """The board has booted."""

    boot: wire.Boot
    was_connected: bool
    """Whether a connection was open, which the reset has ended."""


@dataclass(frozen=True, slots=True)
class Connected:
    """The board has accepted the connection."""

    ack: wire.HelloAck


@dataclass(frozen=True, slots=True)
class StateArrived:
    """A new state: the newest, if several were queued."""

    state: wire.State
    seq: int
    """Its sequence number, unwrapped [1]."""
    time: float
    """The board's clock, unwrapped [s]."""
    skipped: int
    """Older states that were queued before it [1]."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The board has rejected a message."""

    nak: wire.Nak


@dataclass(frozen=True, slots=True)
class LinkLost:
    """No state has come for longer than three periods."""

    silence: float
    """Time since the last state [s]."""


@dataclass(frozen=True, slots=True)
class LinkBack:
    """States come again after a `LinkLost`."""


@dataclass(frozen=True, slots=True)
class Implausible:
    """A message of the board has values that are impossible; it was ignored."""

    problem: str
    """Which value, and the range that is possible."""


Event: TypeAlias = Booted | Connected | StateArrived | Refused | LinkLost | LinkBack | Implausible
"""Anything that `Conversation.receive` and `Conversation.tick` return."""


HELLO_EVERY = 0.25
"""Time after which an unanswered HELLO is repeated [s]."""
PING_EVERY = 1.0
"""Time between two pings [s]."""
SILENT_PERIODS = 3
"""Periods without a state, plus `SILENT_MORE`, after which the link is lost [1]."""
SILENT_MORE = 0.001
"""Tolerance added to `SILENT_PERIODS` [s]."""
STANDSTILL_PERIODS = 2
"""Periods between two calls of `tick`, plus `SILENT_MORE`, above which the host stood still [1]."""
PONG_DISTANCE = 3.0
"""Largest difference between the board's time in a PONG and in the last state [s]."""


class Conversation:
    """The protocol with one board.

    The owner passes received bytes to `receive`, calls `tick`, and sends what `take_outgoing`
    returns.
    """

    def __init__(
        self, link_id: int, *, rate: int = 100, command_timeout: float = 0.1, boot_wait: float = 0.0
    ) -> None:
        """Prepare a connection; `open` requests it. `link_id` differs from that of the last one.

        `rate` is that of the states [Hz], `command_timeout` the time without a new command after
        which the board stops its motors, in whole milliseconds (`lease_ms` of the wire protocol)
        [s], `boot_wait` how long to wait for a BOOT before the first HELLO [s].
        """
        if not 0 < link_id < 0x10000:
            raise InvalidValue("link id", link_id, "be from 1 to 65535")
        if not 10 <= rate <= 200:
            raise InvalidValue("rate", rate, "be from 10 to 200 Hz")
        if not 0.05 <= command_timeout <= 0.5:
            raise InvalidValue("command timeout", command_timeout, "be from 0.05 to 0.5 s")
        self.link_id, self.rate, self.command_timeout = link_id, rate, command_timeout
        self.clock, self.counts = ClockSync(), Counts()
        self.ack: wire.HelloAck | None = None
        """The board's HELLO_ACK; None while it has not accepted the connection."""
        self.last: StateArrived | None = None
        """The newest state."""
        self.is_lost = False
        """Whether the link is lost: no state for longer than three periods."""
        self._decoder = FrameDecoder()
        self._boot_wait = boot_wait
        self._outgoing = bytearray()
        self._seq = self._ping_seq = 0
        self._pings: dict[int, float] = {}
        self._next_hello: float | None = None
        self._unanswered_hellos = 0
        self._next_ping = self._last_state_at = self._looked_at = self._listens_since = 0.0
        self._t_us, self._states = Unwrapped(32), Unwrapped(16)
        self._previous: wire.State | None = None
        self._check: StateCheck | None = None

    @property
    def frames(self) -> FrameCounts:
        """Counts of good and damaged frames."""
        return self._decoder.counts

    @property
    def period(self) -> float:
        """Time between two states [s]."""
        return 1e-6 * wire.period_us(self.rate)

    def take_outgoing(self) -> bytes:
        """Return the bytes to send, and clear them."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def open(self, now: float) -> None:
        """Request a connection: HELLO now, or after `boot_wait`."""
        self._outgoing += RESYNC
        self._next_hello = now + self._boot_wait
        self.tick(now)

    def arm(self) -> None:
        """Enable the motors; clears latched faults."""
        self._require_board("arm").record_arm()
        self.send(wire.Arm(self.link_id))

    def command(self, left: float, right: float, now: float) -> int:
        """Command belt speeds [m/s]; return the sequence number of the command."""
        largest = wire.LARGEST_SPEED * wire.SPEED_STEP
        for speed in (left, right):
            if not abs(speed) <= largest:
                raise InvalidValue("belt speed", speed, f"be from {-largest} to {largest} m/s")
        return self.command_raw(round(left / wire.SPEED_STEP), round(right / wire.SPEED_STEP), now)

    def command_raw(self, left: int, right: int, now: float, mode: int = wire.Mode.SPEED) -> int:
        """Command in units of the wire; return the sequence number of the command."""
        check = self._require_board("command")
        self._seq = (self._seq + 1) % 0x10000
        command = wire.Cmd(self.link_id, self._seq, wire_time(now), left, right, mode)
        check.record_command(command)
        self.send(command)
        self.counts.commands += 1
        return self._seq

    def estop(self) -> None:
        """Stop the motors, in any state of the connection."""
        self.send(wire.Estop())

    def tick(self, now: float) -> list[Event]:
        """Send HELLO and PING when they are due; return a `LinkLost` when it occurs."""
        if self._next_hello is not None and now >= self._next_hello:
            timeout_ms = round(1000.0 * self.command_timeout)
            self.send(wire.Hello(wire.PROTOCOL, self.link_id, self.rate, timeout_ms))
            self._unanswered_hellos += 1
            self._next_hello = now + HELLO_EVERY
        if self.ack is None:
            return []
        if now >= self._next_ping:
            self._ping(now)
        self._notice_standstill(now)
        heard = now - max(self._last_state_at, self._listens_since)
        if not self.is_lost and heard > SILENT_PERIODS * self.period + SILENT_MORE:
            self.is_lost = True
            self.counts.losses += 1
            return [LinkLost(self.silence(now))]
        return []

    def _notice_standstill(self, now: float) -> None:
        """Count a time in which the host did not listen: it says nothing about the link."""
        paused, self._looked_at = now - self._looked_at, now
        if paused > STANDSTILL_PERIODS * self.period + SILENT_MORE:
            self._listens_since = now
            self.counts.standstills += 1
            self.counts.longest_standstill = max(self.counts.longest_standstill, paused)

    def silence(self, now: float) -> float:
        """Return the time since the last state [s]."""
        return now - self._last_state_at

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Return the events of these bytes; of several states only the newest, at the end."""
        events: list[Event] = []
        states: list[StateArrived] = []
        for message in self._decoder.feed(data):
            arrived = self._handle(message, now, events)
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

    def _handle(
        self, message: wire.Message, now: float, events: list[Event]
    ) -> StateArrived | None:
        if getattr(message, "link_id", 0) not in (0, self.link_id):
            return None  # belongs to an earlier connection
        problem = find_implausible(message)
        if problem is not None:
            self._report_implausible(problem, events)
            return None
        match message:
            case wire.State() if self._check is not None:
                return self._count_state(message, self._check, now, events)
            case wire.HelloAck() if self._unanswered_hellos > 0:
                self._handle_ack(message, now, events)
            case wire.Boot():
                self._handle_boot(message, now, events)
            case wire.Pong() if self.ack is not None:
                self._handle_pong(message, now, events)
            case wire.Nak():
                self._count_refusal(events)
                if message.reason == wire.Reason.WRONG_PROTOCOL and self.ack is None:
                    self._report_implausible(describe_protocol(None), events)
                events.append(Refused(message))
            case _:
                pass  # not requested, or an echo of our own message
        return None

    def _count_refusal(self, events: list[Event]) -> None:
        self.counts.naks += 1
        if self._check is None:
            return
        self.counts.refused += self._check.is_armed
        problem = self._check.find_refusals()
        if problem is not None:
            self._report_implausible(problem, events)

    def _report_implausible(self, problem: str, events: list[Event]) -> None:
        self.counts.implausible += 1
        events.append(Implausible(problem))

    def _handle_boot(self, boot: wire.Boot, now: float, events: list[Event]) -> None:
        self.counts.boots += self.ack is not None
        events.append(Booted(boot, self.ack is not None))
        self.ack = self._check = None
        self._next_hello, self._seq = now, 0
        self.tick(now)

    def _handle_ack(self, ack: wire.HelloAck, now: float, events: list[Event]) -> None:
        problem = find_wrong_period(ack, self.rate)
        if problem is None and self.ack is not None and self.ack != ack:
            problem = f"it answered HELLO with {self.ack}, then with {ack}"
        if problem is not None:
            self._report_implausible(problem, events)
            return
        self._unanswered_hellos -= 1
        self.ack, self._next_hello = ack, None
        self._next_ping, self._last_state_at, self._looked_at = float("inf"), now, now
        # A repeated HELLO is answered twice, and each answer restarts the count of states.
        self._t_us, self._states, self._previous = Unwrapped(32), Unwrapped(16), None
        self._check = self._check or StateCheck(self.period, ack.counts_per_revolution)
        self._check.reset_counters()
        events.append(Connected(ack))

    def _count_state(
        self, state: wire.State, check: StateCheck, now: float, events: list[Event]
    ) -> StateArrived | None:
        """Count a state and the gap before it; return None if it is old or implausible."""
        before, seq = self._states.value, self._states.near(state.seq)
        if before is not None and seq <= before:
            self.counts.old += 1
            return None
        time = self._t_us.near(state.t_us) * 1e-6
        problem = check.find(state, seq, time)
        if problem is not None:
            self._report_implausible(problem, events)
            return None
        self._last_state_at = now
        self._states.update(state.seq)
        self._t_us.update(state.t_us)
        self.counts.states += 1
        if before is None:
            self._next_ping = now  # the PONG is compared with the clock of a state
        else:
            self.counts.missing += seq - before - 1
        previous, self._previous = self._previous, state
        if previous is not None and previous.state == state.state == wire.BoardState.ARMED:
            self.counts.late += previous.cmd_seq == state.cmd_seq
        return StateArrived(state, seq, time, 0)

    def _ping(self, now: float) -> None:
        self._ping_seq = (self._ping_seq + 1) % 0x10000
        # Later answers are too late for the clock estimate: keep only the last few.
        self._pings = {**dict(list(self._pings.items())[-3:]), self._ping_seq: now}
        self.send(wire.Ping(self._ping_seq, wire_time(now)))
        self._next_ping = now + PING_EVERY

    def _handle_pong(self, pong: wire.Pong, now: float, events: list[Event]) -> None:
        sent, last = self._pings.pop(pong.seq, None), self._t_us.value
        if sent is None or last is None or pong.t_host_us != wire_time(sent):
            return
        received, sent_back = (self._t_us.near(t) * 1e-6 for t in (pong.t_rx_us, pong.t_tx_us))
        if abs(received - 1e-6 * last) <= PONG_DISTANCE:
            self.clock.add(sent, now, received, sent_back)
        else:
            problem = f"its Pong has {received} s, its last State {1e-6 * last} s"
            self._report_implausible(problem, events)

    def _require_board(self, action: str) -> StateCheck:
        if self._check is None:
            raise InvalidValue(action, "now", "come after a board has accepted the connection")
        return self._check

    def send(self, message: wire.Message) -> None:
        """Queue a message."""
        if self._check is not None:
            self._check.record_message()
        self._outgoing += encode_message(message)
