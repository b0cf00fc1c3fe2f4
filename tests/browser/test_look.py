"""The look of the scene in a real browser: hooks into viser, switch, frame rates, sentences."""

import pytest

from grouser.viewer.app import DriveApp
from grouser.viewer.look import WITHOUT_CARD
from tests.browser.test_scene import choose
from tests.viewer.browser import Tab, wait_until


@pytest.fixture(autouse=True)
def lean_again(driven):
    yield
    page, _ = driven
    page.look.choose("lean")
    wait_until(lambda: page.stream._stage.look == "lean", "it is lean again")


def test_without_a_card_the_scene_is_lean_and_the_page_has_its_own_sentence(driven):
    page, tab = driven
    page.look.choose("automatic")
    tab.wait_for("grouser.look.shown === 'lean'")
    text = "document.getElementById('grouser-look')"
    tab.wait_for(f"{text}.textContent === {WITHOUT_CARD!r} && !{text}.hidden")
    toasts = "[...document.querySelectorAll('[class*=Notification-root]')]"
    software = f"{toasts}.filter(e => e.textContent.includes('Software WebGL'))"
    # If this fails, viser has changed its toast: look.js has to find the new one.
    tab.wait_for(f"{software}.length > 0 && grouser.look.hooks.toast")
    assert tab.evaluate(f"{software}.every(e => getComputedStyle(e).display === 'none')")


def test_all_hooks_into_viser_are_found_in_the_full_look(driven):
    page, tab = driven
    tab.wait_for("grouser.look.hooks.renderer && grouser.look.hooks.scene")
    old = tab.evaluate("grouser.look.found.renderer.toneMapping")
    assert old != 7
    page.look.choose("full")
    # If one of these fails, viser or three.js has changed: look.js needs another hook.
    for hook in ("renderer", "scene", "sun", "frames"):
        tab.wait_for(f"grouser.look.hooks.{hook}")
    tab.wait_for("grouser.look.found.renderer.toneMapping === 7")
    scene = "grouser.look.found.scene"
    count = (
        f"(test => {{ let n = 0; {scene}.traverse(x => {{ n += test(x) ? 1 : 0 }}); return n }})"
    )
    tab.wait_for(f"{count}(x => x.isDirectionalLight && x.visible && x.castShadow) === 1")
    tab.wait_for(f"{count}(x => x.isDirectionalLight && x.visible) === 1")
    tab.wait_for(f"{count}(x => x.isMesh && x.material.map?.anisotropy > 1) > 1")
    assert tab.evaluate("grouser.look.found.renderer.info.render.calls") < 60
    page.look.choose("lean")
    tab.wait_for(f"grouser.look.found.renderer.toneMapping === {old}")
    tab.wait_for(f"{count}(x => x.isDirectionalLight && x.visible && x.castShadow) === 0")


def test_the_driver_chooses_a_look_in_the_panel(driven):
    page, tab = driven
    page.look.choose("lean")
    choose(tab, "lean", "painted")
    wait_until(lambda: page.look.wish == "painted", "it is chosen")
    tab.wait_for("grouser.look.shown === 'painted'")
    wait_until(lambda: page.stream._stage.look == "painted", "it is shown")


def test_a_page_that_draws_slowly_steps_down_and_says_so(driven):
    page, tab = driven
    page.look._renderer = "ANGLE (NVIDIA GeForce RTX 3060)"  # what it says it has
    page.look.choose("automatic")
    tab.wait_for("grouser.look.shown === 'full'")
    tab.evaluate("grouser.look.measureMs = 200")
    tab.press("w")
    sentence = "document.getElementById('grouser-look').textContent"
    tab.wait_for(f"{sentence}.includes('painted look now')")
    tab.wait_for("grouser.look.shown === 'lean'")
    tab.wait_for(f"{sentence}.includes('pictures per second')")
    tab.release("w")
    tab.evaluate("grouser.look.measureMs = 4000")
    page.look._renderer = "SwiftShader"
    assert page.look.wish == "automatic"


def test_the_address_names_a_look_and_the_page_is_usable_without_any_hook(shared):
    page, tab = shared
    for look in ("painted", "full"):
        tab.go(f"{page.address}&plain&look={look}")
        tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'")
        wait_until(lambda look=look: page.look.wish == look, "the address is heard")
        tab.wait_for(f"grouser.look.shown === '{look}'")
    hooks = tab.evaluate("grouser.look.hooks")
    assert not any(hooks[name] for name in ("renderer", "scene", "sun", "frames"))
    _drives(page, tab)
    assert tab.complaints() == []


def _drives(page: DriveApp, tab: Tab) -> None:
    page.look.choose("lean")  # the sooner a key is heard
    start = page.loop.latest.motion.pose.x
    tab.press("w")
    wait_until(lambda: page.loop.latest.motion.pose.x > start + 0.05, "it drives")
    tab.release("w")
