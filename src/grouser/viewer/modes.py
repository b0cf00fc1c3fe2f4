"""Modes of clicks: while one is on, a click in the scene does more than turn the camera.

A mode ends with the tab in which it was begun, with its page and with its course, and as long as
it is on the page says so. So a click never does what somebody chose minutes ago, elsewhere.
"""

from grouser.viewer.builder import Builder
from grouser.viewer.commands import PageCommands
from grouser.viewer.input import DriverLock
from grouser.viewer.touch import Tool, Touch

CLICKS: dict[Tool, str] = {
    "Put": "A click on the ground puts the robot there.",
    "Push": "A click on the robot pushes it.",
}
"""What clicks do with each tool that waits for them."""


class Modes:
    """The mode of a page that drives, and its end; methods may be called from any thread."""

    def __init__(
        self, builder: Builder, touch: Touch | None, commands: PageCommands, lock: DriverLock
    ) -> None:
        self._builder, self._touch = builder, touch
        commands.leave_scene = lock.changed = self.end

    @property
    def status(self) -> dict[str, str] | None:
        """The tab of the mode, and what a click does; None if there is no mode."""
        state = self._builder.view
        if state.tool is not None:
            label = state.tool.label
            sentence = f"Each click on the ground places: {label.lower()}. Esc or a drive key ends."
            return {"tab": "Build", "piece": label, "sentence": sentence}
        if state.is_on:
            return {"tab": "Build", "sentence": "The course is edited: a click selects a piece."}
        if self._touch is not None and self._touch.tool in CLICKS:
            return {"tab": "Touch", "sentence": CLICKS[self._touch.tool]}
        return None

    def end(self) -> None:
        """End all modes."""
        if self._builder.view.is_on:
            self._builder.show(is_on=False)
        self.end_clicks()

    def end_clicks(self) -> None:
        """End what the next click would change; what is selected stays."""
        if self._builder.view.tool is not None:
            self._builder.show(tool=None)
        if self._touch is not None and self._touch.tool in CLICKS:
            self._touch.choose("Drag")
