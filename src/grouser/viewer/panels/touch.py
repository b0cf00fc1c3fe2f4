"""Controls to touch the robot and to go back in time."""

from typing import cast

import viser

from grouser.live.rewind import SPAN
from grouser.viewer.commands import PageCommands
from grouser.viewer.loop import Loop
from grouser.viewer.panels.numbers import NumbersPanel
from grouser.viewer.panels.widgets import QUIET, Widgets
from grouser.viewer.past import SPACING
from grouser.viewer.touch import DIRECTIONS, Tool, Touch, find_obstacle

WORDS: dict[str, Tool] = {
    "turns the camera": "Camera",
    "drags the robot": "Drag",
    "pushes the robot": "Push",
    "puts the robot": "Put",
}
"""What mouse or finger do, in words."""
HINTS = "Drag the robot; click on it to push; click on the ground to put it there"
STRENGTH = 1.5
"""Strength of a kick: speed without friction [m/s]."""


class TouchPanel:
    """Tools of the pointer, kicks, the robot on its back or belts, time, and numbers."""

    def __init__(
        self, gui: viser.GuiApi, touch: Touch, commands: PageCommands, widgets: Widgets
    ) -> None:
        self._touch, self._shown = touch, ()
        self._note = gui.add_markdown("", visible=False)
        self._tool = gui.add_dropdown("Mouse", tuple(WORDS), hint=HINTS)
        with gui.add_folder("Kick"):
            self._way = gui.add_dropdown("Direction", tuple(DIRECTIONS))
            self._strength = gui.add_slider(
                "Speed [m/s]",
                min=0.1,
                max=6.0,
                step=0.1,
                initial_value=STRENGTH,
                hint="That the robot would get if nothing held it; times its mass: the impulse",
            )
            self._kick = gui.add_button("Kick it")
        self._over = gui.add_button("Turn over", hint="Lays the robot on its back", color=QUIET)
        upright = "Sets the robot on its belts"
        self._upright = gui.add_button("Set upright", hint=upright, color=QUIET)
        with gui.add_folder("Back in time"):
            self._time = gui.add_slider(
                "Time [s]",
                min=-SPAN,
                max=0.0,
                step=SPACING,
                initial_value=0.0,
                hint="Shows the last seconds again; time stands meanwhile",
            )
            self._branch = gui.add_button(
                "Go on from here",
                hint="The run so far is saved; a new one branches off here",
                color=QUIET,
            )
            self._now = gui.add_button("Now", hint="Back to where the run is", color=QUIET)
            self._ghosts = gui.add_button(
                "Bring ghosts here", hint="To the robot; key B", color=QUIET
            )
        self._numbers = NumbersPanel(gui, touch, commands, widgets)
        self._connect(commands, widgets)
        self._keep()
        self.restore(commands.loop)

    def _connect(self, commands: PageCommands, widgets: Widgets) -> None:
        touch = self._touch
        for control in (self._way, self._strength):
            widgets.on_change(control, lambda _: self._keep())
        widgets.on_change(self._tool, lambda word: touch.choose(WORDS[word]))
        widgets.on_click(
            self._kick, lambda _: touch.kick(self._way.value, float(self._strength.value))
        )
        widgets.on_click(self._over, lambda _: touch.turn_over())
        widgets.on_click(self._upright, lambda _: touch.set_upright())
        widgets.on_click(self._branch, lambda _: touch.go_on())
        widgets.on_click(self._now, lambda _: touch.look_back(0.0))
        widgets.on_change(self._time, lambda value: touch.look_back(-float(value)))
        widgets.on_click(self._ghosts, lambda _: commands.bring_ghosts())

    def _keep(self) -> None:
        """Keep what the driver chose; a watcher's change is undone."""
        self._chosen = self._way.value, self._strength.value

    def show(self, loop: Loop) -> None:
        """Update the controls if the state has changed; a pending change stays."""
        session, past = loop.session, loop.past.shown
        is_live = loop.player is None
        note = None if not is_live else find_obstacle(session)
        state = (note, is_live, past is not None, bool(session.ghosts), self._touch.tool)
        if state != self._shown:
            self._shown = state
            self._note.visible, self._note.content = note is not None, note or ""
            self._show_tool()
            can_act = is_live and past is None
            self._kick.disabled = not can_act or note is not None
            for control in (self._tool, self._over, self._upright):
                control.disabled = not can_act
            self._time.disabled = not is_live
            self._branch.disabled = self._now.disabled = past is None or not is_live
            self._ghosts.disabled = not can_act or not session.ghosts
            if past is None:
                self._time.value = 0.0
        self._numbers.show(session, is_usable=is_live and past is None)

    def _show_tool(self) -> None:
        word = next(word for word, tool in WORDS.items() if tool == self._touch.tool)
        self._tool.value = cast("str", word)

    def restore(self, loop: Loop) -> None:
        """Set the controls to the current state."""
        self._show_tool()
        self._way.value, self._strength.value = self._chosen
        past, now = loop.past.shown, loop.session.simulation.time
        self._time.value = 0.0 if past is None else max(past.time - now, -SPAN)
        self._shown = ()
