"""What is on the page: robot, course, model, ghosts."""

from collections.abc import Iterable

import viser

from grouser.description import course_names, robot_names
from grouser.models import CATALOGUE
from grouser.viewer.choice import Choice
from grouser.viewer.desk import Desk
from grouser.viewer.panel.widgets import Widgets


class PlacePanel:
    """Lists to choose from, and a box for each possible ghost."""

    def __init__(self, gui: viser.GuiApi, desk: Desk, widgets: Widgets, choice: Choice) -> None:
        self._desk = desk
        self._shown: Choice | None = None
        with gui.add_folder("Scene"):
            self._robot = gui.add_dropdown("Robot", _with(robot_names(), choice.robot))
            self._course = gui.add_dropdown("Course", _with(course_names(), choice.course))
            self._model = gui.add_dropdown("Model", _with(CATALOGUE, choice.model))
        with gui.add_folder("Ghosts: other models, same commands", expand_by_default=False):
            names = _with(CATALOGUE, *choice.ghosts)
            self._ghosts = {name: gui.add_checkbox(name, False) for name in names}
        widgets.on_change(self._robot, lambda name: desk.choose(robot=name))
        widgets.on_change(self._course, lambda name: desk.choose(course=name))
        widgets.on_change(self._model, lambda name: desk.choose(model=name))
        for box in self._ghosts.values():
            widgets.on_change(box, lambda _: self._set_ghosts())
        self.restore(choice)

    def show(self, choice: Choice) -> None:
        """Show what is on the page, when it has changed: a wish on its way stays in its list."""
        if choice != self._shown:
            self.restore(choice)

    def restore(self, choice: Choice) -> None:
        """Show what is on the page, whatever the lists say."""
        self._shown = choice
        self._robot.value = choice.robot
        self._course.value = choice.course
        self._model.value = choice.model
        for name, box in self._ghosts.items():
            box.value = name in choice.ghosts
            box.disabled = name == choice.model

    def _set_ghosts(self) -> None:
        self._desk.set_ghosts(tuple(name for name, box in self._ghosts.items() if box.value))


def _with(names: Iterable[str], *also: str) -> tuple[str, ...]:
    """Return names in their order, and first those that are not among them, such as files."""
    known = tuple(names)
    return (*(name for name in dict.fromkeys(also) if name not in known), *known)
