"""Whether a state fits what host and board said before: clock, counts, set-points, arming."""

import math

from grouser.hil.messages import SPEED_STEP, BoardState, Cmd, State
from grouser.hil.plausible import FASTEST
from grouser.hil.track_plant import WHEEL_RADIUS

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
