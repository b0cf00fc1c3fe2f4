"""A board that is driven by single commands, for calibration."""

from collections.abc import Callable

from grouser.errors import LinkBroken
from grouser.hil.board import BoardStep
from grouser.hil.connection import Connection, Link
from grouser.hil.conversation import Booted, Conversation, Implausible, StateArrived
from grouser.hil.loop import describe_faults
from grouser.hil.messages import LARGEST_DUTY, SPEED_STEP, BoardState, HelloAck, Mode, State

POLL_TIMEOUT = 0.005
"""Longest wait for bytes between two checks of the timeouts [s]."""
ARM_TIMEOUT, LONGEST_SILENCE = 1.0, 0.5
"""Time in which a board must arm, and longest time without a state [s]."""


class BoardSession:
    """A connection to a board; leaving the context stops the motors."""

    def __init__(self, link: Link, *, link_id: int = 1) -> None:
        self._conversation = Conversation(link_id, boot_wait=link.boot_wait)
        self._connection = Connection(link, self._conversation)
        self.ack: HelloAck | None = None
        """The board's HELLO_ACK."""

    def __enter__(self) -> "BoardSession":
        try:
            self.ack = self._connection.open()
        except BaseException:
            self._connection.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._connection.close()

    @property
    def name(self) -> str:
        """Name of the link."""
        return self._connection.link.name

    @property
    def counts_per_revolution(self) -> int:
        """Encoder counts per revolution of a wheel, by the board's HELLO_ACK."""
        assert self.ack is not None  # entered
        return self.ack.counts_per_revolution

    def watch(self, seconds: float) -> list[State]:
        """Return the states of a time without commands."""
        return self._collect(seconds, lambda: None)

    def arm(self) -> None:
        """Enable the motors; raises `LinkBroken` if the board does not arm."""
        self._conversation.arm()
        states = self._collect(ARM_TIMEOUT, lambda: self._send(0.0, 0.0, Mode.SPEED), _is_armed)
        if not states or not _is_armed(states[-1]):
            raise LinkBroken(self.name, f"the board does not arm: {_reason(states)}")

    def drive(
        self,
        seconds: float,
        left: float,
        right: float,
        *,
        mode: Mode = Mode.SPEED,
        until: Callable[[State], bool] = lambda state: False,
    ) -> list[State]:
        """Return the states of a drive; it ends after `seconds` [s] or when `until` returns true.

        `left` and `right` are belt speeds [m/s], or duties from -1 to 1 by `mode`. Raises
        `LinkBroken` if the board stops by a fault or sends no states.
        """
        states = self._collect(seconds, lambda: self._send(left, right, mode), until)
        if not states or not _is_armed(states[-1]):
            raise LinkBroken(self.name, f"the board stopped: {_reason(states)}")
        return states

    def _send(self, left: float, right: float, mode: Mode) -> None:
        unit = SPEED_STEP if mode == Mode.SPEED else 1.0 / LARGEST_DUTY
        self._conversation.command_raw(
            round(left / unit), round(right / unit), self._connection.now, mode
        )

    def _collect(
        self,
        seconds: float,
        command: Callable[[], None],
        until: Callable[[State], bool] = lambda state: False,
    ) -> list[State]:
        states: list[State] = []
        received, end = self._connection.now, self._connection.now + seconds
        command()
        self._connection.flush()
        while self._connection.now < end and self._connection.now - received < LONGEST_SILENCE:
            for event in self._connection.pump(POLL_TIMEOUT):
                if isinstance(event, Booted) and event.was_connected:
                    raise LinkBroken(self.name, "the board was reset")
                if isinstance(event, Implausible):
                    raise LinkBroken(self.name, f"implausible message: {event.problem}")
                if isinstance(event, StateArrived):
                    received = self._connection.now
                    states.append(event.state)
                    command()
                    if until(event.state):
                        end = received
            self._connection.flush()
        return states


def _is_armed(state: State) -> bool:
    return state.state == BoardState.ARMED


def _reason(states: list[State]) -> str:
    return describe_faults(states[-1].faults) if states else "no state came"


class Tape:
    """Integrates the true belt speeds of a simulated board, in place of a tape measure."""

    def __init__(self) -> None:
        self._time_us, self._speeds = 0, (0.0, 0.0)
        self.travels = (0.0, 0.0)
        """Travel of the left and the right belt since the start [m]."""

    def observe(self, step: BoardStep) -> None:
        """Add a step of the board."""
        half = 0.5e-6 * (step.time_us - self._time_us)
        parts = zip(self.travels, self._speeds, step.belt_speeds, strict=True)
        left, right = (travel + half * (before + now) for travel, before, now in parts)
        self.travels = left, right
        self._time_us, self._speeds = step.time_us, step.belt_speeds
