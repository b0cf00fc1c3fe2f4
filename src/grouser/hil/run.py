"""One run of a board, and its report."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from grouser.description import Course, Robot
from grouser.geometry import Scalar, clamp
from grouser.hil.connection import Connection, Link
from grouser.hil.conversation import Conversation
from grouser.hil.exchange.loops import ExchangeWorld
from grouser.hil.exchange.mailbox import ControllerSide
from grouser.hil.loop import BoardLoop, Moment
from grouser.hil.raw_log import RawLog
from grouser.hil.virtual_robot import VirtualWorld
from grouser.laws.slip_odometry import slip_twist, wheel_speeds_for
from grouser.log import Log
from grouser.models import Command, Model, Motion, command_sides, effective_width
from grouser.simulation import Driver, Observer, Simulation
from grouser.simulation.pace import gc_frozen

GAIN = 5.0
"""Yaw rate per angle that is to be taken back [1/s]."""
LEAD = 0.25
"""How far ahead the angle is looked at, since belts obey late [s]."""
LARGEST_YAW_RATE = 0.6
"""Yaw rate that is never asked for more than [rad/s]."""


class StraightClimb:
    """A driver whose robot keeps its heading while its model climbs an obstacle.

    Model `slip` holds the heading while it climbs (`Motion.phase`); the real robot on its level
    floor would turn meanwhile: by what the controller asks, and by what its belts were still
    turning when the climb began. What the measured belts turn during a climb is added up, and
    steered back before it is over.
    """

    def __init__(self, driver: Driver, robot: Robot) -> None:
        self._driver, self._robot = driver, robot
        self._width = effective_width(robot)
        self._owed = self._time = 0.0

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the driver's command; with steering of its own where the model cannot turn."""
        passed, self._time = time - self._time, time
        command = self._driver(time, motion)
        if command is None or not motion.phase:
            return command
        _, turning = self._twist(motion.belt_speeds)
        self._owed += turning * passed
        forward, _ = self._twist(command.belt_speeds)
        coming = self._owed + LEAD * turning
        back = float(clamp(-GAIN * coming, -LARGEST_YAW_RATE, LARGEST_YAW_RATE))
        slip = self._robot.slip
        left, right = wheel_speeds_for(forward, back, slip.left, slip.right, self._width)
        speeds = command_sides(self._robot, float(left), float(right)).belt_speeds
        return replace(command, belt_speeds=speeds)

    def _twist(self, belt_speeds: Sequence[Scalar]) -> tuple[float, float]:
        """Return forward speed [m/s] and yaw rate [rad/s] of these belts on level ground."""
        sides: dict[str, list[float]] = {"left": [], "right": []}
        for drive, speed in zip(self._robot.drives, belt_speeds, strict=True):
            sides[drive.side].append(float(speed))
        left, right = (sum(speeds) / max(len(speeds), 1) for speeds in sides.values())
        slip = self._robot.slip
        forward, _, yaw_rate = slip_twist(left, right, slip.left, slip.right, 0.0, self._width)
        return float(forward), float(yaw_rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may show and still count."""

    late_share: float = 0.01
    """Share of periods without a command in time [1]."""
    missing_share: float = 0.01
    """Share of states that never came [1]."""
    damaged_share: float = 0.01
    """Share of frames that were damaged, either way [1]."""
    rtt_p99: float = 0.010
    """Round trip that 99 of 100 pings stay below [s]."""
    losses: int = 0
    """Times that the board may fall silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """The link of one run in numbers."""

    link: str
    """What the line was made of."""
    firmware: str
    """Hash of the board's firmware; empty if it never answered."""
    states: int
    """States that came."""
    missing: int
    """States that never came."""
    skipped: int
    """States that were passed over because a newer one was there."""
    commands: int
    """Commands that were sent."""
    late: int
    """Periods in which the board had no new command in time."""
    damaged: int
    """Damaged frames that the host dropped."""
    board_damaged: int
    """Damaged frames that the board dropped."""
    overruns: int
    """Bytes that the board could not take in time."""
    worst_loop_us: int
    """Longest time of the board's control loop [us]."""
    naks: int
    """Messages that the board refused."""
    losses: int
    """Times that the board fell silent."""
    boots: int
    """Times that the board started anew during the run."""
    old: int
    """States that were not newer than one that had come."""
    implausible: int
    """Messages of the board that cannot be true."""
    pings: int
    """Pings that were answered."""
    rtt_p50: float
    """Median round trip; not a number without pings [s]."""
    rtt_p99: float
    """Round trip that 99 of 100 pings stay below [s]."""
    rtt_max: float
    """Largest round trip [s]."""
    stopped_by: str
    """Why the run ended before its driver was done; empty if it was."""
    problems: tuple[str, ...]
    """Why the run does not count; empty if it does."""

    @property
    def is_valid(self) -> bool:
        """Whether the run stayed within its limits."""
        return not self.problems


def make_report(
    talk: Conversation, link: str, *, stopped_by: str = "", limits: Limits | None = None
) -> RunReport:
    """Return the report of a conversation.

    Args:
        talk: What was said.
        link: What the line was made of.
        stopped_by: Why the run ended early; empty if it did not.
        limits: What may happen in a run that counts.
    """
    counts, ack = talk.counts, talk.ack
    last = None if talk.last is None else talk.last.state
    p50, p99, largest = _percentiles(talk.clock.rtts)
    values = {
        "link": link,
        "firmware": "" if ack is None else f"{ack.firmware_hash:08x}",
        "states": counts.states,
        "missing": counts.missing,
        "skipped": counts.skipped,
        "commands": counts.commands,
        "late": counts.late,
        "damaged": talk.frames.bad,
        "board_damaged": 0 if last is None else last.crc_errors,
        "overruns": 0 if last is None else last.overruns,
        "worst_loop_us": 0 if last is None else last.worst_loop_us,
        "naks": counts.naks,
        "losses": counts.losses,
        "boots": counts.reboots,
        "old": counts.old,
        "implausible": counts.implausible,
        "pings": len(talk.clock.rtts),
        "rtt_p50": p50,
        "rtt_p99": p99,
        "rtt_max": largest,
        "stopped_by": stopped_by,
    }
    report = RunReport(**values, problems=())
    return RunReport(**values, problems=_find_problems(report, limits or Limits()))


def _percentiles(rtts: Sequence[float]) -> tuple[float, float, float]:
    if not rtts:
        return (float("nan"),) * 3  # type: ignore[return-value]
    p50, p99 = np.percentile(rtts, (50.0, 99.0))
    return float(p50), float(p99), max(rtts)


def _find_problems(report: RunReport, limits: Limits) -> tuple[str, ...]:
    states = max(report.states, 1)
    sent = max(report.commands, 1)
    shares = (
        ("late commands", report.late, states, limits.late_share),
        ("states lost", report.missing, states + report.missing, limits.missing_share),
        ("states that came again", report.old, states + report.old, limits.missing_share),
        ("damaged frames from the board", report.damaged, states, limits.damaged_share),
        ("damaged frames to the board", report.board_damaged, sent, limits.damaged_share),
    )
    found = [
        f"{name}: {count} of {total} ({count / total:.1%}), at most {limit:.0%}"
        for name, count, total, limit in shares
        if count > limit * total
    ]
    if report.states == 0:
        found.append("no state came")
    if report.rtt_p99 > limits.rtt_p99:
        found.append(
            f"round trip p99 {1e3 * report.rtt_p99:.1f} ms, at most {1e3 * limits.rtt_p99:.0f} ms"
        )
    if report.losses > limits.losses:
        found.append(f"silences of the board: {report.losses}, at most {limits.losses}")
    if report.implausible:
        found.append(f"implausible messages of the board: {report.implausible}, at most 0")
    if report.boots:
        found.append(f"restarts of the board: {report.boots}, at most 0")
    if report.stopped_by:
        found.append(report.stopped_by)
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRun:
    """What came of a run with a board."""

    log: Log
    """The virtual robot, and what the board said beside it."""
    report: RunReport
    """The link, and whether the run is valid."""
    is_done: bool
    """Whether the driver got to its end."""
    was_stopped: bool
    """Whether somebody stopped it."""
    thinking: tuple[float, ...]
    """Time that the host took to answer each state [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTask:
    """What is to be run, whatever the board is."""

    robot: Robot
    """What moves, virtually."""
    course: Course
    """Where it moves, virtually."""
    model: Model
    """How it moves."""
    driver: Driver
    """Says what the belts are to do; closes the loop on the virtual pose."""
    driver_name: str = ""
    """What the log calls it."""
    arm: bool = True
    """Whether motors may run."""
    limit: float = 60.0
    """Time of driving after which to stop [s]."""
    link_id: int = 1
    """Number of the connection: another for each, where boards outlive it."""
    rate_hz: int = 100
    """States per second."""
    lease_ms: int = 100
    """How long a command holds [ms]."""
    seed: int = 0
    """Seed of the virtual sensors' noise."""
    faults: Sequence[tuple[str, float]] = ()
    """What is to go wrong on a simulated board, and when [s]."""
    observers: Callable[[], Sequence[Observer]] = tuple
    """Makes those that watch every tick of the virtual robot and its sensors."""


def drive_board(
    link: Link,
    task: BoardTask,
    *,
    raw: RawLog | None = None,
    stop: Callable[[], bool] = lambda: False,
    observe: Callable[[Moment], None] = lambda moment: None,
    started: Callable[[Simulation, Conversation], None] = lambda simulation, conversation: None,
    limits: Limits | None = None,
    exchange: ControllerSide | None = None,
) -> BoardRun:
    """Run a task over a link, and close it.

    Args:
        link: The line to the board; closed at the end, with the motors stopped.
        task: What to run.
        raw: Where every byte is written, from the moment when the board has answered; nowhere if
            not given.
        stop: Asked again and again; true ends the run and stops the motors.
        observe: Called after each state of the board.
        started: Called once, when the board has answered and the virtual robot stands.
        limits: What may happen in a run that counts.
        exchange: The other program that holds the virtual world; our own model if not given.

    Raises:
        LinkBroken: The board does not answer, or speaks another protocol. What goes wrong later
            is in the report.
    """
    with contextlib.ExitStack() as stack:
        stack.callback(link.close)
        if raw is not None:
            stack.callback(raw.close)
        talk = Conversation(
            task.link_id,
            rate_hz=task.rate_hz,
            lease_ms=task.lease_ms,
            boot_wait=link.boot_wait,
        )
        _rehearse(task)
        # Made before the board is asked: once it has answered, it does not wait.
        simulation = _start(task, round(1e6 / task.rate_hz), task.observers())
        stack.enter_context(gc_frozen())
        line = Connection(link, talk, raw)
        stack.callback(line.close)
        ack = line.open()
        if raw is not None:
            raw.begin()
            raw.note({"firmware": f"{ack.firmware_hash:08x}", "boot_count": ack.boot_count})
        if ack.period_us != round(1e6 / task.rate_hz):
            simulation = _start(task, ack.period_us, task.observers())
        world, driver = _make_world(task, simulation, ack.counts_per_revolution, exchange)
        started(simulation, talk)
        loop = BoardLoop(
            line, world, driver, arm=task.arm, limit=task.limit,
            stop=stop, observe=observe, faults=task.faults,
        )  # fmt: skip
        loop.run()
    stopped_by = loop.stopped_by or (raw.failure if raw is not None else "")
    ended_early = loop.was_stopped or bool(loop.stopped_by)
    log = simulation.log("interrupted" if ended_early else "complete", task.driver_name)
    return BoardRun(
        log=world.annotate(log),
        report=make_report(talk, link.name, stopped_by=stopped_by, limits=limits),
        is_done=loop.is_done,
        was_stopped=loop.was_stopped,
        thinking=tuple(loop.thinking),
    )


def _start(task: BoardTask, period_us: int, observers: Sequence[Observer] = ()) -> Simulation:
    return Simulation(
        task.model, task.robot, task.course, dt=period_us * 1e-6, seed=task.seed,
        observers=observers,
    )  # fmt: skip


def _make_world(
    task: BoardTask, simulation: Simulation, counts: int, exchange: ControllerSide | None
) -> tuple[VirtualWorld, Driver]:
    """Return what the belts move, ours or another program's, and who drives there."""
    driver: Driver = StraightClimb(task.driver, task.robot)
    if exchange is None:
        return VirtualWorld(simulation, counts), driver
    world = ExchangeWorld(simulation, counts, exchange)
    return world, world.guard(driver)


def _rehearse(task: BoardTask) -> None:
    """Let one tick pass somewhere else: what is compiled at first use takes seconds.

    A board does not wait that long. What model and course refuse is refused here, too.
    """
    simulation = _start(task, round(1e6 / task.rate_hz))
    simulation.advance(command_sides(task.robot, 0.0, 0.0))
