"""Pictures of the driving page in the full look.

Run it from the main folder: python docs/pictures/make_look.py. `--out FOLDER` writes elsewhere,
`--scenes playground,rough` chooses, `--look lean` shows another look, `--phone` has the size of a
phone. Without a graphics card a picture takes some ten seconds.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from tests.viewer import browser as chromium
from tests.viewer.browser import Browser, Tab, wait_until

from grouser.control import LET_GO, Sticks
from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp

PATIENCE = 300.0
"""How long a page may take without a graphics card [s]."""
chromium.LONGEST_WAIT = PATIENCE

HERE = Path(__file__).parent
SCENES: dict[str, dict] = {
    "playground": {"seconds": 2.7},
    "staircase": {"seconds": 3.7},
    "rough": {"seconds": 3.6},
    "soil-bin": {"seconds": 4.5},
    "lane-stepfield": {"seconds": 4.0},
}
"""Course of each picture, and for how long the robot drives before [s]."""
SETTLE = 3.0
"""Time for which a page goes on drawing before its picture is taken [s]."""


def main() -> None:
    """Take the pictures."""
    words = argparse.ArgumentParser()
    words.add_argument("--out", type=Path, default=HERE)
    words.add_argument("--scenes", default=",".join(SCENES))
    words.add_argument("--robot", default="absolem")
    words.add_argument("--look", default="full")
    words.add_argument("--phone", action="store_true")
    words.add_argument("--name", default="look")
    words.add_argument("--best", action="store_true", help="the picture of the docs only")
    given = words.parse_args()
    given.scenes = "playground" if given.best else given.scenes
    size = (390, 844) if given.phone else (1400, 900)
    given.out.mkdir(parents=True, exist_ok=True)
    with Browser(*size) as browser:
        for scene in given.scenes.split(","):
            kind = "phone" if given.phone else "desktop"
            file = given.out / f"{given.name}-{scene}-{kind}.png"
            if given.best:
                file = given.out / "page-look.png"
            _take(browser, scene, file, given)


def _take(browser: Browser, scene: str, file: Path, given: argparse.Namespace) -> None:
    model = "csm"
    scenario = Scenario(robot=given.robot, course=scene, model=model, driver="person")
    options = {} if given.look == "before" else {"look": given.look}
    with TemporaryDirectory() as folder:
        page = DriveApp(scenario, port=0, folder=folder, **options)
        tab = browser.open(f"{page.address}&fixedDpr=1")
        if given.phone:
            tab.resize(browser.width, browser.height, mobile=True)
        tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'", PATIENCE)
        wait_until(lambda: page.loop.session.note is None, "the model is compiled", PATIENCE)
        if given.look == "full":
            tab.wait_for("grouser.look.hooks.sun", PATIENCE)
            _add_what_a_card_has(page, tab)
        _drive(page, tab, SCENES.get(scene, {}).get("seconds", 3.0))
        page.commands.act("pause")  # a page that stands still has time to draw
        time.sleep(SETTLE)
        tab.evaluate("1")
        tab.screenshot(file)
        # Fewer colours make the file half as large.
        Image.open(file).convert("RGB").quantize(256).save(file, optimize=True)
        tab.close()
        page.stop()


def _add_what_a_card_has(page: DriveApp, tab: Tab) -> None:
    """Add reflections and finer shadows, which a page without a graphics card leaves out."""
    from grouser.viewer.scene.lights import add_reflections

    for client in page.server.get_clients().values():
        add_reflections(client.scene)
    tab.evaluate("""grouser.look.found.scene.traverse((node) => {
        if (node.isDirectionalLight && node.castShadow) {
            node.shadow.mapSize.set(4096, 4096);
            node.shadow.map?.dispose();
            node.shadow.map = null;
        }
    })""")


def _drive(page: DriveApp, tab: Tab, seconds: float) -> None:
    """Drive ahead for a time of the simulation [s]; keys of a page that draws slowly come late."""
    tab.evaluate("document.body.classList.add('grouser-driven')")
    start, driver = page.loop.latest.time, next(iter(page.server.get_clients()))
    while page.loop.latest.time < start + seconds:
        if page.lock.driver is None:
            page.lock.give_to(driver)
        page.lock.set_sticks(driver, Sticks(forward=1.0))
        time.sleep(0.05)
    page.lock.set_sticks(driver, LET_GO)


if __name__ == "__main__":
    main()
