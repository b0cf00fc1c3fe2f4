"""How long from a key to motion: python -m benchmarks.key_latency [lean full] [--keys 100].

A key is pressed in a real browser; measured is the wall time until belts of the simulated robot
move, by look of the page, in one run.
"""

import argparse
import tempfile
import time

import numpy as np
from tests.viewer.browser import Browser, Tab, wait_until

from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp

READY = "window.grouser && grouser.status && grouser.status.you === 'drive'"


def measure(look: str, keys: int) -> list[float]:
    """Return the time from each key to motion [s]."""
    scenario = Scenario(robot="absolem", course="playground", model="csm")
    with (
        Browser(1280, 800) as browser,
        tempfile.TemporaryDirectory() as folder,
        DriveApp(scenario, port=0, folder=folder) as page,
    ):
        tab = browser.open(f"{page.address}&look={look}")
        tab.wait_for(READY, 120.0)
        wait_until(lambda: page.loop.session.note is None, "the model is compiled", 120.0)
        time.sleep(5.0)
        return [_press(page, tab) for _ in range(keys)]


def _press(page: DriveApp, tab: Tab) -> float:
    began = time.perf_counter()
    tab.press("a")
    wait_until(lambda: any(page.loop.latest.motion.belt_speeds), "belts move", 30.0, 0.001)
    passed = time.perf_counter() - began
    tab.release("a")
    wait_until(lambda: not any(page.loop.latest.motion.belt_speeds), "belts stand", 30.0)
    time.sleep(0.05)
    return passed


def main() -> None:
    """Print a line for each look."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("looks", nargs="*", default=["lean", "full"])
    parser.add_argument("--keys", type=int, default=100)
    given = parser.parse_args()
    for look in given.looks:
        times = 1e3 * np.array(measure(look, given.keys))
        p50, p99 = np.percentile(times, [50.0, 99.0])
        print(f"{look}: {len(times)} keys, p50 {p50:.0f} ms, p99 {p99:.0f} ms")


if __name__ == "__main__":
    main()
