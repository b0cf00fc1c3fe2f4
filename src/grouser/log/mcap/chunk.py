"""Pieces of an MCAP file in memory: fields of a record, records of a chunk, what was compressed."""

import struct
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

from grouser import limits
from grouser.errors import MissingExtra
from grouser.log.read_content import shorten

HEAD = struct.Struct("<BQ")
"""Kind and length of a record."""


class Damage(Exception):
    """Something in the file cannot be; says what, in few words."""


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


def split_records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield kind and content of the records of an unpacked chunk."""
    place = 0
    while place < len(content):
        if len(content) - place < HEAD.size:
            raise Damage("a chunk ends inside a record")
        kind, size = HEAD.unpack_from(content, place)
        place += HEAD.size
        if size > len(content) - place:
            raise Damage(f"a record in a chunk claims {size:,} bytes of {len(content) - place:,}")
        yield kind, content[place : place + size]
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


def _unpack_zstd(packed: bytes, size: int) -> bytes:
    zstd = _import_zstd()
    return _unpack_frames(zstd.ZstdDecompressor, zstd.ZstdError, packed, size)


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


def _import_zstd() -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found]  # from Python 3.14
    except ImportError:
        try:
            from backports import zstd
        except ImportError as error:
            raise MissingExtra("reading MCAP", "backports.zstd", "mcap") from error
    return zstd


_UNPACKERS: dict[str, Callable[[bytes, int], bytes]] = {
    "": lambda packed, size: packed,
    "zstd": _unpack_zstd,
    "lz4": _unpack_lz4,
}
