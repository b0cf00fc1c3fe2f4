"""Controls that only the driver may use."""

from collections.abc import Callable
from typing import Any

import viser

from grouser.viewer.seat import Seat

WATCHING = "You are watching: press “Take the wheel” to drive."


class Widgets:
    """Attaches wishes to controls: what a watcher touches goes back to what it was."""

    def __init__(self, seat: Seat, restore: Callable[[], None]) -> None:
        self._seat, self._restore = seat, restore

    def on_click(self, button: viser.GuiButtonHandle, wish: Callable[[], None]) -> None:
        """Do something when the driver presses a button."""
        self.on_press(button, lambda _: wish())

    def on_press(self, buttons: Any, wish: Callable[[Any], None]) -> None:
        """Do something when the driver presses one of a group of buttons."""
        buttons.on_click(self._granting(wish))

    def on_change(self, control: Any, wish: Callable[[Any], None]) -> None:
        """Do something with the value that the driver sets."""
        control.on_update(self._granting(wish))

    def _granting(self, wish: Callable[[Any], None]) -> Callable[[Any], Any]:
        async def grant(event: Any) -> None:
            # A coroutine is called at once, while the control still has the value that was set.
            self._grant(event, wish)

        return grant

    def _grant(self, event: Any, wish: Callable[[Any], None]) -> None:
        if event.client_id is None:
            return  # set by the program itself
        if event.client_id == self._seat.driver:
            wish(event.target.value)
            return
        self._restore()
        if event.client is not None:
            event.client.add_notification("Watching", WATCHING, auto_close_seconds=4.0)
