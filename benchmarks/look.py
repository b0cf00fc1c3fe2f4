"""What a look costs: frames, draw calls, bytes and the server's CPU time, in one run.

    python -m benchmarks.look [--seconds 8] [--rounds 2] [--before FOLDER]

Each look is measured in a process of its own, one after another, `--rounds` times, while the robot
drives on the playground in headless Chromium without a graphics card. `--before` is the main
folder of an older version of the project, which is measured, too. Frames are those that three.js
drew: viser draws on demand.
"""

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LOOKS = ("lean", "painted", "full")
HOOK = """window.__THREE_DEVTOOLS__ ??= new EventTarget(); window.first = 0;
window.__THREE_DEVTOOLS__.addEventListener('observe', (event) => {
  if (!event.detail?.isWebGLRenderer || window.drawn) return;
  window.drawn = event.detail;
  const timer = setInterval(() => {
    if (drawn.info.render.triangles < 300) return;
    first = performance.now();
    clearInterval(timer);
  }, 10);
});"""
"""Counts frames in the page, of any version."""
STATE = "[drawn.info.render.frame, drawn.info.render.calls, drawn.info.render.triangles, first]"
PATIENCE = 240.0
"""How long a page may take to draw its first frame [s]."""


def main() -> None:
    """Print a line of JSON for each look and round."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--one", help="measure this look in this process")
    words.add_argument("--seconds", type=float, default=8.0)
    words.add_argument("--rounds", type=int, default=2)
    words.add_argument("--before", type=Path)
    words.add_argument("--pixels", default="0.6", help="pixels per CSS pixel along each side")
    given = words.parse_args()
    if given.one:
        print(json.dumps(measure(given.one, given.seconds, given.pixels)), flush=True)
        return
    here = Path(__file__).parents[1]
    for _ in range(given.rounds):
        for look in (*(("before",) if given.before else ()), *LOOKS):
            folder = given.before if look == "before" else here
            paths = os.pathsep.join((str(folder / "src"), str(here)))
            command = [sys.executable, "-m", "benchmarks.look", "--one", look]
            command += ["--seconds", str(given.seconds), "--pixels", given.pixels]
            subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, check=True)


def measure(look: str, seconds: float, pixels: str) -> dict[str, Any]:
    """Return what a look costs while the robot drives [units in the keys]."""
    from tests.viewer import browser as chromium

    from grouser.scenario import Scenario
    from grouser.viewer.app import DriveApp

    chromium.PATIENCE = PATIENCE
    sent = _count_bytes()
    scenario = Scenario(robot="absolem", course="playground", model="csm", driver="person")
    has_looks = "look" in inspect.signature(DriveApp).parameters
    options = {"look": look} if has_looks else {}
    began = time.process_time()
    with (
        tempfile.TemporaryDirectory() as folder,
        DriveApp(scenario, port=0, folder=folder, **options) as page,
        chromium.Browser(1280, 800) as browser,
    ):
        built = time.process_time() - began
        tab = browser.open("about:blank")
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=HOOK)
        tab.go(f"{page.address}?fixedDpr={pixels}")
        tab.wait_for("window.grouser && grouser.status && grouser.status.you === 'drive'", PATIENCE)
        tab.wait_for("first", PATIENCE)
        chromium.wait_until(lambda: page.loop.session.note is None, "it is compiled", PATIENCE)
        time.sleep(4.0)
        connected = sent[0]
        page.loop.request(lambda loop: page.commands.act("path"))  # follows the path by itself
        time.sleep(1.0)
        before, frames = sent[0], tab.evaluate(STATE)[0]
        cpu, clock = time.process_time(), time.monotonic()
        time.sleep(seconds)
        now, calls, triangles, first = tab.evaluate(STATE)
        passed, used = time.monotonic() - clock, time.process_time() - cpu
        after = sent[0]
        tab.close()
    return {
        "look": look,
        "frames_per_s": round((now - frames) / passed, 2),
        "draw_calls": calls,
        "triangles": triangles,
        "first_frame_s": round(first / 1000.0, 2),
        "sent_until_driving_kB": round(connected / 1e3),
        "stream_kB_per_s": round((after - before) / passed / 1e3),
        "server_cpu_share": round(used / passed, 3),
        "page_built_cpu_s": round(built, 2),
    }


def _count_bytes() -> list[int]:
    """Return a counter of all bytes that leave by web sockets."""
    from websockets.asyncio.server import ServerConnection

    sent, send = [0], ServerConnection.send

    async def counted(self: Any, message: Any, *more: Any, **options: Any) -> Any:
        sent[0] += len(message) if isinstance(message, bytes | str | memoryview) else 0
        return await send(self, message, *more, **options)

    ServerConnection.send = counted
    return sent


if __name__ == "__main__":
    main()
