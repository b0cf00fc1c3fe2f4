"""`python -m tests.soak --minutes N`: three loads at once, and whether anything grows.

A page with clients that come and go, boards in the loop one after the other, sweeps whose workers
are killed. Resident memory, descriptors and threads are sampled of what lasts as long as the soak;
of what comes again and again, the largest of each run counts. Ctrl-C ends it early and prints what
it has. Exit code 1 if something grows for certain beyond its bound, or went wrong.
"""

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

import psutil

from tests.soak.loads import LOADS, Load
from tests.soak.slopes import fit_slope

EVERY = 1.0
"""Time between two samples [s]."""
BOUNDS = {"RSS [MB]": (5.0, 1.0), "descriptors": (0.0, 2.0), "threads": (0.0, 2.0)}
"""Slope that is permitted [1/h], and growth below which nothing is said, by what is measured.

One thread more is a pool that found more to do.
"""
Series = dict[tuple[str, str], list[tuple[float, float]]]


def measure(process: psutil.Process) -> dict[str, float] | None:
    """Return what a process holds; None if it is gone."""
    try:
        with process.oneshot():
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            values = (process.memory_info().rss / 1e6, process.num_fds(), process.num_threads())
    except psutil.Error:
        return None
    return dict(zip(BOUNDS, map(float, values), strict=True))


class Watch:
    """Samples of all processes."""

    def __init__(self) -> None:
        self.series: Series = {}
        self._under_way: dict[str, tuple[int, dict[str, float]]] = {}

    def look(self, loads: list[Load], now: float) -> None:
        """Take one sample of each."""
        for load in loads:
            for name, process in tuple(load.lasting.items()):
                for what, value in (measure(process) or {}).items():
                    self.series.setdefault((name, what), []).append((now, value))
            for name, process in tuple(load.passing.items()):
                self._look_at_passing(name, process, now)

    def _look_at_passing(self, name: str, process: psutil.Process, now: float) -> None:
        found, (pid, most) = measure(process), self._under_way.get(name, (0, {}))
        if pid and pid != process.pid:
            for what, value in most.items():
                self.series.setdefault((f"{name}, each", what), []).append((now, value))
            pid, most = 0, {}
        if found is not None:
            most = {what: max(value, most.get(what, 0.0)) for what, value in found.items()}
            self._under_way[name] = (process.pid, most)


def report(watch: Watch, loads: list[Load], seconds: float) -> int:
    """Print counts, problems and slopes; return how much is wrong."""
    print(f"{seconds / 60.0:.1f} min")
    wrong = 0
    for load in loads:
        done = ", ".join(f"{count} {what}" for what, count in load.counts.items())
        print(f"{load.name}: {done or 'nothing done'}; {len(load.problems)} problems")
        for problem in load.problems[:5]:
            print(f"  {problem}")
        wrong += len(load.problems) + (not load.counts)
    head = ("process", "measured", "samples", "start", "end", "per hour", "95 %", "permitted")
    print("{:16} {:12} {:>8} {:>9} {:>9} {:>9} {:>9} {:>10}".format(*head))
    for (name, what), samples in sorted(watch.series.items()):
        slope, (bound, least) = fit_slope(*zip(*samples, strict=True)), BOUNDS[what]
        line = f"{name:16} {what:12} {len(samples):8}"
        if slope is None:
            print(f"{line} too few to say")
            continue
        grows = slope.exceeds(bound, least)
        wrong += grows
        print(f"{line} {slope.start:9.2f} {slope.end:9.2f} {slope.per_hour:+9.2f} "
              f"±{slope.margin:8.2f} {bound:10.1f}{'  GROWS' if grows else ''}")  # fmt: skip
    print("all flat" if not wrong else f"{wrong} things are wrong")
    return wrong


def main() -> int:
    """Soak."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--only", nargs="*", choices=LOADS, default=list(LOADS))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="grouser-soak-") as folder:
        loads = [Load(name, LOADS[name], Path(folder)) for name in options.only]
        watch, began = Watch(), time.monotonic()
        try:
            for load in loads:
                load.start()
            while (now := time.monotonic() - began) < 60.0 * options.minutes:
                watch.look(loads, now)
                time.sleep(EVERY)
        except KeyboardInterrupt:
            print("interrupted; what there is until now:")
        seconds = time.monotonic() - began
        for load in loads:
            load.finish()
        return 1 if report(watch, loads, seconds) else 0


if __name__ == "__main__":
    sys.exit(main())
