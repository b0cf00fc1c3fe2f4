"""Switches of the scene."""

import viser

from grouser.viewer.scene.stage import Stage


class ViewPanel:
    """Switches of the scene; they work on every page."""

    def __init__(self, gui: viser.GuiApi) -> None:
        self.folder = gui.add_folder("View")
        with self.folder:
            self.trails = gui.add_checkbox("Trails", True)
            self.arrows = gui.add_checkbox("Contact forces and slip", False)

    def apply(self, stage: Stage) -> None:
        """Apply the switches to the scene."""
        if stage.trails != self.trails.value:
            stage.trails = self.trails.value
        if stage.arrows != self.arrows.value:
            stage.arrows = self.arrows.value
