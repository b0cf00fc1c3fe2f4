"""What a page can ask for when it only watches: to stop the motors."""

from grouser.viewer.desk import Desk, Tell
from grouser.viewer.loop import Loop
from grouser.viewer.outside import Outside
from grouser.viewer.recordings import Recordings

REFUSAL = "A board in the loop drives this robot; the page can only stop it."


class WatchDesk(Desk):
    """Refuses in a sentence whatever would change a drive that is not its own."""

    def __init__(self, loop: Loop, recordings: Recordings, tell: Tell, outside: Outside) -> None:
        super().__init__(loop, recordings, tell)
        self._outside = outside

    @property
    def is_watching(self) -> bool:
        """It is."""
        return True

    def stop_motors(self) -> None:
        """Stop the motors of the board at once."""
        self._outside.stop()
        self._tell("The motors are stopped.")

    def pause(self, is_paused: bool | None = None) -> None:
        """Stop the motors: a board cannot be paused."""
        self.stop_motors()

    def choose(self, **wishes: str) -> None:
        """Refuse."""
        self._tell(REFUSAL)

    def set_ghosts(self, ghosts: tuple[str, ...]) -> None:
        """Refuse."""
        self._tell(REFUSAL)

    def step(self) -> None:
        """Refuse."""
        self._tell(REFUSAL)

    def reset(self) -> None:
        """Refuse."""
        self._tell(REFUSAL)

    def follow_path(self, is_followed: bool | None = None) -> None:
        """Refuse."""
        self._tell(REFUSAL)

    def set_factor(self, factor: float) -> None:
        """Refuse."""
        self._tell(REFUSAL)

    def set_speed(self, speed: float) -> None:
        """Refuse."""
        self._tell(REFUSAL)
