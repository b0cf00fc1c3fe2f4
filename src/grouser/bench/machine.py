"""The machine of a benchmark, and whether other processes used it."""

import os
import platform
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from grouser.version import VERSION

IDLE = 0.1
"""Largest share of all cores that others may use on an idle machine [1]."""
ENGINES = ("numpy", "numba", "mujoco")
"""Packages that compute motions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The computer, on which all numbers depend."""

    processor: str
    """Name of its processor."""
    cores: int
    """Number of cores."""
    system: str
    """Operating system."""
    versions: dict[str, str]
    """Of grouser, Python and engines, by name."""
    used_by_others: float
    """Share of all cores that other processes used meanwhile [1]."""

    @property
    def is_idle(self) -> bool:
        """Whether other processes used almost nothing."""
        return self.used_by_others <= IDLE

    def describe(self) -> str:
        """Return it as a sentence."""
        packages = ", ".join(f"{name} {word}" for name, word in self.versions.items())
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        if self.is_idle:
            idle = f"otherwise idle (others used {100 * self.used_by_others:.0f} % of it)"
        else:
            idle = (
                f"not idle: others used {100 * self.used_by_others:.0f} % of it, "
                "so trust ratios more than values"
            )
        return f"{self.processor}, {cores}, {self.system}; {packages}; {idle}"


class Watch:
    """Measures the load of the machine from when it is made."""

    def __init__(self) -> None:
        psutil.cpu_percent()  # counts from here
        self._own, self._wall = _own_time(), time.perf_counter()

    def machine(self) -> Machine:
        """Return the machine, with the load by other processes since."""
        passed = (time.perf_counter() - self._wall) * (os.cpu_count() or 1)
        used = psutil.cpu_percent() / 100.0 - (_own_time() - self._own) / max(passed, 1e-9)
        return Machine(
            processor=_processor(),
            cores=os.cpu_count() or 1,
            system=platform.system(),
            versions=_versions(),
            used_by_others=min(max(used, 0.0), 1.0),
        )


def _versions() -> dict[str, str]:
    found = {"grouser": VERSION, "Python": platform.python_version()}
    for name in ENGINES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _own_time() -> float:
    """Return the processor time of this process and of children that have ended [s]."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
