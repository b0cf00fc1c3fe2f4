"""A browser for all tests, and a page for each."""

from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest

from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp
from grouser.viewer.session import ExternalRobot
from tests.viewer.browser import Browser, Tab, wait_until

PATIENCE = 90.0
"""How long a page may take to appear on a busy machine without a graphics card [s]."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # A small page: the fewer pixels, the sooner a key is heard without a graphics card.
    with Browser(900, 620) as opened:
        yield opened


@pytest.fixture(scope="session")
def closing() -> Iterator[list[Thread]]:
    """Pages that are being closed: a server waits seconds for sockets that a browser keeps."""
    threads: list[Thread] = []
    yield threads
    for thread in threads:
        thread.join()


@pytest.fixture
def open_page(tmp_path, closing) -> Iterator[Callable[..., DriveApp]]:
    """Opens pages that are closed after the test."""
    pages = []

    def make(
        token: str | None = None,
        external: ExternalRobot | None = None,
        ghosts: tuple[str, ...] = (),
        is_awaited: bool = True,
        **wishes: Any,
    ) -> DriveApp:
        scenario = Scenario(**({"robot": "absolem", "course": "flat", "model": "csm"} | wishes))
        options = {"ghosts": ghosts, "token": token, "external": external}
        pages.append(DriveApp(scenario, port=0, folder=tmp_path / "drives", **options))
        if is_awaited:
            wait_until(lambda: pages[-1].loop.session.note is None, "it is compiled", PATIENCE)
        return pages[-1]

    yield make
    for page in pages:
        wait_until(lambda page=page: not page.server.get_clients(), "all tabs are gone")
        closing.append(Thread(target=page.stop))
        closing[-1].start()


@pytest.fixture
def open_tab(browser) -> Iterator[Callable[[DriveApp], Tab]]:
    """Opens tabs that are closed after the test."""
    tabs = []

    def make(page: DriveApp) -> Tab:
        tab = browser.open(page.address)
        tabs.append(tab)
        tab.wait_for("window.grouser && grouser.client !== null && grouser.status", PATIENCE)
        return tab

    yield make
    for tab in tabs:
        tab.close()
