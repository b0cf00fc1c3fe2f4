"""A browser for all tests, and a page for each."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from grouser.control import Sticks
from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp
from grouser.viewer.watched_session import ExternalRobot
from tests.viewer.browser import Browser, Tab, wait_until

FRAMES = 8.0
"""Pictures that a page draws per second; no test waits for more [1/s]."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # A small page: the fewer pixels, the sooner a key is heard without a graphics card.
    with Browser(900, 620, FRAMES) as opened:
        yield opened


@pytest.fixture(scope="session")
def closing() -> Iterator[list[Thread]]:
    """Pages that are being closed: a server waits seconds for sockets that a browser keeps."""
    threads: list[Thread] = []
    yield threads
    for thread in threads:
        thread.join()


def open_drive(
    folder: Path,
    token: str | None = None,
    external: ExternalRobot | None = None,
    ghosts: tuple[str, ...] = (),
    **wishes: Any,
) -> DriveApp:
    """Open a page to drive on."""
    scenario = Scenario(**({"robot": "absolem", "course": "flat", "model": "csm"} | wishes))
    options = {"ghosts": ghosts, "token": token, "external": external}
    return DriveApp(scenario, port=0, folder=folder / "drives", **options)


def wait_for_model(page: DriveApp) -> None:
    wait_until(lambda: page.loop.session.note is None, "it is compiled")


def coarse(address: str) -> str:
    """Return an address whose page draws few pixels: without a graphics card each takes time."""
    return f"{address}&fixedDpr=0.25"  # a token comes first


def load_tab(browser: Browser, page: DriveApp) -> Tab:
    """Open a tab and wait until its page has appeared."""
    tab = browser.open(coarse(page.address))
    tab.wait_for("window.grouser && grouser.client !== null && grouser.status")
    return tab


def close_later(page: DriveApp, closing: list[Thread]) -> None:
    wait_until(lambda: not page.server.get_clients(), "all tabs are gone")
    closing.append(Thread(target=page.stop))
    closing[-1].start()


@pytest.fixture
def open_page(tmp_path, closing) -> Iterator[Callable[..., DriveApp]]:
    """Opens pages that are closed after the test."""
    pages = []

    def make(*, is_awaited: bool = True, **wishes: Any) -> DriveApp:
        pages.append(open_drive(tmp_path, **wishes))
        if is_awaited:
            wait_for_model(pages[-1])
        return pages[-1]

    yield make
    for page in pages:
        close_later(page, closing)


@pytest.fixture
def open_tab(browser) -> Iterator[Callable[[DriveApp], Tab]]:
    """Opens tabs that are closed after the test."""
    tabs = []

    def make(page: DriveApp) -> Tab:
        tabs.append(load_tab(browser, page))
        return tabs[-1]

    yield make
    for tab in tabs:
        tab.close()


@pytest.fixture(scope="module")
def shared(browser, closing, tmp_path_factory) -> Iterator[tuple[DriveApp, Tab]]:
    """A page and its tab for all tests of a file: to appear takes it seconds."""
    page = open_drive(tmp_path_factory.mktemp("shared"))
    wait_for_model(page)
    tab = load_tab(browser, page)
    yield page, tab
    tab.close()
    close_later(page, closing)


@pytest.fixture
def driven(shared) -> tuple[DriveApp, Tab]:
    """The shared page and its tab, which drives, at the begin of a new run."""
    page, tab = shared
    tab.wait_for("grouser.status.you === 'drive'")
    wait_until(lambda: page.lock.sticks == Sticks(), "no key is held")
    run = page.loop.session.run
    page.commands.reset()
    wait_until(lambda: page.loop.latest.run != run, "it starts anew")
    return page, tab
