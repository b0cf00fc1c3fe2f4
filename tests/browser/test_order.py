"""Nothing of the page is in the way of anything else, or of what somebody does next."""

import pytest

from tests.browser.test_phone import NO_NOTES
from tests.viewer.browser import Tab, wait_until

PARTS = (
    "#grouser-hud", "#grouser-help", "#grouser-ask", "#grouser-readers", "#grouser-dock",
    "#grouser-banner", "#grouser-look", "[data-testid=floating-panel]", ".grouser-handle",
)  # fmt: skip
OVERLAPS = f"""(() => {{
    const all = {list(PARTS)!r}.map(name => [name, document.querySelector(name)])
        .filter(([, one]) => one?.offsetWidth && getComputedStyle(one).visibility !== "hidden")
        .map(([name, one]) => [name, one.getBoundingClientRect()]);
    const wrong = all.filter(([, box]) => box.left < 0 || box.top < 0
        || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5).map(([name]) => name);
    all.forEach(([name, a], number) => all.slice(number + 1).forEach(([other, b]) => {{
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
            wrong.push(`${{name}} and ${{other}}`);
    }}));
    return wrong;
}})()"""
CUT = """(() => {
    const charts = [...document.querySelectorAll(".grouser-chart")].filter(c => c.offsetHeight);
    const dock = document.getElementById("grouser-charts-list").getBoundingClientRect();
    const cut = charts.filter(c => c.getBoundingClientRect().bottom > dock.bottom + 0.5
        || [...c.querySelectorAll("[data-signal] b")].some(value =>
            value.getBoundingClientRect().right > value.closest(".grouser-chart-legend")
                .getBoundingClientRect().right + 0.5));
    return [charts.length, cut.length];
})()"""
BANNER = "(e => e.hidden ? '' : e.innerText)(document.getElementById('grouser-banner'))"


def press_and_release(tab: Tab, key: str) -> None:
    tab.press(key)
    tab.release(key)


@pytest.fixture
def sized(driven):
    page, tab = driven
    yield page, tab
    tab.evaluate("grouser.charts.open(false)")
    tab.use_fingers(False)
    tab.resize(900, 620)
    tab.wait_for("innerWidth === 900 && grouser.panel?.isOpen")


@pytest.mark.parametrize(
    "size", [(1000, 700), (1400, 900), (390, 844)], ids=["small", "large", "phone"]
)
def test_nothing_overlaps_and_no_usual_chart_is_cut(sized, size):
    page, tab = sized
    is_phone = size[0] < 577
    page.builder.show(is_on=True)
    tab.click_text("Build", "[role=tab]") if not is_phone else None
    tab.resize(*size, mobile=is_phone)
    tab.use_fingers(is_phone)
    tab.evaluate(f"document.body.classList.remove('grouser-driven'), {NO_NOTES}")
    tab.wait_for(
        f"innerWidth === {size[0]} && grouser.panel?.isOpen === {str(not is_phone).lower()}"
    )
    tab.wait_for(f"{OVERLAPS}.length === 0")
    tab.evaluate("grouser.charts.open(true)")
    tab.wait_for(f"{CUT}[0] === 4 && {CUT}[1] === 0")
    tab.wait_for(f"{OVERLAPS}.length === 0")
    page.modes.end()


def test_a_mode_ends_with_its_tab_and_by_a_drive_key(driven):
    page, tab = driven
    tab.click_text("Build", "[role=tab]")
    tab.click_text("Box", "button")
    tab.wait_for(f"{BANNER}.includes('places: box')")
    tab.wait_for("Boolean(document.querySelector('[data-piece=Box][aria-pressed=true]'))")
    assert tab.evaluate("document.querySelectorAll('[data-piece]').length") == 13
    tab.click_text("Drive", "[role=tab]")
    wait_until(lambda: page.modes.status is None, "it ends with its tab")
    tab.click(300.0, 420.0)
    tab.click_text("Build", "[role=tab]")
    tab.click_text("Ice", "button")
    tab.wait_for(f"{BANNER}.includes('places: ice')")
    press_and_release(tab, "w")
    wait_until(lambda: page.builder.view.tool is None, "a drive key ends it")
    tab.click_text("End", "#grouser-banner button")
    tab.wait_for(f"{BANNER} === ''")
    assert page.loop.session.scenario.course.name == "flat"
    grey = "['Undo', 'Redo'].every(t => [...document.querySelectorAll('button')]"
    assert tab.evaluate(f"{grey}.find(b => b.textContent === t).disabled)")
    tab.click_text("Drive", "[role=tab]")


def test_a_second_tap_closes_the_panel_and_viser_has_no_settings(sized):
    _, tab = sized
    icon = "document.querySelector('[data-dock-header] .mantine-ActionIcon-root, "
    icon += ".grouser-handle .mantine-ActionIcon-root')?.offsetWidth > 0"
    visible = f"({icon} || document.querySelector('[data-scene-node]')?.offsetWidth > 0)"
    assert not tab.evaluate(visible)
    tab.evaluate("document.documentElement.dataset.dev = ''")  # as ?dev does
    assert tab.evaluate(visible)
    tab.evaluate("delete document.documentElement.dataset.dev")
    tab.resize(390, 844, mobile=True)
    tab.use_fingers()
    tab.wait_for("grouser.panel && !grouser.panel.isOpen")
    for is_open in ("true", "false"):
        tab.touch((345.0, 23.0))  # where it says "controls"
        tab.touch()
        tab.wait_for(f"grouser.panel.isOpen === {is_open}")
        assert not tab.evaluate(visible)


def test_labels_switch_courses_have_groups_and_tips_lie_beside_the_panel(driven):
    page, tab = driven
    tab.wait_for("""(() => {
        const all = [...document.querySelectorAll("*")].filter(e => e.children.length < 2);
        const titles = all.filter(e => e.textContent.trim().startsWith("Ghosts (other models"));
        if (titles.length) titles.at(-1).click();
        return titles.length > 0;
    })()""")
    words = "[...document.querySelectorAll('label')].filter(e => e.textContent === 'icr')"
    tab.wait_for(f"{words}.some(e => e.offsetWidth > 0)")
    tab.evaluate(f"void {words}.find(e => e.offsetWidth > 0).click()")  # others may still move
    wait_until(lambda: page.loop.session.ghosts == ("icr",), "the word switches its box")
    page.commands.set_ghosts(())
    tab.evaluate("document.querySelector('[data-scrollarea-viewport]').scrollTop = 0")
    middle = """(e => { const b = e.getBoundingClientRect();
        return [b.x + b.width / 2, b.y + b.height / 2]; })([...document.querySelectorAll('input')]
        .find(e => e.value === 'flat'))"""
    x, y = tab.rest(middle)
    tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x - 3.0, y=y)
    tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    right = "document.querySelector('[role=tooltip]')?.getBoundingClientRect().right"
    panel = "document.querySelector('[data-testid=floating-panel]').getBoundingClientRect().left"
    tab.wait_for(f"{right} > 0 && {right} <= {panel}")
    tab.click(x, y)
    first = "[...document.querySelectorAll('[role=option][data-line]')][0]"
    tab.wait_for(f"{first}?.dataset.group === 'start here' && {first}.offsetHeight > 0")
    assert tab.evaluate(f"{first}.textContent") == "playground"
    assert "A step ahead" in tab.evaluate(f"{first}.dataset.line")
    groups = "[...document.querySelectorAll('[role=option][data-group]')].map(e => e.dataset.group)"
    order = ["start here", "obstacles", "test lanes", "soils", "papers"]
    assert tab.evaluate(groups) == order
    press_and_release(tab, "Escape")
    tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=300.0, y=400.0)
    assert tab.complaints() == []
