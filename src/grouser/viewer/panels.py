"""Controls of the page: run, scene, view and camera."""

from collections.abc import Iterable
from functools import partial

import viser

from grouser.description import course_names, robot_names
from grouser.models import CATALOGUE
from grouser.viewer.cameras import MODES, Cameras
from grouser.viewer.charts import Charts, RecordPanel, Widgets
from grouser.viewer.commands import PageCommands
from grouser.viewer.input import DriverLock
from grouser.viewer.loop import Loop
from grouser.viewer.scene.stage import Stage
from grouser.viewer.session import Session
from grouser.viewer.soils import FIRM, chosen_soil, soil_choices
from grouser.viewer.stream import History


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
        with gui.add_folder("Ghosts (other models, same commands)", expand_by_default=False):
            names = _with(CATALOGUE, FIRM, *session.ghosts)
            self._ghosts = {name: gui.add_checkbox(name, False) for name in names}
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

    def _set_ghosts(self) -> None:
        self._commands.set_ghosts(tuple(name for name, box in self._ghosts.items() if box.value))


def _with(names: Iterable[str], *also: str) -> tuple[str, ...]:
    """Return the names, preceded by those of `also` that are not among them, such as files."""
    known = tuple(names)
    return (*(name for name in dict.fromkeys(also) if name not in known), *known)


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
        is_following, self._path.disabled, limit, speed, factor = self._read(loop)
        self._path.label = "Stop following" if is_following else "Follow the path"
        if self._speed.max != round(limit, 2):
            self._speed.max = round(limit, 2)
        self._speed.value = round(speed, 2)
        self._factor.value = min(FACTORS, key=lambda word: abs(FACTORS[word] - factor))

    @staticmethod
    def _read(loop: Loop) -> tuple[bool, bool, float, float, float]:
        session = loop.session
        no_path = loop.player is not None or session.course.path is None
        limit = session.robot.drive.speed_limit
        return session.is_following, no_path, limit, session.speed, loop.clock.factor


class ViewPanel:
    """Switches of the scene; they work on every page."""

    def __init__(self, gui: viser.GuiApi) -> None:
        with gui.add_folder("View"):
            self.trails = gui.add_checkbox("Trails", True)
            self.arrows = gui.add_checkbox("Contact forces and slip", False)

    def apply(self, stage: Stage) -> None:
        """Apply the switches to the scene."""
        if stage.trails != self.trails.value:
            stage.trails = self.trails.value
        if stage.arrows != self.arrows.value:
            stage.arrows = self.arrows.value


class OwnPanel:
    """Controls at the top, separate for each page."""

    def __init__(self, client: viser.ClientHandle, cameras: Cameras, lock: DriverLock) -> None:
        self._client_id = client.client_id
        self._cameras, self._lock = cameras, lock
        gui = client.gui
        self._take = gui.add_button(
            "Take control",
            color="green",
            visible=False,
            order=-2,
            hint="Drive instead of the page that drives now",
        )
        self._camera = gui.add_dropdown(
            "Camera", MODES, initial_value=cameras.mode(client), hint="Key C", order=-1
        )
        self._take.on_click(lambda _: lock.give_to(client.client_id))
        self._camera.on_update(lambda _: cameras.set_mode(client, self._camera.value))

    def show(self) -> None:
        """Show `Take control` if another page drives."""
        watches = self._lock.driver not in (None, self._client_id)
        if self._take.visible != watches:
            self._take.visible = watches

    def next_camera(self) -> None:
        """Switch to the next camera mode."""
        place = MODES.index(self._camera.value)
        self._camera.value = MODES[(place + 1) % len(MODES)]


class Panel:
    """All controls, in three tabs."""

    def __init__(self, gui: viser.GuiApi, commands: PageCommands) -> None:
        self._commands = commands
        widgets = Widgets(commands.loop.lock, self.restore)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Drive"):
            self._drive = DrivePanel(gui, commands, widgets)
            self._scene = ScenePanel(gui, commands, widgets, commands.loop.session)
            self.view = ViewPanel(gui)
        with tabs.add_tab("Charts"):
            self._charts = Charts(gui)
        with tabs.add_tab("Recordings"):
            self._records = RecordPanel(gui, commands, widgets)

    def show(self, loop: Loop, history: History) -> None:
        """Update all controls and charts."""
        self._scene.show(loop.session)
        self._drive.show(loop)
        self._records.show(loop)
        self._charts.show(history)

    def list_recordings(self) -> None:
        """Update the list of recordings."""
        self._records.list()

    def restore(self) -> None:
        """Undo changes of controls that had no effect."""
        self._scene.restore(self._commands.loop.session)
        self._drive.restore(self._commands.loop)
        self._records.show(self._commands.loop)
