"""Files on disk: read within limits, written whole or not at all.

Only regular files are read: a device or a pipe may never end. A file is written to a temporary
file beside it, which takes the name when it is complete. A symbolic link in place of the file is
never followed.
"""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from grouser import limits
from grouser.errors import InvalidValue, Unreadable

_TOO_DEEP = f"values may be nested {limits.NESTING} deep, not deeper"


def read_file(path: str | Path, limit: int) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes.

    Raises:
        Unreadable: There is no such file, it is not a regular file, or it is too large.
    """
    with open_file(path, limit) as file:
        # Not up to the limit: Python takes that much memory at once.
        content = file.read(os.fstat(file.fileno()).st_size + 1)
        _check_size(path, len(content), limit)  # it may have grown
        return content


@contextmanager
def open_file(path: str | Path, limit: int) -> Iterator[BinaryIO]:
    """Yield a regular file of at most `limit` bytes, open for reading.

    Raises:
        Unreadable: There is no such file, it is not a regular file, or it is too large.
    """
    try:
        # Without O_NONBLOCK, opening a pipe waits for somebody who writes to it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError as error:
        raise Unreadable(path, "there is no such file") from error
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


def _check_size(path: str | Path, size: int, limit: int) -> None:
    if size > limit:
        raise Unreadable(path, f"the file has {size:,} bytes; files of at most {limit:,} are read")


def parse_json(content: bytes | str) -> Any:
    """Return the values of a JSON text, nested at most `limits.NESTING` deep.

    Raises:
        ValueError: It is not JSON, or nested more deeply; says which in a few words.
    """
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
    """Return whether there is a regular file, also where a name is too long or no name at all."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def write_atomically(path: str | Path, content: bytes | str, *, durable: bool = True) -> None:
    """Write a whole file, or leave what was there.

    The content goes to a temporary file in the same folder, reaches the disk, and only then
    takes the name. Missing folders are made. Text is written as UTF-8.

    Args:
        path: The file.
        content: What it will hold.
        durable: Whether to wait for the disk, which takes milliseconds. Other programs see
            the file whole either way; only a crash of the machine can tell.

    Raises:
        InvalidValue: The place cannot be written, or is not a file.
    """
    data = content.encode() if isinstance(content, str) else content
    target = Path(path)
    try:
        if target.is_symlink() or (target.exists() and not target.is_file()):
            raise InvalidValue("output", str(path), "be a file, not a link, folder or device")
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data, durable=durable)
    except OSError as error:
        raise InvalidValue("output", str(path), f"be writable ({error.strerror})") from error


def _replace(target: Path, data: bytes, *, durable: bool) -> None:
    temporary = target.with_name(f".{uuid4().hex}.part")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
