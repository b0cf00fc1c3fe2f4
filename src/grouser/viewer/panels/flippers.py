"""The control of the flippers: by hand, by themselves, or in a posture of the robot."""

import viser

from grouser.description.posture import AUTO, REST
from grouser.viewer.commands import PageCommands
from grouser.viewer.loop import Loop
from grouser.viewer.panels.widgets import Widgets

BY_HAND = "by hand"
"""What the list shows while keys or buttons move the flippers."""


class FlipperControl:
    """A list of what the flippers may follow; not there for a robot without flippers."""

    def __init__(self, gui: viser.GuiApi, commands: PageCommands, widgets: Widgets) -> None:
        self._is_usable = not commands.is_read_only
        words = tuple[str, ...]((BY_HAND, AUTO))
        self._list = gui.add_dropdown(
            "Flippers",
            words,
            initial_value=BY_HAND,
            visible=False,
            hint="auto: by pitch, key V; or a posture of the robot's file",
        )
        widgets.on_change(
            self._list, lambda word: commands.set_posture("" if word == BY_HAND else word)
        )

    def restore(self, loop: Loop) -> None:
        """Set the control to the current state."""
        flippers, postures, shown = self.read(loop)
        self._list.visible = self._is_usable and flippers
        words = (BY_HAND, AUTO, *postures)
        if self._list.options != words:
            self._list.options = words
        self._list.value = shown if shown in words else BY_HAND

    @staticmethod
    def read(loop: Loop) -> tuple[bool, tuple[str, ...], str]:
        """Return whether there are flippers, the postures, and what is followed."""
        session = loop.session
        robot = session.robot
        usual = () if robot.posture is not None else (REST,)
        return bool(robot.flippers), (*usual, *robot.postures), session.posture
