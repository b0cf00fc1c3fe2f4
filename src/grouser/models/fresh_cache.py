"""Compiled code that is kept on disk must not outlive its source.

The compiler looks only at the file of a function itself, not at those of the functions that
it calls. So whatever was kept before any file of a package changed is dropped on import.
"""

from pathlib import Path


def drop_stale_code(folder: Path, *called: Path) -> None:
    """Delete compiled code in a folder's cache that is older than the newest source.

    Args:
        folder: Package whose compiled code is looked at.
        called: Folders of sources that it calls besides its own.
    """
    sources = [source for place in (folder, *called) for source in place.glob("*.py")]
    newest = max(source.stat().st_mtime for source in sources)
    for pattern in ("*.nbi", "*.nbc"):
        for kept in (folder / "__pycache__").glob(pattern):
            try:
                if kept.stat().st_mtime < newest:
                    kept.unlink()
            except OSError:
                continue  # another process was faster, or the folder cannot be written
