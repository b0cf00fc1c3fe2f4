"""How it is driven: time, speed and the path follower."""

import viser

from grouser.viewer.desk import Desk
from grouser.viewer.loop import Loop
from grouser.viewer.panel.widgets import Widgets

FACTORS = {"0.1 ×": 0.1, "0.25 ×": 0.25, "0.5 ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0}
"""How fast time may pass."""


class DrivePanel:
    """Buttons and sliders of the drive."""

    def __init__(self, gui: viser.GuiApi, desk: Desk, widgets: Widgets) -> None:
        if desk.is_watching:
            # For everybody, whoever has the wheel.
            stop = gui.add_button("STOP THE MOTORS", color="red", hint="Space")

            async def stop_motors(_: object) -> None:
                desk.stop_motors()  # at once, behind nothing else that pages want

            stop.on_click(stop_motors)
        with gui.add_folder("Drive", visible=not desk.is_watching):
            self._time = gui.add_button_group(
                "", ("Pause", "One tick", "Reset"), hint="Space, N, Home"
            )
            self._path = gui.add_button("Follow the path", hint="O; any driving key takes back")
            self._factor = gui.add_dropdown("Time", tuple(FACTORS), initial_value="1 ×")
            self._speed = gui.add_slider(
                "Speed [m/s]", min=0.01, max=1.0, step=0.01, initial_value=0.1
            )
        self._shown: tuple[object, ...] = ()
        verbs = {"Pause": desk.pause, "One tick": desk.step, "Reset": desk.reset}
        widgets.on_press(self._time, lambda word: verbs[word]())
        widgets.on_click(self._path, desk.follow_path)
        widgets.on_change(self._factor, lambda word: desk.set_factor(FACTORS[word]))
        widgets.on_change(self._speed, desk.set_speed)

    def show(self, loop: Loop) -> None:
        """Show how it is driven, when that has changed: a wish on its way stays in its control."""
        session = loop.session
        follow = "Take back" if session.is_following else "Follow the path"
        no_path = loop.player is not None or session.course.path is None
        state = (follow, no_path, session.robot.drive.speed_limit, session.speed, loop.clock.factor)
        if state != self._shown:
            self.restore(loop)
            self._shown = state

    def restore(self, loop: Loop) -> None:
        """Show how it is driven, whatever the controls say."""
        session = loop.session
        self._path.label = "Take back" if session.is_following else "Follow the path"
        self._path.disabled = loop.player is not None or session.course.path is None
        limit = round(session.robot.drive.speed_limit, 2)
        if self._speed.max != limit:
            self._speed.max = limit
        self._speed.value = round(session.speed, 2)
        self._factor.value = min(FACTORS, key=lambda word: abs(FACTORS[word] - loop.clock.factor))
