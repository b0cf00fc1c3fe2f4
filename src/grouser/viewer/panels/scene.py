"""Lists of robots, courses, soils, models and ghosts."""

from collections.abc import Iterable
from functools import partial

import viser

from grouser.description import course_names, robot_names
from grouser.models import CATALOGUE, find_assumptions, make_model
from grouser.viewer.commands import PageCommands
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
        scenario = session.scenario
        with gui.add_folder("Scene"):
            self._lists = {
                kind: gui.add_dropdown(label, _with(names, getattr(scenario, kind).reference))
                for kind, label, names in (
                    ("robot", "Robot", robot_names()),
                    ("course", "Course", course_names()),
                    ("model", "Model", CATALOGUE),
                )
            }
            self._soil = gui.add_dropdown(
                "Soil", soil_choices(), hint="Of the ground, instead of that of the course"
            )
        same = "belts" if commands.has_twins else "commands"
        with gui.add_folder(f"Ghosts (other models, same {same})", expand_by_default=False):
            names = _with(CATALOGUE, FIRM, *session.ghosts)
            self._ghosts = {name: gui.add_checkbox(name, False) for name in names}
            self._assumed = gui.add_markdown("")
        for kind, control in self._lists.items():
            choose = partial(lambda kind, name: commands.choose(**{kind: name}), kind)
            widgets.on_change(control, choose)
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
            control.value = getattr(session.scenario, kind).reference
        self._soil.value = chosen_soil(session.scenario.course)
        is_firm = "soil" not in session.course.features
        for name, box in self._ghosts.items():
            box.value = name in session.ghosts
            box.disabled = name == session.scenario.model.reference or (name == FIRM and is_firm)
            box.hint = describe_assumptions(name, session)
        shown = (session.scenario.model.reference, *session.ghosts)
        lines = (f"**{name}** {describe_assumptions(name, session)}" for name in shown)
        self._assumed.content = "\n\n".join(lines)

    def _set_ghosts(self) -> None:
        self._commands.set_ghosts(tuple(name for name, box in self._ghosts.items() if box.value))


def describe_assumptions(name: str, session: Session) -> str:
    """Return what a model assumes of the robot and the course for want of data."""
    if name == FIRM:
        return "is the same model on firm ground"
    found = find_assumptions(make_model(name), session.robot, session.course)
    words = "; ".join(assumption.sentence for assumption in found)
    return f"assumes {words}" if words else "needs no more than the files state"


def _with(names: Iterable[str], *also: str) -> tuple[str, ...]:
    """Return the names, preceded by those of `also` that are not among them, such as files."""
    known = tuple(names)
    return (*(name for name in dict.fromkeys(also) if name not in known), *known)
