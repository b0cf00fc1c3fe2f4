"""Bombs dropped on a page that drives: memory, time until the sentence, and the physics meanwhile.

`python -m benchmarks.dropped [NAME …]` drops each file of `tests/viewer/bombs.py` on a page of its
own, and prints the largest memory of the page's process and of its reading process, the time until
the outcome, simulated per real time, and the longest time between two ticks.
"""

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.viewer.bombs import FOUND, MORE
from tests.viewer.dropping import Page

MODEL = "csm"


def measure(name: str) -> str:
    """Drop one file on a new page, and return a row of the table."""
    file, make = (FOUND | MORE)[name]
    content = make()
    with tempfile.TemporaryDirectory() as folder:
        page = Page(Path(folder) / "drives", MODEL)
        page.loop.start()
        page.loop.set_watched(is_watched=True)
        time.sleep(1.0)
        gaps, ended = [0.0], threading.Event()
        page.loop.after_tick = _watch(gaps)
        before, since = page.loop.session.simulation.time, time.perf_counter()
        page_before, children = _peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        session = page.loop.session
        outcome = page.drop(file, content)
        took = time.perf_counter() - since
        same = page.loop.session is session
        factor = (page.loop.session.simulation.time - (before if same else 0.0)) / took
        ended.set()
        grown = _peak() - page_before
        reader = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        page.loop.stop()
    del children
    words = outcome.sentence.split(", kept as")[0].split(" kept as")[0] or outcome.mistakes[0]
    shown = f"{factor:.3f}" if same else "replaced"
    return (
        f"| {name} | {len(content) / 1e3:,.0f} | {grown / 1e3:,.0f} | {reader / 1e3:,.0f} | "
        f"{took:.1f} | {shown} | {1e3 * max(gaps):.0f} | {words[:110]} |"
    )


def _watch(gaps: list[float]):
    last = [time.perf_counter()]

    def note(session: object) -> None:
        now = time.perf_counter()
        gaps.append(now - last[0])
        last[0] = now

    return note


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Print a table; each file has a process of its own."""
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        print(measure(sys.argv[2]), flush=True)
        return
    print("| file | kB | page grows MB | reader MB | s | real-time factor | longest tick ms | |")
    print("|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or (FOUND | MORE):
        command = [sys.executable, "-m", "benchmarks.dropped", "--one", name]
        since = time.perf_counter()
        done = subprocess.run(command, env=os.environ, check=False)
        if done.returncode:
            took = time.perf_counter() - since
            print(
                f"| {name} | the page's process ended with {done.returncode} after {took:.0f} s |"
            )


if __name__ == "__main__":
    main()
