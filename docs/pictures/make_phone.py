"""The driving page on a phone, upright and lying, with its panel closed and open.

It is taken in headless Chromium.

python docs/pictures/make_phone.py
"""

import io
import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib import image

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.viewer.browser import Browser, Tab, wait_until  # noqa: E402

from grouser import Scenario  # noqa: E402
from grouser.viewer.app import DriveApp  # noqa: E402

UPRIGHT, LYING, GAP = (390, 844), (844, 390), 12
"""Sizes of the screens, and distance between them in the picture [pixels]."""
HIDE = "[class*=Notification-root] { display: none }"


def take(tab: Tab, size: tuple[int, int], folder: str, *, is_open: bool = False) -> np.ndarray:
    """Return what a phone of a size shows."""
    tab.resize(*size, mobile=True)
    tab.wait_for(f"grouser.panel?.isOpen === {str(is_open).lower()}")
    tab.frame_rate(4.0)  # until it is drawn in this size
    file = tab.screenshot(Path(folder) / "phone.png")
    return image.imread(io.BytesIO(file.read_bytes()))[..., :3]


def main() -> None:
    """Write the picture."""
    scenario = Scenario(robot="absolem", course="playground", model="csm")
    with (
        tempfile.TemporaryDirectory() as folder,
        DriveApp(scenario, port=0, folder=folder) as page,
        Browser(*UPRIGHT) as browser,
    ):
        wait_until(lambda: page.loop.session.note is None, "it is compiled", 120.0)
        tab = browser.open("about:blank#")
        tab.use_fingers()
        tab.resize(*UPRIGHT, mobile=True)
        tab.go(f"{page.address}&fixedDpr=1")
        tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'", 120.0)
        tab.evaluate(
            "void document.head.append(Object.assign(document.createElement('style'),"
            f"{{textContent: {HIDE!r}}}))"
        )
        x, y = tab.middle("#grouser-pad")
        tab.touch((x - 8, y - 50))
        wait_until(lambda: page.loop.latest.motion.pose.x > 0.25, "it drives", 60.0)
        tab.touch()
        upright, lying = (take(tab, size, folder) for size in (UPRIGHT, LYING))
        tab.touch(tab.middle("[data-dock-minimize]"))
        tab.touch()
        opened = take(tab, LYING, folder, is_open=True)
        tab.close()
    whole = np.ones((UPRIGHT[1], UPRIGHT[0] + GAP + LYING[0], 3), dtype=np.float32)
    whole[:, : UPRIGHT[0]] = upright
    whole[: LYING[1], UPRIGHT[0] + GAP :] = lying
    whole[-LYING[1] :, UPRIGHT[0] + GAP :] = opened
    image.imsave(Path(__file__).with_name("page-phone.png"), whole)


if __name__ == "__main__":
    main()
