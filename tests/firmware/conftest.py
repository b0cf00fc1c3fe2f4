"""A bench with the simulated board, and the firmware built for it."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .bench import Bench

FOLDER = Path(__file__).parents[2] / "firmware"
TOOLS = ("avr-gcc", "gcc", "make", "pkg-config")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run always in CI, elsewhere only where there is a compiler for the chip."""
    if "CI" in os.environ or all(map(shutil.which, TOOLS)):
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=f"needs {', '.join(TOOLS)}"))


@pytest.fixture(scope="session")
def build() -> Path:
    """Return the folder of what `make` leaves; several test processes build only once."""
    folder = FOLDER / "build"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-C", str(FOLDER)], check=True, capture_output=True)
    return folder


@pytest.fixture
def start(build: Path) -> Iterator[Callable[..., Bench]]:
    """Start boards that are stopped at the end of the test."""
    benches: list[Bench] = []

    def open_bench(*options: str, firmware: str = "grouser") -> Bench:
        benches.append(Bench(build / "grouser-board", build / f"{firmware}.elf", *options))
        return benches[-1]

    yield open_bench
    for bench in benches:
        bench.close()


@pytest.fixture
def bench(start: Callable[..., Bench]) -> Bench:
    """Return a board that has just booted."""
    return start()


@pytest.fixture
def driving(bench: Bench) -> Bench:
    """Return a board whose tracks have run at 0.1 m/s for a second."""
    bench.connect()
    bench.drive(1.0, 1000, 1000)
    assert bench.enabled == (True, True)
    return bench
