"""Editing the course of a page: every edit is a new draft, which is loaded in another thread.

The physics goes on meanwhile. When the edited course is loaded, the loop goes on with it, the
robot where it was. An edit that cannot be loaded is undone, with a sentence.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from grouser.description import Course
from grouser.description.find import find_description
from grouser.description.load import resolve_course
from grouser.errors import GrouserError
from grouser.scenario import Part, Scenario
from grouser.viewer.building import Draft, History, Placing, Table, place_entry, pull
from grouser.viewer.commands import PageCommands
from grouser.viewer.course_files import CourseFiles
from grouser.viewer.course_opening import open_draft
from grouser.viewer.loop import Loop
from grouser.viewer.palette import Axis, Entry
from grouser.viewer.piece_shapes import Shapes
from grouser.viewer.pointer import Point
from grouser.viewer.session import Session
from grouser.viewer.sinking import carry, sink

ASIDE = 0.3
"""How far from the original a copy of a piece stands, along x and y [m]."""
IN_REPLAY = "a recording is being replayed: press Back to driving to edit the course"


@dataclass(frozen=True, slots=True)
class BuildState:
    """What the panel and the scene show of the editor; frozen, to be compared."""

    is_on: bool = False
    """Whether clicks in the scene edit the course."""
    tool: Entry | None = None
    """What the next click on the ground places."""
    selected: int | None = None
    """Number of the selected piece."""
    grip: Literal["Move and turn", "Size"] = "Move and turn"
    """What the gizmo changes."""
    grid: float = 0.1
    """Distance of the places to which pieces snap; 0 for anywhere [m]."""
    draft: Draft | None = None
    """The course so far; None as long as nothing was edited."""
    undoable: int = 0
    """Number of edits that can be undone."""
    redoable: int = 0
    """Number of edits that can be repeated."""
    is_saved: bool = True
    """Whether there is a file with this course."""


class Builder:
    """The editor of a page's course; its methods may be called from any thread."""

    def __init__(
        self, commands: PageCommands, files: CourseFiles, notify: Callable[[str], None]
    ) -> None:
        self._commands, self.files, self._notify = commands, files, notify
        self._lock = threading.RLock()
        self._history: History | None = None
        self._origin = Path("course.toml")
        self._saved_text = ""
        self._wanted: Draft | None = None
        self._loaded: Draft | None = None
        self._worker: threading.Thread | None = None
        self._view = BuildState()
        self.problem = ""
        """Why the last edit that could not be loaded was undone."""
        self.changed: Callable[[BuildState], None] = lambda state: None
        """Is called after each change, from any thread."""

    @property
    def state(self) -> BuildState:
        """What is shown of the editor."""
        with self._lock:
            history = self._history
            if history is None or not self._is_current:
                return self._view
            return replace(
                self._view,
                draft=history.draft,
                undoable=history.undoable,
                redoable=history.redoable,
                is_saved=history.draft.text == self._saved_text,
            )

    @property
    def view(self) -> BuildState:
        """What is shown of the editor, without its draft; never waits for an edit."""
        return self._view

    @property
    def course(self) -> Course:
        """The course that is driven on."""
        return self._session.course

    @property
    def origin(self) -> Path:
        """Path of the file that the course has or will have."""
        return self._origin

    def show(self, **changes: Any) -> None:
        """Change what is shown: `is_on`, `tool`, `selected`, `grip` or `grid`."""
        with self._lock:
            self._view = replace(self._view, **changes)
            if not self._view.is_on:
                self._view = replace(self._view, tool=None, selected=None)
        self.changed(self.state)

    def click(self, place: Point, number: int | None) -> None:
        """Place the chosen piece at a place on the ground, or select the piece that is there."""
        view = self._view
        if view.tool is None:
            self.show(selected=number)
            return
        x, y, z = place
        placing = Placing(x, y, base=_level(z)).snap(view.grid)
        self.add(sink(place_entry(view.tool, placing), self.course))

    def add(self, table: Table) -> None:
        """Add a piece and select it."""
        with self._lock:
            if (draft := self._draft()) is None:
                return
            self._put(draft.add(table), selected=len(draft.pieces))

    def move(self, placing: Placing) -> None:
        """Put the selected piece somewhere else."""
        with self._lock:
            draft, number = self._target()
            if draft is not None:
                before = draft.pieces[number]
                moved = {**before, **placing.snap(self._view.grid).values()}
                self.set_values(**Placing.of(carry(before, moved, self.course)).values())

    def stretch(self, axis: Axis, ratio: float) -> None:
        """Make the selected piece larger along an axis, by a factor."""
        with self._lock:
            draft, number = self._target()
            if draft is not None:
                self._put(draft.change(number, **pull(draft.pieces[number], axis, ratio)))

    def set_values(self, **values: Any) -> None:
        """Set values of the selected piece, by their keys in the course file."""
        with self._lock:
            draft, number = self._target()
            if draft is not None:
                known = draft.pieces[number]
                kept = {k: v for k, v in values.items() if k in known or v or k in ("x_m", "y_m")}
                self._put(draft.change(number, **kept))

    def set_friction(self, friction: float) -> None:
        """Set the friction of the surface of the selected piece [1]."""
        with self._lock:
            draft, number = self._target()
            if draft is not None:
                surface = str(draft.pieces[number].get("surface", "ground"))
                self._put(draft.set_friction(surface, friction))

    def delete(self) -> None:
        """Remove the selected piece."""
        with self._lock:
            draft, number = self._target()
            if draft is not None:
                self._put(draft.remove(number), selected=None)

    def duplicate(self) -> None:
        """Add a copy of the selected piece beside it."""
        with self._lock:
            draft, number = self._target()
            if draft is None:
                return
            table = draft.pieces[number]
            here = Placing.of(table)
            there = replace(here, x=here.x + ASIDE, y=here.y + ASIDE).values()
            self.add({**table, "x_m": there["x_m"], "y_m": there["y_m"]})

    def rename(self, name: str) -> None:
        """Give the course another name."""
        with self._lock:
            if (draft := self._draft()) is None:
                return
            self._origin = self.files.free_course(name)
            self._put(draft.named(self._origin.stem))

    def undo(self) -> None:
        """Undo the last edit."""
        self._step(History.undo)

    def redo(self) -> None:
        """Repeat the edit that was undone last."""
        self._step(History.redo)

    def act(self, word: str) -> None:
        """Run the action of a key, as long as the course is edited."""
        if self._view.is_on:
            acts = {
                "undo": self.undo,
                "redo": self.redo,
                "delete": self.delete,
                "duplicate": self.duplicate,
                "deselect": lambda: self.show(selected=None, tool=None),
            }
            acts[word]()

    def wait(self, timeout: float = 30.0) -> None:
        """Wait until all edits are loaded."""
        with self._lock:  # a worker is started before the lock is given back
            worker = self._worker
        if worker is not None:
            worker.join(timeout)

    def save(self, scenario: bool = True) -> None:
        """Write the course to a new file, and a scenario that uses it; another thread does it."""
        self.wait()
        self._commands.loop.request(lambda loop: self._start_saving(loop.session, scenario))

    def keep(self, *, left: bool = False) -> None:
        """Write a course that would be lost otherwise, at once; from any thread but the loop's.

        With `left`, only if the page drives on another course by now.
        """
        with self._lock:
            history, text = self._history, self._saved_text
            if history is None or (left and self._is_current):
                return
            if not history.undoable or history.draft.text == text:
                return
            try:
                path = self._write()
            except (GrouserError, OSError) as error:
                self._history = None
                self._notify(f"the course {self._origin.stem} could not be saved: {error}")
                return
        self._notify(f"the course you edited was saved as {path}")

    def _start_saving(self, session: Session, scenario: bool) -> None:
        read = session.simulation.log_later() if scenario and session.was_driven else None
        resolved = session.resolved_scenario()

        def work() -> None:
            with self._lock:
                if self._draft() is None:
                    return
                try:
                    path = self._write()
                except (GrouserError, OSError) as error:
                    self._notify(f"the course could not be saved: {error}")
                    return
            self.changed(self.state)
            if scenario:
                self._write_scenario(resolved, read, path)
            else:
                self._notify(f"saved as {path}")

        threading.Thread(target=work, name="writing").start()

    def _write_scenario(self, resolved: Scenario, read: Any, path: Path) -> None:
        """Write a scenario beside the recordings: it repeats the drive, if there was one."""
        course = Part(name=path.relative_to(self.files.folder).as_posix())
        driver = "follow" if read is None and self.course.path is not None else resolved.driver
        self._notify(f"course saved as {path}")
        self._commands.write_scenario(
            resolved.vary(course=course, driver=driver), read, lambda files: None
        )

    def _write(self) -> Path:
        """Write the draft, at the next free name; the page drives on it from then on."""
        assert self._history is not None
        path = self.files.free_course(self._origin.stem)
        draft = self._history.draft.named(path.stem)
        path = self.files.write(path, draft.text)
        self._history.draft = self._loaded = draft
        self._origin, self._saved_text = path, draft.text
        part = Part(name=str(path))

        def rename(loop: Loop) -> None:
            if _is_edited(loop.session):
                loop.session.scenario = loop.session.scenario.vary(course=part)

        self._commands.loop.request(rename)
        return path

    @property
    def _session(self) -> Session:
        return self._commands.loop.session

    @property
    def _is_current(self) -> bool:
        """Whether the page drives on the course that is edited, or soon will."""
        is_driven = self._session.scenario.course.name == str(self._origin)
        return is_driven or self._worker is not None

    def _draft(self) -> Draft | None:
        """Return the current draft, a copy of the course at first; None in a replay."""
        if self._commands.loop.player is not None:
            self._notify(IN_REPLAY)
            return None
        if self._history is None or not self._is_current:
            try:
                self._begin()
            except (GrouserError, OSError) as error:
                self._notify(f"this course cannot be edited: {error}")
                return None
        assert self._history is not None
        return self._history.draft

    def _target(self) -> tuple[Draft | None, int]:
        """Return the draft and the number of the selected piece; no draft if there is no piece."""
        number = self._view.selected
        draft = None if number is None else self._draft()
        if draft is None or number is None or number >= len(draft.pieces):
            return None, 0
        return draft, number

    def _begin(self) -> None:
        self.keep()
        draft, path = self._copy(self._session)
        draft = Draft(self.files.bring_files(draft.content))
        self._history, self._origin = History(draft), path
        self._saved_text = draft.text  # nothing to save yet
        self._loaded = None

    def _put(self, draft: Draft, **view: Any) -> None:
        assert self._history is not None
        self._history.put(draft)
        self._view = replace(self._view, **view)
        self._load()

    def _step(self, move: Callable[[History], bool]) -> None:
        with self._lock:
            history = self._history
            if history is None or self._draft() is not history.draft or not move(history):
                return
            if (self._view.selected or 0) >= len(history.draft.pieces):
                self._view = replace(self._view, selected=None)
            self._load()

    def _load(self) -> None:
        """Load the current draft; of several that wait, only the newest is loaded."""
        assert self._history is not None
        self._wanted = self._history.draft
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="course", daemon=True)
            self._worker.start()
        self.changed(self.state)

    def _work(self) -> None:
        while True:
            with self._lock:
                draft, self._wanted = self._wanted, None
                if draft is None:
                    self._worker = None
                    break
                origin = str(self._origin)
            try:
                open_draft(self._commands, draft, origin)
                self._loaded = draft
            except (GrouserError, OSError) as error:
                self._fail(draft, error)
        self.changed(self.state)

    def _fail(self, draft: Draft, error: Exception) -> None:
        """Undo an edit that cannot be loaded."""
        self.problem = str(error)
        self._notify(f"this edit was undone: {error}")
        with self._lock:
            history = self._history
            if history is None or self._wanted is not None or history.draft is not draft:
                return
            history.drop()
            self._view = replace(self._view, selected=None)
            if history.draft is not self._loaded:
                self._wanted = history.draft if history.undoable else None

    def look(self) -> Draft | None:
        """Return the course as a draft, without beginning to edit it; None if that fails."""
        with self._lock:
            try:
                return self._copy(self._session)[0]
            except (GrouserError, OSError):
                return None

    def _copy(self, session: Session) -> tuple[Draft, Path]:
        """Return a copy of the course of a session, and the path that it will have."""
        part = session.scenario.course
        origin = part.name if part.is_file else str(find_description("course", part.name))
        content = resolve_course(session.course.text, origin, part.changes, **part.parameters)
        path = self.files.free_copy(part.name)
        return Draft.of(content, path.stem), path

    def shapes(self) -> Shapes:
        """Return the shapes of the course that is driven on."""
        return Shapes(self._session.course)


def _is_edited(session: Session) -> bool:
    return bool(session.scenario.course.text)


def _level(height: float) -> float:
    """Return the height on which a piece is placed: plain ground may be slightly uneven [m]."""
    return 0.0 if abs(height) < 0.005 else height
