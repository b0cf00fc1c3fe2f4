"""A headless Chromium for tests, driven over its debugging protocol."""

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from websockets.sync.client import ClientConnection, connect

from tests.surroundings import LONGEST_WAIT

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding", "--disable-dev-shm-usage", "--mute-audio",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-port=0",
)  # fmt: skip
KEYS = {
    "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, " ": 32, "Escape": 27,
    "Enter": 13, "Tab": 9, "Shift": 16, "Control": 17,
}  # fmt: skip
"""Virtual key codes of keys that are no letters."""
FEW_FRAMES = """(() => {
    const native = window.requestAnimationFrame.bind(window), gap = 1000 / %g;
    let calls = new Map(), number = 0, last = -gap, waits = false;
    const draw = (time) => {
        const due = calls;
        calls = new Map(), waits = false, last = performance.now();
        for (const call of due.values()) {
            try { call(time); } catch (error) { reportError(error); }
        }
    };
    window.requestAnimationFrame = (call) => {
        calls.set(++number, call);
        if (!waits) {
            waits = true;
            setTimeout(() => native(draw), Math.max(0, last + gap - performance.now()));
        }
        return number;
    };
    window.cancelAnimationFrame = (which) => void calls.delete(which);
})()"""
"""Script that runs before all others of a page: it is called back that often, not more."""


def find_chromium() -> str | None:
    """Return the program to start, or nothing if there is none."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if name and (path := shutil.which(name))), None)


class Browser:
    """One browser process with its own profile; a context manager.

    Its pages draw at most `frames` pictures per second [1/s]; without a graphics card drawing
    takes the processor from all that a test waits for.
    """

    def __init__(self, width: int = 1280, height: int = 800, frames: float | None = None) -> None:
        program = find_chromium()
        assert program is not None, "chromium is not installed: apt-get install chromium"
        self.width, self.height, self._frames = width, height, frames
        self._folder = tempfile.mkdtemp(prefix="grouser-browser-")
        arguments = [f"--user-data-dir={self._folder}", f"--window-size={width},{height}"]
        self._process = subprocess.Popen(
            [program, *FLAGS, *arguments, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "HOME": self._folder},  # it writes there, wherever it may
        )
        try:
            self._socket = self._connect()
        except BaseException:
            self._stop_process()
            raise
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self, address: str) -> "Tab":
        """Return a new tab that has begun to load an address."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, target, session)
        if self._frames is not None:
            tab.call("Page.addScriptToEvaluateOnNewDocument", source=FEW_FRAMES % self._frames)
        tab.go(address)
        return tab

    def close(self) -> None:
        """End the browser and remove its profile."""
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        with contextlib.suppress(Exception):
            self._socket.close()
        self._stop_process()

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command of the protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        until = time.monotonic() + LONGEST_WAIT
        while True:
            answer = json.loads(self._socket.recv(timeout=max(until - time.monotonic(), 0.0)))
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer.get('error')}"
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def _connect(self) -> ClientConnection:
        file = Path(self._folder) / "DevToolsActivePort"
        wait_until(lambda: file.exists() and file.read_text().count("\n"), "chromium starts")
        port, path = file.read_text().split("\n")[:2]
        return connect(f"ws://127.0.0.1:{port}{path}", max_size=None, proxy=None)

    def _stop_process(self) -> None:
        try:
            self._process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


class Tab:
    """One page of a browser."""

    def __init__(self, browser: Browser, target: str, session: str) -> None:
        self._browser, self._target, self._session = browser, target, session
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.resize(browser.width, browser.height)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer of this page to a command of the protocol."""
        return self._browser.call(method, self._session, **parameters)

    def go(self, address: str) -> None:
        """Load an address; return when its document is complete."""
        answer = self.call("Page.navigate", url=address)
        assert "errorText" not in answer, f"{address}: {answer['errorText']}"
        self.wait_for(f"document.readyState === 'complete' && location.href !== {'about:blank'!r}")

    def reload(self) -> None:
        """Load the page again; return when the new document is complete, not the old one."""
        self.evaluate("window.before_reload = true, location.reload(), 0")
        self.wait_for("!window.before_reload && document.readyState === 'complete'")

    def resize(
        self, width: int, height: int, *, mobile: bool = False, sharpness: float = 1.0
    ) -> None:
        """Give the page a size in pixels of its own, and how many of the screen each has."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=sharpness,
            mobile=mobile,
        )

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page; promises are waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, script: str, timeout: float = LONGEST_WAIT) -> Any:
        """Return the value of an expression as soon as it is truthy; it may load meanwhile."""

        def value() -> Any:
            try:
                return self.evaluate(script)
            except AssertionError as error:
                if "navigated" in str(error):
                    return None
                raise

        return wait_until(value, script, timeout)

    def press(self, key: str) -> None:
        """Push a key down and keep it down: a letter, or a name such as ArrowUp."""
        self._key("keyDown" if len(key) == 1 else "rawKeyDown", key)

    def release(self, key: str) -> None:
        """Let a key come up."""
        self._key("keyUp", key)

    def click(self, x: float, y: float) -> None:
        """Click at a place of the page, in pixels."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def use_fingers(self, is_used: bool = True) -> None:
        """Make the page one of a touch screen, or of a mouse again."""
        points = {"maxTouchPoints": 5} if is_used else {}
        self.call("Emulation.setTouchEmulationEnabled", enabled=is_used, **points)

    def touch(self, *places: tuple[float, float]) -> None:
        """Put fingers on the page, in pixels, and keep them there; no places lift all of them."""
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        kind = "touchStart" if points else "touchEnd"
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def middle(self, selector: str) -> tuple[float, float]:
        """Return the middle of an element, in pixels, as soon as it stays there."""
        script = f"""(() => {{
            const box = document.querySelector({selector!r})?.getBoundingClientRect();
            return box && box.width ? [box.x + box.width / 2, box.y + box.height / 2] : null;
        }})()"""
        return self.rest(script)

    def click_text(self, text: str, kind: str = "button, label, [role=tab], span") -> None:
        """Click in the middle of the innermost element of a kind that shows exactly this text."""
        script = f"""(() => {{
            const all = [...document.querySelectorAll({kind!r})];
            const found = all.filter(e => e.textContent.trim() === {text!r}).at(-1);
            if (!found) return null;
            found.scrollIntoView({{block: "nearest"}});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
        self.click(*self.rest(script))

    def rest(self, script: str) -> tuple[float, float]:
        """Return a place as soon as it stays the same: lists open in motion."""
        before, place = None, self.wait_for(script)
        while place != before:
            time.sleep(0.15)
            before, place = place, self.wait_for(script)
        return place[0], place[1]

    def screenshot(self, file: Path | str) -> Path:
        """Write what the page shows to a PNG file."""
        picture = self.call("Page.captureScreenshot", format="png")
        Path(file).write_bytes(base64.b64decode(picture["data"]))
        return Path(file)

    def frame_rate(self, seconds: float = 2.0) -> float:
        """Return how many frames the page draws per second [1/s]."""
        script = f"""new Promise(done => {{
            let count = 0; const start = performance.now();
            const next = () => {{
                const passed = performance.now() - start; count += 1;
                if (passed > {1000.0 * seconds}) done(1000 * (count - 1) / passed);
                else requestAnimationFrame(next);
            }};
            requestAnimationFrame(next);
        }})"""
        return float(self.evaluate(script))

    def complaints(self) -> list[str]:
        """Return the errors that the page wrote to its console or did not catch."""
        found = []
        self.evaluate("0")  # brings what happened until now
        for event in self._browser.events:
            if event.get("sessionId") == self._session:
                found += _complaint(event["method"], event["params"])
        return found

    def forget(self) -> None:
        """Forget the errors until now."""
        events = self._browser.events
        events[:] = [one for one in events if one.get("sessionId") != self._session]

    def close(self) -> None:
        """Close the tab, as a person does."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def _key(self, kind: str, key: str) -> None:
        letter = len(key) == 1 and key.isalpha()
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        names = {" ": "Space", "Shift": "ShiftLeft", "Control": "ControlLeft"}
        physical = f"Key{key.upper()}" if letter else names.get(key, key)
        physical = f"Digit{key}" if key.isdigit() else physical
        text = {"text": key} if kind == "keyDown" else {}
        self.call(
            "Input.dispatchKeyEvent",
            type=kind,
            key=key,
            code=physical,
            windowsVirtualKeyCode=code,
            **text,
        )


def wait_until(
    condition: Callable[[], Any], what: str, timeout: float = LONGEST_WAIT, pause: float = 0.02
) -> Any:
    """Return what a condition gives as soon as that is truthy."""
    until = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < until, f"not within {timeout:g} s: {what}"
        time.sleep(pause)
    return value


def _complaint(method: str, parameters: dict[str, Any]) -> list[str]:
    if method == "Runtime.exceptionThrown":
        details = parameters["exceptionDetails"]
        return [details.get("exception", {}).get("description") or details["text"]]
    if method == "Runtime.consoleAPICalled" and parameters["type"] == "error":
        return [" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"])]
    if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
        return [parameters["entry"]["text"]]
    return []
