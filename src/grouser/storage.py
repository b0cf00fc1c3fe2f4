"""Files on disk: read within size limits, written atomically.

Only regular files are read: a device or a pipe may never end. A file is written to a temporary
file beside it, which takes the name when it is complete. A symbolic link in place of the file is
never followed.

Temporary files are called `.grouser-….part`, perhaps with a suffix. One that a killed process left
behind is removed by the next write to the same folder an hour later or more.
"""

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import count, islice
from pathlib import Path
from time import time
from typing import Any, BinaryIO
from uuid import uuid4

from grouser import limits
from grouser.errors import Unreadable, Unwritable
from grouser.shelf import check_path

STALE = 3600.0
"""Age above which a temporary file is taken as abandoned [s]."""

_MOST_NEIGHBOURS = 10_000
"""Most files of a folder that are looked at for a hint."""
_TOO_DEEP = f"values may be nested {limits.NESTING} deep, not deeper"


def read_file(path: str | Path, limit: int) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes; see `open_file`."""
    with open_file(path, limit) as file:
        # Not `limit`: Python allocates that much at once.
        content = file.read(os.fstat(file.fileno()).st_size + 1)
        _check_size(path, len(content), limit)  # it may have grown
        return content


@contextmanager
def open_file(path: str | Path, limit: int) -> Iterator[BinaryIO]:
    """Yield a regular file of at most `limit` bytes, open for reading.

    Raises:
        Unreadable: There is no such file, it is not a regular file, it is too large, or it is not
            one of those that may be read now (`shelf`).
    """
    check_path(path)
    try:
        # Without O_NONBLOCK, opening a pipe blocks until it has a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError as error:
        raise Unreadable(path, f"there is no such file{hint_at_file(path)}") from error
    except ValueError as error:  # a name with a NUL byte
        raise Unreadable(path, f"this is not the name of a file ({error})") from error
    except OSError as error:
        raise Unreadable(path, f"cannot be read ({error.strerror})") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise Unreadable(path, "this is not a regular file; give the path of a file")
        with os.fdopen(descriptor, "rb") as file:
            _check_size(path, status.st_size, limit)
            yield file
    except OSError as error:
        raise Unreadable(path, f"cannot be read ({error.strerror})") from error


def hint_at_file(path: str | Path) -> str:
    """Return a question about a file beside a missing one whose name is like its; else nothing."""
    missing = Path(path)
    try:
        names = [file.name for file in islice(missing.parent.iterdir(), _MOST_NEIGHBOURS)]
    except (OSError, ValueError):  # no such folder, or no name of a file at all
        return ""
    close = get_close_matches(missing.name, names, n=1, cutoff=0.85)
    return f" (did you mean {missing.with_name(close[0])}?)" if close else ""


def _check_size(path: str | Path, size: int, limit: int) -> None:
    if size > limit:
        raise Unreadable(path, f"the file has {size:,} bytes; files of at most {limit:,} are read")


def parse_json(content: bytes | str) -> Any:
    """Return the values of a JSON text, nested at most `limits.NESTING` deep."""
    try:
        values = json.loads(content)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level, depth = [values], 0
    while level := [
        inner
        for value in level
        if isinstance(value, dict | list)
        for inner in (value.values() if isinstance(value, dict) else value)
    ]:
        depth += 1
        if depth > limits.NESTING:
            raise ValueError(_TOO_DEEP)
    return values


def is_file(path: str | Path) -> bool:
    """Return whether there is a regular file, also where a name is too long or no name at all.

    Raises:
        OutOfReach: It is not one of those that may be read now (`shelf`).
    """
    check_path(path)
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def write_atomically(path: str | Path, content: bytes | str, *, durable: bool = True) -> None:
    """Write a whole file, or leave what was there; another regular file is replaced.

    The content goes to a temporary file in the same folder, reaches the disk, and only then
    takes the name. Missing folders are made. Text is written as UTF-8. Without `durable`, which
    saves milliseconds, it may be lost in a crash of the machine.
    """
    data = content.encode() if isinstance(content, str) else content

    def write(temporary: Path) -> None:
        with temporary.open("xb") as file:
            file.write(data)

    replace_file(path, write, durable=durable)


def replace_file(
    path: str | Path, write: Callable[[Path], object], *, durable: bool = True
) -> None:
    """Write a whole file by `write`, called with a path of the same ending; Unwritable if not."""
    with temporary_file(path) as temporary:
        write(temporary)
        if durable:
            sync_file(temporary)
        check_replaceable(path)
        os.replace(temporary, path)


def write_new(path: str | Path, write: Callable[[Path], object]) -> Path:
    """Write a file by `write`, at the next free name if this one is taken; return where it is."""
    with temporary_file(path) as temporary:
        write(temporary)
        sync_file(temporary)
        return take_name(temporary, path)


def sync_file(path: Path) -> None:
    """Flush a file to the disk (fsync)."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def temporary_name(path: str | Path) -> Path:
    """Return a free name beside a path, of a file that is removed if its writer was killed."""
    return Path(path).with_name(f".grouser-{uuid4().hex}.part{Path(path).suffix}")


@contextmanager
def temporary_file(path: str | Path) -> Iterator[Path]:
    """Yield a path beside another, for a file to fill, which is removed if it is there at the end.

    Any OSError, also of the block, becomes Unwritable.
    """
    target = Path(path)
    made: list[Path] = []
    try:
        check_replaceable(target)
        made += [folder for folder in target.absolute().parents if not folder.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_stale(target.parent)
        temporary = temporary_name(target)
        try:
            yield temporary
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            with suppress(OSError):
                for folder in made:  # the innermost first; one that holds something stays
                    folder.rmdir()
    except Unwritable as error:
        # Errors name the final file, not the temporary one.
        raise Unwritable(path, error.required) from error
    except OSError as error:
        raise Unwritable(path, f"be writable ({error.strerror})") from error


def check_replaceable(path: str | Path) -> None:
    """Raise Unwritable for a link, a folder or a device; a regular file or none is fine."""
    target = Path(path)
    if "\0" in str(path):
        raise Unwritable(path, "be the name of a file, without the character NUL")
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise Unwritable(path, "be a regular file or a new one, no link, folder or device")


def take_name(temporary: Path, path: str | Path) -> Path:
    """Rename a file, or to the next free name if that is taken; return the name.

    Never replaces a file, not even one that appears at this instant.
    """
    for candidate in numbered(path):
        try:
            os.link(temporary, candidate, follow_symlinks=False)
        except FileExistsError:
            continue
        except (OSError, NotImplementedError):
            if not _reserve(candidate):
                continue
            os.replace(temporary, candidate)
            return candidate
        temporary.unlink()
        return candidate
    raise AssertionError("there is no last number")


def next_free(path: str | Path) -> Path:
    """Return the path if nothing is there, otherwise the first of NAME-2, NAME-3 … that is free."""
    return next(found for found in numbered(path) if not os.path.lexists(found))


def remove_stale(folder: Path) -> None:
    """Remove temporary files whose writer was killed long ago."""
    for file in folder.glob(".grouser-*.part*"):
        with suppress(OSError):
            if time() - file.lstat().st_mtime > STALE:
                file.unlink()


def numbered(path: str | Path) -> Iterator[Path]:
    """Yield the path itself, then NAME-2, NAME-3 and so on."""
    path = Path(path)
    yield path
    yield from (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))


def _reserve(path: Path) -> bool:
    """Make an empty file, where the file system has no hard links; False if one is there."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    return True
