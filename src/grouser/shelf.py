"""Which files may be read: all of them, or for what came by a page only those of its folder.

Whoever starts grouser may read what the operating system lets them read, and a file of their own
may name any other. A file that somebody dropped on a page may name files of that page's folder and
descriptions that come with grouser. `only_from` says so for all that is called within it: `locate`
finds the files that a description names, and `storage`, which opens all files, asks `check_path`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from grouser.errors import Unreadable, show_value


@dataclass(frozen=True, slots=True)
class Shelf:
    """The folders whose files may be read."""

    folder: Path
    """Folder of the page."""
    packages: tuple[Path, ...] = ()
    """Folders of descriptions that come with grouser and its plug-ins."""

    def holds(self, path: str | Path) -> bool:
        """Return whether a path, links followed, leads into one of the folders."""
        try:
            place = Path(path).resolve()
            return any(one.resolve() in place.parents for one in (self.folder, *self.packages))
        except (OSError, ValueError, RuntimeError):  # a loop of links, or no name of a file
            return False


class OutOfReach(Unreadable):
    """A file is named that must not be read, whether it exists or not."""

    def __init__(self, key: str, given: str | Path, shelf: Shelf) -> None:
        allowed = f"must name a file in the folder {shelf.folder}, by a path without .. or /"
        super().__init__(key, f"{key} {allowed} at its beginning, not {show_value(str(given))}")


_SHELF: ContextVar[Shelf | None] = ContextVar("grouser_shelf", default=None)


@contextmanager
def only_from(shelf: Shelf) -> Iterator[None]:
    """Let nothing be read within the block but files of a shelf."""
    token = _SHELF.set(shelf)
    try:
        yield
    finally:
        _SHELF.reset(token)


def current_shelf() -> Shelf | None:
    """Return the only files that may be read now; None for all."""
    return _SHELF.get()


def locate(folder: str | Path, name: str | Path, key: str) -> Path:
    """Return the path of a file that a description names by a key, relative to a folder.

    Raises:
        OutOfReach: It may not be read; says nothing about whether it exists.
    """
    place, shelf = Path(folder) / name, _SHELF.get()
    if shelf is not None and not (_is_plain(str(name)) and shelf.holds(place)):
        raise OutOfReach(key, name, shelf)
    return place


def check_path(path: str | Path) -> None:
    """Raise OutOfReach for a path that must not be opened or looked for now."""
    shelf = _SHELF.get()
    if shelf is not None and not shelf.holds(path):
        raise OutOfReach("a path", path, shelf)


def _is_plain(name: str) -> bool:
    """Return whether a path leads downward only, on any operating system."""
    windows = PureWindowsPath(name)
    is_relative = not (PurePosixPath(name).is_absolute() or windows.root or windows.drive)
    return is_relative and "\\" not in name and name[:1] != "~" and ".." not in windows.parts
