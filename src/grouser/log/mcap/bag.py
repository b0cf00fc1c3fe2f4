"""A bag of ROS messages in one MCAP file."""

import struct
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from grouser.errors import InvalidLog
from grouser.extras import require_extra
from grouser.log.mcap.records import Channel, Records
from grouser.log.read_content import AGAIN, shorten

PURPOSE = "reading and writing MCAP"


def import_rosbags() -> Any:
    """Return the types of messages that ROS 2 knows.

    Raises:
        MissingExtra: rosbags is not installed.
    """
    require_extra(PURPOSE, "mcap", "rosbags")
    from rosbags.typesys import Stores, get_typestore  # here, because it is optional

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


class BagReader:
    """Messages of an open MCAP file, by topic."""

    def __init__(self, file: BinaryIO, origin: str | Path) -> None:
        """Read what the file says of itself.

        Raises:
            InvalidLog: It is not a bag of ROS 2 messages, or damaged.
            MissingExtra: rosbags is not installed.
        """
        self._default = import_rosbags()
        self._origin, self._records = origin, Records(file, origin)
        self._stores: dict[Channel, Any] = {}
        self.summary = self._records.summary
        """Channels, and how many messages they have."""
        self.topics = {c.topic: c.kind for c in self.summary.channels.values()}
        """Type of each topic's messages."""

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, int, Any]]:
        """Yield topic, time of recording [ns] and message, in the order in which they are stored.

        Args:
            topics: Whose messages are of interest.

        Raises:
            InvalidLog: The file is damaged.
        """
        for channel, stamp, content in self._records.messages():
            if channel.topic in topics:
                yield channel.topic, stamp, self._decode(channel, content)

    def _decode(self, channel: Channel, content: bytes) -> Any:
        if channel.encoding != "cdr":
            problem = f"messages of topic {channel.topic!r} are written as {channel.encoding!r}"
            raise InvalidLog(self._origin, f"{problem}, not as cdr of ROS 2")
        try:
            if channel not in self._stores:
                self._stores[channel] = self._make_store(channel)
            return self._stores[channel].deserialize_cdr(content, channel.kind)
        except _failures() as error:
            reason = shorten(" ".join(str(error).split()) or type(error).__name__, 200).rstrip(".")
            problem = f"damaged: a message of topic {channel.topic!r} cannot be read as"
            raise InvalidLog(
                self._origin, f"{problem} {channel.kind!r} ({reason}); {AGAIN}"
            ) from error

    def _make_store(self, channel: Channel) -> Any:
        """Return the types that a channel's definition names."""
        from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore

        if channel.language not in ("ros2msg", "ros2idl", "omgidl"):
            return self._default
        store = get_typestore(Stores.EMPTY)
        if channel.language == "ros2msg":
            store.register(get_types_from_msg(channel.definition, channel.kind))
        else:
            parts = channel.definition.split("=" * 80 + "\n")
            texts = [p.partition("\n")[2] if p.startswith("IDL: ") else p for p in parts if p]
            store.register({k: v for text in texts for k, v in get_types_from_idl(text).items()})
        return store


def _failures() -> tuple[type[Exception], ...]:
    """Return what rosbags raises for definitions and messages that are damaged.

    Beside its own errors these are those of the code that it makes of a definition: a name that
    Python keeps for itself, types that contain themselves, texts and lengths that do not fit.
    """
    from rosbags.serde import SerdeError
    from rosbags.typesys import TypesysError

    return (
        SerdeError, TypesysError, ArithmeticError, AssertionError, AttributeError, LookupError,
        NameError, RecursionError, SyntaxError, TypeError, ValueError, struct.error,
    )  # fmt: skip
