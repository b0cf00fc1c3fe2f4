"""A bag of ROS messages in one MCAP file."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grouser.errors import InvalidLog, MissingExtra

PURPOSE = "reading and writing MCAP"


def import_rosbags() -> Any:
    """Return the types of messages that ROS 2 knows.

    Raises:
        MissingExtra: rosbags is not installed.
    """
    try:
        from rosbags.typesys import Stores, get_typestore  # here, because it is optional
    except ImportError as error:
        raise MissingExtra(PURPOSE, "rosbags", "mcap") from error
    return get_typestore(Stores.ROS2_HUMBLE)


class BagWriter:
    """Messages on topics, in the order of time."""

    def __init__(self, types: Any, writer: Any) -> None:
        self.types = types
        """Classes of messages by name, in `types.types`."""
        self._writer = writer
        self._topics: dict[str, Any] = {}

    def write(self, topic: str, stamp: int, message: Any) -> None:
        """Write a message.

        Args:
            topic: Where it is heard.
            stamp: When it was said [ns].
            message: A message of `types`.
        """
        kind = message.__msgtype__
        if topic not in self._topics:
            connect = self._writer.add_connection
            self._topics[topic] = connect(topic, kind, typestore=self.types)
        self._writer.write(self._topics[topic], stamp, self.types.serialize_cdr(message, kind))


@contextmanager
def write_bag(content: list[bytes]) -> Iterator[BagWriter]:
    """Yield a writer; what it wrote is appended to `content`, as the bytes of one file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.mcap"
        with write_bag_file(path) as writer:
            yield writer
        content.append(path.read_bytes())


@contextmanager
def write_bag_file(path: Path) -> Iterator[BagWriter]:
    """Yield a writer of a file, which is there when the context is left."""
    types = import_rosbags()
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

    # Beside the file, where there is room or else the sentence about it belongs.
    with tempfile.TemporaryDirectory(prefix=".grouser-", suffix=".part", dir=path.parent) as folder:
        bag = Path(folder) / "log"
        writer = Writer(bag, version=8, storage_plugin=StoragePlugin.MCAP)
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        with writer:
            yield BagWriter(types, writer)
        (bag / "log.mcap").rename(path)


@contextmanager
def open_bag(path: str | Path) -> Iterator[Any]:
    """Yield a reader of a bag.

    Raises:
        InvalidLog: There is no such file, or it is not a bag of ROS 2 messages.
        MissingExtra: rosbags is not installed.
    """
    types = import_rosbags()
    from rosbags.highlevel import AnyReader, AnyReaderError

    from grouser.log.read_content import check_there

    check_there(path)
    try:
        with AnyReader([Path(path)], default_typestore=types) as reader:
            yield reader
    except AnyReaderError as error:
        reason = " ".join(str(error).split()).rstrip(".")
        problem = f"cut off, damaged or not a bag of ROS 2 messages ({reason})"
        raise InvalidLog(path, problem) from error
