"""Modes of clicks end with their page and their course, and with a drive key."""

import pytest

from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp
from grouser.viewer.palette import PALETTE
from tests.viewer.browser import wait_until

FIRST, SECOND = 1, 2
BOX = PALETTE[0]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    scenario = Scenario(robot="tp100", course="flat", model="csm")
    with DriveApp(scenario, port=0, folder=tmp_path_factory.mktemp("modes")) as opened:
        wait_until(lambda: opened.loop.session.note is None, "it is compiled", 300.0)
        yield opened


@pytest.fixture
def placing(page):
    page.lock.give_to(FIRST)
    page.builder.show(is_on=True, tool=BOX)
    assert page.modes.status == {
        "tab": "Build",
        "piece": "Box",
        "sentence": "Each click on the ground places: box. Esc or a drive key ends.",
    }
    return page


def test_a_mode_ends_with_its_page(placing):
    placing.lock.give_to(SECOND)
    assert placing.modes.status is None
    placing.builder.show(is_on=True, tool=BOX)
    placing.lock.release(SECOND)
    assert placing.modes.status is None


def test_a_mode_ends_with_its_course_but_not_by_an_edit_of_it(placing):
    placing.builder.click((0.5, 0.5, 0.0), None)
    placing.builder.wait()
    wait_until(lambda: len(placing.loop.session.course.pieces) == 2, "the box is placed")
    assert placing.builder.view.tool is BOX
    session = placing.loop.session
    placing.commands.choose(course="step")
    wait_until(lambda: placing.loop.session is not session, "the course is another one")
    assert placing.modes.status is None


def test_a_drive_key_ends_what_a_click_changes_and_keeps_what_is_selected(placing):
    placing._start_driving()
    assert placing.builder.view.tool is None
    assert placing.builder.view.is_on
    placing.modes.end()
    placing.touch.choose("Put")
    assert placing.modes.status == {
        "tab": "Touch", "sentence": "A click on the ground puts the robot there."
    }  # fmt: skip
    placing._start_driving()
    assert placing.touch.tool == "Drag"


def test_only_the_driver_ends_a_mode_and_escape_ends_it_too(placing):
    placing._act(SECOND, "end")
    assert placing.builder.view.is_on
    placing._act(FIRST, "end")
    assert placing.modes.status is None
    placing.touch.choose("Push")
    placing._edit("deselect")
    assert placing.modes.status is None
    placing.touch.choose("Camera")
    placing.modes.end()
    assert placing.touch.tool == "Camera"
    placing.touch.choose("Drag")
