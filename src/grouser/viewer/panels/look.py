"""Switch of the look of the scene."""

import viser

from grouser.viewer.look import WISHES, LookChoice, Wish
from grouser.viewer.panels.widgets import Widgets


class LookPanel:
    """A list of looks; what the driver chooses is shown on every page."""

    def __init__(self, gui: viser.GuiApi, widgets: Widgets, choice: LookChoice) -> None:
        self._choice = choice
        self._list = gui.add_dropdown(
            "Look",
            WISHES,
            initial_value=choice.wish,
            hint="automatic: full with a graphics card, leaner where frames are slow",
        )
        widgets.on_change(self._list, self._choose)

    def restore(self) -> None:
        """Show what is chosen now."""
        if self._list.value != self._choice.wish:
            self._list.value = self._choice.wish

    def _choose(self, wish: Wish) -> None:
        if wish != self._choice.wish:
            self._choice.choose(wish)
