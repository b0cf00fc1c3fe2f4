"""A robot that somebody else drives, seen on the page."""

from collections.abc import Callable
from dataclasses import replace

from grouser.control import Sticks
from grouser.log import Log
from grouser.models import Command
from grouser.viewer.choice import Choice
from grouser.viewer.outside import Outside
from grouser.viewer.session import Actor, Session
from grouser.viewer.snapshot import Snapshot


class Onlooker(Actor):
    """An actor that moves as a robot elsewhere does."""

    outside: Outside
    time = 0.0
    """Time of the robot elsewhere [s]."""

    def advance(self, command: Command) -> None:
        """Take over where the robot is now, whatever the command."""
        seen = self.outside.look()
        if seen is not None:
            self.time, self.motion = seen


class WatchedSession(Session):
    """What the page shows when it does not drive. Sticks and followers have no effect."""

    def __init__(self, choice: Choice, outside: Outside) -> None:
        """Show a robot.

        Args:
            choice: What it is, where it is, and by which model it moves.
            outside: Where it really moves.
        """
        self._outside = outside
        super().__init__(choice)

    def reset(self) -> None:
        """Start to look."""
        super().reset()
        model = self._make_model(self.choice.model)
        self._onlooker = Onlooker(model, self.robot, self.course)
        self._onlooker.outside = self._outside
        self._actors = [self._onlooker]

    def advance(self, sticks: Sticks) -> None:
        """Look again."""
        self._onlooker.advance(Command(belt_speeds=()))

    def snapshot(self) -> Snapshot:
        """Return this moment."""
        return replace(super().snapshot(), time=self._onlooker.time, mode="board")

    def logs_later(self) -> Callable[[], tuple[Log, ...]]:
        """Return a function that returns everything so far."""
        log = self._outside.log()
        return super().logs_later() if log is None else lambda: (log,)
