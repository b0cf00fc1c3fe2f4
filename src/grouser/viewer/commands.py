"""Commands of the page's buttons and keys."""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from grouser.description.posture import AUTO
from grouser.drawing.playback import Playback
from grouser.errors import GrouserError, InvalidValue
from grouser.log import Log, Spool, name_file
from grouser.models import make_model
from grouser.scenario import Scenario
from grouser.simulation import Simulation
from grouser.storage import temporary_name, write_new
from grouser.viewer.dials import find_dials
from grouser.viewer.loop import Loop
from grouser.viewer.recordings import Player, Recordings
from grouser.viewer.session import Session, repeat
from grouser.viewer.soils import choose_soil, ghost_scenario
from grouser.viewer.stand_in import StandInSession, Workshop, find_missing

IDLE_TIMEOUT = 600.0
"""Simulated time without a command to move after which the page pauses [s]."""

Notify = Callable[[str], None]
"""Shows one sentence on the pages."""
SendFiles = Callable[[Sequence[Path]], None]
"""Sends files to a page as downloads."""


P = ParamSpec("P")


def _between_ticks(
    change: Callable[Concatenate[Any, Loop, P], None],
) -> Callable[Concatenate[Any, P], None]:
    """Make a method a request to the loop, which calls it with itself between two ticks."""

    @wraps(change)
    def request(self: "PageCommands", *args: P.args, **options: P.kwargs) -> None:
        self.loop.request(lambda loop: change(self, loop, *args, **options))

    return request


class PageCommands:
    """Turns commands of a page into requests to the loop, which runs them between two ticks."""

    def __init__(
        self, loop: Loop, recordings: Recordings, notify: Notify, workshop: Workshop
    ) -> None:
        self.loop, self.recordings = loop, recordings
        self._notify = notify
        self.workshop = workshop
        """Opens sessions."""
        self.workshop.take_over = self._take_over
        self.leave_scene: Callable[[], None] = lambda: None
        """Is called before the page shows another scene, which is no edit of this one."""
        self._first = loop.session.scenario
        self._saved = (0, 0)
        self.last_saved = ""
        """Name of the recording that a person saved last; empty if none was saved."""
        self._streamed = 0
        self._spool: Spool | None = None
        self._ghosts: dict[Simulation, Spool | None] = {}
        if not self.is_read_only:
            loop.after_tick = self._after_tick

    @property
    def is_read_only(self) -> bool:
        """Whether the robot is driven elsewhere, and the page can only stop it."""
        return False

    @property
    def is_steered(self) -> bool:
        """Whether the page drives the robot."""
        return True

    @property
    def can_stop(self) -> bool:
        """Whether the page can stop motors of a robot that is driven elsewhere."""
        return False

    @property
    def has_twins(self) -> bool:
        """Whether the page shows a robot that is measured outside, beside its twins."""
        return False

    def stop_motors(self) -> None:
        """Stop the robot: a simulated one is paused."""
        self.pause(True)

    @_between_ticks
    def choose(self, loop: Loop, **names: str) -> None:
        """Change robot, course, soil or model; the run so far is saved automatically."""
        scenario = loop.session.scenario
        for kind, name in names.items():
            scenario = self._replace(scenario, kind, name)
        ghosts = self.able_ghosts(scenario, loop.session.wanted_ghosts)
        session = self.workshop.open(scenario, ghosts)
        self._keep(loop.session)
        self.leave_scene()
        loop.session, loop.player, loop.is_paused = session, None, False

    @_between_ticks
    def set_ghosts(self, loop: Loop, ghosts: tuple[str, ...]) -> None:
        """Set the other models that follow the same commands; new ones may be compiled first."""
        session = loop.session
        if isinstance(session, StandInSession):
            session.set_ghosts(ghosts)
            return
        missing = find_missing(session.scenario, ghosts)
        if missing:
            names = " and ".join(part.model.name for part in missing)
            self._notify(f"{names} is compiled first; the ghost appears when that is done")
            self.workshop.compile(missing, lambda: self._set_ghosts_of(session, ghosts))
            return
        session.set_ghosts(ghosts)

    @_between_ticks
    def _set_ghosts_of(self, loop: Loop, session: Session, ghosts: tuple[str, ...]) -> None:
        if loop.session is session:
            session.set_ghosts(ghosts)

    @_between_ticks
    def _take_over(self, loop: Loop, stand_in: StandInSession) -> None:
        """Go on with a session's own model, where its stand-in is; that run is saved."""
        if loop.session is not stand_in:
            return
        scenario, ghosts = stand_in.scenario, stand_in.wanted_ghosts
        try:
            session = Session(scenario, ghosts, stand_in.place)
        except InvalidValue:  # an obstacle is in the way
            session = Session(scenario, ghosts)
        session.set_speed(stand_in.speed)
        if stand_in.is_following:
            session.follow_path()
        _keep_rule(session, stand_in)
        if not ghosts:
            session.scene = stand_in.scene  # the same robot on the same course: cameras stay
        self._keep(stand_in)
        loop.session = session
        self._notify(f"{scenario.model.name} is compiled and drives now")

    def swap(self, loop: Loop, session: Session, *, is_edit: bool = True) -> None:
        """Go on with another session; the run so far is saved. Only the loop calls this.

        After an edit of the course, speed, cameras and changed numbers stay as they are.
        """
        if is_edit:
            session.set_speed(loop.session.speed)
            session.keeps_cameras = True
            _keep_rule(session, loop.session)
            if not isinstance(session, StandInSession):
                _keep_numbers(session, loop.session.changes_by_hand)
        else:
            self.leave_scene()
        self._keep(loop.session)
        loop.session, loop.player = session, None

    @_between_ticks
    def bring_ghosts(self, loop: Loop) -> None:
        """Put all ghosts where the robot is."""
        if loop.player is None and not self.is_read_only:
            loop.session.bring_ghosts()

    @_between_ticks
    def branch(self, loop: Loop, time: float) -> None:
        """Go back to a time [s] and go on from there; the run so far is saved automatically."""
        session = loop.session
        is_kept = session.was_driven and _position(session) != self._saved
        read = session.simulation.log_later()
        session.rewind(time)
        spool, self._spool = self._spool, None
        self._stream_ghosts(())
        loop.past.show_now()
        loop.is_paused = False
        if is_kept:
            self._write(read, automatic=True, spool=spool)
        elif spool is not None:
            spool.close(remove=True)

    @_between_ticks
    def pause(self, loop: Loop, is_paused: bool | None = None) -> None:
        """Pause or continue; toggle if None. Whoever sees the past comes back to now."""
        if loop.player is None and loop.past.shown is not None:
            loop.past.show_now()
            loop.is_paused = bool(is_paused)
            return
        loop.is_paused = not loop.is_paused if is_paused is None else is_paused
        if loop.player is not None and loop.player.is_over and not loop.is_paused:
            loop.player.seek(0.0)

    @_between_ticks
    def step(self, loop: Loop) -> None:
        """Advance by one tick, and pause."""
        loop.is_paused = True
        loop.step()

    @_between_ticks
    def reset(self, loop: Loop) -> None:
        """Start a new run with the same numbers; the run so far is saved automatically."""
        if loop.player is not None:
            loop.player.seek(0.0)
            return
        self._keep(loop.session)
        changes = loop.session.changes_by_hand
        loop.session.reset()
        _keep_numbers(loop.session, changes)
        loop.is_paused = False

    @_between_ticks
    def follow_path(self, loop: Loop, is_followed: bool | None = None) -> None:
        """Start or stop the path follower; toggle if None."""
        wanted = not loop.session.is_following if is_followed is None else is_followed
        if wanted:
            loop.session.follow_path()
        else:
            loop.session.stop_following()

    @_between_ticks
    def set_posture(self, loop: Loop, name: str | None = None) -> None:
        """Move the flippers to a posture, or let them follow `auto`; toggle that if None."""
        session = loop.session
        if session.robot.flippers and loop.player is None:
            toggled = "" if session.posture == AUTO else AUTO
            session.set_posture(toggled if name is None else name)

    @_between_ticks
    def set_factor(self, loop: Loop, factor: float) -> None:
        """Set the real-time factor [1]."""
        loop.clock.set_factor(factor)

    @_between_ticks
    def set_speed(self, loop: Loop, speed: float) -> None:
        """Set the belt speed of a stick at its end stop [m/s]."""
        loop.session.set_speed(speed)

    @_between_ticks
    def save(self, loop: Loop) -> None:
        """Save the run so far as a recording."""
        if not self.is_read_only:
            self._saved = _position(loop.session)
        read = loop.session.logs_later()
        self._write(lambda: read()[0], automatic=False)

    @_between_ticks
    def save_scenario(self, loop: Loop, send: SendFiles = lambda files: None) -> None:
        """Save what the page shows as a scenario file, which `grouser run` runs.

        A run with commands of a person becomes a recording and a scenario that repeats it.
        """
        session, read = loop.session, None
        if loop.player is not None:
            log = loop.player.playback.log
            scenario, read = Scenario.from_log(log), lambda: log
        else:
            scenario = session.resolved_scenario()
            if session.was_driven or session.flippers_were_moved:
                read = session.simulation.log_later()
        parts = (scenario, read, send)
        threading.Thread(target=self.write_scenario, args=parts, name="writing").start()

    def keep(self) -> None:
        """Save the run so far automatically, if it was driven; wait until it is written."""
        self.workshop.stop()
        worker = self._keep(self.loop.session)
        self._stream_ghosts(())
        if worker is not None:
            worker.join()

    def open_recording(self, name: str) -> None:
        """Replay a recording."""
        self.play(lambda: self.recordings.load(name), name)

    def play(self, load: Callable[[], Log], title: str, **parts: Any) -> None:
        """Replay a log, which is read in another thread, so that the loop does not wait."""

        def read() -> None:
            try:
                player = Player(Playback(load(), origin=title, **parts), title)
            except GrouserError as error:
                self._notify(str(error))
                return
            self._show(player)

        threading.Thread(target=read, name="reading", daemon=True).start()

    @_between_ticks
    def seek(self, loop: Loop, elapsed: float) -> None:
        """Go to a time since the start of the replayed log [s]."""
        if loop.player is not None:
            loop.player.seek(elapsed)

    @_between_ticks
    def _show(self, loop: Loop, player: Player) -> None:
        self.leave_scene()
        loop.player, loop.is_paused = player, False

    @_between_ticks
    def close_recording(self, loop: Loop) -> None:
        """End the replay, if there is one, and continue the run."""
        if loop.player is not None:
            loop.player, loop.is_paused = None, False

    def act(self, word: str) -> None:
        """Run the action of a key."""
        actions = {
            "pause": self.pause,
            "step": self.step,
            "reset": self.reset,
            "path": self.follow_path,
            "flippers": self.set_posture,
            "ghosts": self.bring_ghosts,
            "drive": self.close_recording,
        }
        if word in actions:
            actions[word]()

    def _replace(self, scenario: Scenario, kind: str, name: str) -> Scenario:
        """Return the scenario with another robot, course, soil or model.

        The first scenario's part comes back with its changes. A start belongs to its course, and
        flipper angles belong to their robot.
        """
        if kind == "soil":
            return scenario.vary(course=choose_soil(scenario.course, name))
        first = self._first
        is_first = name == getattr(first, kind).reference
        changes: dict[str, Any] = {kind: getattr(first, kind) if is_first else name}
        if kind == "course":
            changes["start_pose"] = first.start_pose if is_first else None
        if kind == "robot":
            changes["flippers"] = first.flippers if is_first else ()
        return scenario.vary(**changes)

    def able_ghosts(self, scenario: Scenario, ghosts: tuple[str, ...]) -> tuple[str, ...]:
        """Return the ghosts that can drive the course and are not the driven model."""
        tried = {name: ghost_scenario(scenario, name) for name in ghosts}
        able = tuple(
            name
            for name, ghost in tried.items()
            if ghost.course.load_course().features <= make_model(ghost.model.name).features
        )
        lost = ", ".join(name for name in ghosts if name not in able)
        if lost:
            course = scenario.course.reference
            self._notify(f"removed ghosts that cannot drive course {course!r}: {lost}")
        return tuple(name for name in able if name != scenario.model.reference)

    def _keep(self, session: Session) -> threading.Thread | None:
        spool, self._spool = self._spool, None
        if not session.was_driven or _position(session) == self._saved:
            if spool is not None:
                spool.close(remove=True)
            return None
        self._saved = _position(session)
        session.simulation.finish("complete")
        return self._write(session.simulation.log_later(), automatic=True, spool=spool)

    def _after_tick(self, session: Session) -> None:
        """Stream a driven run to disk, and pause when nobody drives for long."""
        if session.was_driven:
            self._stream(session)
            self._stream_ghosts(session.simulations[1:])
        if session.idle_ticks * session.tick >= IDLE_TIMEOUT:
            self.loop.is_paused, session.idle_ticks = True, 0
            self._notify(f"paused: nobody has driven for {IDLE_TIMEOUT / 60.0:.0f} minutes")

    def _stream(self, session: Session) -> None:
        if session.run == self._streamed:
            return
        self._streamed = session.run
        try:
            self._spool = self.recordings.stream(session.simulation)
        except GrouserError as error:
            self._notify(f"the run is not written to disk while it continues: {error}")

    def _stream_ghosts(self, ghosts: tuple[Simulation, ...]) -> None:
        """Stream the rows of these ghosts to disk, and end the streams of others."""
        for gone in self._ghosts.keys() - set(ghosts):
            if (spool := self._ghosts.pop(gone)) is not None:
                spool.close(remove=True)
        for ghost in ghosts:
            if ghost not in self._ghosts:
                try:
                    file = temporary_name(self.recordings.folder / "ghost.csv")  # not listed
                    self._ghosts[ghost] = ghost.stream(file)
                except GrouserError:
                    self._ghosts[ghost] = None  # `_stream` has already reported it

    def _write(
        self, read: Callable[[], Log], *, automatic: bool, spool: Spool | None = None
    ) -> threading.Thread:
        def write() -> None:
            try:
                file = self.recordings.save(read(), automatic=automatic)
            except (GrouserError, OSError) as error:
                kept = "" if spool is None else f"; its rows are in {spool.path}"
                self._notify(f"the run could not be saved: {error}{kept}")
                return
            if spool is not None:
                spool.close(remove=True)
            if not automatic:
                self.last_saved = file.name
                self._notify(f"saved as {file}")

        worker = threading.Thread(target=write, name="writing")
        worker.start()
        return worker

    def write_scenario(
        self, scenario: Scenario, read: Callable[[], Log] | None, send: SendFiles
    ) -> None:
        """Write a scenario, and the recording that it repeats if `read` returns one; say where."""
        parts = (scenario.robot.name, scenario.course.name, scenario.model.name)
        name = "-".join(Path(part).stem for part in parts)
        files = [self.recordings.folder / name_file(name, ".toml")]
        try:
            if read is not None:
                recording = self.recordings.save(read())
                self.last_saved = recording.name
                scenario = repeat(scenario, recording.name)
                files = [recording.with_suffix(".toml"), recording]
            text = scenario.to_toml()
            files[0] = write_new(files[0], lambda path: path.write_text(text, "utf-8"))
            send(files)
        except (GrouserError, OSError) as error:
            self._notify(f"the scenario could not be saved: {error}")
            return
        command = "drive" if scenario.driver.name == "person" else "run"
        self._notify(f"saved; run it with: grouser {command} {files[0]}")


def _keep_rule(session: Session, before: Session) -> None:
    """Let flippers go on by the rule `auto`, if they did."""
    if before.posture == AUTO and session.robot.flippers:
        session.set_posture(AUTO)


def _keep_numbers(session: Session, changes: Mapping[str, float | str | bool]) -> None:
    """Change numbers of a new run that are not those of the files."""
    files = {dial.key: dial.value for dial in find_dials(session.scenario)} if changes else {}
    for key, value in changes.items():
        if files.get(key) != value:
            session.change(key, value)


def _position(session: Session) -> tuple[int, int]:
    return session.run, session.simulation.ticks
