"""The child process of a live simulation: it advances, sends frames and takes commands.

Frames wait in a short queue; a reader that is too slow loses the oldest ones, and the physics goes
on. What passes between the processes is defined here, too.
"""

import contextlib
import signal
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from grouser.errors import GrouserError, RunStopped, describe_bug
from grouser.live.command_input import TIMEOUT
from grouser.live.live_simulation import Frame, LiveSimulation
from grouser.live.tick_loop import TickLoop
from grouser.log import Declaration, write_log
from grouser.scenario import Scenario
from grouser.simulation.pace import gc_frozen

QUEUE = 200
"""Frames that wait for a reader; older ones are lost [1]."""
IDLE = 0.05
"""Longest sleep while time stands [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A scenario was loaded; frames of it follow."""

    scenario: Mapping[str, Any]
    """The scenario, as a file spells it, with the texts of its files."""
    tick: float
    """Length of a tick [s]."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Unit of each column of the sensors, by its name."""
    declarations: Mapping[str, tuple[Declaration, ...]]
    """Messages of each sensor, by its name."""
    columns: Mapping[str, tuple[str, ...]]
    """Names of the columns of each sensor, by its name, in the order of a sample's values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a live simulation runs."""

    timeout: float = TIMEOUT
    """Belts stop when no command came for so long, in simulated time [s]."""
    armed: bool = True
    """Whether commands move the robot from the beginning."""
    factor: float = 1.0
    """Simulated time per wall time; infinity for as fast as possible [1]."""
    stepped: bool = False
    """Whether time stands, and passes only by `step`."""
    log: Path | None = None
    """File for the log of the last run; none if None."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request: its number, and why it failed."""

    number: int
    problem: str | None


@dataclass(slots=True, kw_only=True)
class PhysicsCounts:
    """Work of the physics process so far."""

    periods: int = 0
    """Ticks in real time."""
    missed: int = 0
    """Ticks that began a whole period late."""
    lost: int = 0
    """Frames that the reader was too slow for."""
    rejected: int = 0
    """Commands that were not valid."""
    timeouts: int = 0
    """Times that belts stopped because no command came."""
    cpu_time: float = 0.0
    """Processor time of the process [s]."""


@dataclass
class _Outbox:
    """Sends messages from a thread of its own; frames may be lost, other messages are not."""

    pipe: Connection
    frames: deque[Frame] = field(default_factory=deque)
    others: deque[Any] = field(default_factory=deque)
    lost: int = 0
    is_closed: bool = False

    def __post_init__(self) -> None:
        self.condition = threading.Condition()
        self.thread = threading.Thread(target=self._run, name="frames", daemon=True)
        self.thread.start()

    def put_frame(self, frame: Frame, *, wait: bool = False) -> None:
        with self.condition:
            while wait and len(self.frames) >= QUEUE and not self.is_closed:
                self.condition.wait(IDLE)
            if len(self.frames) >= QUEUE:
                self.frames.popleft()
                self.lost += 1
            self.frames.append(frame)
            self.condition.notify_all()

    def put(self, message: object) -> None:
        with self.condition:
            self.others.append(message)
            self.condition.notify_all()

    def close(self) -> None:
        with self.condition:
            self.is_closed = True
            self.condition.notify_all()
        self.thread.join(timeout=1.0)

    def _run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while True:
                with self.condition:
                    while not (self.frames or self.others or self.is_closed):
                        self.condition.wait()
                    if self.is_closed and not self.others:
                        return
                    # Frames before what was sent after them, so that an answer means they are out.
                    messages = [*self.frames, *self.others]
                    self.frames.clear()
                    self.others.clear()
                    self.condition.notify_all()
                for message in messages:
                    self.pipe.send(message)


class _Server(TickLoop):
    """The child process: reads commands in one thread, advances in another."""

    def __init__(self, pipe: Connection, live: LiveSimulation, options: Options) -> None:
        super().__init__(idle=IDLE)
        self._pipe, self._live, self._options = pipe, live, options
        self._counts_due = 0.0
        self._outbox = _Outbox(pipe)
        live.is_paused = options.stepped
        self._announce()
        threading.Thread(target=self._read, name="commands", daemon=True).start()

    def run(self) -> None:
        """Advance until the other side closes the connection."""
        super().run()
        if self._options.log is not None:
            status = "failed" if self._live.problem else "complete"
            write_log(self._live.log(status), self._options.log)
        self._count()
        self._outbox.close()

    def _stands(self) -> bool:
        if (now := time.monotonic()) >= self._counts_due:
            self._count()
            self._counts_due = now + 1.0
        return self._live.is_paused

    def _publish(self) -> None:
        self._outbox.put_frame(self._live.frame())

    def _tick(self) -> None:
        self._outbox.put_frame(self._live.advance())

    def _reject(self, error: GrouserError) -> None:
        self._outbox.put(("warning", str(error)))

    def _halt(self, sentence: str, *, is_new: bool) -> None:
        self._live.halt(sentence)
        self._publish()  # each frame has the sentence, until a reset

    def _announce(self) -> None:
        loaded, self.clock = self._live.loaded, self._live.clock
        self._outbox.put(
            Started(
                scenario=loaded.scenario.content(),
                units=dict(self._live.simulation.sensor_columns),
                tick=loaded.tick,
                declarations=self._live.simulation.declarations,
                columns=self._live.simulation.columns_by_sensor,
            )
        )

    def _count(self) -> None:
        clock, counts = self._live.clock, self._live.input.counts
        self._outbox.put(
            PhysicsCounts(
                periods=clock.periods, missed=clock.missed, lost=self._outbox.lost,
                rejected=counts.rejected, timeouts=counts.timeouts, cpu_time=time.process_time(),
            )
        )  # fmt: skip

    def _read(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while not self._ended.is_set():
                match self._pipe.recv():
                    case ("close",):
                        break
                    case ("request", number, name, *values):
                        self.request(partial(_Server._answer, words=(number, name, *values)))
                    case (name, *values):
                        self._offer(str(name), values)
        self.end()

    def _offer(self, name: str, values: list[Any]) -> None:
        now = () if name == "stop" else (self._live.simulation.time,)
        try:
            getattr(self._live.input, name)(*values, *now)
        except Exception as error:  # this thread reads all later commands, too
            self._outbox.put(("warning", describe_bug(error)))

    def _answer(self, words: tuple[Any, ...]) -> None:
        live, problem, (number, name, *values) = self._live, None, words
        try:
            match name:
                case "step":
                    for _ in range(values[0]):
                        self._outbox.put_frame(live.advance(), wait=True)
                case "load":
                    live.load(Scenario.from_content(values[0]))
                    self._announce()
                case "arm" | "disarm":
                    getattr(live.input, name)()
                case _:
                    getattr(live, name)(*values)
        except Exception as error:  # whoever asked waits for the answer
            problem = describe_bug(error)
            if isinstance(error, RunStopped) or not isinstance(error, GrouserError):
                self.fail(error)
        self._outbox.put_frame(live.frame())
        self._outbox.put(Answer(number, problem))


def serve(pipe: Connection, content: Mapping[str, Any], options: Options) -> None:
    """Run the child process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this one
    try:
        live = LiveSimulation(
            Scenario.from_content(content),
            timeout=options.timeout,
            armed=options.armed,
            factor=options.factor,
            record=options.log is not None,
        )
    except Exception as error:  # whoever started it waits for a sentence
        pipe.send(("failed", describe_bug(error)))
        return
    with gc_frozen():
        _Server(pipe, live, options).run()
