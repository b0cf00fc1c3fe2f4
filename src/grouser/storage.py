"""Files on disk: read within limits, written whole or not at all.

Only regular files are read: a device or a pipe may never end. A file is written to a temporary
file beside it, which takes the name when it is complete. A symbolic link in place of the file is
never followed.
"""

import os
import stat
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from grouser import limits
from grouser.errors import InvalidValue, Unreadable


def read_file(path: str | Path, limit: int) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes.

    Raises:
        Unreadable: There is no such file, it is not a regular file, or it is too large.
    """
    try:
        # Without O_NONBLOCK, opening a pipe waits for somebody who writes to it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable(path, "this is not a regular file; give the path of a file")
            content = b"" if status.st_size > limit else _read_up_to(file, limit)
            if status.st_size > limit or len(content) > limit:
                size = max(status.st_size, len(content))
                raise Unreadable(
                    path, f"the file has {size:,} bytes; files of at most {limit:,} are read"
                )
            return content
    except FileNotFoundError as error:
        raise Unreadable(path, "there is no such file") from error
    except ValueError as error:  # a name with a NUL byte
        raise Unreadable(path, f"this is not the name of a file ({error})") from error
    except OSError as error:
        raise Unreadable(path, f"cannot be read ({error.strerror})") from error


def _read_up_to(file: BinaryIO, limit: int) -> bytes:
    """Return what a file holds; of a file that grows beyond the limit, a little more than that."""
    chunks: list[bytes] = []
    size = 0
    # Not at once: Python would first make room for all that may be read.
    while size <= limit and (chunk := file.read(limits.MB)):
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


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
