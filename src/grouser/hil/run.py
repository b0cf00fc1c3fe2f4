"""One run of a scenario with a board, and its report."""

import contextlib
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np

from grouser.errors import InvalidValue
from grouser.hil.connection import Connection, Link
from grouser.hil.conversation import Conversation
from grouser.hil.exchange.loops import ExchangedRobot
from grouser.hil.exchange.mailbox import ControllerSide
from grouser.hil.frames import Counts
from grouser.hil.heading import GyroHeading, Heading, StandFirst
from grouser.hil.loop import BoardLoop, LoopSnapshot
from grouser.hil.options import BoardOptions, load_for_board
from grouser.hil.raw_log import RawLog
from grouser.hil.virtual_robot import StraightClimb, VirtualRobot
from grouser.log import Log
from grouser.models import command_sides
from grouser.scenario import Scenario
from grouser.scenario.run import Loaded, Supervisor
from grouser.simulation import Driver, Simulation
from grouser.simulation.pace import gc_frozen


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a valid run."""

    late_share: float = 0.01
    """Largest share of periods without a command in time [1]."""
    missing_share: float = 0.01
    """Largest share of lost states [1]."""
    damaged_share: float = 0.01
    """Largest share of damaged frames, in either direction [1]."""
    refused_share: float = 0.01
    """Largest share of commands that the armed board rejects [1]."""
    rtt_p99: float = 0.010
    """Largest 99th percentile of the round trips [s]."""
    losses: int = 0
    """How often the link may be lost."""


@dataclass(slots=True, kw_only=True)
class RunReport(Counts):
    """Statistics of the link in one run."""

    link: str
    firmware: str
    """Hash of the board's firmware; empty if it did not answer."""
    damaged: int
    """Damaged frames that the host dropped."""
    board_damaged: int
    """Damaged frames that the board dropped."""
    overruns: int
    """Bytes that the board lost because it did not read them in time."""
    worst_loop_us: int
    """Longest time of the board's control loop [us]."""
    pings: int
    """Pings that were answered."""
    rtt_p50: float
    """Median round trip; NaN without pings [s]."""
    rtt_p99: float
    """99th percentile of the round trips [s]."""
    rtt_max: float
    """Largest round trip [s]."""
    stopped_by: str
    """Why the run ended early; empty if it did not."""
    problems: tuple[str, ...] = ()
    """Why the run is not valid; empty if it is."""

    @property
    def is_valid(self) -> bool:
        """Whether the run is within its limits."""
        return not self.problems


def make_report(
    conversation: Conversation, link: str, *, stopped_by: str = "", limits: Limits | None = None
) -> RunReport:
    """Return the report of a conversation over a link of this name."""
    ack, rtts = conversation.ack, conversation.clock.rtts
    last = None if conversation.last is None else conversation.last.state
    p50, p99 = np.percentile(rtts, (50.0, 99.0)) if rtts else (math.nan, math.nan)
    report = RunReport(
        **asdict(conversation.counts),
        link=link,
        firmware=f"{ack.firmware_hash:08x}" if ack else "",
        damaged=conversation.frames.bad,
        board_damaged=last.crc_errors if last else 0,
        overruns=last.overruns if last else 0,
        worst_loop_us=last.worst_loop_us if last else 0,
        pings=len(rtts),
        rtt_p50=float(p50),
        rtt_p99=float(p99),
        rtt_max=max(rtts, default=math.nan),
        stopped_by=stopped_by,
    )
    return replace(report, problems=_find_problems(report, limits or Limits()))


def _find_problems(report: RunReport, limits: Limits) -> tuple[str, ...]:
    states = max(report.states, 1)
    sent = max(report.commands, 1)
    shares = (
        ("late commands", report.late, states, limits.late_share),
        ("states lost", report.missing, states + report.missing, limits.missing_share),
        ("repeated states", report.old, states + report.old, limits.missing_share),
        ("damaged frames from the board", report.damaged, states, limits.damaged_share),
        ("damaged frames to the board", report.board_damaged, sent, limits.damaged_share),
        ("messages rejected while armed", report.refused, sent, limits.refused_share),
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
        found.append(f"link losses: {report.losses}, at most {limits.losses}")
    if report.implausible:
        found.append(f"implausible messages of the board: {report.implausible}, at most 0")
    if report.boots:
        found.append(f"restarts of the board: {report.boots}, at most 0")
    if report.stopped_by:
        found.append(report.stopped_by)
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRun:
    """Result of a run with a board."""

    log: Log
    """Log of the virtual robot, with columns of the board."""
    report: RunReport
    """Statistics of the link, and whether the run is valid."""
    is_done: bool
    """Whether the driver is done, or the duration is over."""
    was_stopped: bool
    """Whether it was stopped from outside."""
    response_times: tuple[float, ...]
    """Time from receiving each state to sending its command [s]."""


def run_board(
    link: Link,
    scenario: Scenario | Loaded,
    options: BoardOptions | None = None,
    *,
    raw: RawLog | None = None,
    stop: Callable[[], bool] = lambda: False,
    observe: Callable[[LoopSnapshot], None] = lambda snapshot: None,
    started: Callable[[Simulation, Conversation], None] = lambda simulation, conversation: None,
    limits: Limits | None = None,
    exchange: ControllerSide | None = None,
) -> BoardRun:
    """Run a scenario with a board, and close its link, with the motors stopped.

    `raw` is written from the board's answer on. `stop` is polled; true ends the run. `observe` is
    called after each state, `started` once, when the board has answered. Raises `LinkBroken` if the
    board does not answer; the report has later errors.
    """
    options = options or BoardOptions()
    with contextlib.ExitStack() as stack:
        stack.callback(link.close)
        if raw is not None:
            stack.callback(raw.close)
        loaded = scenario if isinstance(scenario, Loaded) else load_for_board(scenario, options)
        if exchange is None and options.exchange is not None:
            exchange = ControllerSide.open(options.exchange)
            stack.callback(exchange.close)
        # Before the board is connected: it does not wait for a compiler.
        simulation = _start(loaded)
        stack.enter_context(gc_frozen())
        conversation = options.converse(link.boot_wait)
        connection = Connection(link, conversation, raw)
        stack.callback(connection.close)
        ack = connection.open()
        if raw is not None:
            raw.begin()
            raw.add_to_header(
                {"firmware": f"{ack.firmware_hash:08x}", "boot_count": ack.boot_count}
            )
        supervisor = _supervise(loaded)
        counts = ack.counts_per_revolution
        robot, driver = _make_robot(simulation, supervisor, counts, exchange, options.heading)
        started(simulation, conversation)
        loop = BoardLoop(
            connection, robot, driver, arm=options.arm, limit=loaded.limit,
            stop=stop, observe=observe, faults=options.timed_faults(),
        )  # fmt: skip
        loop.run()
    stopped_by = loop.stopped_by or (raw.failure if raw is not None else "")
    ended_early = loop.was_stopped or bool(loop.stopped_by)
    log = simulation.log("interrupted" if ended_early else "complete")
    return BoardRun(
        log=robot.annotate(log),
        report=make_report(conversation, link.name, stopped_by=stopped_by, limits=limits),
        is_done=loop.is_done and supervisor.ending not in ("stuck", "tipped"),
        was_stopped=loop.was_stopped,
        response_times=tuple(loop.response_times),
    )


def _start(loaded: Loaded) -> Simulation:
    """Return the robot at its start, after one tick that compiles the model and is undone."""
    simulation = loaded.start()
    plant, state = simulation.plant, simulation.plant.state
    plant.advance(command_sides(loaded.robot, 0.0, 0.0), loaded.tick)
    plant.state = state
    return simulation


def _supervise(loaded: Loaded) -> Supervisor:
    if loaded.plan is None:
        raise InvalidValue("driver", loaded.driver_name, "give belt speeds")
    return Supervisor(loaded.plan, loaded.limit, loaded.scenario.stop)


def _make_robot(
    simulation: Simulation,
    driver: Driver,
    counts: int,
    exchange: ControllerSide | None,
    heading: Heading,
) -> tuple[VirtualRobot, Driver]:
    driver = StraightClimb(driver, simulation.robot)
    if heading == "gyro":
        gyro = GyroHeading(simulation.robot)
        return VirtualRobot(simulation, counts, gyro), StandFirst(driver, simulation.robot)
    if exchange is None:
        return VirtualRobot(simulation, counts), driver
    robot = ExchangedRobot(simulation, counts, exchange)
    return robot, robot.guard(driver)
