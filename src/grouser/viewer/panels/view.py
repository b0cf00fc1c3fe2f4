"""Switches of the scene."""

from collections.abc import Collection

import viser

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
    """Switches of the scene; they work on every page."""

    def __init__(self, gui: viser.GuiApi) -> None:
        self.folder = gui.add_folder("View")
        with self.folder:
            self.switches = {
                name: gui.add_checkbox(label, name == "trails") for name, label in LABELS.items()
            }

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of the switches that are on."""
        return tuple(name for name, switch in self.switches.items() if switch.value)

    def choose(self, names: Collection[str]) -> None:
        """Switch these on, and all others off."""
        for name, switch in self.switches.items():
            if switch.value != (name in names):
                switch.value = name in names

    def apply(self, stage: Stage, overlays: Overlays) -> None:
        """Apply the switches to the scene."""
        if stage.trails != self.switches["trails"].value:
            stage.trails = self.switches["trails"].value
        for name in OVERLAYS:
            overlays.switch(name, self.switches[name].value)
