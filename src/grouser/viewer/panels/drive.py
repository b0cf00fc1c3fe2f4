"""Buttons and sliders of the run."""

import viser

from grouser.viewer.commands import PageCommands
from grouser.viewer.loop import Loop
from grouser.viewer.panels.flippers import FlipperControl
from grouser.viewer.panels.widgets import Widgets

FACTORS = {"0.1 ×": 0.1, "0.25 ×": 0.25, "0.5 ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0}
"""Real-time factors by their labels in the list."""


class DrivePanel:
    """Buttons and sliders of the run."""

    def __init__(self, gui: viser.GuiApi, commands: PageCommands, widgets: Widgets) -> None:
        if commands.has_twins:
            here = gui.add_button("Bring ghosts here", hint="To the robot; key Home")
            widgets.on_click(here, lambda _: commands.reset())
        if commands.can_stop:
            # Works on every page, not only on the driver's.
            stop = gui.add_button("STOP THE MOTORS", color="red", hint="Space")

            async def stop_motors(_: object) -> None:
                commands.stop_motors()  # at once, not queued behind other requests

            stop.on_click(stop_motors)
        with gui.add_folder("Drive", visible=commands.is_steered):
            self._time = gui.add_button_group(
                "", ("Pause", "One tick", "Reset"), hint="Keys: Space, N, Home"
            )
            self._path = gui.add_button("Follow the path", hint="Key O; any driving key ends it")
            self._factor = gui.add_dropdown(
                "Time",
                tuple(FACTORS),
                initial_value="1 ×",
                hint="Simulated time per wall time",
            )
            self._speed = gui.add_slider(
                "Speed [m/s]",
                min=0.01,
                max=1.0,
                step=0.01,
                initial_value=0.1,
                hint="Belt speed of a key that is held, and of the path follower",
            )
            self._flippers = FlipperControl(gui, commands, widgets)
        for control in (self._time, self._path, self._factor):
            control.visible = not commands.is_read_only
        self._shown: tuple[object, ...] = ()
        verbs = {"Pause": commands.pause, "One tick": commands.step, "Reset": commands.reset}
        widgets.on_click(self._time, lambda event: verbs[event.target.value]())
        widgets.on_click(self._path, lambda _: commands.follow_path())
        widgets.on_change(self._factor, lambda word: commands.set_factor(FACTORS[word]))
        widgets.on_change(self._speed, commands.set_speed)

    def show(self, loop: Loop) -> None:
        """Update the controls if the state has changed; a pending change stays."""
        state = self._read(loop)
        if state != self._shown:
            self.restore(loop)
            self._shown = state

    def restore(self, loop: Loop) -> None:
        """Set the controls to the current state."""
        is_following, self._path.disabled, limit, speed, factor = self._read(loop)[:5]
        self._path.label = "Stop following" if is_following else "Follow the path"
        if self._speed.max != round(limit, 2):
            self._speed.max = round(limit, 2)
        self._speed.value = round(speed, 2)
        self._flippers.restore(loop)
        self._factor.value = min(FACTORS, key=lambda word: abs(FACTORS[word] - factor))

    @staticmethod
    def _read(loop: Loop) -> tuple[bool, bool, float, float, float, object]:
        session = loop.session
        no_path = loop.player is not None or session.course.path is None
        limit = session.speed_limit
        flippers = FlipperControl.read(loop)
        return session.is_following, no_path, limit, session.speed, loop.clock.factor, flippers
