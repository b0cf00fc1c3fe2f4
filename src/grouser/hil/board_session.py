"""A board driven by commands one by one, for calibration."""

from collections.abc import Callable
from types import TracebackType

from grouser.errors import LinkBroken
from grouser.hil.connection import Connection, Link
from grouser.hil.conversation import Booted, Conversation, StateArrived
from grouser.hil.loop import describe_faults
from grouser.hil.messages import LARGEST_DUTY, SPEED_STEP, BoardState, HelloAck, Mode, State

PATIENCE = 0.005
"""How long to wait for bytes before looking at the clock again [s]."""
ARM_PATIENCE, LONGEST_SILENCE = 1.0, 0.5
"""Time in which a board must arm, and silence that it may not exceed [s]."""


class BoardSession:
    """An open connection; leaving it stops the motors."""

    def __init__(self, link: Link, *, link_id: int = 1) -> None:
        """Prepare to talk to the board at the other end of `link`."""
        self._talk = Conversation(link_id, boot_wait=link.boot_wait)
        self._line = Connection(link, self._talk)
        self.ack: HelloAck | None = None
        """What the board said of itself."""

    def __enter__(self) -> "BoardSession":
        try:
            self.ack = self._line.open()
        except BaseException:
            self._line.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._line.close()

    @property
    def name(self) -> str:
        """What the board is connected by."""
        return self._line.link.name

    @property
    def counts_per_revolution(self) -> int:
        """Encoder counts in one turn of a wheel, as the board says."""
        assert self.ack is not None  # entered
        return self.ack.counts_per_revolution

    def watch(self, seconds: float) -> list[State]:
        """Return the states of a stretch of time in which nothing is commanded."""
        return self._collect(seconds, lambda: None)

    def arm(self) -> None:
        """Permit the motors to run.

        Raises:
            LinkBroken: The board does not arm.
        """
        self._talk.arm()
        states = self._collect(ARM_PATIENCE, lambda: self._say(0.0, 0.0, Mode.SPEED), _is_armed)
        if not states or not _is_armed(states[-1]):
            faults = describe_faults(states[-1].faults) if states else "it is silent"
            raise LinkBroken(self.name, f"the board does not arm: {faults}")

    def drive(
        self,
        seconds: float,
        left: float,
        right: float,
        *,
        mode: Mode = Mode.SPEED,
        until: Callable[[State], bool] = lambda state: False,
    ) -> list[State]:
        """Return the states of a drive.

        Args:
            seconds: How long at most [s].
            left: Belt speed [m/s], or duty from -1 to 1, on the left.
            right: The same on the right.
            mode: Which of both they are.
            until: Ends the drive earlier.

        Raises:
            LinkBroken: The board stops because something is wrong, or is silent.
        """
        states = self._collect(seconds, lambda: self._say(left, right, mode), until)
        if not states or not _is_armed(states[-1]):
            faults = describe_faults(states[-1].faults) if states else "it is silent"
            raise LinkBroken(self.name, f"the board stopped: {faults}")
        return states

    def _say(self, left: float, right: float, mode: Mode) -> None:
        unit = SPEED_STEP if mode == Mode.SPEED else 1.0 / LARGEST_DUTY
        self._talk.command_raw(round(left / unit), round(right / unit), self._line.now, mode)

    def _collect(
        self,
        seconds: float,
        answer: Callable[[], None],
        until: Callable[[State], bool] = lambda state: False,
    ) -> list[State]:
        states: list[State] = []
        heard, end = self._line.now, self._line.now + seconds
        answer()
        self._line.flush()
        while self._line.now < end and self._line.now - heard < LONGEST_SILENCE:
            for event in self._line.pump(PATIENCE):
                if isinstance(event, Booted) and event.was_connected:
                    raise LinkBroken(self.name, "the board started anew")
                if isinstance(event, StateArrived):
                    heard = self._line.now
                    states.append(event.state)
                    answer()
                    if until(event.state):
                        end = heard
            self._line.flush()
        return states


def _is_armed(state: State) -> bool:
    return state.state == BoardState.ARMED
