"""Connects controls with actions of the page that drives."""

from collections.abc import Callable
from typing import Any

from grouser.viewer.input import DriverLock

QUIET = (233, 236, 239)
"""Colour of buttons beside the main one of a tab."""
WATCHING = "You are watching. Press “Take control” to drive."


class Widgets:
    """Connects controls with actions of the driver; a watcher's change is undone."""

    def __init__(self, lock: DriverLock, restore: Callable[[], None]) -> None:
        self._lock, self._restore = lock, restore
        self._uuids: list[str] = []

    @property
    def uuids(self) -> tuple[str, ...]:
        """Identifiers of the controls that only the driver can use, as viser's page has them."""
        return tuple(self._uuids)

    def on_click(self, button: Any, action: Callable[[Any], None]) -> None:
        """Run an action with the event when the driver presses a button."""
        self._add(button)
        button.on_click(self._for_driver(action))

    def on_change(self, control: Any, action: Callable[[Any], None]) -> None:
        """Run an action with the value that the driver sets."""
        self._add(control)
        control.on_update(self._for_driver(lambda event: action(event.target.value)))

    def remove(self, control: Any) -> None:
        """Remove a control from the page."""
        self._uuids.remove(control._impl.uuid)  # noqa: SLF001 - no public API
        control.remove()

    def _add(self, control: Any) -> None:
        self._uuids.append(control._impl.uuid)  # noqa: SLF001 - no public API

    def _for_driver(self, action: Callable[[Any], None]) -> Callable[[Any], Any]:
        async def run(event: Any) -> None:
            # viser calls coroutines at once, while the control still has the value that was set.
            if event.client_id is None:
                return  # set by the program, not by a person
            if self._lock.acquire(event.client_id):
                action(event)
                return
            self._restore()
            if event.client is not None:
                event.client.add_notification("Watching", WATCHING, auto_close_seconds=4.0)

        return run
