"""New processes: how long the command line takes to start, how much memory a robot takes."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from grouser.bench import memory
from grouser.bench.case import Case, Probe, Sample
from grouser.bench.choice import Choice
from grouser.errors import InvalidValue

START_UPS = {
    "python -c pass": ("-c", "pass"),
    "grouser --version": ("-m", "grouser", "--version"),
    "grouser models": ("-m", "grouser", "models"),
    "grouser run, 0.1 s of csm": ("-m", "grouser", "run", "--course", "flat", "--model", "csm",
                                  "--drive", "constant", "--duration", "0.1"),
}  # fmt: skip
"""What follows the name of Python, by what it is called in the table."""
_TELL = f"import runpy; print(runpy.run_path({memory.__file__!r})['peak_memory']())"
"""Imports next to nothing, so that it can weigh the bare language."""
_START = (
    "from grouser.bench.start_robots import start_robots; from grouser import load_robot; "
    "kept = start_robots(load_robot({robot!r}), {model!r}, count={count}); "
)
MEMORIES = (("slip", 1), ("slip", 10_000), ("csm", 1), ("csm", 16), ("segments", 1))
"""Model and robots at once."""


def start_up_cases(choice: Choice) -> list[Case]:
    """Return commands, the bare language first."""
    return [Case(name=name, start=_timed(words)) for name, words in START_UPS.items()]


def memory_cases(choice: Choice) -> list[Case]:
    """Return programs that hold more and more."""
    cases = [Case(name="python", start=_weighed(_TELL))]
    # The process runs elsewhere.
    robot = str(Path(choice.robot).resolve()) if Path(choice.robot).is_file() else choice.robot
    for model, count in MEMORIES:
        program = _START.format(robot=robot, model=model, count=count) + _TELL
        cases.append(Case(name=f"{model} x {count:,}", start=_weighed(program)))
    return cases


def _timed(words: tuple[str, ...]) -> Callable[[], Probe]:
    def measure() -> Sample:
        begin = time.perf_counter()
        _run(words)
        return Sample(value=1e3 * (time.perf_counter() - begin))

    return lambda: measure


def _weighed(program: str) -> Callable[[], Probe]:
    return lambda: lambda: Sample(value=float(_run(("-c", program)).split()[-1]))


def _run(words: tuple[str, ...]) -> str:
    """Return what a new Python process says, run in a folder that goes away.

    Raises:
        InvalidValue: It failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False
        )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise InvalidValue("process", " ".join(words), f"end well ({reason})")
    return done.stdout
