"""Controls of the page."""

from collections.abc import Iterable

import viser

from grouser.description import course_names, robot_names
from grouser.models import CATALOGUE
from grouser.viewer.cameras import MODES, Cameras
from grouser.viewer.charts import Charts, RecordPanel, Widgets
from grouser.viewer.commands import Desk
from grouser.viewer.input import Seat
from grouser.viewer.loop import Loop
from grouser.viewer.scene.stage import Stage
from grouser.viewer.session import Choice
from grouser.viewer.stream import History


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


class ViewPanel:
    """Switches of the picture. Everybody may use them."""

    def __init__(self, gui: viser.GuiApi) -> None:
        with gui.add_folder("View"):
            self.trails = gui.add_checkbox("Trails", True)
            self.arrows = gui.add_checkbox("Contact forces and slip", False)

    def apply(self, stage: Stage) -> None:
        """Show or hide what the switches say."""
        if stage.trails != self.trails.value:
            stage.trails = self.trails.value
        if stage.arrows != self.arrows.value:
            stage.arrows = self.arrows.value


class OwnPanel:
    """Controls at the top of one page."""

    def __init__(self, client: viser.ClientHandle, cameras: Cameras, seat: Seat) -> None:
        self._client_id = client.client_id
        self._cameras, self._seat = cameras, seat
        gui = client.gui
        self._take = gui.add_button("Take the wheel", color="green", visible=False, order=-2)
        self._camera = gui.add_dropdown(
            "Camera", MODES, initial_value=cameras.mode(client), hint="C", order=-1
        )
        self._take.on_click(lambda _: seat.hand_over(client.client_id))
        self._camera.on_update(lambda _: cameras.set_mode(client, self._camera.value))

    def show(self) -> None:
        """Offer the wheel to whoever does not have it."""
        watches = self._seat.driver != self._client_id
        if self._take.visible != watches:
            self._take.visible = watches

    def next_camera(self) -> None:
        """See the robot in the next way."""
        place = MODES.index(self._camera.value)
        self._camera.value = MODES[(place + 1) % len(MODES)]


class Panel:
    """Controls, and under another tab the charts."""

    def __init__(self, gui: viser.GuiApi, desk: Desk) -> None:
        self._desk = desk
        widgets = Widgets(desk.loop.seat, self.restore)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Drive"):
            self._drive = DrivePanel(gui, desk, widgets)
            self._place = PlacePanel(gui, desk, widgets, desk.loop.session.choice)
            self.view = ViewPanel(gui)
        with tabs.add_tab("Charts"):
            self._charts = Charts(gui)
        with tabs.add_tab("Recordings"):
            self._records = RecordPanel(gui, desk, widgets)

    def show(self, loop: Loop, history: History) -> None:
        """Bring everything up to date."""
        self._place.show(loop.session.choice)
        self._drive.show(loop)
        self._records.show(loop)
        self._charts.show(history)

    def list_recordings(self) -> None:
        """Show what the folder of recordings holds now."""
        self._records.list()

    def restore(self) -> None:
        """Take back what controls say and was not granted."""
        self._place.restore(self._desk.loop.session.choice)
        self._drive.restore(self._desk.loop)
        self._records.show(self._desk.loop)
