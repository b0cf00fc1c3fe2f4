"""Records and chunks of MCAP files, validated before use.

A file is a sequence of records: one byte with the type, eight with the length. Messages and their
channels are in chunks, which may be compressed; the summary at the end repeats the channels and
counts messages. Every length is checked against the size of the file, and a chunk is decompressed
to at most its declared size.

Reference:
    https://mcap.dev/spec
"""

import os
import struct
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from grouser import limits
from grouser.errors import InvalidLog, MissingExtra
from grouser.log.content import AGAIN, shorten

HEAD = struct.Struct("<BQ")
"""Kind and length of a record."""


class Damage(Exception):
    """A violation of the MCAP format, with a short description."""


class Fields:
    """Reads the fields of a record one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content, self._place = content, 0

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        place, self._place = self._place, self._place + size
        if self._place > len(self._content):
            left = len(self._content) - place
            raise Damage(f"a field claims {size:,} bytes of {left:,}")
        return self._content[place : self._place]

    def whole(self, size: int) -> int:
        """Return the next whole number."""
        return int.from_bytes(self.take(size), "little")

    def text(self) -> str:
        """Return the next text."""
        try:
            return self.take(self.whole(4)).decode()
        except UnicodeDecodeError as error:
            raise Damage(f"a text is not UTF-8: {shorten(str(error.object))}") from error


def split_records(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield kind, begin and end of the records of an unpacked chunk."""
    place = 0
    while place < len(content):
        if len(content) - place < HEAD.size:
            raise Damage("a chunk ends inside a record")
        kind, size = HEAD.unpack_from(content, place)
        place += HEAD.size
        if size > len(content) - place:
            raise Damage(f"a record in a chunk claims {size:,} bytes of {len(content) - place:,}")
        yield kind, place, place + size
        place += size


def unpack_chunk(content: bytes) -> bytes:
    """Return the records of a chunk."""
    fields = Fields(content)
    fields.take(16)
    size, crc, compression = fields.whole(8), fields.whole(4), fields.text()
    packed = fields.take(fields.whole(8))
    if size > limits.CHUNK_BYTES:
        raise Damage(f"a chunk claims {size:,} bytes; at most {limits.CHUNK_BYTES:,} are read")
    if compression not in _UNPACKERS:
        raise Damage(f"a chunk is compressed by {shorten(compression)!r}, not by zstd or lz4")
    unpacked = _UNPACKERS[compression](packed, size)
    if len(unpacked) != size:
        more = "more" if len(unpacked) > size else f"{len(unpacked):,}"
        raise Damage(f"a chunk claims {size:,} bytes, but has {more}")
    if crc and crc32(unpacked) != crc:
        raise Damage("the checksum of a chunk does not fit")
    return unpacked


def _unpack_lz4(packed: bytes, size: int) -> bytes:
    from lz4.frame import LZ4FrameDecompressor  # comes with rosbags

    return _unpack_frames(LZ4FrameDecompressor, RuntimeError, packed, size)


def _unpack_frames(make: Any, failure: type[Exception], packed: bytes, size: int) -> bytes:
    """Return at most one byte more than `size` of one or several compressed frames."""
    unpacked = bytearray()
    while packed and len(unpacked) <= size:
        unpacker = make()
        try:
            unpacked += unpacker.decompress(packed, max_length=size + 1 - len(unpacked))
        except (failure, EOFError) as error:
            raise Damage(f"a chunk cannot be unpacked ({error})") from error
        if not unpacker.eof:
            break
        packed = unpacker.unused_data or b""
    return bytes(unpacked)


def import_zstd(purpose: str) -> Any:
    """Return the module that compresses by zstd; MissingExtra if there is none."""
    try:
        from compression import zstd  # type: ignore[import-not-found]  # from Python 3.14
    except ImportError:
        try:
            from backports import zstd
        except ImportError as error:
            raise MissingExtra(purpose, "backports.zstd", "mcap") from error
    return zstd


def _unpack_zstd(packed: bytes, size: int) -> bytes:
    zstd = import_zstd("reading MCAP")
    return _unpack_frames(zstd.ZstdDecompressor, zstd.ZstdError, packed, size)


_UNPACKERS: dict[str, Callable[[bytes, int], bytes]] = {
    "": lambda packed, size: packed,
    "zstd": _unpack_zstd,
    "lz4": _unpack_lz4,
}


MAGIC = b"\x89MCAP0\r\n"
"""First and last bytes of a file."""
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK = 1, 2, 3, 4, 5, 6
"""Kinds of records that are read."""
STATISTICS, SUMMARY_OFFSET, DATA_END = 11, 14, 15
"""Kinds of records that are read, or end a section."""
_MESSAGE = struct.Struct("<HIQQ")
_FOOTER_SIZE = HEAD.size + 20 + len(MAGIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One topic of one publisher."""

    topic: str
    """Name of the topic."""
    kind: str
    """Name of the messages' type."""
    language: str
    """Language in which the type is defined: ros2msg, ros2idl; empty if it is not."""
    definition: str
    """Definition of the type."""
    encoding: str
    """How messages are written; cdr in ROS 2."""


@dataclass(slots=True)
class Summary:
    """Summary at the end of a file, or collected from all messages."""

    channels: dict[int, Channel] = field(default_factory=dict)
    """Channels by number."""
    counts: dict[int, int] = field(default_factory=dict)
    """Number of messages of each channel."""
    begin: int = 0
    """Time of recording of the first message [ns]."""
    end: int = 0
    """Time of recording of the last message [ns]."""


class Records:
    """The records of one open file."""

    def __init__(self, file: BinaryIO, origin: str | Path) -> None:
        """Read both ends of a file; InvalidLog if it is damaged, or not a bag of ROS 2 messages."""
        self._file, self._origin, self._done = file, origin, 0
        self._size = file.seek(0, os.SEEK_END)
        self._schemas: dict[int, tuple[str, str, str]] = {}
        with self._described():
            self._begin = self._read_header()
            self._end, summary = self._read_footer()
            self.summary = self._read_summary(summary) if summary else self._scan()
            """Channels and their numbers of messages."""

    def messages(self, topics: Collection[str]) -> Iterator[tuple[Channel, int, bytes]]:
        """Yield channel, time of recording [ns] and content of messages, in file order.

        Messages of other topics are checked, too.
        """
        channels: dict[int, Channel] = {}
        with self._described():
            for number, stamp, content in self._walk(channels, topics):
                yield channels[number], stamp, content

    @contextmanager
    def _described(self) -> Iterator[None]:
        try:
            yield
        except Damage as error:
            problem = f"cut off, damaged or not a bag of ROS 2 messages ({error})"
            whole = f"; {self._done:,} messages before it are whole" if self._done else ""
            remedy = f"{AGAIN}, or try `mcap recover`"
            raise InvalidLog(self._origin, f"{problem}{whole}; {remedy}") from error

    def _read_header(self) -> int:
        self._file.seek(0)
        if self._file.read(len(MAGIC)) != MAGIC:
            raise Damage("it does not begin as an MCAP file")
        kind, content = self._read_record(self._size)
        if kind != HEADER:
            raise Damage(f"the first record is of kind {kind}, not a header")
        profile = Fields(content).text()
        if profile != "ros2":
            raise Damage(f"its profile is {shorten(profile)!r}, not 'ros2'")
        return self._file.tell()

    def _read_footer(self) -> tuple[int, int]:
        """Return the end of the data and the start of the summary; 0 if there is none."""
        start = self._size - _FOOTER_SIZE
        if start < self._begin:
            raise Damage("it ends before the footer")
        self._file.seek(start)
        kind, content = self._read_record(self._size)
        if kind != FOOTER or self._file.read() != MAGIC:
            raise Damage("it does not end as an MCAP file")
        fields = Fields(content)
        summary, offsets = fields.whole(8), fields.whole(8)
        for what, place in (("the summary is", summary), ("offsets are", offsets)):
            if place and not self._begin <= place <= start:
                raise Damage(f"the footer says that {what} at byte {place:,}")
        crc = fields.whole(4)
        if crc and summary:
            self._file.seek(summary)
            if crc32(self._file.read(self._size - len(MAGIC) - 4 - summary)) != crc:
                raise Damage("the checksum of the summary does not fit")
        return summary or start, summary

    def _read_summary(self, start: int) -> Summary:
        summary = Summary()
        self._file.seek(start)
        while self._file.tell() < self._size:
            kind, content = self._read_record(self._size)
            if kind in (FOOTER, SUMMARY_OFFSET):
                break
            self._note(kind, content, summary.channels)
            if kind == STATISTICS:
                fields = Fields(content)
                fields.take(8 + 2 + 4 + 4 + 4 + 4)
                summary.begin, summary.end = fields.whole(8), fields.whole(8)
                for _ in range(fields.whole(4) // 10):
                    number = fields.whole(2)
                    summary.counts[number] = fields.whole(8)
        return summary if summary.channels and summary.counts else self._scan()

    def _scan(self) -> Summary:
        """Return the summary collected from all messages."""
        summary, stamps = Summary(), [2**63, 0]
        for number, stamp, _ in self._walk(summary.channels):
            summary.counts[number] = summary.counts.get(number, 0) + 1
            stamps = [min(stamps[0], stamp), max(stamps[1], stamp)]
        if summary.counts:
            summary.begin, summary.end = stamps
        return summary

    def _walk(
        self, channels: dict[int, Channel], topics: Collection[str] | None = None
    ) -> Iterator[tuple[int, int, bytes]]:
        self._done = 0
        self._file.seek(self._begin)
        while self._file.tell() < self._end:
            place = self._file.tell()
            try:
                kind, content = self._read_record(self._end)
                if kind == DATA_END:
                    return
                yield from self._open_record(kind, content, channels, topics)
            except Damage as error:
                raise Damage(f"{error}, in the record at byte {place:,}") from error

    def _open_record(
        self,
        kind: int,
        content: bytes,
        channels: dict[int, Channel],
        topics: Collection[str] | None,
    ) -> Iterator[tuple[int, int, bytes]]:
        content = unpack_chunk(content) if kind == CHUNK else content
        parts = split_records(content) if kind == CHUNK else [(kind, 0, len(content))]
        for inner, begin, end in parts:
            if inner == MESSAGE:
                number, stamp = _check_message(content, begin, end, channels)
                self._done += 1
                if topics is None or channels[number].topic in topics:
                    yield number, stamp, content[begin + _MESSAGE.size : end]
            elif inner == CHUNK:
                raise Damage("there is a chunk in a chunk")
            else:
                self._note(inner, content[begin:end], channels)

    def _note(self, kind: int, content: bytes, channels: dict[int, Channel]) -> None:
        """Store a schema or a channel."""
        if kind == SCHEMA:
            fields = Fields(content)
            number, name = fields.whole(2), fields.text()
            self._schemas[number] = name, fields.text(), fields.text()
        elif kind == CHANNEL:
            fields = Fields(content)
            number, schema = fields.whole(2), fields.whole(2)
            topic, encoding = fields.text(), fields.text()
            name, language, text = self._schemas.get(schema, ("", "", ""))
            channels[number] = Channel(
                topic=topic, kind=name, language=language, definition=text, encoding=encoding
            )
            if len(channels) > limits.COLUMNS:
                raise Damage(f"it has more than {limits.COLUMNS:,} channels")

    def _read_record(self, end: int) -> tuple[int, bytes]:
        """Return kind and content of a record; large records that are not used have no content."""
        place = self._file.tell()
        head = self._file.read(HEAD.size)
        if len(head) < HEAD.size:
            raise Damage(f"it ends at byte {self._size:,}, inside a record")
        kind, size = HEAD.unpack(head)
        left = end - place - HEAD.size
        if size > left:
            raise Damage(f"a record at byte {place:,} claims {size:,} bytes of {left:,}")
        if size > limits.CHUNK_BYTES:
            if kind in (HEADER, SCHEMA, CHANNEL, MESSAGE, CHUNK, STATISTICS):
                most = f"at most {limits.CHUNK_BYTES:,} are read"
                raise Damage(f"a record at byte {place:,} has {size:,} bytes; {most}")
            self._file.seek(size, os.SEEK_CUR)
            return kind, b""
        return kind, self._file.read(size)


def _check_message(
    content: bytes, begin: int, end: int, channels: dict[int, Channel]
) -> tuple[int, int]:
    """Return the channel of a message, and its time of recording [ns]."""
    if end - begin < _MESSAGE.size:
        raise Damage(f"a message has {end - begin} bytes, fewer than its head")
    number, _, stamp, _ = _MESSAGE.unpack_from(content, begin)
    if number not in channels:
        raise Damage(f"a message is of channel {number}, which does not exist")
    if stamp >= 2**63:
        raise Damage(f"a message was recorded at {stamp:,} ns")
    return number, stamp
