"""A run with a board in a thread of its own, while the terminal shows how it goes."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.live import Live

from grouser.cli.hil_panel import draw_panel
from grouser.cli.terminal import Terminal
from grouser.simulation.pace import Priority, raise_priority, realtime_priority

if TYPE_CHECKING:
    from grouser.hil.conversation import Conversation
    from grouser.hil.loop import Moment
    from grouser.hil.run import BoardRun
    from grouser.log import Log
    from grouser.models import Motion
    from grouser.simulation import Simulation

REFRESH = 8.0
"""How often the panel is drawn [1/s]."""


@dataclass(slots=True)
class Watch:
    """What is known of a run under way, for all threads."""

    stopped: threading.Event = field(default_factory=threading.Event)
    """Set to stop the motors and end the run."""
    moment: "Moment | None" = None
    """What the loop saw last."""
    talk: "Conversation | None" = None
    """What was said."""
    simulation: "Simulation | None" = None
    """The virtual robot."""
    started: threading.Event = field(default_factory=threading.Event)
    """Set when the board has answered."""

    def start(self, simulation: "Simulation", talk: "Conversation") -> None:
        """Note that the board has answered; from here on the loop must be punctual."""
        # Not before: a thread that works for a second is held back if it comes before others.
        raise_priority(Priority.PHYSICS)
        self.simulation, self.talk = simulation, talk
        self.started.set()

    def see(self, moment: "Moment") -> None:
        """Note the newest moment."""
        self.moment = moment

    def look(self) -> "tuple[float, Motion] | None":
        """Return the time [s] and the motion of the virtual robot, for the page."""
        moment = self.moment
        return None if moment is None else (moment.time, moment.motion)

    def log(self) -> "Log | None":
        """Return what the virtual robot did so far, for the page."""
        return None if self.simulation is None else self.simulation.log("interrupted", "board")

    def stop(self) -> None:
        """Stop the motors and end the run."""
        self.stopped.set()


def watch_board(
    drive: Callable[[Watch], "BoardRun"], title: str, watch: Watch, *, quiet: bool
) -> "BoardRun":
    """Return what came of a run; `watch.stop` stops the motors and ends it in order.

    Args:
        drive: Runs it, in a thread that comes before others.
        title: What is run.
        watch: Where the run leaves what it sees.
        quiet: Whether the panel is left out.
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
    console = Terminal().err
    # Only one thread can have the interpreter: whoever has it must not be made to wait either.
    with realtime_priority(Priority.PAGES):
        worker.start()
        if quiet or not console.is_terminal:
            _wait(ended, watch, lambda: None)
        else:
            first = draw_panel(title, None, None)
            with Live(first, console=console, auto_refresh=False) as live:
                _wait(
                    ended,
                    watch,
                    lambda: live.update(draw_panel(title, watch.moment, watch.talk), refresh=True),
                )
    (result,) = results
    if isinstance(result, BaseException):
        raise result
    return result


def _wait(ended: threading.Event, watch: Watch, show: Callable[[], None]) -> None:
    # An event, not a join: one that is interrupted takes the thread for ended (before 3.13).
    while not ended.is_set():
        try:
            ended.wait(1.0 / REFRESH)
            show()
        except OSError:
            # The terminal is gone: nobody watches the run any more.
            watch.stopped.set()
            show = _show_nothing
    with contextlib.suppress(OSError):
        show()


def _show_nothing() -> None:
    """Draw nothing."""
