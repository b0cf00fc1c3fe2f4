"""The whole panel."""

import viser

from grouser.viewer.desk import Desk
from grouser.viewer.history import History
from grouser.viewer.loop import Loop
from grouser.viewer.panel.charts import Charts
from grouser.viewer.panel.drive_panel import DrivePanel
from grouser.viewer.panel.place_panel import PlacePanel
from grouser.viewer.panel.record_panel import RecordPanel
from grouser.viewer.panel.view_panel import ViewPanel
from grouser.viewer.panel.widgets import Widgets


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
