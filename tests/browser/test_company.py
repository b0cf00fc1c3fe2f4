"""Several browsers: one drives, the others watch; strangers stay outside."""

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.browser.conftest import coarse
from tests.browser.test_touching import ASIDE, drag, hold
from tests.viewer.browser import wait_until
from tests.viewer.visitor import open_socket


def speed(page) -> float:
    return float(page.loop.latest.motion.twist.vx)


def test_a_closed_tab_stops_the_robot(open_page, browser):
    page = open_page()
    tab = browser.open(coarse(page.address))
    tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'", 60.0)
    tab.press("w")
    wait_until(lambda: speed(page) > 0.1, "the robot drives")
    tab.close()
    wait_until(lambda: page.lock.driver is None, "the lock is free")
    wait_until(lambda: abs(speed(page)) < 0.005, "the robot stands")


def test_a_second_tab_watches_and_touches_nothing_until_it_takes_the_wheel(open_page, open_tab):
    page = open_page()
    first, second = open_tab(page), open_tab(page)
    second.wait_for("grouser.status.you === 'watch'")
    second.press("w")
    second.wait_for("grouser.status.time > 0.5 + 0 * grouser.status.speed")
    assert abs(speed(page)) < 0.005
    second.release("w")
    second.wait_for("document.getElementById('grouser-mode').textContent === 'watching'")
    drag(second)
    second.click_text("Touch", "[role=tab], button")
    second.click_text("Kick it")
    hold(second, "mouseReleased", ASIDE)
    assert page.loop.session.simulation.events.all == ()
    second.click_text("Drive", "[role=tab], button")
    second.click_text("Pause", "button, label")
    second.wait_for("document.body.textContent.includes('You are watching')")
    assert not page.loop.is_paused
    assert page.loop.session.simulation.events.all == ()
    second.click_text("Take control", "button")
    second.wait_for("grouser.status.you === 'drive'")
    first.wait_for("grouser.status.you === 'watch'")
    second.press("w")
    wait_until(lambda: speed(page) > 0.1, "the new driver drives")
    second.release("w")


def test_a_wrong_token_is_refused(open_page, browser, open_tab):
    page = open_page(token="right")
    address, _, _ = page.address.partition("?")
    tab = browser.open(f"{address}?token=wrong")
    assert "needs the token" in tab.evaluate("document.body.textContent")
    tab.close()
    keys = address.replace("http:", "ws:")
    for path in ("", "keys", "keys?token=wrong"):
        with pytest.raises(InvalidStatus, match="403"):
            connect(keys + path, proxy=None)
    right = open_tab(page)
    right.wait_for("grouser.status.you === 'drive'")


def test_another_site_cannot_reach_the_keys(open_page):
    page = open_page()
    with pytest.raises(InvalidStatus, match="403"):
        open_socket(page, "keys", origin="http://evil.example")
    open_socket(page, "keys").close()
