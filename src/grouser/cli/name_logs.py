"""Names for log files in tables and legends."""

from collections.abc import Sequence
from pathlib import Path


def name_logs(files: Sequence[Path]) -> list[str]:
    """Return a name for each file: as short as tells them apart, the same file counted up."""
    stems, paths = [file.stem for file in files], [str(file) for file in files]
    names = stems if len(set(stems)) == len(stems) else paths
    return [
        name if names.count(name) == 1 else f"{name} ({names[: index + 1].count(name)})"
        for index, name in enumerate(names)
    ]
