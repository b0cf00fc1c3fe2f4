"""Looks and pages: the graphics card of each, its reports, and its reflections."""

import viser

from grouser.viewer.input import DriverLock, InputMessage
from grouser.viewer.look import LookChoice, is_software_renderer
from grouser.viewer.loop import Loop
from grouser.viewer.scene.lights import Look, add_reflections


class PageLooks:
    """Chooses the look by what the page that drives reports."""

    def __init__(self, choice: LookChoice, lock: DriverLock) -> None:
        self._choice, self._lock = choice, lock
        self._renderers: dict[int, str] = {}
        self._reflecting: dict[int, tuple[Look, int]] = {}

    def meet(self, client: int, renderer: str) -> None:
        """Remember the WebGL renderer of a page; choose by it, if the page drives."""
        self._renderers[client] = renderer
        self._meet_driver()

    def forget(self, client: int) -> None:
        """Forget a page that is gone."""
        self._renderers.pop(client, None)
        self._reflecting.pop(client, None)

    def hear(self, client: int, content: InputMessage) -> None:
        """Take the wish or the frame rate of the page that drives; not of others."""
        if client != self._lock.driver:
            return
        self._meet_driver()  # it may have taken control since it was met
        if content.wish is not None:
            self._choice.choose(content.wish)
        if content.frame_rate is not None and content.look is not None:
            self._choice.measure(content.frame_rate, content.look)

    def reflect(self, server: viser.ViserServer, loop: Loop) -> None:
        """Add reflections on pages with a graphics card; a new scene has none."""
        now = self._choice.look, loop.latest.scene
        for number, client in server.get_clients().items():
            renderer = self._renderers.get(number)
            if renderer is None or self._reflecting.get(number) == now:
                continue
            self._reflecting[number] = now
            if now[0] == "full" and not is_software_renderer(renderer):
                add_reflections(client.scene)

    def _meet_driver(self) -> None:
        driver = self._lock.driver
        renderer = None if driver is None else self._renderers.get(driver)
        if driver is not None and renderer is not None:
            self._choice.meet(driver, renderer)
