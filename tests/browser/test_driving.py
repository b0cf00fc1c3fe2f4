"""A person drives on the page, in a real browser."""

import tomllib
from queue import SimpleQueue

import numpy as np
import tomlkit

from grouser.description import load_robot
from grouser.log import Log
from tests.browser.test_mistakes import press_all
from tests.surroundings import LONGEST_WAIT
from tests.viewer.browser import Tab, wait_until

STOPPED_WITHIN = 0.15
"""Simulated time from a key that is let go to a robot that stands [s]."""


def speed(page) -> float:
    return float(page.loop.latest.motion.twist.vx)


def is_driven_by(tab: Tab) -> None:
    tab.wait_for("grouser.status.you === 'drive'")


def time_to_stand(page, since: int) -> float:
    """Return how long after tick `since` the robot stood for good [s]."""
    taken: SimpleQueue[Log] = SimpleQueue()
    page.loop.request(lambda loop: taken.put(loop.session.simulation.log()))
    log = taken.get(timeout=LONGEST_WAIT)
    moving = np.flatnonzero(np.abs(log["vx"]) > 0.005)
    return (moving[-1] + 1 - since) * page.loop.session.simulation.dt


def test_the_page_loads_without_a_complaint(driven):
    _, tab = driven
    assert tab.evaluate("document.title") == "grouser"
    tab.wait_for("document.getElementById('grouser-mode').textContent === 'you drive'")
    assert tab.evaluate("document.querySelectorAll('canvas').length") >= 1
    # viser's own settings, while they collapse, leave no blank area above the controls.
    pane = "document.querySelector('.mantine-ScrollArea-content > div > [aria-hidden=true][inert]')"
    style = "height: 300px; display: block"
    assert tab.evaluate(f"({pane}.style.cssText = {style!r}, {pane}.offsetHeight)") == 0
    assert tab.complaints() == []


def test_keys_drive_the_robot_and_their_release_stops_it(driven):
    page, tab = driven
    usual = page.loop.session.speed
    page.commands.set_speed(0.2)
    tab.frame_rate(2.0)  # the first pictures hold a browser up that has no graphics card
    times = []
    for _ in range(5):  # and so may any picture: the usual time counts
        tab.press("w")
        wait_until(lambda: speed(page) > 0.19, "the robot drives")
        let_go = page.loop.session.simulation.ticks
        tab.release("w")
        wait_until(lambda: abs(speed(page)) < 0.005, "the robot stands")
        times.append(time_to_stand(page, let_go))
    page.commands.set_speed(usual)
    assert sorted(times)[2] <= STOPPED_WITHIN, times


def test_arrows_turn_to_the_side_they_point_to(driven):
    page, tab = driven
    tab.press("ArrowLeft")
    wait_until(lambda: page.loop.latest.motion.twist.yaw_rate > 0.05, "it turns left")
    tab.release("ArrowLeft")
    tab.press("d")
    wait_until(lambda: page.loop.latest.motion.twist.yaw_rate < -0.05, "it turns right")
    tab.release("d")


def test_flippers_move_by_their_keys(driven):
    page, tab = driven
    before = page.loop.latest.frames[0].flipper_angles
    tab.press("f")
    wait_until(lambda: page.loop.latest.frames[0].flipper_angles[0] > before[0] + 0.1, "lowered")
    tab.release("f")
    rear = page.loop.latest.frames[0].flipper_angles[2]
    assert abs(rear - before[2]) < 0.02  # it only gives a little as the robot moves


CONTROL = "[...document.querySelectorAll('label')].some(e => e.innerText.trim() === 'Flippers')"


def test_flippers_move_by_themselves_by_a_key_until_a_hand_moves_them(driven):
    page, tab = driven
    page.commands.reset()
    tab.wait_for("grouser.status.posture === 'drive'")
    tab.press("v")
    tab.release("v")
    tab.wait_for("grouser.status.posture === 'auto'")
    tab.wait_for("[...document.querySelectorAll('input')].some(e => e.value === 'auto')")
    ready = page.loop.session.robot.posture_angles("drive")[0] - 0.05  # 45 deg above the belts
    wait_until(lambda: page.loop.latest.frames[0].flipper_angles[0] < ready, "they get ready")
    tab.press("f")
    tab.wait_for("grouser.status.posture === ''")
    tab.release("f")
    page.commands.set_posture("flat")
    tab.wait_for("grouser.status.posture === 'flat'")
    flat = page.loop.session.robot.posture_angles("flat")[0]
    wait_until(lambda: abs(page.loop.latest.frames[0].flipper_angles[0] - flat) < 0.02, "flat")
    page.commands.set_posture("drive")


def test_a_robot_without_rear_flippers_has_no_controls_for_them(driven, tmp_path):
    page, tab = driven
    usual = page.loop.session.scenario.robot.reference
    content = tomllib.loads(load_robot("absolem").text)
    content["flippers"] = content["flippers"][:2]
    content["postures"] = {"drive": {"front_raised_deg": 30.0}}
    content.pop("sources")
    rover = tmp_path / "rover.toml"
    rover.write_text(tomlkit.dumps(content))
    seen = {}
    for name in (str(rover), "tp100"):
        page.commands.choose(robot=name)
        has = "flippers" if name != "tp100" else ""
        tab.wait_for(
            f"!grouser.status.has.includes('rear') && "
            f"grouser.status.has.includes('flippers') === {str(bool(has)).lower()}"
        )
        seen[name] = tab.evaluate("""[
            document.getElementById("grouser-help").textContent,
            document.getElementById("grouser-keys").textContent,
            [...document.querySelectorAll("#grouser-flippers button")]
                .filter(one => !one.hidden).map(one => one.textContent).join(" ")]""")
        told = press_all(tab, "manual") & {"front", "rear", "flippers"}
        assert told == ({"front", "flippers"} if has else set())
        tab.wait_for(f"({CONTROL}) === {str(bool(has)).lower()}")
    hint, card, buttons = seen[str(rover)]
    assert "R F" in hint
    assert "T G" not in hint
    assert "rear" not in hint + card
    assert buttons == "front ▲ front ▼ auto"
    assert seen["tp100"][2] == ""
    assert "flipper" not in seen["tp100"][0] + seen["tp100"][1]
    page.commands.choose(robot=usual)
    tab.wait_for("grouser.status.has.includes('rear')")


def test_a_page_that_loses_the_focus_lets_go(driven):
    page, tab = driven
    tab.press("w")
    wait_until(lambda: speed(page) > 0.1, "the robot drives")
    tab.evaluate("window.dispatchEvent(new Event('blur'))")
    wait_until(lambda: abs(speed(page)) < 0.005, "the robot stands")
    tab.release("w")


def test_a_page_that_hangs_lets_go(driven):
    page, tab = driven
    tab.press("w")
    wait_until(lambda: speed(page) > 0.1, "the robot drives")
    # It hangs by itself: afterwards it may tell at once that the key is still held.
    tab.evaluate(
        "void setTimeout(() => { for (const end = Date.now() + 2000; Date.now() < end;); })"
    )
    wait_until(lambda: abs(speed(page)) < 0.005, "the robot stands while the page hangs")
    tab.release("w")


def test_the_pad_drives_under_a_finger(driven):
    page, tab = driven
    event = "new PointerEvent('{}', {{clientX: x, clientY: y, buttons: {}, bubbles: true}})"
    tab.evaluate(
        "(() => { const pad = document.getElementById('grouser-pad');"
        "pad.parentElement.style.display = 'flex'; pad.setPointerCapture = () => {};"
        "const box = pad.getBoundingClientRect();"
        "const x = box.x + box.width / 2, y = box.y + 5;"
        f"pad.dispatchEvent({event.format('pointerdown', 1)}); }})()"
    )
    wait_until(lambda: speed(page) > 0.1, "the robot drives")
    tab.evaluate("document.getElementById('grouser-pad').dispatchEvent(new Event('pointerup'))")
    wait_until(lambda: abs(speed(page)) < 0.005, "the robot stands")


def test_a_gamepad_drives(driven):
    page, tab = driven
    tab.evaluate(
        "(() => { window.stick = -1; const buttons = Array(8).fill({value: 0});"
        "navigator.getGamepads = () => [{axes: [0, window.stick, 0, 0], buttons}];"
        "window.dispatchEvent(new Event('gamepadconnected')); })()"
    )
    wait_until(lambda: speed(page) > 0.1, "the robot drives")
    tab.evaluate("window.stick = 0")
    wait_until(lambda: abs(speed(page)) < 0.005, "the robot stands")
    tab.evaluate("delete navigator.getGamepads")


def test_keys_pause_step_and_reset(driven):
    page, tab = driven
    tab.press(" ")
    tab.release(" ")
    wait_until(lambda: page.loop.is_paused, "time stands still")
    tab.wait_for("document.getElementById('grouser-mode').textContent === 'paused'")
    before = page.loop.session.simulation.ticks
    tab.press("n")
    tab.release("n")
    wait_until(lambda: page.loop.session.simulation.ticks == before + 1, "one tick passes")
    run = page.loop.session.run
    tab.press("Home")
    tab.release("Home")
    wait_until(lambda: page.loop.session.run != run, "it starts anew")


def test_the_path_is_followed_until_a_key_takes_back(open_page, open_tab):
    page = open_page(robot="tp100", course="behaviour-2", model="slip")
    tab = open_tab(page)
    is_driven_by(tab)
    tab.press("o")
    tab.release("o")
    tab.wait_for("grouser.status.mode === 'path'")
    wait_until(lambda: speed(page) > 0.01, "the follower drives")
    tab.press("s")
    tab.wait_for("grouser.status.mode === 'manual'")
    tab.release("s")
    wait_until(lambda: abs(speed(page)) < 1e-6, "the robot stands")
