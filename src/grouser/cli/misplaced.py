"""Which results of a command are elsewhere than they should be: its exit code says so."""

from pathlib import Path

_misplaced: list[Path] = []


def remember_misplaced(path: Path) -> None:
    """Remember that a result is here, though it should be elsewhere."""
    _misplaced.append(path)


def forget_misplaced() -> bool:
    """Return whether any result is elsewhere than it should be, since the last call."""
    found = bool(_misplaced)
    _misplaced.clear()
    return found
