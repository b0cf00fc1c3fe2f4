"""What a look costs, in one run: python -m benchmarks.look [lean painted full] [--seconds 8].

The robot follows the path of the playground in headless Chromium, 1280 x 800. Frames are those that
three.js drew: viser draws on demand.
"""

import argparse
import tempfile
import time

from tests.viewer.browser import Browser

from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp

READY = "window.grouser && grouser.status && grouser.status.you === 'drive'"
INFO = "grouser.look.found.renderer.info.render"


def measure(look: str, seconds: float) -> str:
    """Return a line about a look."""
    scenario = Scenario(robot="absolem", course="playground", model="csm")
    with (
        Browser(1280, 800) as browser,
        tempfile.TemporaryDirectory() as folder,
        DriveApp(scenario, port=0, folder=folder, look=look) as page,  # pyright: ignore[reportArgumentType]
    ):
        tab = browser.open(page.address)
        tab.wait_for(READY, 60.0)
        time.sleep(3.0)
        page.commands.follow_path(True)
        began, spent, frames = (
            time.perf_counter(),
            time.process_time(),
            tab.evaluate(f"{INFO}.frame"),
        )
        time.sleep(seconds)
        drawn, calls = tab.evaluate(f"{INFO}.frame") - frames, tab.evaluate(f"{INFO}.calls")
        passed = time.perf_counter() - began
        share = (time.process_time() - spent) / passed
        return f"{look}: {drawn / passed:.2f} frames/s, {calls} draw calls, server {share:.2f} core"


def main() -> None:
    """Print a line for each look."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("looks", nargs="*", default=["lean", "painted", "full"])
    parser.add_argument("--seconds", type=float, default=8.0)
    given = parser.parse_args()
    for look in given.looks:
        print(measure(look, given.seconds), flush=True)


if __name__ == "__main__":
    main()
