"""Errors for damaged bags: problem, position, and number of intact messages before it."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from backports import zstd

from grouser.errors import InvalidLog
from grouser.log import Column, Log, Provenance, read_log, write_log
from grouser.log.mcap.records import (
    CHANNEL,
    CHUNK,
    DATA_END,
    FOOTER,
    HEADER,
    MAGIC,
    MESSAGE,
    SCHEMA,
)

LOG = Log(
    {name: Column(np.arange(20.0), unit) for name, unit in (("time", "s"), ("x", "m"))},
    Provenance(robot="tp100"),
)
Records = list[tuple[int, bytes]]


@pytest.fixture
def records(tmp_path) -> Records:
    """Kind and content of each record of a bag with one chunk."""
    write_log(LOG, tmp_path / "whole.mcap")
    return split((tmp_path / "whole.mcap").read_bytes())


def split(content: bytes) -> Records:
    found, place = [], len(MAGIC)
    while place < len(content) - len(MAGIC):
        kind, size = struct.unpack_from("<BQ", content, place)
        place += 9 + size
        found.append((kind, content[place - size : place]))
    return found


def join(records: Records) -> bytes:
    body = b"".join(struct.pack("<BQ", kind, len(content)) + content for kind, content in records)
    return MAGIC + body + MAGIC


def chunk(content: bytes, size: int, packed: bytes, compression: bytes = b"zstd") -> bytes:
    head = content[:16] + struct.pack("<QI", size, 0)
    name = struct.pack("<I", len(compression)) + compression
    return head + name + struct.pack("<Q", len(packed)) + packed


def read(records: Records | bytes, folder: Path) -> Log:
    """Read a bag without its summary, as it stands."""
    path = folder / "a.mcap"
    if isinstance(records, bytes):
        path.write_bytes(records)
    else:
        data = [
            record for record in records if record[0] in (HEADER, SCHEMA, CHANNEL, MESSAGE, CHUNK)
        ]
        path.write_bytes(join([*data, (DATA_END, bytes(4)), (FOOTER, bytes(20))]))
    return read_log(path)


def change_chunk(records: Records, change) -> Records:
    return [(kind, change(content) if kind == CHUNK else content) for kind, content in records]


def unpacked(content: bytes) -> bytes:
    return zstd.decompress(content[44:])


def test_a_bag_without_summary_is_whole(records, tmp_path):
    assert read(records, tmp_path) == LOG


@pytest.mark.parametrize("codec", ["", "lz4"])
def test_other_compressions_are_read(records, tmp_path, codec):
    import lz4.frame

    def change(content: bytes) -> bytes:
        plain = unpacked(content)
        packed = lz4.frame.compress(plain) if codec else plain
        return chunk(content, len(plain), packed, codec.encode())

    assert read(change_chunk(records, change), tmp_path) == LOG


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda c: chunk(c, 2**60, c[44:]), r"claims 1,152,921,504,606,846,976 bytes; at most"),
        (lambda c: chunk(c, 1000, zstd.compress(bytes(10**9))), "claims 1,000 bytes, but has more"),
        (lambda c: chunk(c, 10**6, c[44:]), "claims 1,000,000 bytes, but has "),
        (lambda c: chunk(c, 5, c[44:], b"xz"), "is compressed by 'xz', not by zstd or lz4"),
        (lambda c: chunk(c, 5, b"nonsense"), "a chunk cannot be unpacked"),
        (lambda c: c[:24] + b"\1\2\3\4" + c[28:], "the checksum of a chunk does not fit"),
        (lambda c: c[:36] + struct.pack("<Q", 2**62) + c[44:], "a field claims 4,611,686"),
        (lambda c: c[:10], "a field claims"),
        (lambda c: chunk(c, 9, struct.pack("<BQ", CHUNK, 0), b""), "there is a chunk in a chunk"),
        (lambda c: chunk(c, 9, struct.pack("<BQ", MESSAGE, 0), b""), "fewer than its head"),
        (lambda c: chunk(c, 9, struct.pack("<BQ", MESSAGE, 2**60), b""), "in a chunk claims 1,152"),
        (lambda c: chunk(c, 5, b"12345", b""), "a chunk ends inside a record"),
    ],
)  # fmt: skip
def test_a_damaged_chunk_is_described(records, tmp_path, change, sentence):
    with pytest.raises(
        InvalidLog, match=rf"a\.mcap: cut off, damaged or .*{sentence}.*mcap recover"
    ):
        read(change_chunk(records, change), tmp_path)


def test_a_record_that_claims_more_than_the_file_has_is_described(records, tmp_path):
    content = bytearray(join(records))
    place = content.index(bytes([CHUNK]), 9)
    content[place + 1 : place + 9] = struct.pack("<Q", 2**60)
    with pytest.raises(InvalidLog, match=r"claims 1,152,921,504,606,846,976 bytes of \d"):
        read(bytes(content), tmp_path)


def test_what_is_whole_before_the_damage_is_counted(records, tmp_path):
    flat: Records = []
    for kind, content in records:
        flat += split(MAGIC + unpacked(content) + MAGIC) if kind == CHUNK else [(kind, content)]
    last = max(i for i, (kind, _) in enumerate(flat) if kind == MESSAGE)
    flat[last] = MESSAGE, b"short"
    with pytest.raises(InvalidLog, match="fewer than its head.*; 21 messages before it are whole"):
        read(flat, tmp_path)


def test_a_changed_number_is_noticed(records, tmp_path):
    def change(content: bytes) -> bytes:
        plain = bytearray(unpacked(content))
        plain[plain.rindex(struct.pack("<d", 19.0))] ^= 1  # the last bit of a column's number
        return chunk(content, len(plain), zstd.compress(bytes(plain)))

    with pytest.raises(InvalidLog, match="damaged: the checksum of its numbers does not fit"):
        read(change_chunk(records, change), tmp_path)


def test_a_lost_row_is_noticed(records, tmp_path):
    def change(content: bytes) -> bytes:
        inner = split(MAGIC + unpacked(content) + MAGIC)
        rows = [i for i, (kind, _) in enumerate(inner) if kind == MESSAGE]
        del inner[rows[5]]
        plain = join(inner)[len(MAGIC) : -len(MAGIC)]
        return chunk(content, len(plain), plain, b"")

    with pytest.raises(InvalidLog, match="damaged: it notes 20 rows, but 19 are there"):
        read(change_chunk(records, change), tmp_path)


def test_a_definition_with_a_word_of_python_is_no_code(records, tmp_path):
    def change(content: bytes) -> bytes:
        plain = unpacked(content).replace(b" data\n", b" else\n")
        return chunk(content, len(plain), plain, b"")

    with pytest.raises(InvalidLog, match=r"a\.mcap: damaged: "):
        read(change_chunk(records, change), tmp_path)


def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.mcap")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    for name in ("pipe.mcap", "zero.csv"):
        with pytest.raises(InvalidLog, match=rf"{name}: this is not a regular file"):
            read_log(tmp_path / name)
