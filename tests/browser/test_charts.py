"""Charts, overlays, camera pictures and the address of the page, by mouse and keys."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pytest
from PIL import Image

from grouser.description import load_robot
from grouser.log import Log
from grouser.viewer.app import DriveApp
from tests.browser.conftest import close_later, coarse, open_drive
from tests.surroundings import LONGEST_WAIT
from tests.viewer.browser import Tab, wait_until

CANVAS = "document.querySelector('.grouser-chart:nth-child({}) canvas')"
SIGNAL = '.grouser-chart:nth-child({}) [data-signal="{}"] b'
LEGEND = f"document.querySelector('{SIGNAL}')?.textContent"


def log_of(page) -> Log:
    taken: SimpleQueue[Log] = SimpleQueue()
    page.loop.request(lambda loop: taken.put(loop.session.simulation.log()))
    return taken.get(timeout=LONGEST_WAIT)


def mouse(tab: Tab, kind: str, x: float, y: float, **more) -> None:
    tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


def place(tab: Tab, script: str, across: float = 0.5, down: float = 0.5) -> tuple[float, float]:
    """Return a place on an element, in shares of its width and height."""
    left, top, width, height = tab.wait_for(
        f"(() => {{ const box = {script}?.getBoundingClientRect();"
        " return box && box.width && [box.left, box.top, box.width, box.height]; })()"
    )
    return left + across * width, top + down * height


def open_charts(tab: Tab) -> None:
    if not tab.evaluate("grouser.charts.state.isOpen"):
        tab.click(*place(tab, "document.getElementById('grouser-open-charts')"))
    tab.click_text("usual", "#grouser-dock button")
    tab.wait_for("grouser.charts.store.columns.has('vx') && grouser.charts.store.times.length > 5")


def seen(tab: Tab) -> tuple[float, float]:
    """Return the time that the charts show [s]."""
    return tuple(tab.evaluate("((v) => [v.from, v.to])(grouser.charts.view())"))


def test_rest_is_a_line_at_zero(driven):
    _, tab = driven
    open_charts(tab)
    low, high = tab.evaluate(
        "((axis) => [axis.low, axis.high])(grouser.chart.axes(grouser.charts.store,"
        " grouser.chart.lines(['vx'], [], {}), 0, 1e9)[0])"
    )
    assert low < 0.0 < high
    assert high - low >= 0.1


def test_a_signal_is_chosen_by_mouse_and_kept_in_the_address(driven):
    _, tab = driven
    open_charts(tab)
    tab.click(*place(tab, "document.querySelector('.grouser-chart:nth-child(1) button')"))
    tab.click(*place(tab, "document.querySelector('#grouser-chooser input[type=search]')"))
    for letter in "tip":
        tab.press(letter)
        tab.release(letter)
    tab.wait_for("document.querySelectorAll('#grouser-chooser label').length === 1")
    tab.click(*place(tab, "document.querySelector('#grouser-chooser label')"))
    tab.click_text("done", "#grouser-chooser button")
    tab.wait_for(LEGEND.format(1, "tip_over_angle") + "?.endsWith('°')")
    tab.wait_for("location.search.includes('speed_commanded,vx,tip_over_angle;')")
    before = tab.evaluate("document.querySelectorAll('.grouser-chart').length")
    tab.click_text("+ chart", "#grouser-dock button")
    tab.wait_for(f"document.querySelectorAll('.grouser-chart').length === {before + 1}")
    tab.click(*place(tab, "document.querySelectorAll('.grouser-chart:nth-child(1) button')[1]"))
    tab.wait_for("!location.search.includes('tip_over_angle')")


def test_hover_zoom_and_pause_by_mouse_and_the_values_are_those_of_the_log(driven):
    page, tab = driven
    open_charts(tab)
    tab.press("w")
    wait_until(lambda: page.loop.latest.time > 1.5, "it drives a while")
    tab.release("w")
    tab.click_text("❚❚ pause", "#grouser-dock button")
    tab.wait_for("grouser.charts.state.pausedAt !== null")
    held = seen(tab)
    x, y = place(tab, CANVAS.format(1), 0.2)
    mouse(tab, "mouseMoved", x, y)
    tab.wait_for("grouser.charts.state.hover !== null")
    time = tab.evaluate(
        "(s => s.times[s.nearest(grouser.charts.state.hover)])(grouser.charts.store)"
    )
    log = log_of(page)
    speed = float(log["vx"][round(time / page.loop.session.tick)])
    tab.wait_for(f"{LEGEND.format(1, 'vx')} === '{speed:.3f} m/s'.replace('-0.000', '0.000')")
    wait_until(lambda: page.loop.latest.time > held[1] - 20.0 + 2.0, "time goes on")
    assert seen(tab) == held
    mouse(tab, "mousePressed", x, y, button="left", buttons=1, clickCount=1)
    mouse(tab, "mouseMoved", x + 40.0, y, button="left", buttons=1)
    mouse(tab, "mouseReleased", x + 40.0, y, button="left", clickCount=1)
    tab.wait_for("grouser.charts.state.range !== null")
    near = seen(tab)
    assert held[0] < near[0] < near[1] < held[1]
    mouse(tab, "mouseWheel", x, y, deltaX=0, deltaY=300)
    wait_until(lambda: seen(tab)[1] - seen(tab)[0] > near[1] - near[0], "it shows more")
    tab.click_text("▶ live", "#grouser-dock button")
    wait_until(lambda: seen(tab)[0] == 0.0 or seen(tab)[1] > held[1], "it goes on")
    mouse(tab, "mouseMoved", 5.0, 300.0)


def download(tab: Tab, folder: Path, button: str, name: str) -> Path:
    """Press a button and return the file that it gives."""
    options = {"behavior": "allow", "downloadPath": str(folder)}
    tab._browser.call("Browser.setDownloadBehavior", **options)
    tab.click_text(button, "#grouser-dock button")
    file = folder / name
    wait_until(file.exists, f"{name} is there")
    return file


def test_values_and_charts_are_exported(driven, tmp_path):
    page, tab = driven
    open_charts(tab)
    tab.press("w")
    wait_until(lambda: page.loop.latest.time > 1.0, "it drives a while")
    tab.release("w")
    text = download(tab, tmp_path, "CSV", "grouser-charts.csv").read_text("utf-8")
    rows = list(csv.reader(text.splitlines()))
    head, numbers = rows[0], np.array([[float(v or "nan") for v in row] for row in rows[1:]])
    assert head[:3] == ["time [s]", "speed_commanded [m/s]", "vx [m/s]"]
    log = log_of(page)
    ticks = np.round(numbers[:, 0] / page.loop.session.tick).astype(int)
    assert len(ticks) > 10
    for name in ("vx", "yaw_rate", "pitch", "roll"):
        at = next(n for n, word in enumerate(head) if word.startswith(f"{name} ["))
        np.testing.assert_allclose(numbers[:, at], log[name][ticks], rtol=1e-8, atol=1e-12)
    with Image.open(download(tab, tmp_path, "PNG", "grouser-charts.png")) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    assert pixels.shape[1] == 1800
    assert (pixels < 128).any(axis=2).sum() > 1000


def test_forces_have_a_legend_and_the_robot_is_far_from_tipping_over_on_level_ground(driven):
    page, tab = driven
    words = "document.getElementById('grouser-legend').textContent"
    assert tab.evaluate(words) == ""
    tab.click(*place(tab, "document.getElementById('grouser-open-charts')"))
    tab.click_text("Contact forces", "label")
    wait_until(lambda: "forces" in page.panel.view.shown, "forces are shown")
    tab.wait_for(f"{words}.includes('N per cm')")
    angle = "document.querySelector('[data-show=tip_over]').textContent"
    assert float(tab.wait_for(angle)) > 5.0
    pitch = tab.evaluate("document.querySelector('[data-show=pitch]').textContent")
    assert len(pitch.split(".")[1]) == 1
    shown = "document.querySelector('{}').textContent"
    assert tab.evaluate(shown.format("[data-flippers=front] b")) == "-30.0 | -30.0"
    assert tab.evaluate(shown.format("[data-flippers=rear] b")) == "-10.0 | -10.0"
    assert tab.evaluate(shown.format("[data-show=slips]")) == "– | –"
    page.panel.view.choose(("trails",))
    tab.wait_for(f"{words} === ''")
    assert tab.complaints() == []


CAMERA = """
[[sensors.camera]]
name = "eye"
kind = "depth"
position_m = [0.1, 0.0, 0.2]
rate_hz = 5.0
size_px = [64, 48]
field_of_view_deg = 70.0
range_m = [0.3, 8.0]
"""
ADDRESS = (
    "robot=tp100&course=slope:angle_deg=5&model=slip&ghosts=ideal&show=trails,icr"
    "&camera=top&charts=vx,vx@*;slip.left"
)


@pytest.fixture(scope="module")
def seeing(closing, tmp_path_factory) -> Iterator[DriveApp]:
    """A page of a robot with a small camera, of a file."""
    folder = tmp_path_factory.mktemp("seeing")
    text = load_robot("tankbot").text.replace("\n[sources]\n", f"{CAMERA}\n[sources]\n")
    (folder / "seeing.toml").write_text(text, "utf-8")
    page = open_drive(folder, robot=str(folder / "seeing.toml"), model="ideal")
    yield page
    close_later(page, closing)


def test_pictures_of_cameras_are_shown_while_they_are_switched_on(seeing, open_tab):
    tab = open_tab(seeing)
    assert not seeing.stream.pictures.wanted
    tab.click_text("cameras", "#grouser-readers button")
    tab.wait_for("document.querySelector('#grouser-sensors img')?.naturalWidth === 64")
    tab.wait_for("document.getElementById('grouser-sensors').textContent.includes('8 m')")
    tab.wait_for("location.search.includes('cameras=on') && !location.search.includes('robot')")
    tab.click_text("cameras", "#grouser-readers button")
    tab.wait_for("!document.querySelector('#grouser-sensors img')")
    wait_until(lambda: not seeing.stream.pictures.wanted, "no picture is made any more")


def test_an_address_reopens_scene_and_layout_and_a_watcher_gets_the_layout_only(seeing, browser):
    page = seeing
    wait_until(lambda: page.lock.driver is None, "nobody drives")
    tab = browser.open(coarse(f"{page.address}&{ADDRESS}"))
    wait_until(lambda: page.loop.session.scenario.robot.name == "tp100", "it opens")
    scenario = page.loop.session.scenario
    assert (scenario.course.reference, scenario.model.name) == ("slope:angle_deg=5", "slip")
    wait_until(lambda: page.loop.session.wanted_ghosts == ("ideal",), "its ghost is there")
    wait_until(lambda: page.panel.view.shown == ("trails", "icr"), "switches are set")
    tab.wait_for("grouser.status.camera === 'top'")
    tab.wait_for("grouser.charts.store.columns.has('slip.left')")
    scene = tab.wait_for(
        "['ghosts=ideal', 'camera=top', 'eye='].every((part) => location.search.includes(part))"
        " && location.search"
    )
    changed = scene.replace("tp100", "../../etc/passwd").replace("camera=top", "camera=orbit")
    watcher = browser.open(page.address.partition("?")[0] + changed)
    watcher.wait_for("window.grouser && grouser.status?.camera === 'orbit'")
    watcher.wait_for("location.search.includes('robot=tp100')")
    assert page.loop.session.scenario == scenario
    layout = "JSON.stringify(grouser.charts.state.layout)"
    assert watcher.evaluate(layout) == tab.evaluate(layout) == '[["vx","vx@*"],["slip.left"]]'
    assert tab.evaluate("grouser.status.camera") == "top"  # each page has its own
    assert watcher.complaints() == []
    watcher.close()
    tab.close()


def test_hostile_layouts_become_few_short_names(driven):
    _, tab = driven
    text = ";".join(["a,b,%zz,%2C," + "x" * 200 + "," + ",".join(map(str, range(50)))] * 40)
    layout = json.loads(tab.evaluate(f"JSON.stringify(grouser.charts.read({text!r}))"))
    assert len(layout) <= 12
    assert sum(map(len, layout)) <= 32
    assert layout[0][:3] == ["a", "b", ","]
    assert max(len(name) for names in layout for name in names) <= 100
