"""Ranges of what a board can report, and checks of its states.

A checksum finds damage of the line. It does not find a board with another firmware, with broken
memory or wiring, or a program that only pretends to be a board. What is outside these ranges is
never acted upon: the conversation reports it, and whoever drives stops the motors.
"""

import math
from typing import TypeAlias

from grouser.hil.messages import (
    LARGEST_DUTY,
    LARGEST_SPEED,
    PROTOCOL,
    SPEED_STEP,
    BoardState,
    Boot,
    Cmd,
    Estop,
    Fault,
    Hello,
    HelloAck,
    Message,
    Nak,
    Pong,
    Reason,
    State,
)
from grouser.hil.python_vehicle import WHEEL_RADIUS

Range: TypeAlias = tuple[int, int]
"""Smallest and largest, both allowed."""
U8, U16, U32 = (0, 0xFF), (0, 0xFFFF), (0, 0xFFFF_FFFF)
I16, I32 = (-0x8000, 0x7FFF), (-0x8000_0000, 0x7FFF_FFFF)
FASTEST = 20_000
"""Belt speed that no belt here reaches: 2 m/s, four times the largest set-point [0.1 mm/s]."""
RESET_FLAGS: Range = (0, 0x1F)
SPEED: Range = (-FASTEST, FASTEST)
DUTY: Range = (-LARGEST_DUTY, LARGEST_DUTY)
SETPOINT: Range = (-LARGEST_SPEED, LARGEST_SPEED)
PERIOD_STEP_US = 1000
"""How far the board's period may be from the one asked for: it is in whole milliseconds [us]."""
LONGEST_ANSWER_US = 1_000_000
"""Time that a board may take to answer a ping [us]."""

RANGES: dict[type[Message], dict[str, Range]] = {
    Boot: {"protocol": U8, "mcusr": RESET_FLAGS, "boot_count": U16},
    HelloAck: {
        "protocol": U8,
        "link_id": (1, 0xFFFF),
        "mcusr": RESET_FLAGS,
        "boot_count": U16,
        "period_us": (5_000, 100_000),
        "firmware_hash": U32,
        "counts_per_revolution": (4, 20_000),
    },
    State: {
        "link_id": (1, 0xFFFF),
        "seq": U16,
        "t_us": U32,
        "cmd_seq": U16,
        "state": (BoardState.IDLE, BoardState.SAFE),
        "faults": (0, (1 << len(Fault)) - 1),
        "encoder_left": I32,
        "encoder_right": I32,
        "speed_left": SPEED,
        "speed_right": SPEED,
        "duty_left": DUTY,
        "duty_right": DUTY,
        "setpoint_left": SETPOINT,
        "setpoint_right": SETPOINT,
        **{f"{sensor}_{axis}": I16 for sensor in ("gyro", "accel") for axis in "xyz"},
        "battery_mv": (0, 10_000),
        "crc_errors": U16,
        "overruns": U16,
        "worst_loop_us": U16,
    },
    Pong: {"seq": U16, "t_host_us": U32, "t_rx_us": U32, "t_tx_us": U32},
    Nak: {
        "refused_type": (Hello.TYPE, Estop.TYPE),
        "reason": (min(Reason), max(Reason)),
        "link_id": U16,
        "seq": U16,
    },
}
"""Range of each number of what a board says. 10 V is the most that its battery input reads."""


def find_implausible(message: Message) -> str | None:
    """Return what is wrong with a board's message by itself; None if nothing is.

    What it says must also fit what was said before: see `Conversation`.
    """
    name = type(message).__name__
    if isinstance(message, Boot | HelloAck) and message.protocol != PROTOCOL:
        return describe_protocol(message.protocol)
    for field, (low, high) in RANGES.get(type(message), {}).items():
        given = getattr(message, field)
        if not low <= given <= high:
            return f"its {name} says {field} {given}, which can only be from {low} to {high}"
    if isinstance(message, Pong):
        took = (message.t_tx_us - message.t_rx_us) % 0x1_0000_0000
        if took > LONGEST_ANSWER_US:
            return f"its Pong says that it took {took} us, which can be {LONGEST_ANSWER_US} at most"
    return None


def find_wrong_period(ack: HelloAck, rate_hz: int) -> str | None:
    """Return what is wrong with the period that a board agreed to; None if nothing is."""
    asked = round(1e6 / rate_hz)
    if abs(ack.period_us - asked) <= PERIOD_STEP_US:
        return None
    return f"its HelloAck says period_us {ack.period_us}, {asked} was asked for"


def describe_protocol(given: int | None) -> str:
    """Return the sentence for a board of another protocol; None for one that names no number."""
    theirs = "another protocol" if given is None else f"protocol {given}"
    return (
        f"the board speaks {theirs}, this grouser speaks protocol {PROTOCOL}; build the firmware "
        "that belongs to it with `make firmware` and flash firmware/build/grouser.hex as "
        "firmware/README.md says"
    )


JITTER = 0.05
"""How far a state's time may be from its number times the period [s]."""
REMEMBERED = 256
"""Commands whose set-points a state may still repeat [1]."""


class StateCheck:
    """Remembers what was agreed, commanded and reported in one connection."""

    def __init__(self, period: float, counts_per_revolution: int) -> None:
        """Begin with the answer to a HELLO.

        Args:
            period: Time between two states [s].
            counts_per_revolution: Counts of an encoder per turn of its wheel.
        """
        self._period = period
        self._count_length = 2.0 * math.pi * WHEEL_RADIUS / counts_per_revolution
        self._commands: dict[int, Cmd] = {}
        self._last_command = 0
        self._has_armed = False
        self._first: tuple[int, float] | None = None
        self._before: tuple[State, float] | None = None

    def note_arm(self) -> None:
        """Note that the host has permitted the motors to run."""
        self._has_armed = True

    def note_command(self, command: Cmd) -> None:
        """Note what the host has asked for."""
        self._commands[command.seq] = command
        self._last_command = command.seq
        if len(self._commands) > REMEMBERED:
            del self._commands[next(iter(self._commands))]

    def forget_states(self) -> None:
        """Begin the count of states anew; what was armed and commanded holds."""
        self._first = self._before = None

    def find(self, state: State, seq: int, time: float) -> str | None:
        """Return what does not fit in a new state; None, and remember it, if all does.

        Args:
            state: As it came, each number within its range.
            seq: Its number, which does not wrap.
            time: The board's clock, which does not wrap [s].
        """
        problem = (
            self._find_in_clock(seq, time)
            or self._find_in_counts(state, time)
            or self._find_in_command(state)
        )
        if problem is None:
            self._first = self._first or (seq, time)
            self._before = state, time
        return problem

    def _find_in_clock(self, seq: int, time: float) -> str | None:
        if self._first is None:
            return None
        elapsed, due = time - self._first[1], (seq - self._first[0]) * self._period
        if abs(elapsed - due) <= JITTER:
            return None
        return f"its clock says that {elapsed:.3f} s passed in states of {due:.3f} s"

    def _find_in_counts(self, state: State, time: float) -> str | None:
        if self._before is None:
            return None
        before, then = self._before
        reach = FASTEST * SPEED_STEP * (time - then + JITTER)
        for side in ("left", "right"):
            counts = getattr(state, f"encoder_{side}") - getattr(before, f"encoder_{side}")
            if abs(counts) * self._count_length > reach:
                return f"its {side} encoder leapt by {counts} counts in {time - then:.3f} s"
        return None

    def _find_in_command(self, state: State) -> str | None:
        if (self._last_command - state.cmd_seq) % 0x10000 > 0x7FFF:
            return f"it obeys command {state.cmd_seq}, the last was {self._last_command}"
        setpoints = state.setpoint_left, state.setpoint_right
        if state.state != BoardState.ARMED:
            drives = any(setpoints) or state.duty_left or state.duty_right
            return "it drives without being armed" if drives else None
        if not self._has_armed:
            return "it is armed, though nobody armed it"
        command = self._commands.get(state.cmd_seq)
        asked = (0, 0) if command is None else (command.left, command.right)
        if any(taken not in (0, said) for taken, said in zip(setpoints, asked, strict=True)):
            return f"it took the set-points {setpoints}, command {state.cmd_seq} asked for {asked}"
        return None
