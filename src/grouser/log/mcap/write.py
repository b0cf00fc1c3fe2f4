"""Logs as ROS 2 messages in MCAP files."""

import json
import math
import struct
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np

from grouser.errors import InvalidLog
from grouser.extras import require_extra
from grouser.log.content import AGAIN, shorten
from grouser.log.log import Column, Log, concatenate_logs
from grouser.log.mcap.messages import Messages, text_message
from grouser.log.mcap.records import Channel, Records

PURPOSE = "reading and writing MCAP"


def import_rosbags() -> Any:
    """Return the message types of ROS 2."""
    require_extra(PURPOSE, "mcap", "rosbags")
    from rosbags.typesys import Stores, get_typestore  # here, because it is optional

    return get_typestore(Stores.ROS2_HUMBLE)


class BagWriter:
    """Writes messages to topics, in order of time."""

    def __init__(self, types: Any, writer: Any) -> None:
        self.types = types
        """Classes of messages by name, in `types.types`."""
        self._writer = writer
        self._topics: dict[str, Any] = {}

    def write(self, topic: str, stamp: int, message: Any) -> None:
        """Write a message of `types` with a time stamp [ns]."""
        kind = message.__msgtype__
        if topic not in self._topics:
            connect = self._writer.add_connection
            self._topics[topic] = connect(topic, kind, typestore=self.types)
        self._writer.write(self._topics[topic], stamp, self.types.serialize_cdr(message, kind))


@contextmanager
def write_bag(path: Path) -> Iterator[BagWriter]:
    """Yield a writer of a file, which exists after the context."""
    types = import_rosbags()
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

    # In the same folder, so that a full disk is reported for that folder.
    with tempfile.TemporaryDirectory(prefix=".grouser-", suffix=".part", dir=path.parent) as folder:
        bag = Path(folder) / "log"
        writer = Writer(bag, version=8, storage_plugin=StoragePlugin.MCAP)
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        with writer:
            yield BagWriter(types, writer)
        (bag / "log.mcap").rename(path)


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


PROVENANCE, COLUMNS = "/grouser/provenance", "/grouser/columns"
"""Topics that hold a log exactly: texts at the start and at the end, and all columns of each row.

The first text has the unit of each column and the provenance, the last one the number of rows and
a checksum: CRC-32 of all rows, each number as eight bytes, little-endian."""
DIAGNOSTICS_PERIOD = 0.1
"""Least time between two diagnostics messages [s]."""


def write_mcap(blocks: Iterable[Log], path: Path) -> None:
    """Write a log, given in one or more blocks, as an MCAP file.

    Topics: /tf, /odom, /joint_states, /cmd_vel, /imu and /diagnostics as far as the log has their
    columns, and two topics of grouser that hold the log exactly.
    """
    with write_bag(path) as bag:
        travels: dict[str, float] = {}
        tail, previous = _Tail(), None
        for block in blocks:
            # With the last row of the previous block, to integrate belt travel from there.
            log = block if previous is None else concatenate_logs((previous, block))
            messages, stamps = Messages(log, bag.types, travels), stamp_rows(log)
            if previous is None:
                units = {name: log.unit(name) for name in log}
                note = json.dumps({"columns": units, "provenance": log.provenance.to_dict()})
                first = int(stamps[0]) if len(stamps) else 0
                bag.write(PROVENANCE, first, text_message(bag.types, note))
            _write_rows(bag, messages, log, stamps, tail, since=int(previous is not None))
            travels, previous = messages.travels_at_end, _last_row(log)
        end = json.dumps({"rows": tail.rows, "crc32": tail.checksum})
        bag.write(PROVENANCE, tail.stamp, text_message(bag.types, end))


@dataclass
class _Tail:
    """State of the writer between blocks."""

    rows: int = 0
    checksum: int = 0
    stamp: int = 0
    diagnosed: float = -math.inf


def _write_rows(
    bag: BagWriter, messages: Messages, log: Log, stamps: np.ndarray, tail: _Tail, *, since: int
) -> None:
    """Write the rows of a block from row `since` on."""
    table = np.column_stack([log[name].astype(np.float64) for name in log])
    for row, stamp in islice(enumerate(stamps.tolist()), since, None):
        for topic, message in _row(messages, row, stamp, table):
            bag.write(topic, stamp, message)
        if messages.has_diagnostics and log.time[row] >= tail.diagnosed + DIAGNOSTICS_PERIOD - 1e-9:
            tail.diagnosed = log.time[row]
            bag.write("/diagnostics", stamp, messages.diagnostics(row, stamp))
    tail.rows += len(table) - since
    tail.checksum = crc32(table[since:].tobytes(), tail.checksum)
    tail.stamp = int(stamps[-1]) if len(stamps) else 0


def _last_row(log: Log) -> Log | None:
    columns = {name: Column(c.values[-1:], c.unit) for name, c in log.columns.items()}
    return Log(columns, log.provenance) if len(log) else None


def stamp_rows(log: Log) -> np.ndarray:
    """Return the time stamp of each row, since 1970 if the log has its date of creation [ns]."""
    created = log.provenance.created
    begin = round(datetime.fromisoformat(created).timestamp() * 1e9) if created else 0
    since = np.round(np.nan_to_num(log.time) * 1e9).astype(np.int64)
    return begin + since


def _row(messages: Messages, row: int, stamp: int, table: np.ndarray) -> Iterator[tuple[str, Any]]:
    yield COLUMNS, messages.numbers(table[row])
    if messages.has_pose:
        yield "/tf", messages.transform(row, stamp)
        yield "/odom", messages.odometry(row, stamp)
    if messages.joints:
        yield "/joint_states", messages.joint_state(row, stamp)
    if messages.has_command:
        yield "/cmd_vel", messages.twist(row)
    if messages.has_gyroscope:
        yield "/imu", messages.imu(row, stamp)
