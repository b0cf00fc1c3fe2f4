"""Commands of the page's buttons."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from grouser.description import load_course
from grouser.drawing.playback import Playback
from grouser.errors import GrouserError
from grouser.log import Log, Spool
from grouser.models import make_model
from grouser.simulation import Simulation
from grouser.viewer.loop import Loop
from grouser.viewer.recordings import Player, Recordings
from grouser.viewer.session import Choice, ExternalRobot, Session

PATIENCE = 600.0
"""How long nobody drives until time stands still [s]."""

Notify = Callable[[str], None]
"""Shows one sentence to those at the page."""


class PageCommands:
    """Passes wishes on to the loop, which grants them between two ticks."""

    def __init__(self, loop: Loop, recordings: Recordings, notify: Notify) -> None:
        self.loop, self.recordings = loop, recordings
        self._notify = notify
        self._saved = (0, 0)
        self._streamed = 0
        self._spool: Spool | None = None
        self._ghosts: dict[Simulation, Spool | None] = {}
        if not self.is_watching:
            loop.after_tick = self._look_after

    @property
    def is_watching(self) -> bool:
        """Whether somebody else drives, and the page can only stop that."""
        return False

    def stop_motors(self) -> None:
        """Stop: a robot that is only simulated is paused."""
        self.pause(True)

    def choose(self, **wishes: str) -> None:
        """Change the robot, the course or the model; the drive so far is kept as a recording."""

        def change(loop: Loop) -> None:
            choice = replace(loop.session.choice, **wishes)
            session = Session(self._fit(choice))
            self._keep(loop.session)
            loop.session, loop.player, loop.is_paused = session, None, False

        self.loop.request(change)

    def set_ghosts(self, ghosts: tuple[str, ...]) -> None:
        """Let other models obey the same commands."""
        self.loop.request(lambda loop: loop.session.set_ghosts(ghosts))

    def pause(self, is_paused: bool | None = None) -> None:
        """Stop or go on; the other of the two if not said."""

        def change(loop: Loop) -> None:
            loop.is_paused = not loop.is_paused if is_paused is None else is_paused
            if loop.player is not None and loop.player.is_over and not loop.is_paused:
                loop.player.seek(0.0)

        self.loop.request(change)

    def step(self) -> None:
        """Let one tick pass, and rest."""

        def change(loop: Loop) -> None:
            loop.is_paused = True
            loop.step()

        self.loop.request(change)

    def reset(self) -> None:
        """Start anew; the drive so far is kept as a recording."""

        def change(loop: Loop) -> None:
            if loop.player is not None:
                loop.player.seek(0.0)
                return
            self._keep(loop.session)
            loop.session.reset()
            loop.is_paused = False

        self.loop.request(change)

    def follow_path(self, is_followed: bool | None = None) -> None:
        """Hand over to the path follower or take back; the other of the two if not said."""

        def change(loop: Loop) -> None:
            wanted = not loop.session.is_following if is_followed is None else is_followed
            if wanted:
                loop.session.follow_path()
            else:
                loop.session.take_back()

        self.loop.request(change)

    def set_factor(self, factor: float) -> None:
        """Let simulated time pass slower or faster than the wall clock."""
        self.loop.request(lambda loop: loop.clock.set_factor(factor))

    def set_speed(self, speed: float) -> None:
        """Set the belt speed of a stick that is pushed all the way [m/s]."""
        self.loop.request(lambda loop: loop.session.set_speed(speed))

    def save(self) -> None:
        """Write the drive so far to the folder of recordings."""

        def change(loop: Loop) -> None:
            self._saved = _moment(loop.session)
            self._write(loop.session.simulation, automatic=False)

        self.loop.request(change)

    def keep(self) -> None:
        """Keep the drive so far, if there is anything to keep; wait until it is written."""
        worker = self._keep(self.loop.session)
        self._stream_ghosts(())
        if worker is not None:
            worker.join()

    def open_recording(self, name: str) -> None:
        """Replay a recording."""
        self.play(lambda: self.recordings.load(name), name)

    def play(self, load: Callable[[], Log], title: str, **parts: Any) -> None:
        """Replay a log: read it first, so that time does not wait for the disk."""

        def read() -> None:
            try:
                player = Player(Playback(load(), origin=title, **parts), title)
            except GrouserError as error:
                self._notify(str(error))
                return
            self.loop.request(lambda loop: _show(loop, player))

        threading.Thread(target=read, name="reading", daemon=True).start()

    def seek(self, elapsed: float) -> None:
        """Go to a moment of the log that is replayed [s]."""

        def change(loop: Loop) -> None:
            if loop.player is not None:
                loop.player.seek(elapsed)

        self.loop.request(change)

    def close_recording(self) -> None:
        """Go back to the drive as it was left."""

        def change(loop: Loop) -> None:
            loop.player, loop.is_paused = None, False

        self.loop.request(change)

    def act(self, word: str) -> None:
        """Do what a key stands for; words that are none are nobody's wish."""
        verbs = {
            "pause": self.pause,
            "step": self.step,
            "reset": self.reset,
            "path": self.follow_path,
        }
        if word in verbs:
            verbs[word]()

    def _fit(self, choice: Choice) -> Choice:
        """Return the choice without ghosts that are now driven, or cannot drive the course."""
        needed = load_course(choice.course).features
        able = tuple(name for name in choice.ghosts if needed <= make_model(name).features)
        lost = ", ".join(name for name in choice.ghosts if name not in able)
        if lost:
            self._notify(f"the ghosts {lost} cannot drive course {choice.course!r} and are gone")
        return replace(choice, ghosts=tuple(name for name in able if name != choice.model))

    def _keep(self, session: Session) -> threading.Thread | None:
        spool, self._spool = self._spool, None
        if not session.was_driven or _moment(session) == self._saved:
            if spool is not None:
                spool.close(remove=True)
            return None
        self._saved = _moment(session)
        session.simulation.finish("complete")
        return self._write(session.simulation, automatic=True, spool=spool)

    def _look_after(self, session: Session) -> None:
        """Keep what was driven on disk, and memory and disk from filling when nobody drives."""
        if session.was_driven:
            self._stream(session)
            self._stream_ghosts(session.simulations[1:])
        if session.idle_ticks * session.simulation.dt >= PATIENCE:
            self.loop.is_paused, session.idle_ticks = True, 0
            self._notify(f"paused: nobody has driven for {PATIENCE / 60.0:.0f} minutes")

    def _stream(self, session: Session) -> None:
        """Write the drive to disk as it goes on."""
        if session.run == self._streamed:
            return
        self._streamed = session.run
        try:
            self._spool = self.recordings.stream(session.simulation)
        except GrouserError as error:
            self._notify(f"the drive is not written while it goes on: {error}")

    def _stream_ghosts(self, ghosts: tuple[Simulation, ...]) -> None:
        """Keep the rows of these ghosts on disk, and those of others no longer."""
        for gone in self._ghosts.keys() - set(ghosts):
            if (spool := self._ghosts.pop(gone)) is not None:
                spool.close(remove=True)
        for ghost in ghosts:
            if ghost not in self._ghosts:
                try:
                    self._ghosts[ghost] = self.recordings.stream_ghost(ghost)
                except GrouserError:
                    self._ghosts[ghost] = None  # as was said of the drive itself

    def _write(
        self, simulation: Simulation, *, automatic: bool, spool: Spool | None = None
    ) -> threading.Thread:
        read = simulation.log_later()

        def write() -> None:
            try:
                file: Path = self.recordings.save(read(), automatic=automatic)
            except (GrouserError, OSError) as error:
                kept = "" if spool is None else f"; its rows are in {spool.path}"
                self._notify(f"the drive could not be saved: {error}{kept}")
                return
            if spool is not None:
                spool.close(remove=True)
            if not automatic:
                self._notify(f"saved as {file}")

        worker = threading.Thread(target=write, name="writing")
        worker.start()
        return worker


def _moment(session: Session) -> tuple[int, int]:
    """Return which tick of which run a session is at."""
    return session.run, session.simulation.ticks


def _show(loop: Loop, player: Player) -> None:
    loop.player, loop.is_paused = player, False


REFUSAL = "A board in the loop drives this robot; the page can only stop it."


class ReadOnlyCommands(PageCommands):
    """Refuses in a sentence whatever would change a drive that is not its own."""

    def __init__(
        self, loop: Loop, recordings: Recordings, notify: Notify, external: ExternalRobot
    ) -> None:
        super().__init__(loop, recordings, notify)
        self._external = external

    @property
    def is_watching(self) -> bool:
        """It is."""
        return True

    def stop_motors(self) -> None:
        """Stop the motors of the board at once."""
        self._external.stop()
        self._notify("The motors are stopped.")

    def pause(self, is_paused: bool | None = None) -> None:
        """Stop the motors: a board cannot be paused."""
        self.stop_motors()

    def choose(self, **wishes: str) -> None:
        """Refuse."""
        self._notify(REFUSAL)

    def set_ghosts(self, ghosts: tuple[str, ...]) -> None:
        """Refuse."""
        self._notify(REFUSAL)

    def step(self) -> None:
        """Refuse."""
        self._notify(REFUSAL)

    def reset(self) -> None:
        """Refuse."""
        self._notify(REFUSAL)

    def follow_path(self, is_followed: bool | None = None) -> None:
        """Refuse."""
        self._notify(REFUSAL)

    def set_factor(self, factor: float) -> None:
        """Refuse."""
        self._notify(REFUSAL)

    def set_speed(self, speed: float) -> None:
        """Refuse."""
        self._notify(REFUSAL)
