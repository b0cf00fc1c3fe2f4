"""Bombs dropped on a page that drives: memory, time until the sentence, and the physics meanwhile.

`python -m benchmarks.dropped [NAME …]` drops each file of `tests/viewer/bombs.py` on a page of its
own, and prints the largest memory of the page's process and of its reading process, the time until
the outcome, simulated per real time, and the longest time between two ticks.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.viewer.bombs import CORNERS, FOUND, MORE, TETRAHEDRON
from tests.viewer.dropping import Page

MODEL = "csm"


def measure(name: str) -> str:
    """Drop one file on a new page, and return a row of the table."""
    file, make = (FOUND | MORE)[name]
    content = make()
    with tempfile.TemporaryDirectory() as folder, Page(Path(folder) / "drives", MODEL) as page:
        page.loop.set_watched(is_watched=True)
        page.drop("warm.obj", CORNERS + TETRAHEDRON)  # imports what any drop imports
        readers = [0.0]
        threading.Thread(target=_watch_children, args=(readers,), daemon=True).start()
        gaps = [0.0]
        page.loop.after_tick = _watch(gaps)
        session, memory = page.loop.session, _peak()
        before, since = session.simulation.time, time.perf_counter()
        outcome = page.drop(file, content)
        took = time.perf_counter() - since
        is_same = page.loop.session is session
        factor = f"{(session.simulation.time - before) / took:.3f}" if is_same else "new course"
        grown = _peak() - memory
    words = outcome.sentence.split(" kept as")[0] or outcome.mistakes[0]
    return (
        f"| {name} | {len(content) / 1e3:,.0f} | {grown:,.0f} | {max(readers):,.0f} | {took:.1f} | "
        f"{factor} | {1e3 * max(gaps):.0f} | {words[:110]} |"
    )


def _watch(gaps: list[float]):
    last = [time.perf_counter()]

    def note(session: object) -> None:
        now = time.perf_counter()
        gaps.append(now - last[0])
        last[0] = now

    return note


def _peak(process: int | str = "self") -> float:
    """Return the largest memory of a process so far [MB]."""
    words = Path(f"/proc/{process}/status").read_text().partition("VmHWM:")[2].split()
    return float(words[0]) / 1e3 if words else 0.0


def _watch_children(readers: list[float]) -> None:
    """Add the largest memory of each process that descends from this one, again and again [MB]."""
    while True:
        waiting = [os.getpid()]
        while waiting:
            with suppress(OSError):  # one that ended meanwhile
                tasks = Path(f"/proc/{waiting.pop()}/task").glob("*/children")
                found = [int(word) for task in tasks for word in task.read_text().split()]
                waiting += found
                readers += [_peak(process) for process in found]
        time.sleep(0.005)


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
