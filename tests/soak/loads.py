"""The three loads of a soak, each in a thread, until it is told to stop."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from tests.soak.client import visit

GROUSER = (sys.executable, "-m", "grouser")
SWEEP = (
    "sweep", "--robot", "tp100", "--course", "slope", "--model", "slip",
    "--x", "course.angle_deg=0,10,20", "--y", "drive.speed=0.1,0.2", "--outcome", "slip",
    "--workers", "2",
)  # fmt: skip
HIL = ("hil", "--course", "flat", "--drive", "constant:speed=0.1", "--duration", "4")
FIRMWARE = Path(__file__).parents[2] / "firmware" / "build" / "grouser-board"


class Load:
    """Something that is done again and again, and the processes that it is watched by."""

    def __init__(self, name: str, work: Callable[["Load"], None], folder: Path) -> None:
        self.name, self.folder = name, folder / name
        self.stop = threading.Event()
        self.counts: dict[str, int] = {}
        self.problems: list[str] = []
        self.lasting: dict[str, psutil.Process] = {}
        """Processes that live as long as the soak, by name."""
        self.passing: dict[str, psutil.Process] = {}
        """Processes of which one follows the other, by name."""
        self._started: list[subprocess.Popen[str]] = []
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)

    def start(self) -> None:
        """Begin."""
        self.folder.mkdir(parents=True)
        self._thread.start()

    def count(self, what: str, many: int = 1) -> None:
        """Note that something was done."""
        self.counts[what] = self.counts.get(what, 0) + many

    def open(self, words: Sequence[str], file: str) -> subprocess.Popen[str]:
        """Start a process whose words go to a file in the folder."""
        with (self.folder / file).open("w") as target:
            process = subprocess.Popen(
                words, cwd=self.folder, stdout=target, stderr=subprocess.STDOUT, text=True,
                start_new_session=True,
            )  # fmt: skip
        self._started.append(process)
        return process

    def read(self, file: str, pattern: str, seconds: float = 60.0) -> str:
        """Return what a process has written, as soon as it is there."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.stop.is_set():
            if found := re.search(pattern, (self.folder / file).read_text()):
                return found[1]
            time.sleep(0.1)
        raise TimeoutError(f"{file}: {(self.folder / file).read_text()[-300:]}")

    def finish(self) -> None:
        """End, and all that was started with it."""
        self.stop.set()
        self._thread.join(timeout=30.0)
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def end(self, process: subprocess.Popen[str], file: str, permitted: Sequence[int]) -> bool:
        """Wait for a process and note a bad end; return whether it ended before the soak did."""
        while process.poll() is None:
            if self.stop.wait(0.1):
                return False
        self._started.remove(process)
        said = (self.folder / file).read_text()
        if process.returncode not in permitted or "Traceback" in said:
            self.problems.append(f"{self.name}: exit code {process.returncode}: {said[-300:]}")
        return True

    def _run(self, work: Callable[["Load"], None]) -> None:
        try:
            work(self)
        except Exception as error:
            if not self.stop.is_set():
                self.problems.append(f"{self.name}: {type(error).__name__}: {error}")


def soak_page(load: Load) -> None:
    """Serve a page to clients that come, drive and go."""
    words = ("drive", "--robot", "tp100", "--course", "flat", "--model", "slip", "--ghosts", "icr")
    page = load.open((*GROUSER, *words, "--no-open", "--port", str(free_port())), "page.txt")
    address = load.read("page.txt", r"drive at: (\S+)")
    load.lasting["page"] = psutil.Process(page.pid)

    def keep_coming() -> None:
        while not load.stop.is_set():
            try:
                heard = visit(address, random.uniform(1.0, 8.0), polite=random.random() < 0.7)
                load.count("visits")
                load.count("states heard", heard)
            except Exception as error:
                if not load.stop.is_set():
                    load.problems.append(f"page: {type(error).__name__}: {error}")
                    load.stop.wait(5.0)
            load.stop.wait(random.uniform(0.0, 3.0))

    visitors = [threading.Thread(target=keep_coming, daemon=True) for _ in range(3)]
    for visitor in visitors:
        visitor.start()
    while not load.stop.wait(0.5):
        if page.poll() is not None:
            raise RuntimeError(f"the page ended: {(load.folder / 'page.txt').read_text()[-300:]}")


def soak_hil(load: Load) -> None:
    """Run boards in the loop by turns: one in Python behind a terminal, and the firmware."""
    board = load.open((sys.executable, "-m", "tests.soak.board"), "board.txt")
    port = load.read("board.txt", r"(/dev/\S+)\n")
    load.lasting["board"] = psutil.Process(board.pid)
    lines = [("--port", port, "--arm")] + ([("--board", "sim")] if FIRMWARE.is_file() else [])
    while not load.stop.is_set():
        for number, line in enumerate(lines):
            for old in load.folder.glob("run.*"):
                old.unlink()
            process = load.open((*GROUSER, *HIL, *line, "--out", "run.csv"), "hil.txt")
            load.passing[f"hil {line[0]}"] = psutil.Process(process.pid)
            if not load.end(process, "hil.txt", (0, 1)):
                return
            load.count(f"runs with {'a terminal' if number == 0 else 'the firmware'}")
        if board.poll() is not None:
            raise RuntimeError(f"the board ended: {(load.folder / 'board.txt').read_text()[-300:]}")


def soak_sweep(load: Load) -> None:
    """Sweep while workers are killed at random; a sweep that gives up goes on from what is done."""
    while not load.stop.is_set():
        out = f"map-{load.counts.get('sweeps', 0)}"
        process = load.open((*GROUSER, *SWEEP, "--out", out), "sweep.txt")
        load.passing["sweep"] = psutil.Process(process.pid)
        killer = threading.Thread(target=_kill_workers, args=(load, process), daemon=True)
        killer.start()
        if not load.end(process, "sweep.txt", (0, 2)):
            return
        killer.join()
        said = (load.folder / "sweep.txt").read_text()
        if process.returncode == 0:
            load.count("sweeps")
        elif "the process that did it died" in said:
            load.count("sweeps given up and taken up again")
        else:
            load.problems.append(f"sweep: {said[-300:]}")
            load.stop.wait(5.0)


def _kill_workers(load: Load, process: subprocess.Popen[str]) -> None:
    parent = psutil.Process(process.pid)
    while process.poll() is None and not load.stop.wait(random.uniform(5.0, 30.0)):
        with contextlib.suppress(psutil.Error):
            workers = [c for c in parent.children(recursive=True) if "spawn_main" in _words(c)]
            if workers:
                random.choice(workers).kill()
                load.count("workers killed")


def _words(process: psutil.Process) -> str:
    return " ".join(process.cmdline())


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


LOADS = {"page": soak_page, "hil": soak_hil, "sweep": soak_sweep}
