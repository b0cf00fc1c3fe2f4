"""The driving page while the robot is pulled by the mouse, taken in headless Chromium.

python docs/pictures/make_touch.py
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.viewer.browser import Browser, Tab, wait_until  # noqa: E402

from grouser import Scenario  # noqa: E402
from grouser.viewer.app import DriveApp  # noqa: E402

SIZE = (1100, 700)
"""Size of the page [pixels]."""
GRAB, PULL = (530.0, 330.0), (250.0, 390.0)
"""Where the mouse grabs the robot, and where it pulls it to [pixels]."""
HIDE = "[class*=Notification-root] { display: none }"


def drag(tab: Tab) -> None:
    """Press the mouse on the robot and move it, without a release."""
    steps = [step / 10.0 for step in range(11)]
    for number, share in enumerate(steps):
        x, y = (a + share * (b - a) for a, b in zip(GRAB, PULL, strict=True))
        kind = "mouseMoved" if number else "mousePressed"
        pressed = {"button": "left", "buttons": 1, "clickCount": 1}
        tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **pressed)


def main() -> None:
    """Write the picture."""
    scenario = Scenario(robot="absolem", course="playground", model="csm")
    with (
        tempfile.TemporaryDirectory() as folder,
        DriveApp(scenario, port=0, folder=folder) as page,
        Browser(*SIZE) as browser,
    ):
        wait_until(lambda: page.loop.session.note is None, "it is compiled", 120.0)
        tab = browser.open(f"{page.address}&fixedDpr=1")
        tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'", 120.0)
        tab.evaluate(
            "void document.head.append(Object.assign(document.createElement('style'),"
            f"{{textContent: {HIDE!r}}}))"
        )
        tab.click_text("Touch", "[role=tab], button")
        tab.frame_rate(6.0)  # until all is drawn
        drag(tab)
        wait_until(lambda: page.loop.latest.pull is not None, "it is pulled", 60.0)
        tab.frame_rate(5.0)  # until it hangs at the spring
        tab.screenshot(Path(__file__).parent / "page-pull.png")


if __name__ == "__main__":
    main()
