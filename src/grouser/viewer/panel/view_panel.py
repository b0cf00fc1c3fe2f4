"""What is seen beside the robot: trails and arrows."""

import viser

from grouser.viewer.figures.stage import Stage


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
