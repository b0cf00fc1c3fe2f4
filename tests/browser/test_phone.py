"""Phones and tablets: fingers drive, and nothing that they need is covered or outside."""

import pytest

from tests.viewer.browser import Tab, wait_until

SIZES = {"upright": (390, 844), "lying": (844, 390), "tablet": (820, 1180)}
FLIPPERS = [f'[data-flipper="{word}"]' for word in ("front 1", "front -1", "rear 1", "rear -1")]
HANDLE = ".grouser-handle, [data-testid=floating-panel] [data-dock-minimize]"
NO_NOTES = """void document.head.append(Object.assign(document.createElement("style"),
    {textContent: "[class*=Notification-root] { display: none }"}))"""
PROBE = """(selectors => selectors.filter(selector => {
    const found = document.querySelector(selector);
    const box = found.getBoundingClientRect();
    const places = [[0.5, 0.5], [0.15, 0.5], [0.85, 0.5], [0.5, 0.15], [0.5, 0.85]];
    const isInside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth
        && box.bottom <= innerHeight && box.width >= 32 && box.height >= 32;
    return !isInside || places.some(([x, y]) => !found.contains(
        document.elementFromPoint(box.left + x * box.width, box.top + y * box.height)));
}))"""


def unreachable(tab: Tab, *selectors: str) -> list[str]:
    """Return which elements are outside of the page, too small for a finger, or covered."""
    return tab.evaluate(f"{PROBE}({list(selectors)!r})")


def speed(page) -> float:
    return float(page.loop.latest.motion.twist.vx)


@pytest.fixture(params=SIZES)
def held(driven, request):
    """The shared page on a screen of some size, touched by fingers."""
    page, tab = driven
    tab.resize(*SIZES[request.param], mobile=True)
    tab.use_fingers()
    tab.wait_for("matchMedia('(pointer: coarse)').matches && grouser.panel")
    is_phone = request.param != "tablet"
    tab.wait_for(f"grouser.panel.isOpen === {'false' if is_phone else 'true'}")
    yield page, tab
    tab.use_fingers(False)
    tab.resize(900, 620)


def test_fingers_drive_and_the_panel_opens_beside_them(held):
    page, tab = held
    tab.evaluate(NO_NOTES)
    tab.wait_for("document.querySelector('#grouser-pad').offsetWidth > 100")
    controls = ["#grouser-pad", *FLIPPERS]
    assert unreachable(tab, *controls, "#grouser-ask", HANDLE) == []
    assert tab.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    hud = "document.getElementById('grouser-hud').getBoundingClientRect()"
    assert tab.evaluate(f"{hud}.height") < 80
    assert tab.evaluate(f"{hud}.left >= 0 && {hud}.right <= innerWidth")

    was_open = tab.evaluate("grouser.panel.isOpen")
    tab.touch(tab.middle(HANDLE))
    tab.touch()
    tab.wait_for(f"grouser.panel.isOpen === {str(not was_open).lower()}")
    tab.touch(tab.middle(HANDLE))
    tab.touch()
    tab.wait_for(f"grouser.panel.isOpen === {str(was_open).lower()}")
    if not was_open:
        tab.evaluate(f"void document.querySelector({HANDLE!r}).click()")
        tab.wait_for("grouser.panel.isOpen")
    assert unreachable(tab, *controls) == []  # while the panel is open

    x, y = tab.middle("#grouser-pad")
    front, _, rear, _ = page.loop.latest.frames[0].flipper_angles
    tab.touch((x, y - 60), tab.middle(FLIPPERS[1]))
    wait_until(lambda: speed(page) > 0.1, "a finger on the pad drives")
    angles = wait_until(
        lambda: (a := page.loop.latest.frames[0].flipper_angles)[0] > front + 0.1 and a,
        "another finger lowers the front flippers",
    )
    assert abs(angles[2] - rear) < 0.1
    tab.touch()
    wait_until(lambda: abs(speed(page)) < 0.005, "the robot stands")
    if not was_open:
        tab.evaluate(f"void document.querySelector({HANDLE!r}).click()")


def test_a_robot_without_flippers_has_no_buttons_for_them(driven):
    page, tab = driven
    tab.use_fingers()
    seen = "document.querySelector('#grouser-flippers').offsetHeight > 0"
    tab.wait_for(f"grouser.status.has.includes('flippers') && {seen}")
    page.commands.choose(robot="tp100", model="slip")
    tab.wait_for(f"!grouser.status.has.includes('flippers') && !{seen}")
    assert unreachable(tab, "#grouser-pad") == []
    page.commands.choose(robot="absolem", model="csm")
    tab.wait_for("grouser.status.has.includes('flippers')")
    tab.use_fingers(False)


def test_a_gamepad_shows_what_its_sticks_and_buttons_do(driven):
    page, tab = driven
    tab.evaluate(
        "(() => { window.buttons = Array.from({length: 10}, () => ({value: 0}));"
        "navigator.getGamepads = () => [{axes: [0, 0, 0, 0], buttons: window.buttons}];"
        "window.dispatchEvent(Object.assign(new Event('gamepadconnected'),"
        "{gamepad: {id: 'Pad 7 (STANDARD GAMEPAD)'}})); })()"
    )
    shown = tab.wait_for(
        "(card => !card.hidden && card.innerText)(document.getElementById('grouser-card'))"
    )
    assert "Gamepad: Pad 7" in shown
    rows = [line.split("\t") for line in shown.splitlines()]
    assert ["drive", "W A S D or arrow keys", "left stick; right stick turns, too"] in rows
    assert ["raise, lower front flippers", "R F", "RB, RT"] in rows
    assert ["pause, go on", "Space", "Start"] in rows
    tab.evaluate("window.buttons[9].value = 1")
    wait_until(lambda: page.loop.is_paused, "its button pauses")
    tab.evaluate("window.buttons[9].value = 0")
    tab.press("h")
    tab.release("h")
    tab.wait_for("document.getElementById('grouser-card').hidden")
    page.commands.pause(False)
    tab.evaluate("delete navigator.getGamepads")
