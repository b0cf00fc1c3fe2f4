"""What a new user stumbled over: replays, controls that do nothing, help that is not true."""

from tests.browser.test_scene import choose
from tests.viewer.browser import Tab, wait_until

PRESS_ALL = """(() => {
    const send = WebSocket.prototype.send;
    const sent = [];
    WebSocket.prototype.send = (text) => { if (typeof text === "string") sent.push(text); };
    const told = document.getElementById("grouser-help").textContent;
    const card = document.getElementById("grouser-card");
    const found = {};
    for (const row of grouser.table) {
        const code = row.code ?? Object.keys(row.axes)[0];
        const before = card.hidden;
        sent.length = 0;
        for (const kind of ["keydown", "keyup"])
            window.dispatchEvent(new KeyboardEvent(kind, {code, bubbles: true, cancelable: true}));
        const acts = sent.some((text) => /"act"|:-?[0-9.]*[1-9]/.test(text));
        found[row.name] = [told.includes(row.keys), acts || card.hidden !== before];
        card.hidden = true;
    }
    WebSocket.prototype.send = send;
    return [grouser.mode(), found];
})()"""
VALUES = "[...document.querySelectorAll('input')].map(e => e.value)"
BANNER = "(e => e.hidden ? '' : e.innerText)(document.getElementById('grouser-banner'))"


def speed(page) -> float:
    return float(page.loop.latest.motion.twist.vx)


def press_all(tab: Tab, mode: str) -> set[str]:
    """Press every key of the table; return what acts, after a check that just that is told."""
    tab.wait_for(f"grouser.mode() === {mode!r}")
    now, found = tab.evaluate(PRESS_ALL)
    assert now == mode
    assert {name for name, (told, acts) in found.items() if told != acts} == set(), mode
    return {name for name, (_, acts) in found.items() if acts}


def is_disabled(tab: Tab, label: str) -> bool:
    return tab.evaluate(
        "[...document.querySelectorAll('button')]"
        f".find(e => e.textContent.trim() === {label!r}).disabled"
    )


def drive_and_save(page, tab: Tab, key: str) -> str:
    """Drive by a key, save the run by its button, and return the name of the file."""

    def names() -> set[str]:
        return {name for name in page.commands.recordings.names() if not name.startswith("auto-")}

    before = names()
    tab.press(key)
    wait_until(lambda: abs(page.loop.latest.motion.pose.x) > 0.05, "it drives")
    tab.release(key)
    wait_until(lambda: abs(speed(page)) < 0.005, "it stands")
    tab.click_text("Save recording", "button")
    (name,) = wait_until(lambda: names() - before, "it is saved")
    tab.wait_for(f"{VALUES}.includes({name!r})")
    return name


def test_what_was_saved_is_replayed_and_w_leads_back_to_driving(driven):
    page, tab = driven
    tab.click_text("Recordings", "[role=tab]")
    tab.wait_for("[...document.querySelectorAll('button')].some(e => e.textContent === 'Replay')")
    assert is_disabled(tab, "Replay")
    assert is_disabled(tab, "Download this run as HTML")
    drive_and_save(page, tab, "s")
    assert not is_disabled(tab, "Download this run as HTML")
    page.commands.reset()
    wait_until(lambda: page.loop.latest.time < 0.5, "it starts anew")
    newest = drive_and_save(page, tab, "w")
    assert tab.wait_for("document.querySelector('.grouser-name')?.innerText") == newest
    end = page.loop.latest.motion.pose.x
    assert end > 0.05
    page.commands.choose(robot="tp100", model="slip")
    tab.wait_for("!grouser.status.has.includes('flippers')")
    tab.click_text("Replay", "button")
    tab.wait_for("grouser.status.mode === 'replay'")
    wait_until(lambda: page.loop.player.is_over, "it is replayed")
    assert abs(page.loop.latest.motion.pose.x - end) < 0.005

    tab.reload()
    tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'", 60.0)
    assert f"Replay of {newest}. Ghosts and the tipping" in tab.wait_for(BANNER)
    tab.wait_for(f"{VALUES}.includes('absolem') && !{VALUES}.includes('tp100')")
    assert press_all(tab, "replay") == {"drive", "pause", "step", "reset", "camera", "help"}
    tab.press("w")
    tab.wait_for("grouser.status.mode === 'manual'")
    wait_until(lambda: speed(page) > 0.05, "the key drives at once")
    tab.release("w")
    tab.wait_for(f"{VALUES}.includes('tp100') && !{BANNER}")
    assert "flippers" not in tab.evaluate("document.getElementById('grouser-help').innerText")

    page.commands.open_recording(newest)
    tab.wait_for(BANNER)
    tab.click_text("Back to driving", "#grouser-banner button")
    tab.wait_for("grouser.status.mode === 'manual'")
    page.commands.choose(robot="absolem", model="csm")


def test_the_help_is_true_while_a_person_or_a_path_follower_drives(driven):
    page, tab = driven
    page.commands.choose(robot="absolem", course="playground", model="csm")
    tab.wait_for("grouser.status.has.includes('path') && grouser.status.has.includes('flippers')")
    every = {
        "drive",
        "front",
        "rear",
        "flippers",
        "pause",
        "step",
        "reset",
        "path",
        "camera",
        "help",
    }
    assert press_all(tab, "manual") == every
    page.commands.follow_path(True)
    assert press_all(tab, "path") == every
    page.commands.choose(course="flat")
    tab.wait_for("!grouser.status.has.includes('path')")
    assert press_all(tab, "manual") == every - {"path"}


def test_models_that_cannot_drive_a_course_are_grey_with_the_reason(driven):
    page, tab = driven
    page.commands.choose(course="step")
    tab.click_text("Drive", "[role=tab]")
    tab.wait_for(f"{VALUES}.includes('step')")
    grey = "icr (needs steps)"
    choose(tab, "csm", grey)  # a click on it does nothing
    entry = f"[...document.querySelectorAll('[role=option]')].find(e => e.textContent === {grey!r})"
    assert tab.evaluate(f"{entry}.getAttribute('aria-disabled')") == "true"
    assert float(tab.evaluate(f"getComputedStyle({entry}).opacity")) < 0.6
    choose(tab, "csm", "slip")
    wait_until(lambda: page.loop.session.scenario.model.name == "slip", "another one is chosen")
    ghost = (
        "(name => [...document.querySelectorAll('label')].find(e => e.textContent === name))"
        f"({grey!r})"
    )
    tab.wait_for(f"document.getElementById({ghost}.htmlFor).disabled")
    page.commands.choose(course="flat", model="csm")


def test_controls_of_a_page_that_watches_are_grey(driven, open_tab):
    page, first = driven
    second = open_tab(page)
    second.wait_for("grouser.status.you === 'watch'")
    locked = "document.querySelectorAll('.grouser-locked').length"
    second.wait_for(f"{locked} > 10")
    assert "You are watching" in second.evaluate(BANNER)
    row = "[...document.querySelectorAll('button')].find(e => e.textContent === {!r})"
    pause = row.format("Pause")
    assert second.evaluate(f"{pause}.closest('[inert]') !== null")
    assert second.evaluate(
        "(e => e.closest('[inert]') !== null)([...document.querySelectorAll('label')]"
        ".find(e => e.textContent === 'Trails'))"
    )
    second.click_text("Pause", "button")
    assert press_all(second, "watch") == {"camera", "help"}
    assert not page.loop.is_paused
    assert first.evaluate(locked) == 0
    second.click_text("Take control", "#grouser-banner button")
    second.wait_for(f"grouser.status.you === 'drive' && {locked} === 0")
    first.wait_for(f"grouser.status.you === 'watch' && {locked} > 10")
    first.click_text("Take control", "#grouser-banner button")
    first.wait_for(f"grouser.status.you === 'drive' && {locked} === 0")
