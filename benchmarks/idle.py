"""A server that nobody looks at: what it costs, and what visitors leave behind."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil
import viser
from websockets.sync.client import connect

from grouser.viewer.app import DriveApp

IDLE_SECONDS = 600.0
VISITS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleRow:
    """One line of the table."""

    case: str
    """What was done."""
    seconds: float
    """For how long [s]."""
    cpu_percent: float
    """CPU time, of one core [%]."""
    memory_before_mb: float
    """Resident memory before [MB]."""
    memory_after_mb: float
    """Resident memory after [MB]."""


def measure_idle(seconds: float = IDLE_SECONDS, visits: int = VISITS) -> list[IdleRow]:
    """Return a line for an empty room, and one for visitors who come and go."""
    with (
        tempfile.TemporaryDirectory() as folder,
        DriveApp(port=0, folder=folder) as page,
    ):
        time.sleep(3.0)
        empty = _watch(f"nobody connected, {seconds:g} s", lambda: time.sleep(seconds))
        # The first visits fill caches that stay.
        for _ in range(50):
            _visit(page)
        connections = _watch(
            f"{visits} visits, each with both sockets",
            lambda: [_visit(page) for _ in range(visits)],
        )
        return [empty, connections]


def _visit(page: DriveApp) -> None:
    address, _, query = page.address.replace("http:", "ws:").partition("?")
    protocol = f"viser-v{viser.__version__}"
    with (
        connect(f"{address}?{query}", subprotocols=[protocol], proxy=None, max_size=None) as scene,  # type: ignore[list-item]
        connect(f"{address}keys?{query}", proxy=None) as keys,
    ):
        keys.send('{"axes": {"forward": 1.0}}')
        scene.recv()


def _watch(case: str, work: Callable[[], object]) -> IdleRow:
    before, cpu, began = (
        psutil.Process().memory_info().rss / 1e6,
        time.process_time(),
        time.perf_counter(),
    )
    work()
    time.sleep(2.0)
    seconds = time.perf_counter() - began
    return IdleRow(
        case=case,
        seconds=seconds,
        cpu_percent=100.0 * (time.process_time() - cpu) / seconds,
        memory_before_mb=before,
        memory_after_mb=psutil.Process().memory_info().rss / 1e6,
    )
