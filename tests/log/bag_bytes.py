"""MCAP files in memory."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grouser.log.mcap.write import BagWriter
from grouser.log.mcap.write import write_bag as write_bag_file


@contextmanager
def write_bag(content: list[bytes]) -> Iterator[BagWriter]:
    """Yield a writer; its file is appended to `content` as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.mcap"
        with write_bag_file(path) as writer:
            yield writer
        content.append(path.read_bytes())
