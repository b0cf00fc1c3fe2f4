"""What is shown: robot, course, model, soil and ghosts."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from html import escape

import viser

from grouser.description import Course, listed_courses, robot_names
from grouser.models import CATALOGUE, explain_equal, find_assumptions, make_model
from grouser.viewer.able import Reason, why_no_ghost, why_no_model
from grouser.viewer.commands import PageCommands
from grouser.viewer.course_files import CourseFiles
from grouser.viewer.loop import Loop
from grouser.viewer.panels.widgets import Widgets
from grouser.viewer.recordings import Player
from grouser.viewer.session import Session
from grouser.viewer.soils import FIRM, chosen_soil, soil_choices

ASSUMED = '<details class="grouser-info"><summary>{}</summary><p>{}</p></details>'
"""What a model assumes, behind its name."""
HINTS = {
    "robot": "A TOML file is dropped on the page, or given on the command line",
    "course": "Own ones, built here or dropped on the page, come first",
    "model": "How the robot moves; grey ones cannot drive the course",
}


class ScenePanel:
    """Lists of robots, courses and models, and a check box for each possible ghost.

    A model that the course does not allow is listed with the reason behind its name; the page
    shows it in grey. During a replay the lists show what is replayed.
    """

    def __init__(
        self, gui: viser.GuiApi, commands: PageCommands, widgets: Widgets, loop: Loop
    ) -> None:
        self._commands = commands
        self._shown: tuple[object, ...] = ()
        session, files = loop.session, CourseFiles(commands.recordings.folder)
        self._files = files
        self._names: dict[str, Callable[[], tuple[str, ...]]] = {
            "robot": lambda: (*files.names("robot"), *robot_names()),
            "course": lambda: (*files.names("course"), *(one.name for one in listed_courses())),
            "model": lambda: tuple(CATALOGUE),
        }
        self._choices: dict[str, Mapping[str, str]] = {}
        with gui.add_folder("Scene"):
            self._lists = {
                kind: gui.add_dropdown(kind.capitalize(), names(), hint=HINTS[kind])
                for kind, names in self._names.items()
            }
            self._soil = gui.add_dropdown(
                "Soil", soil_choices(), hint="Of the ground, instead of that of the course"
            )
        same = "belts" if commands.has_twins else "commands"
        with gui.add_folder(f"Ghosts (other models, same {same})", expand_by_default=False):
            names = _with(CATALOGUE, FIRM, *session.ghosts)
            self._ghosts = {name: gui.add_checkbox(name, False) for name in names}
            self._assumed = gui.add_html("")
        for kind, control in self._lists.items():
            widgets.on_change(control, partial(self._choose, kind))
        widgets.on_change(self._soil, lambda name: commands.choose(soil=name))
        for box in self._ghosts.values():
            widgets.on_change(box, lambda _: self._set_ghosts())
        self.restore(loop)

    def show(self, loop: Loop) -> None:
        """Update the lists if the scene has changed; a pending selection stays."""
        if _state(loop) != self._shown:
            self.restore(loop)

    def restore(self, loop: Loop) -> None:
        """Set the lists to the current scene, or to that of a replay."""
        self._shown = _state(loop)
        session, player = loop.session, loop.player
        scenario = session.scenario
        shown = {kind: getattr(scenario, kind).reference for kind in self._lists}
        shown = shown if player is None else _replayed(player)
        course, files = (session if player is None else player).course, self._files
        for kind, control in self._lists.items():
            names = _with(self._names[kind](), shown[kind])
            reasons = _reasons(course, names) if kind == "model" else {}
            reasons.pop(shown[kind], None)
            labels = {name: _label(files.label(name), reasons.get(name)) for name in names}
            self._choices[kind] = {label: name for name, label in labels.items()}
            if tuple(control.options) != tuple(self._choices[kind]):
                control.options = tuple(self._choices[kind])
            control.value, control.disabled = labels[shown[kind]], player is not None
        self._soil.value, self._soil.disabled = chosen_soil(scenario.course), player is not None
        self._restore_ghosts(session, is_replayed=player is not None)

    def _restore_ghosts(self, session: Session, *, is_replayed: bool) -> None:
        for name, box in self._ghosts.items():
            reason = why_no_ghost(session.scenario, session.robot, session.course, name)
            box.value = name in session.ghosts
            box.label = _label(name, reason)
            assumed = describe_assumptions(name, session)
            box.hint = assumed if reason is None else reason.sentence
            # A ghost that is there can always be removed.
            box.disabled = is_replayed or (reason is not None and not box.value)
        shown = (session.scenario.model.reference, *session.ghosts)
        words = ((name, f"{name} {describe_assumptions(name, session)}") for name in shown)
        content = "".join(ASSUMED.format(*map(escape, pair)) for pair in words)
        if self._assumed.content != content:  # what is open stays open
            self._assumed.content = content

    def _choose(self, kind: str, label: str) -> None:
        self._commands.choose(**{kind: self._choices[kind].get(label, label)})

    def _set_ghosts(self) -> None:
        self._commands.set_ghosts(tuple(name for name, box in self._ghosts.items() if box.value))


def describe_assumptions(name: str, session: Session) -> str:
    """Return what a model assumes of the robot and the course for want of data."""
    if name == FIRM:
        return "is the same model on firm ground"
    if name.partition(":")[0] not in CATALOGUE:
        return "is measured, and assumes nothing"
    model = make_model(name)
    if same := explain_equal(name, model, session.robot):
        return f"is nothing else here: {same}"
    found = find_assumptions(model, session.robot, session.course)
    words = "; ".join(assumption.sentence for assumption in found)
    return f"assumes {words}" if words else "needs no more than the files state"


def _state(loop: Loop) -> tuple[object, ...]:
    return loop.session.scenario, loop.session.ghosts, loop.player


def _replayed(player: Player) -> dict[str, str]:
    """Return names of robot, course and model of a replay."""
    model = player.playback.log.provenance.model or "measured"
    return {"robot": player.robot.name, "course": player.course.name, "model": model}


def _reasons(course: Course, names: Iterable[str]) -> dict[str, Reason]:
    found = {name: why_no_model(course, name) for name in names}
    return {name: reason for name, reason in found.items() if reason is not None}


def _label(name: str, reason: Reason | None) -> str:
    return name if reason is None else f"{name} ({reason.brief})"


def _with(names: Iterable[str], *also: str) -> tuple[str, ...]:
    """Return the names, preceded by those of `also` that are not among them, such as files."""
    known = tuple(names)
    return (*(name for name in dict.fromkeys(also) if name not in known), *known)
