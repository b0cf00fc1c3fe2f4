"""The mouse in the scene: where a point of the course is on the page, and drags."""

import base64
import time
from math import tan
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.viewer.app import DriveApp
from tests.viewer.browser import Tab

CONTROL, SHIFT = 2, 8
"""Keys that are held together with others."""


def find_pixel(page: DriveApp, tab: Tab, point: tuple[float, float, float]) -> tuple[float, float]:
    """Return the pixel of the driver's page where a point of the course is."""
    assert page.lock.driver is not None
    client = page.server.get_clients()[page.lock.driver]
    frame, camera = page.cameras.frame(client.client_id), client.camera
    place = frame.rotation.apply(point) + [float(frame.x), float(frame.y), float(frame.z)]
    seen = Rotation.from_quat(np.asarray(camera.wxyz), scalar_first=True)
    x, y, z = seen.inv().apply(place - np.asarray(camera.position))
    width, height = tab.evaluate("[innerWidth, innerHeight]")
    focal = 0.5 * height / tan(0.5 * camera.fov)
    return 0.5 * width + focal * x / z, 0.5 * height + focal * y / z


def settle(tab: Tab, frames: int = 4) -> None:
    """Wait until the page has drawn what it was sent."""
    tab.evaluate(f"""new Promise((done) => {{
        let left = {frames};
        const next = () => (left-- > 0 ? requestAnimationFrame(next) : done(0));
        next();
    }})""")


def click_at(page: DriveApp, tab: Tab, point: tuple[float, float, float]) -> None:
    """Click on a point of the course."""
    settle(tab)  # only then the page knows that clicks are awaited
    tab.click(*find_pixel(page, tab, point))


def drag(tab: Tab, start: tuple[float, float], end: tuple[float, float], steps: int = 5) -> None:
    """Press the mouse, move it and let it go."""

    def mouse(kind: str, share: float, **options: Any) -> None:
        x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
        tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **options)

    mouse("mouseMoved", 0.0)
    time.sleep(0.4)  # a gizmo lights up below the pointer
    mouse("mousePressed", 0.0, button="left", buttons=1, clickCount=1)
    for step in range(1, steps + 1):
        mouse("mouseMoved", step / steps, button="left", buttons=1)
        time.sleep(0.1)
    mouse("mouseReleased", 1.0, button="left", clickCount=1)


def press(tab: Tab, code: str, key: str, modifiers: int = 0) -> None:
    """Press a key and let it go, perhaps with others held."""
    for kind in ("rawKeyDown", "keyUp"):
        tab.call("Input.dispatchKeyEvent", type=kind, code=code, key=key, modifiers=modifiers)


def drop(tab: Tab, name: str, content: bytes, at: tuple[float, float] = (300.0, 300.0)) -> Any:
    """Drop a file on the scene; return what became of it."""
    coded = base64.b64encode(content).decode()
    tab.evaluate(f"""(() => {{
        const bytes = Uint8Array.from(atob("{coded}"), (letter) => letter.charCodeAt(0));
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bytes], {name!r}));
        grouser.build.outcome = null;
        const where = {{ clientX: {at[0]}, clientY: {at[1]}, bubbles: true, cancelable: true }};
        document.querySelector("canvas[data-engine]").dispatchEvent(
            new DragEvent("drop", {{ dataTransfer, ...where }}));
    }})()""")
    return tab.wait_for("grouser.build.outcome", 60.0)
