"""Switches of the scene."""

from collections.abc import Collection

import viser

from grouser.viewer.panels.widgets import Widgets
from grouser.viewer.scene.readings import OVERLAYS, Overlays
from grouser.viewer.scene.stage import Stage

LABELS = {
    "trails": "Trails",
    "forces": "Contact forces",
    "slip": "Slip at contacts",
    "pressure": "Pressure under belts",
    "support": "Centre of mass, support",
    "icr": "Centres of rotation (ICR)",
    "lidar": "Lidar points",
}
"""Label of each switch by its name."""


class ViewPanel:
    """Switches of the scene, which all pages share; the page that drives has them."""

    def __init__(self, gui: viser.GuiApi, widgets: Widgets) -> None:
        self.folder = gui.add_folder("View")
        with self.folder:
            self.switches = {
                name: gui.add_checkbox(label, name == "trails") for name, label in LABELS.items()
            }
        self.shown: tuple[str, ...] = ("trails",)
        """Names of the switches that are on."""
        for switch in self.switches.values():
            widgets.on_change(switch, lambda _: self._read())

    def choose(self, names: Collection[str]) -> None:
        """Switch these on, and all others off."""
        self.shown = tuple(name for name in self.switches if name in names)
        self.restore()

    def restore(self) -> None:
        """Show what is on."""
        for name, switch in self.switches.items():
            if switch.value != (name in self.shown):
                switch.value = name in self.shown

    def _read(self) -> None:
        self.shown = tuple(name for name, switch in self.switches.items() if switch.value)

    def apply(self, stage: Stage, overlays: Overlays) -> None:
        """Apply the switches to the scene."""
        shown = self.shown
        if stage.trails != ("trails" in shown):
            stage.trails = "trails" in shown
        for name in OVERLAYS:
            overlays.switch(name, name in shown)
