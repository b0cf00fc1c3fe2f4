"""Other sites lead a browser to our page by addresses that viser's client acts on."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import pytest
from viser._messages import RunJavascriptMessage

from grouser.control import Sticks
from grouser.viewer import access
from grouser.viewer.app import DriveApp
from tests.browser.conftest import close_later, coarse, open_drive
from tests.browser.hostile_site import SCRIPT, HostileSite
from tests.viewer.browser import Tab, wait_until
from tests.viewer.elsewhere import Elsewhere
from tests.viewer.visitor import Visitor, drain

REFUSALS = ("Another site led here", "This page needs the token", "The address must not have")


class Board(Elsewhere):
    """A board that a person drives by the page; it remembers whether it was made to."""

    def __init__(self) -> None:
        super().__init__()
        self.put(1.0, 0.3)
        self.is_steered, self.is_driven = True, False

    def steer(self, sticks: Sticks, speed: float) -> None:
        self.is_driven |= sticks != Sticks()


@dataclass
class Victim:
    """A page that somebody drives."""

    page: DriveApp
    driver: Visitor
    board: Board | None

    @property
    def base(self) -> str:
        """Its address without the token."""
        return self.page.address.partition("?")[0]

    def check(self, site: HostileSite) -> None:
        """Raise if anything foreign drove, or was asked for anything."""
        assert site.visits == []
        assert self.page.lock.driver == self.driver.number
        assert self.page.lock.sticks == Sticks()
        assert self.board is None or not self.board.is_driven


@pytest.fixture(scope="module")
def site() -> Iterator[HostileSite]:
    with HostileSite() as opened:
        yield opened


@pytest.fixture(scope="module")
def tab(browser) -> Iterator[Tab]:
    opened = browser.open("data:text/html,nothing")
    yield opened
    opened.close()


@pytest.fixture(
    scope="module",
    params=[(is_board, token) for is_board in (False, True) for token in ("", "right")],
    ids=lambda given: f"{'hil' if given[0] else 'drive'}-{'token' if given[1] else 'open'}",
)
def victim(request, closing, tmp_path_factory) -> Iterator[Victim]:
    is_board, token = request.param
    board = Board() if is_board else None
    wishes = {"robot": "tp100", "model": "ideal", "external": board, "token": token}
    page = open_drive(tmp_path_factory.mktemp("victim"), **wishes)
    with Visitor(page) as driver:
        drain(driver)
        wait_until(lambda: page.lock.driver == driver.number, "somebody drives")
        yield Victim(page, driver, board)
    close_later(page, closing)


def follow(tab: Tab, site: HostileSite, way: str, address: str, host: str) -> None:
    """Open a page of another site and let it lead to an address; return when that has ended."""
    if way == "link to a redirect":
        way, address = "link", site.lead("redirect", address, host)
    tab.go(site.lead(way, address, host))
    if way == "frame":
        tab.wait_for("document.title === 'framed'")
    elif way == "link":
        tab.evaluate("document.getElementById('link').click(), 0")


def expect_refusal(tab: Tab, victim: Victim, way: str) -> None:
    """Wait for the end of a way to the victim; raise if it is not a refusal, or a script ran."""
    if way == "frame":
        frame = "frame-ancestors 'none'"
        wait_until(lambda: any(frame in said for said in tab.complaints()), "it is refused")
        tab.forget()
    else:
        tab.wait_for(f"location.origin + '/' === {victim.base!r} && document.body?.innerText")
        assert tab.evaluate("document.body.innerText").startswith(REFUSALS)
    assert tab.evaluate("window.pwned ?? window.grouser ?? null") is None


@pytest.mark.parametrize("way", ["link", "redirect", "link to a redirect", "frame"])
@pytest.mark.parametrize("key", ["websocket", "playbackPath"])
def test_no_hostile_address_gets_in(victim: Victim, site: HostileSite, tab: Tab, way, key):
    queries = ["", "token=right&"] if victim.page.needs_token else [""]
    host = "localhost" if key == "websocket" else "127.0.0.1"
    for known in queries:
        follow(tab, site, way, f"{victim.base}?{known}{site.queries[key]}", host)
        expect_refusal(tab, victim, way)
    victim.check(site)


@pytest.mark.parametrize("way", ["link", "link to a redirect", "frame"])
def test_other_sites_do_not_open_the_page_unless_they_know_the_token(victim, site, tab, way):
    for host in ("localhost", "127.0.0.1"):  # another site, and another port of the same one
        follow(tab, site, way, f"{victim.base}?robot=absolem", host)
        expect_refusal(tab, victim, way)
    if victim.page.needs_token and way == "frame":
        follow(tab, site, way, victim.page.address, host)
        expect_refusal(tab, victim, way)
    elif victim.page.needs_token:
        follow(tab, site, way, victim.page.address, host)
        tab.wait_for(f"location.origin + '/' === {victim.base!r} && window.grouser")
    victim.check(site)


def test_behind_the_gate_page_and_policy_keep_to_their_server(
    site: HostileSite, open_page, browser, monkeypatch
):
    page = open_page(robot="tp100", model="ideal")
    monkeypatch.setattr(access, "_find_problem", lambda query: None)
    tab = browser.open(coarse(f"{page.address}&{site.queries['playbackPath']}"))
    refusal = "connect-src"
    wait_until(lambda: any(refusal in said for said in tab.complaints()), "it is refused")
    tab.go(coarse(f"{page.address}&{site.queries['websocket']}"))
    tab.wait_for("window.grouser && grouser.client !== null && grouser.status", 60.0)
    page.server.gui.add_html(f'<img class="foreign" src=x onerror="{escape(SCRIPT)}">')
    tab.wait_for("document.querySelector('img.foreign') !== null")
    page.server._websock_server.queue_message(RunJavascriptMessage(source=SCRIPT))
    wait_until(lambda: any("unsafe-eval" in said for said in tab.complaints()), "it is refused")
    tab.evaluate(f"fetch({site.origin()!r} + '/stolen').catch(() => 0)")
    socket = f"new Promise(done => new WebSocket({site.socket!r}).onerror = () => done('refused'))"
    assert tab.evaluate(socket) == "refused"
    assert tab.evaluate("window.pwned ?? null") is None
    assert site.visits == []
    tab.close()
