"""A run with a board in a thread of its own, while another thread shows its state."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grouser.errors import describe_bug
from grouser.notices import tell_terminal
from grouser.simulation.pace import Priority, raise_priority, realtime_priority

if TYPE_CHECKING:
    from grouser.control import Sticks
    from grouser.hil.conversation import Conversation
    from grouser.hil.hand import HandDrive
    from grouser.hil.loop import LoopSnapshot
    from grouser.hil.run import BoardRun
    from grouser.log import Log
    from grouser.models import Motion
    from grouser.simulation import Simulation

REFRESH = 8.0
"""How often the state is shown [1/s]."""


@dataclass(slots=True)
class Watch:
    """The state of a run under way, shared by all threads."""

    stopped: threading.Event = field(default_factory=threading.Event)
    """Set to stop the motors and end the run."""
    snapshot: "LoopSnapshot | None" = None
    """The last state of the loop."""
    conversation: "Conversation | None" = None
    """The conversation with the board."""
    simulation: "Simulation | None" = None
    """The virtual robot."""
    started: threading.Event = field(default_factory=threading.Event)
    """Set when the board has answered."""
    hand: "HandDrive | None" = None
    """The driver that a person steers on the page; None if nobody does."""

    def start(self, simulation: "Simulation", conversation: "Conversation") -> None:
        """Store that the board has answered; from here on the loop runs in real time."""
        # Raise the priority only now: throttling would stop a thread that computes for a second.
        raise_priority(Priority.PHYSICS)
        self.simulation, self.conversation = simulation, conversation
        self.started.set()

    def see(self, snapshot: "LoopSnapshot") -> None:
        """Store the newest state of the loop."""
        self.snapshot = snapshot

    def look(self) -> "tuple[float, Motion] | None":
        """Return the time [s] and the motion of the virtual robot, for the page."""
        snapshot = self.snapshot
        return None if snapshot is None else (snapshot.time, snapshot.motion)

    def log(self) -> "Log | None":
        """Return what the virtual robot did so far, for the page."""
        return None if self.simulation is None else self.simulation.log("interrupted", "board")

    @property
    def is_steered(self) -> bool:
        """Whether a person on the page drives."""
        return self.hand is not None

    def steer(self, sticks: "Sticks", speed: float) -> None:
        """Pass the sticks of the page on, and the belt speed of one at its end stop [m/s]."""
        if self.hand is not None:
            self.hand.steer(sticks, speed)

    def stop(self) -> None:
        """Stop the motors and end the run."""
        self.stopped.set()


def run_in_thread(
    drive: Callable[[Watch], "BoardRun"], watch: Watch, show: Callable[[], None]
) -> "BoardRun":
    """Return the result of `drive`, run in a thread with higher priority; `watch.stop` ends it.

    `show` is called several times a second to show the state in `watch`; if it raises, the run
    ends, because nobody watches it any more.
    """
    results: list[BoardRun | BaseException] = []
    ended = threading.Event()

    def work() -> None:
        try:
            results.append(drive(watch))
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            results.append(error)
        finally:
            ended.set()

    worker = threading.Thread(target=work, name="board", daemon=True)
    # The holder of the interpreter lock must not be preempted, so this thread gets priority too.
    with realtime_priority(Priority.PAGES):
        worker.start()
        _wait(ended, watch, show)
    (result,) = results
    if isinstance(result, BaseException):
        raise result
    return result


def _wait(ended: threading.Event, watch: Watch, show: Callable[[], None]) -> None:
    # An event, not a join: before Python 3.13 an interrupted join marks the thread as ended.
    while not ended.is_set():
        try:
            ended.wait(1.0 / REFRESH)
            show()
        except Exception as error:  # the terminal is closed, or what it shows is broken
            watch.stopped.set()
            if not isinstance(error, OSError):
                tell_terminal(f"the run was stopped: {describe_bug(error)}")
            show = lambda: None  # noqa: E731
    with contextlib.suppress(OSError):
        show()
