"""The loop of a board run: arm, drive, stop.

The board is the clock: nothing happens here but as an answer to its states. The host's own time is
used for time-outs, and as a second opinion: a board whose clock is wrong is stopped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from time import perf_counter

from grouser.errors import GrouserError
from grouser.hil.connection import Connection
from grouser.hil.conversation import Booted, Event, Implausible, LinkLost, Refused, StateArrived
from grouser.hil.messages import BoardState, Fault, Reason, ResetCause
from grouser.hil.virtual_robot import VirtualWorld
from grouser.models import Command, Motion, SideMeans
from grouser.simulation import Driver

PATIENCE = 0.005
"""How long to wait for bytes before looking at the clock again [s]."""
ARM_EVERY, ARM_PATIENCE = 0.2, 1.0
"""Time after which ARM is repeated, and after which it has failed [s]."""
LONGEST_SILENCE, SHORT_SILENCE = 1.0, 0.2
"""Silence after which a run ends, and after which nobody waits for belts to run out [s]."""
LATE = 1.3
"""Periods without a state after which a set-point is repeated [1]."""
RUN_OUT = 1.5
"""Time that belts get to come to rest at the end [s]."""
CLOCK_SLACK, CLOCK_SHARE = 0.5, 0.05
"""How far the board's clock may be from the host's: a constant, and a share of the time that has
passed [s, 1]. A crystal is off by 0.01 % at most, a ceramic resonator by 1 %."""


class Phase(Enum):
    """What the loop is at."""

    WATCHING = "watching"
    ARMING = "arming"
    DRIVING = "driving"
    ENDING = "ending"


@dataclass(frozen=True, slots=True)
class Moment:
    """What there is to see after a state."""

    phase: Phase
    """What the loop is at."""
    time: float
    """Virtual time [s]."""
    motion: Motion
    """The virtual robot."""
    arrived: StateArrived
    """What the board said."""
    asked: tuple[float, float]
    """Belt speeds that the board is asked for [m/s]."""


class BoardLoop:
    """One run. `run` returns when the driver is done, the board stops, or `stop` says so."""

    def __init__(
        self,
        connection: Connection,
        world: VirtualWorld,
        driver: Driver,
        *,
        arm: bool,
        limit: float,
        stop: Callable[[], bool],
        observe: Callable[[Moment], None],
        faults: Sequence[tuple[str, float]] = (),
    ) -> None:
        """Prepare a run over an open connection.

        Args:
            connection: To a board that has accepted it.
            world: What moves as the board's belts do.
            driver: Says what the belts are to do next.
            arm: Whether motors may run; without it, the loop only watches.
            limit: Virtual time of driving after which to stop [s].
            stop: Asked between two looks at the line; true ends the run and stops the motors.
            observe: Called after each state.
            faults: What is to go wrong on a simulated board, and when [s].
        """
        self._line, self._talk = connection, connection.conversation
        self._world, self._driver = world, driver
        self._limit, self._stop, self._observe = limit, stop, observe
        self._faults = sorted(faults, key=lambda fault: fault[1])
        self._phase = Phase.ARMING if arm else Phase.WATCHING
        self._began = self._next_arm = connection.now
        self._arm_until = connection.now + ARM_PATIENCE
        self._phase_from, self._phase_since = 0.0, connection.now
        self._clocks: tuple[float, float] | None = None
        self._asked, self._said_at, self._is_repeating = (0.0, 0.0), connection.now, False
        self._is_over = False
        self.is_done = False
        """Whether the driver got to its end, or the time that it was given is over."""
        self.was_stopped = False
        """Whether `stop` ended the run."""
        self.stopped_by = ""
        """What else ended the run early; empty if nothing did."""
        self.thinking: list[float] = []
        """Time from each state to the command that answers it [s]."""

    def run(self) -> None:
        """Go on until the run is over. What is wrong with the board ends up in `stopped_by`."""
        try:
            while not self._is_over:
                if not self.was_stopped and self._stop():
                    self._halt()
                self._inject()
                for event in self._line.pump(PATIENCE):
                    self._obey(event)
                self._repeat()
                self._watch_silence()
                self._watch_time()
        except GrouserError as error:
            # Whatever it was, the rows up to here are kept, and whoever closes the line stops it.
            self.stopped_by = self.stopped_by or str(error)

    def _halt(self) -> None:
        """Stop the motors at once because somebody wants it."""
        self.was_stopped = True
        self._line.mark_stop()
        self._talk.estop()
        self._line.flush()
        self._end("")

    def _break_off(self, why: str) -> None:
        """Stop the motors at once because something cannot be right."""
        if self._phase != Phase.ENDING:
            self._talk.estop()
            self._line.flush()
        self._end(why)

    def _end(self, why: str) -> None:
        self.stopped_by = self.stopped_by or why
        if self._phase != Phase.ENDING:
            self._enter(Phase.ENDING)

    def _enter(self, phase: Phase) -> None:
        self._phase, self._phase_from = phase, self._world.time
        self._said_at = self._phase_since = self._line.now

    def _inject(self) -> None:
        while self._faults and self._line.now - self._began >= self._faults[0][1]:
            words, _ = self._faults.pop(0)
            self._line.link.fault(words)

    def _watch_silence(self) -> None:
        silence = self._talk.silence(self._line.now)
        if self._phase == Phase.ENDING:
            self._is_over = self._is_over or silence > SHORT_SILENCE
        elif silence > LONGEST_SILENCE:
            self._end(f"the board was silent for {silence:.2g} s")
            self._is_over = True

    def _watch_time(self) -> None:
        """End what takes too long by the host's clock, whatever the board's says."""
        limit = RUN_OUT if self._phase == Phase.ENDING else self._limit
        passed = self._line.now - self._phase_since
        if passed <= limit + _slack(limit):
            return
        if self._phase == Phase.ENDING:
            self._is_over = True
        else:
            self._break_off(f"{limit:g} s are over by the host's clock, not by the board's")

    def _compare_clocks(self, arrived: StateArrived) -> bool:
        """Return whether the board's clock may be believed; if not, the run ends."""
        board, host = self._clocks = self._clocks or (arrived.time, self._line.now)
        by_board, by_host = arrived.time - board, self._line.now - host
        if abs(by_board - by_host) <= _slack(by_host):
            return True
        self._break_off(f"{by_board:.2f} s by the board's clock took {by_host:.2f} s")
        return False

    def _obey(self, event: Event) -> None:
        match event:
            case Implausible(problem):
                self._break_off(f"the board cannot be believed: {problem}")
            case StateArrived() if self._compare_clocks(event):
                came = perf_counter()
                asked = self._answer(event)
                self._line.flush()
                self.thinking.append(perf_counter() - came)
                moment = Moment(self._phase, self._world.time, self._world.motion, event, asked)
                self._observe(moment)
            case Booted(boot, was_connected=True):
                cause = ResetCause(boot.mcusr & 0x0F).name or "unknown cause"
                self._end(f"the board started anew ({cause.lower()})")
                self._is_over = True
            case Refused(nak) if self._phase == Phase.ARMING and nak.reason == Reason.FAULTS:
                self._end("the board refuses to be armed: battery low")
            case LinkLost() | _:
                pass  # counted by the conversation; the world is held until the next state

    def _answer(self, arrived: StateArrived) -> tuple[float, float]:
        """Move the world, decide, and say it; return the speeds that are asked for."""
        self._world.follow(arrived)
        match self._phase:
            case Phase.ARMING:
                self._arm(arrived)
                return 0.0, 0.0
            case Phase.DRIVING:
                return self._drive(arrived)
            case Phase.ENDING:
                self._run_out(arrived)
                return 0.0, 0.0
            case Phase.WATCHING:
                if self._world.time >= self._limit:
                    self.is_done = self._is_over = True
        return 0.0, 0.0

    def _arm(self, arrived: StateArrived) -> None:
        now = self._line.now
        if arrived.state.state == BoardState.ARMED:
            self._enter(Phase.DRIVING)
        elif now > self._arm_until:
            self._end(f"the board did not arm: {describe_faults(arrived.state.faults)}")
            return
        elif now >= self._next_arm:
            self._talk.arm()
            self._next_arm = now + ARM_EVERY
        self._talk.command(0.0, 0.0, now)

    def _drive(self, arrived: StateArrived) -> tuple[float, float]:
        if arrived.state.state != BoardState.ARMED:
            self._end(f"the board stopped: {describe_faults(arrived.state.faults)}")
            return 0.0, 0.0
        time = self._world.time - self._phase_from
        command = self._driver(time, self._world.motion) if time < self._limit else None
        if command is None:
            self.is_done = True
            self._end("")
            asked = (0.0, 0.0)
        else:
            asked = self._sides(command)
        self._talk.command(*asked, self._line.now)
        self._asked, self._said_at, self._is_repeating = asked, self._line.now, False
        return asked

    def _repeat(self) -> None:
        """Say the last set-point again when no state came that could be answered.

        Lost states must not let the lease run out. The belts are told to stand when a board that
        still hears would have gone without a state for one lease.
        """
        now, period = self._line.now, self._talk.period
        due = self._said_at + (1.0 if self._is_repeating else LATE) * period
        if self._phase != Phase.DRIVING or now < due:
            return
        if self._talk.silence(now) > 1e-3 * self._talk.lease_ms - period:
            self._asked = (0.0, 0.0)
        self._talk.command(*self._asked, now)
        self._line.flush()
        self._said_at, self._is_repeating = now, True

    def _run_out(self, arrived: StateArrived) -> None:
        state = arrived.state
        if state.state == BoardState.ARMED:
            self._talk.command(0.0, 0.0, self._line.now)
        stands = state.speed_left == 0 == state.speed_right
        waited = self._world.time - self._phase_from
        self._is_over = (stands and waited > 0.05) or waited > RUN_OUT

    def _sides(self, command: Command) -> tuple[float, float]:
        """Return what to ask of each side, within what belts and protocol can do [m/s]."""
        left, right = SideMeans.of(self._world.simulation.robot)(command.belt_speeds)
        return self._world.scale.setpoints(float(left), float(right))


def _slack(time: float) -> float:
    return CLOCK_SLACK + CLOCK_SHARE * time


def describe_faults(faults: int) -> str:
    """Return the faults of a state in words."""
    names = [fault.name or "" for fault in Fault if fault & faults]
    return ", ".join(name.lower().replace("_", " ") for name in names) or "no fault"
