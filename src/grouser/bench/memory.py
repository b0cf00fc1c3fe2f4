"""Memory of this process."""

import sys
from pathlib import Path

from grouser.errors import InvalidValue

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
