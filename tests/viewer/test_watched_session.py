"""A robot that somebody else drives, on the page."""

from collections.abc import Iterator

import pytest

from grouser.control import Sticks
from grouser.viewer.app import DriveApp
from grouser.viewer.commands import ReadOnlyCommands
from grouser.viewer.session import Choice, WatchedSession
from tests.viewer.browser import wait_until
from tests.viewer.elsewhere import Elsewhere

CHOICE = Choice(robot="tp100", course="flat", model="ideal")


@pytest.fixture
def elsewhere() -> Elsewhere:
    return Elsewhere()


@pytest.fixture
def page(elsewhere, tmp_path) -> Iterator[DriveApp]:
    with DriveApp(CHOICE, port=0, folder=tmp_path, external=elsewhere) as opened:
        yield opened


def test_the_page_shows_where_the_robot_is_elsewhere(elsewhere):
    session = WatchedSession(CHOICE, elsewhere)
    session.advance(Sticks(forward=1.0))
    assert session.snapshot().motion.pose.x == 0.0
    elsewhere.put(2.0, 0.5)
    session.advance(Sticks(forward=1.0))
    now = session.snapshot()
    assert (now.time, now.mode, now.motion.pose.x) == (2.0, "board", 0.5)
    assert now.frames[0].belt_travels == pytest.approx((0.2, 0.2))
    assert not session.was_driven


def test_the_page_can_stop_the_motors_and_nothing_else(page, elsewhere):
    assert isinstance(page.commands, ReadOnlyCommands)
    page.loop.set_watched(True)
    elsewhere.put(1.0, 0.3)
    wait_until(lambda: page.loop.latest.motion.pose.x == 0.3, "it is shown")
    run = page.loop.session.run
    page.commands.choose(course="step")
    page.commands.act("reset")
    page.commands.act("path")
    assert page.loop.session.choice == CHOICE
    assert page.loop.session.run == run
    assert not elsewhere.is_stopped
    page.commands.act("pause")
    assert elsewhere.is_stopped
    assert not page.loop.is_paused
