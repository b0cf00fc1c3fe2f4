"""Lists of robots, courses, soils, models and ghosts."""

from collections.abc import Callable, Iterable
from functools import partial

import viser

from grouser.description import course_names, robot_names
from grouser.models import CATALOGUE
from grouser.viewer.commands import PageCommands
from grouser.viewer.course_files import CourseFiles
from grouser.viewer.panels.widgets import Widgets
from grouser.viewer.session import Session
from grouser.viewer.soils import FIRM, chosen_soil, soil_choices


class ScenePanel:
    """Lists of robots, courses and models, and a check box for each possible ghost."""

    def __init__(
        self, gui: viser.GuiApi, commands: PageCommands, widgets: Widgets, session: Session
    ) -> None:
        self._commands = commands
        self._shown: tuple[object, ...] = ()
        self._files = files = CourseFiles(commands.recordings.folder)
        self._references: dict[str, dict[str, str]] = {}
        scenario = session.scenario
        self._names: dict[str, Callable[[], tuple[str, ...]]] = {
            "robot": lambda: (*files.names("robot"), *robot_names()),
            "course": lambda: (*files.names("course"), *course_names()),
            "model": lambda: tuple(CATALOGUE),
        }
        with gui.add_folder("Scene"):
            self._lists = {
                kind: gui.add_dropdown(
                    kind.capitalize(), _with(names(), getattr(scenario, kind).reference)
                )
                for kind, names in self._names.items()
            }
            self._soil = gui.add_dropdown(
                "Soil", soil_choices(), hint="Of the ground, instead of that of the course"
            )
        same = "belts" if commands.has_twins else "commands"
        with gui.add_folder(f"Ghosts (other models, same {same})", expand_by_default=False):
            names = _with(CATALOGUE, FIRM, *session.ghosts)
            self._ghosts = {name: gui.add_checkbox(name, False) for name in names}
        for kind, control in self._lists.items():
            widgets.on_change(control, partial(self._choose, kind))
        widgets.on_change(self._soil, lambda name: commands.choose(soil=name))
        for box in self._ghosts.values():
            widgets.on_change(box, lambda _: self._set_ghosts())
        self.restore(session)

    def show(self, session: Session) -> None:
        """Update the lists if the scene has changed; a pending selection stays."""
        if (session.scenario, session.ghosts) != self._shown:
            self.restore(session)

    def restore(self, session: Session) -> None:
        """Set the lists to the current scene."""
        self._shown = (session.scenario, session.ghosts)
        for kind, control in self._lists.items():
            reference = getattr(session.scenario, kind).reference
            names = _with(self._names[kind](), reference)
            self._references[kind] = {self._files.label(name): name for name in names}
            options = tuple(self._references[kind])
            if tuple(control.options) != options:
                control.options = options
            control.value = self._files.label(reference)
        self._soil.value = chosen_soil(session.scenario.course)
        is_firm = "soil" not in session.course.features
        for name, box in self._ghosts.items():
            box.value = name in session.ghosts
            box.disabled = name == session.scenario.model.reference or (name == FIRM and is_firm)

    def _choose(self, kind: str, label: str) -> None:
        self._commands.choose(**{kind: self._references[kind].get(label, label)})

    def _set_ghosts(self) -> None:
        self._commands.set_ghosts(tuple(name for name, box in self._ghosts.items() if box.value))


def _with(names: Iterable[str], *also: str) -> tuple[str, ...]:
    """Return the names, preceded by those of `also` that are not among them, such as files."""
    known = tuple(names)
    return (*(name for name in dict.fromkeys(also) if name not in known), *known)
