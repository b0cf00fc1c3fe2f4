"""MCAP files, written in compressed chunks of messages.

Reference:
    https://mcap.dev/spec
"""

import json
import struct
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from grouser.log.mcap.records import (
    CHANNEL,
    CHUNK,
    DATA_END,
    FOOTER,
    HEAD,
    HEADER,
    MAGIC,
    MESSAGE,
    SCHEMA,
    STATISTICS,
    SUMMARY_OFFSET,
    import_zstd,
)
from grouser.version import VERSION

MESSAGE_INDEX, CHUNK_INDEX, METADATA, METADATA_INDEX = 7, 8, 12, 13
"""Kinds of records that are written and not read."""
CHUNK_SIZE = 1 << 20
"""Size of the messages above which a chunk is closed [B]."""
MESSAGE_HEAD = np.dtype(
    [
        ("kind", "u1"),
        ("size", "<u8"),
        ("channel", "<u2"),
        ("sequence", "<u4"),
        ("recorded", "<u8"),
        ("published", "<u8"),
    ]
)
"""Head of a message's record."""
_INDEX = np.dtype([("recorded", "<u8"), ("place", "<u8")])
_COMPRESSION = "zstd"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageType:
    """Type of the messages of a channel."""

    name: str
    definition: str
    digest: str
    """Hash of the definition, as ROS 2 computes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Records of messages, one after the other."""

    content: bytes | memoryview
    channels: np.ndarray
    """Number of the channel of each message."""
    stamps: np.ndarray
    """Time of recording of each message [ns]."""
    sizes: np.ndarray
    """Size of each record [B]."""


@dataclass(slots=True)
class _Chunk:
    content: bytearray = field(default_factory=bytearray)
    channels: list[np.ndarray] = field(default_factory=list)
    index: list[np.ndarray] = field(default_factory=list)


def pack_message(channel: int, stamp: int, content: bytes) -> bytes:
    """Return the record of a message."""
    size = MESSAGE_HEAD.itemsize - HEAD.size + len(content)
    head = np.array((MESSAGE, size, channel, 0, stamp, stamp), MESSAGE_HEAD)
    return head.tobytes() + content


class ChunkedFile:
    """Writes an MCAP file of ROS 2 messages; `close` writes the summary at its end."""

    def __init__(self, file: BinaryIO) -> None:
        """Write the header to a new file."""
        self._file, self._chunk, self._compress = (
            file,
            _Chunk(),
            import_zstd("writing MCAP").compress,
        )
        self._types: list[MessageType] = []
        self._channels: list[tuple[str, MessageType]] = []
        self._counts: list[int] = []
        self._indexes: list[bytes] = []
        self._span = 2**63 - 1, 0
        file.write(MAGIC)
        self._record(HEADER, _text("ros2") + _text(f"grouser-{VERSION}"))

    def add_channel(self, topic: str, kind: MessageType) -> int:
        """Return the number of a new channel."""
        if kind not in self._types:
            self._types.append(kind)
            self._chunk.content += _pack(SCHEMA, self._schema(kind))
        self._channels.append((topic, kind))
        self._counts.append(0)
        self._chunk.content += _pack(CHANNEL, self._describe(len(self._channels)))
        return len(self._channels)

    def append(self, batch: Batch) -> None:
        """Write messages; those above the size of a chunk begin a new one."""
        ends, first, start = np.cumsum(batch.sizes), 0, 0
        content = memoryview(batch.content)
        while first < len(ends):
            place = len(self._chunk.content)
            last = int(np.searchsorted(ends, start + CHUNK_SIZE - place, side="right"))
            stop = min(last + 1, len(ends))
            index = np.empty(stop - first, _INDEX)
            index["recorded"] = batch.stamps[first:stop]
            index["place"] = ends[first:stop] - batch.sizes[first:stop] + (place - start)
            self._chunk.channels.append(batch.channels[first:stop])
            self._chunk.index.append(index)
            self._chunk.content += content[start : ends[stop - 1]]
            if len(self._chunk.content) > CHUNK_SIZE:
                self._close_chunk()
            first, start = stop, int(ends[stop - 1])

    def close(self) -> None:
        """Write the last chunk and the summary."""
        if self._chunk.content:
            self._close_chunk()
        metadata = self._file.tell()
        values = _text("serialized_metadata") + _text(json.dumps(self._metadata()))
        self._record(METADATA, _text("rosbag2") + _sized(values))
        size = self._file.tell() - metadata
        self._record(DATA_END, bytes(4))
        summary = self._file.tell()
        groups = {
            SCHEMA: [self._schema(kind) for kind in self._types],
            CHANNEL: [self._describe(number + 1) for number in range(len(self._channels))],
            CHUNK_INDEX: self._indexes,
            METADATA_INDEX: [struct.pack("<QQ", metadata, size) + _text("rosbag2")],
            STATISTICS: [self._statistics()],
        }
        offsets = []
        for kind, contents in groups.items():
            begin = self._file.tell()
            for content in contents:
                self._record(kind, content)
            if contents:
                offsets.append(struct.pack("<BQQ", kind, begin, self._file.tell() - begin))
        place = self._file.tell()
        for offset in offsets:
            self._record(SUMMARY_OFFSET, offset)
        self._record(FOOTER, struct.pack("<QQI", summary, place, 0))
        self._file.write(MAGIC)

    def _record(self, kind: int, content: bytes) -> None:
        self._file.write(_pack(kind, content))

    def _close_chunk(self) -> None:
        chunk, self._chunk = self._chunk, _Chunk()
        packed = self._compress(bytes(chunk.content))
        channels = np.concatenate([np.empty(0, np.int64), *chunk.channels])
        index = np.concatenate([np.empty(0, _INDEX), *chunk.index])
        stamps = index["recorded"]
        span = (int(stamps.min()), int(stamps.max())) if len(stamps) else (2**63 - 1, 0)
        self._span = min(self._span[0], span[0]), max(self._span[1], span[1])
        begin, size = self._file.tell(), len(chunk.content)
        head = struct.pack("<QQQI", *span, size, 0) + _text(_COMPRESSION)
        self._record(CHUNK, head + struct.pack("<Q", len(packed)) + packed)
        end, places = self._file.tell(), b""
        for number in dict.fromkeys(channels.tolist()):
            its_own = index[channels == number]
            self._counts[number - 1] += len(its_own)
            places += struct.pack("<HQ", number, self._file.tell())
            self._record(MESSAGE_INDEX, struct.pack("<H", number) + _sized(its_own.tobytes()))
        after = struct.pack("<Q", self._file.tell() - end) + _text(_COMPRESSION)
        self._indexes.append(
            struct.pack("<QQQQ", *span, begin, end - begin)
            + _sized(places) + after + struct.pack("<QQ", len(packed), size)
        )  # fmt: skip

    def _schema(self, kind: MessageType) -> bytes:
        number = struct.pack("<H", self._types.index(kind) + 1)
        return number + _text(kind.name) + _text("ros2msg") + _text(kind.definition)

    def _describe(self, number: int) -> bytes:
        """Return the record of a channel."""
        topic, kind = self._channels[number - 1]
        head = struct.pack("<HH", number, self._types.index(kind) + 1)
        quality = _text("offered_qos_profiles") + _text("")
        return head + _text(topic) + _text("cdr") + _sized(quality)

    def _statistics(self) -> bytes:
        counts = b"".join(
            struct.pack("<HQ", number, n) for number, n in enumerate(self._counts, start=1)
        )
        numbers = len(self._types), len(self._channels), 0, 1, len(self._indexes)
        head = struct.pack("<QHIIII", sum(self._counts), *numbers)
        return head + struct.pack("<QQ", *self._span) + _sized(counts)

    def _metadata(self) -> dict[str, Any]:
        """Return the metadata of rosbag2, version 8; JSON is YAML, too."""
        begin = {"nanoseconds_since_epoch": self._span[0]}
        duration = {"nanoseconds": max(0, self._span[1] - self._span[0])}
        count = sum(self._counts)
        span = {"starting_time": begin, "duration": duration, "message_count": count}
        topics = [
            {
                "topic_metadata": {
                    "name": topic, "type": kind.name, "serialization_format": "cdr",
                    "offered_qos_profiles": "", "type_description_hash": kind.digest,
                },
                "message_count": n,
            }
            for (topic, kind), n in zip(self._channels, self._counts, strict=True)
        ]  # fmt: skip
        return {
            "version": 8, "storage_identifier": "mcap", "relative_file_paths": ["log.mcap"],
            **span, "topics_with_message_count": topics, "compression_format": "",
            "compression_mode": "", "files": [{"path": "log.mcap", **span}], "custom_data": None,
            "ros_distro": "rosbags",
        }  # fmt: skip


def _pack(kind: int, content: bytes) -> bytes:
    return HEAD.pack(kind, len(content)) + content


def _sized(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


def _text(words: str) -> bytes:
    return _sized(words.encode())
