"""The loop of a board run: arm, drive, stop.

The board's states drive the loop: each is answered by one command. The host's clock is used for
timeouts, and to stop a board whose clock runs at a wrong rate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from time import perf_counter

from grouser.errors import describe_bug
from grouser.hil.connection import Connection
from grouser.hil.conversation import Booted, Event, Implausible, LinkLost, Refused, StateArrived
from grouser.hil.messages import BoardState, Fault, Reason, ResetCause
from grouser.hil.virtual_robot import VirtualRobot
from grouser.models import Motion, SideMeans
from grouser.simulation import Driver

POLL_TIMEOUT = 0.005
"""Longest wait for bytes between two checks of the timeouts [s]."""
ARM_EVERY, ARM_TIMEOUT = 0.2, 1.0
"""Interval at which ARM is repeated, and time after which arming has failed [s]."""
LONGEST_SILENCE, SHORT_SILENCE = 1.0, 0.2
"""Time without a state after which a run ends, and after which the wait for standstill ends [s]."""
REPEAT_AFTER = 1.3
"""Periods without a state after which a set-point is repeated [1]."""
STANDSTILL_TIMEOUT = 1.5
"""Longest wait for the belts to stop at the end [s]."""
CLOCK_SLACK, CLOCK_SHARE = 0.5, 0.05
"""Allowed difference between the board's clock and the host's: a constant, and a share of the time
that has passed [s, 1]. A crystal is wrong by 0.01 % at most, a ceramic resonator by 1 %."""


class Phase(Enum):
    """Phase of a run."""

    WATCHING = "watching"
    ARMING = "arming"
    DRIVING = "driving"
    ENDING = "ending"


@dataclass(frozen=True, slots=True)
class LoopSnapshot:
    """The run after a state of the board, for displays."""

    phase: Phase
    time: float
    """Time of the virtual robot [s]."""
    motion: Motion
    """Motion of the virtual robot."""
    arrived: StateArrived
    """The board's state."""
    commanded: tuple[float, float]
    """Belt speeds that were commanded, left and right [m/s]."""


class BoardLoop:
    """One run. `run` returns when the driver is done, the board stops, or `stop` returns true."""

    def __init__(
        self,
        connection: Connection,
        robot: VirtualRobot,
        driver: Driver,
        *,
        arm: bool,
        limit: float,
        stop: Callable[[], bool],
        observe: Callable[[LoopSnapshot], None],
        faults: Sequence[tuple[str, float]] = (),
    ) -> None:
        """Prepare a run of at most `limit` [s] by the virtual robot's clock, over a connection.

        Without `arm` the loop only receives states. `stop` is polled; true ends the run and stops
        the motors. `observe` is called after each state.
        """
        self._connection, self._conversation = connection, connection.conversation
        self._robot, self._driver = robot, driver
        self._limit, self._stop, self._observe = limit, stop, observe
        self._faults = sorted(faults, key=lambda fault: fault[1])
        self._phase = Phase.ARMING if arm else Phase.WATCHING
        self._began = self._next_arm = connection.now
        self._arm_deadline = connection.now + ARM_TIMEOUT
        self._phase_from, self._phase_since = 0.0, connection.now
        self._clocks: tuple[float, float] | None = None
        self._commanded, self._sent_at, self._is_repeating = (0.0, 0.0), connection.now, False
        self._is_over = False
        self.is_done = False
        """Whether the driver is done, or the limit of its time is reached."""
        self.was_stopped = False
        """Whether `stop` ended the run."""
        self.stopped_by = ""
        """What else ended the run early; empty if nothing."""
        self.response_times: list[float] = []
        """Time from receiving each state to sending its command [s]."""

    def run(self) -> None:
        """Run to the end. Errors do not raise: `stopped_by` has them."""
        try:
            while not self._is_over:
                if not self.was_stopped and self._stop():
                    self._stop_on_request()
                self._inject_faults()
                for event in self._connection.pump(POLL_TIMEOUT):
                    self._handle(event)
                self._repeat()
                self._check_silence()
                self._check_duration()
        except Exception as error:  # models, drivers and displays of anybody run here
            # The rows so far are kept; closing the connection stops the motors.
            self.stopped_by = self.stopped_by or describe_bug(error)

    def _stop_on_request(self) -> None:
        """Stop the motors at once because `stop` returned true."""
        self.was_stopped = True
        self._connection.mark_stop()
        self._conversation.estop()
        self._connection.flush()
        self._end("")

    def _abort(self, why: str) -> None:
        """Stop the motors at once because of an error."""
        if self._phase != Phase.ENDING:
            self._conversation.estop()
            self._connection.flush()
        self._end(why)

    def _end(self, why: str) -> None:
        self.stopped_by = self.stopped_by or why
        if self._phase != Phase.ENDING:
            self._enter(Phase.ENDING)

    def _enter(self, phase: Phase) -> None:
        self._phase, self._phase_from = phase, self._robot.time
        self._sent_at = self._phase_since = self._connection.now

    def _inject_faults(self) -> None:
        while self._faults and self._connection.now - self._began >= self._faults[0][1]:
            words, _ = self._faults.pop(0)
            self._connection.link.fault(words)

    def _check_silence(self) -> None:
        silence = self._conversation.silence(self._connection.now)
        if self._phase == Phase.ENDING:
            self._is_over = self._is_over or silence > SHORT_SILENCE
        elif silence > LONGEST_SILENCE:
            self._end(f"the board was silent for {silence:.2g} s")
            self._is_over = True

    def _check_duration(self) -> None:
        """End a phase that takes too long by the host's clock."""
        limit = STANDSTILL_TIMEOUT if self._phase == Phase.ENDING else self._limit
        passed = self._connection.now - self._phase_since
        if passed <= limit + _slack(limit):
            return
        if self._phase == Phase.ENDING:
            self._is_over = True
        else:
            self._abort(f"{limit:g} s have passed by the host's clock, not by the board's")

    def _compare_clocks(self, arrived: StateArrived) -> bool:
        """Return whether the board's clock agrees with the host's; end the run if not."""
        board, host = self._clocks = self._clocks or (arrived.time, self._connection.now)
        by_board, by_host = arrived.time - board, self._connection.now - host
        if abs(by_board - by_host) <= _slack(by_host):
            return True
        self._abort(f"{by_board:.2f} s by the board's clock took {by_host:.2f} s")
        return False

    def _handle(self, event: Event) -> None:
        match event:
            case Implausible(problem):
                self._abort(f"implausible message of the board: {problem}")
            case StateArrived() if self._compare_clocks(event):
                received = perf_counter()
                commanded = self._respond(event)
                self._connection.flush()
                self.response_times.append(perf_counter() - received)
                robot = self._robot
                self._observe(LoopSnapshot(self._phase, robot.time, robot.motion, event, commanded))
            case Booted(boot, was_connected=True):
                cause = ResetCause(boot.mcusr & 0x0F).name or "unknown cause"
                self._end(f"the board was reset ({cause.lower()})")
                self._is_over = True
            case Refused(nak) if self._phase == Phase.ARMING and nak.reason == Reason.FAULTS:
                self._end("the board does not arm: battery low")
            case LinkLost() | _:
                pass  # counted by the conversation; the virtual robot waits for the next state

    def _respond(self, arrived: StateArrived) -> tuple[float, float]:
        """Advance the virtual robot and command the board; return the commanded speeds [m/s]."""
        self._robot.follow(arrived)
        match self._phase:
            case Phase.DRIVING:
                return self._drive(arrived)
            case Phase.ARMING:
                self._arm(arrived)
            case Phase.ENDING:
                self._wait_for_standstill(arrived)
            case Phase.WATCHING:
                if self._robot.time >= self._limit:
                    self.is_done = self._is_over = True
        return 0.0, 0.0

    def _arm(self, arrived: StateArrived) -> None:
        now = self._connection.now
        if arrived.state.state == BoardState.ARMED:
            self._enter(Phase.DRIVING)
        elif now > self._arm_deadline:
            self._end(f"the board did not arm: {describe_faults(arrived.state.faults)}")
            return
        elif now >= self._next_arm:
            self._conversation.arm()
            self._next_arm = now + ARM_EVERY
        self._conversation.command(0.0, 0.0, now)

    def _drive(self, arrived: StateArrived) -> tuple[float, float]:
        if arrived.state.state != BoardState.ARMED:
            self._end(f"the board stopped: {describe_faults(arrived.state.faults)}")
            return 0.0, 0.0
        time = self._robot.time - self._phase_from
        command = self._driver(time, self._robot.motion) if time < self._limit else None
        if command is None:
            self.is_done = True
            self._end("")
            speeds = (0.0, 0.0)
        else:
            left, right = SideMeans.of(self._robot.simulation.robot)(command.belt_speeds)
            speeds = self._robot.scale.setpoints(float(left), float(right))
            self._robot.flipper_angles = command.flipper_angles
        self._conversation.command(*speeds, self._connection.now)
        self._commanded, self._sent_at, self._is_repeating = speeds, self._connection.now, False
        return speeds

    def _repeat(self) -> None:
        """Send the last set-point again when no state came to answer; zero before the timeout."""
        now, period = self._connection.now, self._conversation.period
        due = self._sent_at + (1.0 if self._is_repeating else REPEAT_AFTER) * period
        if self._phase != Phase.DRIVING or now < due:
            return
        if self._conversation.silence(now) > self._conversation.command_timeout - period:
            self._commanded = (0.0, 0.0)
        self._conversation.command(*self._commanded, now)
        self._connection.flush()
        self._sent_at, self._is_repeating = now, True

    def _wait_for_standstill(self, arrived: StateArrived) -> None:
        state = arrived.state
        if state.state == BoardState.ARMED:
            self._conversation.command(0.0, 0.0, self._connection.now)
        is_still = state.speed_left == 0 == state.speed_right
        waited = self._robot.time - self._phase_from
        self._is_over = (is_still and waited > 0.05) or waited > STANDSTILL_TIMEOUT


def _slack(time: float) -> float:
    return CLOCK_SLACK + CLOCK_SHARE * time


def describe_faults(faults: int) -> str:
    """Return the fault flags of a state as text."""
    names = [fault.name or "" for fault in Fault if fault & faults]
    return ", ".join(name.lower().replace("_", " ") for name in names) or "no fault"
