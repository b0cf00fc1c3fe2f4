"""Writing a file so that nobody ever sees half of it."""

import os
from pathlib import Path
from uuid import uuid4

from grouser.errors import InvalidValue


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
    target = Path(path).resolve()  # a link keeps pointing to the file behind it
    try:
        if target.exists() and not target.is_file():
            raise InvalidValue("output", str(path), "be a file")
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
