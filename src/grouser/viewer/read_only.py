"""Commands of a page whose robot is driven elsewhere, or only watched."""

from typing import Any

from grouser.viewer.commands import Notify, PageCommands
from grouser.viewer.loop import Loop
from grouser.viewer.recordings import Recordings
from grouser.viewer.stand_in import Workshop
from grouser.viewer.watched_session import ExternalRobot

READ_ONLY = "A board in the loop moves this robot; the page cannot change that, only stop it."


class ReadOnlyCommands(PageCommands):
    """Commands for a robot that is driven elsewhere: only STOP, replay and saving work."""

    def __init__(
        self, loop: Loop, recordings: Recordings, notify: Notify, external: ExternalRobot
    ) -> None:
        super().__init__(loop, recordings, notify, Workshop(notify))
        self._external = external

    @property
    def is_read_only(self) -> bool:
        """Always true."""
        return True

    @property
    def is_steered(self) -> bool:
        """Whether the page drives the robot."""
        return self._external.is_steered

    @property
    def can_stop(self) -> bool:
        """Always true."""
        return True

    def stop_motors(self) -> None:
        """Stop the motors of the board at once."""
        self._external.stop()
        self._notify("The motors are stopped.")

    def pause(self, is_paused: bool | None = None) -> None:
        """Stop the motors: a board cannot be paused."""
        self.stop_motors()

    def _reject(self, *_: Any, **__: Any) -> None:
        self._notify(READ_ONLY)

    choose = set_ghosts = step = reset = follow_path = set_factor = save_scenario = _reject

    def set_speed(self, speed: float) -> None:
        """Set the belt speed of a stick at its end stop, if the page drives [m/s]."""
        if self._external.is_steered:
            super().set_speed(speed)
        else:
            self._notify(READ_ONLY)


ONLY_WATCHED = "This page only watches the robot: it never commands it."


class MeasuredCommands(PageCommands):
    """Ghosts, replay and saving work; nothing reaches the robot.

    `reset` brings the ghosts to the robot.
    """

    @property
    def is_read_only(self) -> bool:
        """Always true."""
        return True

    @property
    def is_steered(self) -> bool:
        """Never: the page does not drive."""
        return False

    @property
    def has_twins(self) -> bool:
        """Always true."""
        return True

    def _reject(self, *_: Any, **__: Any) -> None:
        self._notify(ONLY_WATCHED)

    choose = pause = step = follow_path = set_factor = set_speed = save_scenario = _reject
    stop_motors = _reject
