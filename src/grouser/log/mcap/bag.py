"""Messages of MCAP files, decoded by the types of ROS 2."""

import struct
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from grouser.errors import InvalidLog
from grouser.extras import require_extra
from grouser.log.content import AGAIN, shorten
from grouser.log.mcap.records import Channel, Records

PURPOSE = "reading and writing MCAP"


def import_rosbags() -> Any:
    """Return the message types of ROS 2."""
    require_extra(PURPOSE, "mcap", "rosbags")
    from rosbags.typesys import Stores, get_typestore  # here, because it is optional

    return get_typestore(Stores.ROS2_HUMBLE)


class BagReader:
    """Reads messages of an open MCAP file, by topic."""

    def __init__(self, file: BinaryIO, origin: str | Path) -> None:
        """Read the summary of the file."""
        self._default = import_rosbags()
        self._origin, self._records = origin, Records(file, origin)
        self._stores: dict[Channel, Any] = {}
        self.summary = self._records.summary
        """Channels and their numbers of messages."""
        self.topics = {c.topic: c.kind for c in self.summary.channels.values()}
        """Message type of each topic."""

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, int, Any]]:
        """Yield topic, time of recording [ns] and message of some topics, in file order."""
        for channel, stamp, content in self._records.messages(topics):
            yield channel.topic, stamp, self.decode(channel, content)

    def contents(self, topics: Collection[str]) -> Iterator[tuple[Channel, bytes]]:
        """Yield channel and encoded message of some topics, in file order."""
        for channel, _, content in self._records.messages(topics):
            yield channel, content

    def is_standard(self, channel: Channel, kind: str) -> bool:
        """Return whether messages are of a type of ROS 2, defined and encoded as usual."""
        known = (channel.kind, channel.language, channel.encoding) == (kind, "ros2msg", "cdr")
        return known and channel.definition == self._default.generate_msgdef(kind, ros_version=2)[0]

    def decode(self, channel: Channel, content: bytes) -> Any:
        """Return a message; InvalidLog if it is damaged."""
        if channel.encoding != "cdr":
            problem = f"messages of topic {channel.topic!r} are written as {channel.encoding!r}"
            raise InvalidLog(self._origin, f"{problem}, not as cdr of ROS 2")
        try:
            if channel not in self._stores:
                self._stores[channel] = self._make_store(channel)
            return self._stores[channel].deserialize_cdr(content, channel.kind)
        except reading_failures() as error:
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


def reading_failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that rosbags raises for damaged definitions and messages.

    Besides its own errors, the code that it generates from a definition raises others: reserved
    names, recursive types, wrong texts and lengths.
    """
    from rosbags.serde import SerdeError
    from rosbags.typesys import TypesysError

    return (
        SerdeError, TypesysError, ArithmeticError, AssertionError, AttributeError, LookupError,
        NameError, RecursionError, SyntaxError, TypeError, ValueError, struct.error,
    )  # fmt: skip
