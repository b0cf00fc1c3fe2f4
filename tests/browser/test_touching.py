"""The robot is touched with a real mouse or finger; numbers change; time goes back."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grouser.log import Log
from grouser.scenario import replay
from grouser.viewer.app import DriveApp
from tests.browser.test_scene import choose
from tests.viewer.browser import Tab, wait_until

ROBOT, ASIDE = (440.0, 300.0), (250.0, 380.0)
"""Places of the page: the robot, in the middle of the picture, and free ground [pixels]."""


def hold(tab: Tab, kind: str, place: tuple[float, float]) -> None:
    """Press, move or release the mouse."""
    pressed = {"button": "left", "buttons": int(kind != "mouseReleased"), "clickCount": 1}
    tab.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], **pressed)


def way(start: tuple[float, float], end: tuple[float, float]) -> list[tuple[float, float]]:
    """Return places from one to the other."""
    shares = [step / 6.0 for step in range(1, 7)]
    return [tuple(a + part * (b - a) for a, b in zip(start, end, strict=True)) for part in shares]  # type: ignore[misc]


def drag(tab: Tab) -> None:
    """Drag from the robot aside, and keep the button pressed."""
    hold(tab, "mousePressed", ROBOT)
    for place in way(ROBOT, ASIDE):
        hold(tab, "mouseMoved", place)


def set_slider(tab: Tab, label: str, share: float) -> None:
    """Click on the track of a slider, at a share of its length."""
    script = f"""(() => {{
        const label = [...document.querySelectorAll("label")]
            .find(e => e.textContent.trim() === {label!r});
        let row = label;
        while (row && !row.querySelector("[class*=Slider-track]")) row = row.parentElement;
        const track = row && row.querySelector("[class*=Slider-track]");
        if (!track) return null;
        track.scrollIntoView({{block: "center"}});
        const box = track.getBoundingClientRect();
        return [box.x + {share} * box.width, box.y + box.height / 2];
    }})()"""
    tab.click(*tab.rest(script))


def pose(page: DriveApp) -> Any:
    return page.loop.latest.frames[0].pose


def wait(page: DriveApp, condition: Callable[[], Any], what: str) -> Any:
    return wait_until(condition, f"{what}; it is at {pose(page)}")


def click_until(
    page: DriveApp, tab: Tab, place: tuple[float, float], condition: Callable[[], bool]
) -> None:
    """Click until something has happened: a page reports clicks a moment after it is told to."""

    def click() -> bool:
        tab.click(*place)
        time.sleep(0.5)
        return condition()

    wait(page, click, "a click acts")


def find(page: DriveApp, rows: int) -> Log | None:
    """Return the recording that was saved automatically with so many rows; None if none was."""
    kept = page.commands.recordings
    logs = (kept.load(name) for name in kept.names() if name.startswith("auto-"))
    return next((log for log in logs if len(log) == rows), None)


@pytest.fixture
def touched(driven) -> tuple[DriveApp, Tab]:
    page, tab = driven
    tab.click_text("Touch", "[role=tab], button")
    tab.wait_for("document.body.textContent.includes('Kick it')")
    return page, tab


def test_a_robot_is_dragged_by_mouse_and_finger_and_the_recording_repeats_it(touched):
    page, tab = touched
    drag(tab)
    wait(page, lambda: page.loop.latest.pull, "the robot is pulled")
    wait(page, lambda: math.hypot(float(pose(page).x), float(pose(page).y)) > 0.04, "it moves")
    hold(tab, "mouseReleased", ASIDE)
    wait(page, lambda: page.loop.latest.pull is None, "it is let go")
    page.commands.save()
    name = wait(page, lambda: page.commands.last_saved, "it is saved")
    log = page.commands.recordings.load(name)
    kinds = [set(event) for event in log.provenance.scenario["events"]]
    assert any("pull_to_m" in kind for kind in kinds)
    assert any("let_go" in kind for kind in kinds)
    again = replay(log)
    for name in log.columns:
        if name != "wall_time":
            np.testing.assert_array_equal(again[name], log[name], err_msg=name)
    tab.click_text("Set upright")
    tab.wait_for("Math.abs(grouser.status.speed) < 0.01")
    tab.use_fingers()
    tab.touch(ROBOT)
    for place in way(ROBOT, ASIDE):
        points = [{"x": place[0], "y": place[1], "id": 0}]
        tab.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points)
    wait(page, lambda: page.loop.latest.pull, "a finger pulls")
    tab.touch()
    wait(page, lambda: page.loop.latest.pull is None, "the finger is lifted")
    tab.use_fingers(False)


def test_a_robot_is_kicked_turned_over_and_set_upright(touched):
    page, tab = touched
    tab.click_text("Kick it")
    wait(page, lambda: float(pose(page).y) > 0.08, "it is kicked to the left")
    tab.click_text("Turn over")
    wait(page, lambda: abs(abs(float(pose(page).roll)) - math.pi) < 0.1, "it lies on its back")
    tab.click_text("Set upright")
    wait(page, lambda: abs(float(pose(page).roll)) < 0.1, "it stands")


def test_a_click_puts_the_robot_there_and_another_pushes_it(touched):
    page, tab = touched
    choose(tab, "drags the robot", "puts the robot")
    wait(page, lambda: page.touch.tool == "Put", "the tool is chosen")
    click_until(page, tab, ASIDE, lambda: math.hypot(pose(page).x, pose(page).y) > 0.3)
    assert abs(float(pose(page).z)) < 0.05
    assert abs(float(pose(page).yaw)) < 0.05
    choose(tab, "puts the robot", "pushes the robot")
    wait(page, lambda: page.touch.tool == "Push", "the tool is chosen")
    x = float(pose(page).x)
    click_until(page, tab, ROBOT, lambda: float(pose(page).x) > x + 0.03)
    choose(tab, "pushes the robot", "drags the robot")


def test_a_slider_changes_the_friction_and_the_log_says_so(touched):
    page, tab = touched
    key, session = "variation.friction", page.loop.session
    set_slider(tab, "Friction ×", 0.2)
    wait(page, lambda: key in session.changes, "the friction is changed")
    assert session.changes[key] == pytest.approx(0.43, abs=0.1)
    wait(page, lambda: session.simulation.model.friction_factor < 1.0, "it acts")
    (event,) = session.simulation.log().provenance.scenario["events"]
    assert event["set"] == {key: session.changes[key]}
    tab.wait_for(f"document.body.textContent.includes('{key}')")
    tab.click_text("Reset to file")
    wait(page, lambda: session.simulation.model.friction_factor == 1.0, "it is as in the file")
    tab.wait_for("document.body.textContent.includes('All numbers are those of the files')")


def test_time_goes_back_and_the_run_branches_off_there(touched):
    page, tab = touched
    page.commands.set_ghosts(("slip",))
    wait(page, lambda: page.loop.session.ghosts == ("slip",), "there is a ghost")
    session = page.loop.session
    tab.press("w")
    wait(page, lambda: float(pose(page).x) > 0.3, "it drives")
    tab.release("w")
    set_slider(tab, "Time [s]", 1.0 - 1.0 / 30.0)
    wait(page, lambda: page.loop.latest.is_past, "the past is shown")
    tab.wait_for("document.getElementById('grouser-note').textContent.includes('s ago')")
    before, then, run = session.simulation.log(), page.loop.latest.time, session.run
    assert then < session.simulation.time - 0.3
    button = "[...document.querySelectorAll('button')].find((one) => one.innerText === '{}')"
    tab.wait_for(f"!({button.format('Go on from here')} ?? {{disabled: true}}).disabled")
    tab.click_text("Go on from here")
    wait(page, lambda: session.run != run and not page.loop.latest.is_past, "it goes on")
    rows = round(then / session.tick) + 1
    after = session.simulation.log()
    np.testing.assert_array_equal(after["x"][:rows], before["x"][:rows])
    old = wait(page, lambda: find(page, len(before)), "the old run is saved")
    np.testing.assert_array_equal(old["x"], before["x"])
    page.touch.kick("to the left", 2.0)
    wait(page, lambda: page.loop.latest.gaps[0].distance > 0.05, "the ghost is elsewhere")
    wait(page, lambda: abs(float(page.loop.latest.motion.twist.vy)) < 1e-3, "the robot stands")
    tab.press("b")
    tab.release("b")
    wait(page, lambda: page.loop.latest.gaps[0].distance < 0.02, "the ghost is brought here")
    page.commands.set_ghosts(())
