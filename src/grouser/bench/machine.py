"""Machine, load and memory of a benchmark."""

import os
import platform
import sys
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grouser.errors import InvalidValue
from grouser.version import VERSION

IDLE = 0.1
"""Share of all cores up to which what others use does not count [1]."""
ENGINES = ("numpy", "numba", "mujoco")
"""What computes motions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What numbers depend on beside the program."""

    processor: str
    """What it calls itself."""
    cores: int
    """How many there are."""
    system: str
    """Operating system."""
    versions: dict[str, str]
    """Of grouser, Python and engines, by name."""
    used_by_others: float | None
    """Share of all cores that other processes used meanwhile; None where unknown [1]."""

    @property
    def is_idle(self) -> bool | None:
        """Whether others left it alone; None where unknown."""
        return None if self.used_by_others is None else self.used_by_others <= IDLE

    def tell(self) -> str:
        """Return it as a sentence."""
        packages = ", ".join(f"{name} {word}" for name, word in self.versions.items())
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        if self.used_by_others is None:
            idle = "whether others used it is not known"
        elif self.is_idle:
            idle = f"otherwise idle (others used {100 * self.used_by_others:.0f} % of it)"
        else:
            idle = (
                f"not idle: others used {100 * self.used_by_others:.0f} % of it, "
                "so trust ratios more than values"
            )
        return f"{self.processor}, {cores}, {self.system}; {packages}; {idle}"


class Watch:
    """Begins to watch the machine when it is made."""

    def __init__(self) -> None:
        self._busy, self._own, self._wall = _busy_time(), _own_time(), time.perf_counter()

    def machine(self) -> Machine:
        """Return the machine, with what others have used since."""
        used, busy = None, _busy_time()
        if busy is not None and self._busy is not None:
            passed = (time.perf_counter() - self._wall) * (os.cpu_count() or 1)
            others = (busy - self._busy) - (_own_time() - self._own)
            used = min(max(others / max(passed, 1e-9), 0.0), 1.0)
        return Machine(
            processor=_processor(),
            cores=os.cpu_count() or 1,
            system=platform.system(),
            versions=_versions(),
            used_by_others=used,
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


def _busy_time() -> float | None:
    """Return the time that all cores have worked since the machine began [s]."""
    if sys.platform != "linux":
        return None
    try:
        words = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
        user, nice, system, idle, waiting, *others = (float(word) for word in words[:8])
    except (OSError, ValueError, IndexError):
        return None
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")


def _own_time() -> float:
    """Return the processor time of this process and of children that have ended [s]."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


_STATUS = Path("/proc/self/status")


def resident_memory() -> float:
    """Return what this process holds in memory now, the most it has held if that is unknown [MB].

    Raises:
        InvalidValue: The operating system does not tell.
    """
    return _read("VmRSS")


def peak_memory() -> float:
    """Return the most that this process has held in memory [MB].

    Raises:
        InvalidValue: The operating system does not tell.
    """
    return _read("VmHWM")


def _read(key: str) -> float:
    # Linux also hands the parent's peak to getrusage of a child, which this does not.
    if _STATUS.exists():
        lines = _STATUS.read_text().splitlines()
        return next(float(line.split()[1]) / 1e3 for line in lines if line.startswith(key))
    try:
        import resource
    except ImportError:
        raise InvalidValue("memory", sys.platform, "be asked of Linux, macOS or BSD") from None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)
