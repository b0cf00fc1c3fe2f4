"""Plausibility checks of a board's messages: ranges, and consistency of its states.

A checksum finds errors of the line, but not another firmware, broken memory or wiring, or a program
that imitates a board. Values outside of these ranges are not used: the conversation reports them,
and the loop stops the motors.
"""

import math
from collections import deque
from dataclasses import fields
from typing import TypeAlias

from grouser.hil import messages as wire
from grouser.hil.belt_check import BeltCheck
from grouser.hil.python_vehicle import WHEEL_RADIUS

Range: TypeAlias = tuple[int, int]
"""Smallest and largest value, both allowed."""
WIRE = {
    "B": (0, 0xFF),
    "H": (0, 0xFFFF),
    "I": (0, 0xFFFF_FFFF),
    "h": (-0x8000, 0x7FFF),
    "i": (-0x8000_0000, 0x7FFF_FFFF),
}
"""Range of each integer of the wire."""
SIDES = ("left", "right")
FASTEST = 20_000
"""Belt speed above that of any belt: 2 m/s, four times the largest set-point [0.1 mm/s]."""
LONGEST_ANSWER_US = 1_000_000
"""Longest time on the board between a PING and its PONG [us]."""

_LIMITS: dict[type[wire.Message], dict[str, Range]] = {
    wire.Boot: {"mcusr": (0, 0x1F)},
    wire.HelloAck: {
        "link_id": (1, 0xFFFF),
        "mcusr": (0, 0x1F),
        "period_us": (5_000, 100_000),
        "counts_per_revolution": (4, 20_000),
    },
    wire.State: {
        "link_id": (1, 0xFFFF),
        "state": (wire.BoardState.IDLE, wire.BoardState.SAFE),
        "faults": (0, (1 << len(wire.Fault)) - 1),
        **{f"speed_{side}": (-FASTEST, FASTEST) for side in SIDES},
        **{f"duty_{side}": (-wire.LARGEST_DUTY, wire.LARGEST_DUTY) for side in SIDES},
        **{f"setpoint_{side}": (-wire.LARGEST_SPEED, wire.LARGEST_SPEED) for side in SIDES},
        "battery_mv": (0, 10_000),
    },
    wire.Pong: {},
    wire.Nak: {
        "refused_type": (wire.Hello.TYPE, wire.Estop.TYPE),
        "reason": (min(wire.Reason), max(wire.Reason)),
    },
}
RANGES: dict[type[wire.Message], dict[str, Range]] = {
    kind: {
        field.name: limits.get(field.name, WIRE[code])
        for field, code in zip(fields(kind), kind.LAYOUT.format[1:], strict=True)
    }
    for kind, limits in _LIMITS.items()
}
"""Range of each field of a board's messages. The full scale of its battery input is 10 V."""


def find_implausible(message: wire.Message) -> str | None:
    """Return which field of a message is out of its range; None if none is."""
    name = type(message).__name__
    if isinstance(message, wire.Boot | wire.HelloAck) and message.protocol != wire.PROTOCOL:
        return describe_protocol(message.protocol)
    for field, (low, high) in RANGES.get(type(message), {}).items():
        given = getattr(message, field)
        if not low <= given <= high:
            return f"its {name} has {field} {given}, which must be from {low} to {high}"
    if isinstance(message, wire.Pong):
        took = (message.t_tx_us - message.t_rx_us) % 0x1_0000_0000
        if took > LONGEST_ANSWER_US:
            return (
                f"its Pong came {took} us after the Ping, at most {LONGEST_ANSWER_US} are possible"
            )
    return None


def find_wrong_period(ack: wire.HelloAck, rate: int) -> str | None:
    """Return what is wrong with the period of a HELLO_ACK for `rate` [Hz]; None if nothing."""
    requested = wire.period_us(rate)
    if ack.period_us == requested:
        return None
    return f"its HelloAck has period_us {ack.period_us}, {requested} was requested"


def describe_protocol(given: int | None) -> str:
    """Return the message for a board of another protocol; `given` is None if it is not known."""
    theirs = "another protocol" if given is None else f"protocol {given}"
    return (
        f"the board has {theirs}, this grouser has protocol {wire.PROTOCOL}; build the firmware "
        "that belongs to it with `make firmware` and flash firmware/build/grouser.hex as "
        "firmware/README.md says"
    )


JITTER = 0.05
"""Largest difference between a state's time and its sequence number times the period [s]."""
REMEMBERED = 256
"""Commands that are kept to compare states with [1]."""
REFUSALS = 20
"""Refusals of an armed board that are a fault if fewer than twice as many messages were sent in
that time. An honest board that is armed refuses none: its host counts and limits commands [1]."""


class StateCheck:
    """Compares each state with the period, commands and states of its connection."""

    def __init__(self, period: float, counts_per_revolution: int) -> None:
        self._period = period
        self._count_length = 2.0 * math.pi * WHEEL_RADIUS / counts_per_revolution
        self._commands: dict[int, wire.Cmd] = {}
        self._last_command = 0
        self._has_armed = False
        self._first: tuple[int, float] | None = None
        self._before: tuple[wire.State, float] | None = None
        self._counts_per_revolution = counts_per_revolution
        self.belts: dict[str, BeltCheck] = {}
        """Checks of each side's speeds, counts and set-points."""
        self._sent = self._refused = 0
        self._refusals: deque[int] = deque(maxlen=REFUSALS)
        self.reset_counters()

    @property
    def is_armed(self) -> bool:
        """Whether the board was armed in its last state."""
        return self._before is not None and self._before[0].state == wire.BoardState.ARMED

    def record_message(self) -> None:
        """Store that the host has sent any message."""
        self._sent += 1

    def record_arm(self) -> None:
        """Store that the host has armed the board."""
        self._has_armed = True

    def record_command(self, command: wire.Cmd) -> None:
        """Store a command that the host has sent."""
        self._commands[command.seq] = command
        self._last_command = command.seq
        if len(self._commands) > REMEMBERED:
            del self._commands[next(iter(self._commands))]

    def reset_counters(self) -> None:
        """Restart the count of states; arming and commands stay valid."""
        self._first = self._before = None
        self.belts = {side: BeltCheck(side, self._counts_per_revolution) for side in SIDES}

    def find_refusals(self) -> str | None:
        """Return what is inconsistent in a new refusal; None if nothing is."""
        self._refused += 1
        if self._refused > self._sent + REFUSALS:
            return f"it refused {self._refused} messages, {self._sent} were sent"
        if not self.is_armed:
            return None
        self._refusals.append(self._sent)
        sent = self._sent - self._refusals[0]
        if len(self._refusals) < REFUSALS or sent >= 2 * REFUSALS:
            return None
        self._refusals.clear()
        return f"it is armed, and refused {REFUSALS} messages while {sent} were sent"

    def find(self, state: wire.State, seq: int, time: float) -> str | None:
        """Return what is inconsistent in a new state; store it and return None if nothing is.

        `seq` and `time` [s] are the unwrapped sequence number and clock of the board.
        """
        problem = (
            self._check_clock(seq, time)
            or self._check_counts(state, time)
            or self._check_command(state)
            or self._check_belts(state, time)
        )
        if problem is None:
            self._first = self._first or (seq, time)
            self._before = state, time
        return problem

    def _check_clock(self, seq: int, time: float) -> str | None:
        if self._first is None:
            return None
        elapsed, due = time - self._first[1], (seq - self._first[0]) * self._period
        if abs(elapsed - due) <= JITTER:
            return None
        return f"its clock advanced {elapsed:.3f} s over states of {due:.3f} s"

    def _check_counts(self, state: wire.State, time: float) -> str | None:
        if self._before is None:
            return None
        before, then = self._before
        reach = FASTEST * wire.SPEED_STEP * (time - then + JITTER)
        for side in SIDES:
            counts = getattr(state, f"encoder_{side}") - getattr(before, f"encoder_{side}")
            if abs(counts) * self._count_length > reach:
                return f"its {side} encoder jumped by {counts} counts in {time - then:.3f} s"
        return None

    def _check_command(self, state: wire.State) -> str | None:
        if (self._last_command - state.cmd_seq) % 0x10000 > 0x7FFF:
            return f"it follows command {state.cmd_seq}, the last was {self._last_command}"
        setpoints = state.setpoint_left, state.setpoint_right
        if state.state != wire.BoardState.ARMED:
            is_driving = any(setpoints) or state.duty_left or state.duty_right
            return "it drives without being armed" if is_driving else None
        if not self._has_armed:
            return "it is armed without an ARM"
        command = self._commands.get(state.cmd_seq)
        sent = (0, 0) if command is None else (command.left, command.right)
        if any(own not in (0, other) for own, other in zip(setpoints, sent, strict=True)):
            return f"it has the set-points {setpoints}, command {state.cmd_seq} has {sent}"
        return None

    def _check_belts(self, state: wire.State, time: float) -> str | None:
        command = self._commands.get(state.cmd_seq)
        if (
            state.state != wire.BoardState.ARMED
            or command is None
            or command.mode != wire.Mode.SPEED
        ):
            command = None  # no speeds are commanded
        for side, belt in self.belts.items():
            setpoint = None if command is None else getattr(command, side) * wire.SPEED_STEP
            count, speed = getattr(state, f"encoder_{side}"), getattr(state, f"speed_{side}")
            problem = belt.find(time, count, speed * wire.SPEED_STEP, setpoint)
            if problem is not None:
                return problem
        return None
