"""A whole run with a board: connect, arm, drive, stop, and say how it went."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grouser.description import Course, Robot
from grouser.hil.board_loop import BoardLoop, Moment
from grouser.hil.connection import Connection
from grouser.hil.conversation import Conversation
from grouser.hil.exchange.controller_side import ControllerSide
from grouser.hil.exchange.exchange_world import ExchangeWorld
from grouser.hil.link import Link
from grouser.hil.raw_log import RawLog
from grouser.hil.run_report import Limits, RunReport, make_report
from grouser.hil.straight_climb import StraightClimb
from grouser.hil.virtual_world import VirtualWorld
from grouser.log import Log
from grouser.models import Model, command_sides
from grouser.simulation import Driver, Observer, Simulation
from grouser.simulation.pace import gc_frozen


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRun:
    """What came of a run with a board."""

    log: Log
    """The virtual robot, and what the board said beside it."""
    report: RunReport
    """The link, and whether the run counts."""
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
