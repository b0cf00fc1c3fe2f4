"""All controls of the page: shared ones in tabs, and those of each page."""

import viser

from grouser.viewer.builder import Builder
from grouser.viewer.cameras import MODES, Cameras, Mode
from grouser.viewer.commands import PageCommands
from grouser.viewer.input import DriverLock
from grouser.viewer.look import LookChoice
from grouser.viewer.loop import Loop
from grouser.viewer.panels.build import BuildPanel
from grouser.viewer.panels.drive import DrivePanel
from grouser.viewer.panels.look import LookPanel
from grouser.viewer.panels.recordings import RecordPanel
from grouser.viewer.panels.scene import ScenePanel
from grouser.viewer.panels.touch import TouchPanel
from grouser.viewer.panels.view import ViewPanel
from grouser.viewer.panels.widgets import Widgets
from grouser.viewer.touch import Touch


class OwnPanel:
    """Controls at the top, separate for each page."""

    def __init__(self, client: viser.ClientHandle, cameras: Cameras, lock: DriverLock) -> None:
        self._client, self._client_id = client, client.client_id
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
        self.set_camera(MODES[(place + 1) % len(MODES)])

    def set_camera(self, mode: Mode) -> None:
        """Switch to a camera mode."""
        self._cameras.set_mode(self._client, mode)
        self._camera.value = mode


class Panel:
    """All controls, in tabs."""

    def __init__(
        self,
        gui: viser.GuiApi,
        commands: PageCommands,
        look: LookChoice,
        builder: Builder | None = None,
        touch: Touch | None = None,
    ) -> None:
        self._commands, self._builder = commands, builder
        self.widgets = widgets = Widgets(commands.loop.lock, self.restore)
        """The controls of the driver."""
        tabs = gui.add_tab_group()
        with tabs.add_tab("Drive"):
            self._drive = DrivePanel(gui, commands, widgets)
            self._scene = ScenePanel(gui, commands, widgets, commands.loop)
            self.view = ViewPanel(gui, widgets)
            with self.view.folder:
                self._look = LookPanel(gui, widgets, look)
        self._touch: TouchPanel | None = None
        if touch is not None:
            with tabs.add_tab("Touch"):
                self._touch = TouchPanel(gui, touch, commands, widgets)
        self._build: BuildPanel | None = None
        if builder is not None:
            with tabs.add_tab("Build"):
                self._build = BuildPanel(gui, builder, widgets)
        with tabs.add_tab("Recordings"):
            self._records = RecordPanel(gui, commands, widgets)

    def show(self, loop: Loop) -> None:
        """Update all controls."""
        self._scene.show(loop)
        self._drive.show(loop)
        self._records.show(loop)
        if self._touch is not None:
            self._touch.show(loop)
        if self._build is not None and self._builder is not None:
            self._build.show(self._builder.state)

    def list_recordings(self) -> None:
        """Update the list of recordings."""
        self._records.list()

    def restore(self) -> None:
        """Undo changes of controls that had no effect."""
        self._scene.restore(self._commands.loop)
        self._drive.restore(self._commands.loop)
        self._records.show(self._commands.loop)
        if self._touch is not None:
            self._touch.restore(self._commands.loop)
        self.view.restore()
        self._look.restore()
        if self._build is not None and self._builder is not None:
            self._build.restore(self._builder.state)
