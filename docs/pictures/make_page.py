"""Pictures of the driving page, of an offline replay and of a fit, taken in headless Chromium.

python docs/pictures/make_page.py [stairs] [ghosts] [charts] [replay] [fit]
"""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.viewer.browser import Browser, Tab, wait_until  # noqa: E402

from grouser import (  # noqa: E402
    Log,
    Scenario,
    Simulation,
    load_course,
    load_robot,
    make_model,
    write_log,
)
from grouser.cli import main as main_of_grouser  # noqa: E402
from grouser.drivers import Legs, Sides  # noqa: E402
from grouser.log import Column  # noqa: E402
from grouser.viewer.app import DriveApp  # noqa: E402
from grouser.viewer.replay_page import write_replay  # noqa: E402

PICTURES = Path(__file__).parent
READY = "window.grouser && grouser.status && grouser.status.you === 'drive'"


def open_page(
    browser: Browser,
    folder: str,
    course: str,
    ghosts: tuple[str, ...] = (),
    *,
    robot: str = "absolem",
    layout: str = "",
) -> tuple[DriveApp, Tab]:
    """Return a page, and a tab that shows it and nothing in front of it."""
    scenario = Scenario(robot=robot, course=course, model="csm")
    page = DriveApp(scenario, ghosts=ghosts, port=0, folder=folder)
    tab = browser.open(f"{page.address}&fixedDpr=1{layout}")
    tab.wait_for(READY, 120.0)
    time.sleep(2.0)
    hide = "[class*=Notification-root] { display: none } #grouser-help { display: none }"
    tab.evaluate(
        f"document.head.append(Object.assign(document.createElement('style'),"
        f"{{textContent: {hide!r}}}))"
    )
    return page, tab


def hold(tab: Tab, keys: str, condition: Callable[[], bool], what: str) -> None:
    """Hold keys until something is so."""
    for key in keys:
        tab.press(key)
    wait_until(condition, what, 120.0)
    for key in keys:
        tab.release(key)


def take(tab: Tab, name: str) -> None:
    """Write a picture."""
    time.sleep(3.0)
    tab.screenshot(PICTURES / name)


def stairs(browser: Browser, folder: str) -> None:
    """Absolem on its way up, with its contact forces."""
    page, tab = open_page(browser, folder, "staircase")
    with page:
        page.panel.view.choose(("trails", "forces"))
        page.commands.set_speed(0.3)
        hold(tab, "w", lambda: page.loop.latest.motion.pose.z > 0.35, "it climbs")
        take(tab, "page-stairs.png")
        tab.close()


def ghosts(browser: Browser, folder: str) -> None:
    """A turn on a slippery patch, where other models part from csm."""
    page, tab = open_page(browser, folder, "slippery", ("icr", "ideal"))
    with page:
        tab.click_text("charts", "button")
        hold(tab, "w", lambda: page.loop.latest.motion.pose.x > 1.0, "it is on the patch")
        hold(tab, "wa", lambda: page.loop.latest.gaps[0].distance > 0.38, "they part")
        take(tab, "page-ghosts.png")
        page.commands.save()
        wait_until(page.commands.recordings.names, "it is saved")
        tab.close()


LAYOUT = (
    "&cameras=on&show=trails,forces,pressure,support,icr&charts=speed_commanded,vx"
    ";slip_left,slip_right;normal_force.left,normal_force.right,tip_over_angle;pitch,roll"
)


def charts(browser: Browser, folder: str) -> None:
    """Charts, overlays and cameras, halfway up onto a platform."""
    options = {"robot": "examples/absolem-sensors.toml", "layout": LAYOUT}
    with chdir(ROOT):
        page, tab = open_page(browser, folder, "playground", **options)
    with page:
        tab.resize(1400, 900)
        page.commands.set_speed(0.2)
        hold(tab, "w", lambda: page.loop.latest.motion.pose.pitch < -0.12, "it climbs")
        start = page.loop.latest.time
        hold(tab, "wa", lambda: page.loop.latest.time > start + 1.0, "it turns")
        page.commands.pause(True)
        take(tab, "page-charts.png")
        tab.close()


def replay(browser: Browser, folder: str) -> None:
    """The offline page of a drive and its ghost."""
    run, ghost = (drive_turn(model) for model in ("csm", "icr"))
    file = Path(folder) / "replay.html"
    write_replay(run, file, others=(ghost,))
    tab = browser.open(file.as_uri())
    tab.wait_for("parseFloat(document.getElementById('replay-time').textContent) > 5.5", 120.0)
    tab.screenshot(PICTURES / "replay.png")
    tab.close()


def fit(browser: Browser, folder: str) -> None:
    """The page of an identification: a TP100 driven to and fro, seen with noise."""
    robot, generator = load_robot("tp100"), np.random.default_rng(1)
    simulation = Simulation(make_model("slip"), robot, load_course("flat"), dt=0.02)
    speeds = generator.uniform(-0.05, 0.2, (25, 2)).tolist()
    legs = [(2.0, Sides(left=left, right=right)) for left, right in speeds]
    simulation.run(Legs(robot, legs), duration=50.0)
    log = simulation.log()
    noise = {"x": 0.002, "y": 0.002, "yaw": 0.005}
    seen = {
        name: Column(log[name] + generator.normal(0.0, size, len(log)), log.unit(name))
        for name, size in noise.items()
    }
    with chdir(folder):  # the page names the log as it was given
        write_log(log.with_columns(seen), "drive.csv")
        main_of_grouser(["identify", "drive.csv", "--report", "fit.html"])
    tab = browser.open(f"file://{folder}/fit.html")
    tab.wait_for("document.querySelectorAll('.bars .fill').length > 3", 120.0)
    take(tab, "identify-page.png")
    tab.close()


def drive_turn(model: str) -> Log:
    """Drive straight ahead and then a turn."""
    robot, course = load_robot("absolem"), load_course("slippery")
    simulation = Simulation(make_model(model), robot, course)
    legs = [(3.0, Sides(left=0.4, right=0.4)), (6.0, Sides(left=0.15, right=0.4))]
    simulation.run(Legs(robot, legs), duration=9.0)
    return simulation.log(driver="legs")


def main() -> None:
    """Take the pictures that are named."""
    makers = {"stairs": stairs, "ghosts": ghosts, "charts": charts, "replay": replay, "fit": fit}
    wanted = sys.argv[1:] or list(makers)
    with tempfile.TemporaryDirectory() as folder, Browser(1280, 760) as browser:
        for name in wanted:
            makers[name](browser, folder)


if __name__ == "__main__":
    main()
