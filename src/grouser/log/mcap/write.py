"""Logs as ROS 2 messages in MCAP files."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from grouser.errors import InvalidValue
from grouser.log.log import Column, Log, concatenate_logs
from grouser.log.mcap.bag import import_rosbags
from grouser.log.mcap.cdr import Layout
from grouser.log.mcap.chunks import (
    MESSAGE_HEAD,
    Batch,
    ChunkedFile,
    MessageType,
    pack_message,
)
from grouser.log.mcap.messages import (
    DIAGNOSTICS,
    DIAGNOSTICS_KIND,
    Messages,
    Topic,
    stack_rows,
)

PROVENANCE = "/grouser/provenance"
"""Topic of two texts that, with all columns of each row in `COLUMNS`, hold a log exactly.

The first text has the unit of each column and the provenance, the last one the number of rows and
a checksum: CRC-32 of all rows, each number as eight bytes, little-endian."""
DIAGNOSTICS_PERIOD = 0.1
"""Least time between two diagnostics messages [s]."""
_ROWS = 2048  # rows that become messages at once
_LATEST = (2**31 - 1) * 1_000_000_000  # seconds of a header have 32 bits [ns]


def write_mcap(blocks: Iterable[Log], path: Path) -> None:
    """Write a log, given in one or more blocks, as an MCAP file.

    Topics: /tf, /odom, /joint_states, /cmd_vel, those of sensors as they declare them, and
    /diagnostics, as far as the log has their columns; two topics of grouser hold the log exactly.
    """
    with _open_bag(path) as bag:
        travels: dict[str, float] = {}
        tail, previous = _Tail(), None
        for block in blocks:
            # With the last row of the previous block, to integrate belt travel from there.
            log = block if previous is None else concatenate_logs((previous, block))
            stamps = stamp_rows(log)
            messages = Messages(log, stamps, bag.types, travels)
            if previous is None:
                units = {name: log.unit(name) for name in log}
                note = json.dumps({"columns": units, "provenance": log.provenance.to_dict()})
                bag.write_text(int(stamps[0]) if len(stamps) else 0, note)
            _write_rows(bag, messages, log, stamps, tail, since=int(previous is not None))
            travels, previous = messages.travels_at_end, _last_row(log)
        bag.write_text(tail.stamp, json.dumps({"rows": tail.rows, "crc32": tail.checksum}))


@dataclass
class _Tail:
    """State of the writer between blocks."""

    rows: int = 0
    checksum: int = 0
    stamp: int = 0
    diagnosed: float = -math.inf


def _write_rows(
    bag: "_Bag", messages: Messages, log: Log, stamps: np.ndarray, tail: _Tail, *, since: int
) -> None:
    """Write the rows of a block from row `since` on."""
    for begin in range(since, len(log), _ROWS):
        rows = slice(begin, min(begin + _ROWS, len(log)))
        due = _find_diagnosed(log.time[rows], tail) if messages.has_diagnostics else []
        bag.write_rows(messages, rows, [begin + row for row in due])
        tail.checksum = crc32(stack_rows(log, rows).tobytes(), tail.checksum)
    tail.rows += len(log) - since
    tail.stamp = int(stamps[-1]) if len(stamps) else 0


def _find_diagnosed(times: np.ndarray, tail: _Tail) -> list[int]:
    """Return the rows that have diagnostics."""
    due: list[int] = []
    for row, time in enumerate(times.tolist()):
        if time >= tail.diagnosed + DIAGNOSTICS_PERIOD - 1e-9:
            tail.diagnosed = time
            due.append(row)
    return due


def _last_row(log: Log) -> Log | None:
    columns = {name: Column(c.values[-1:], c.unit) for name, c in log.columns.items()}
    return Log(columns, log.provenance) if len(log) else None


def stamp_rows(log: Log) -> np.ndarray:
    """Return the time stamp of each row, since 1970 if the log has its date of creation [ns]."""
    created = log.provenance.created
    begin = round(datetime.fromisoformat(created).timestamp() * 1e9) if created else 0
    since = np.round(np.nan_to_num(log.time, posinf=math.inf, neginf=-math.inf) * 1e9)
    wrong = np.flatnonzero(~((since >= -begin) & (since <= _LATEST - begin)))
    if wrong.size:
        required = "be from 1970 to 2038 in an MCAP file, with the date of creation if it is known"
        raise InvalidValue("time of a row [s]", float(log.time[wrong[0]]), required)
    return begin + since.astype(np.int64)


class _Bag:
    """Writes messages to topics, in order of time."""

    def __init__(self, types: Any, file: ChunkedFile) -> None:
        self.types, self._file = types, file
        self._numbers: dict[str, int] = {}

    def write_text(self, stamp: int, words: str) -> None:
        """Write a text about the log with a time stamp [ns]."""
        number = self._number(PROVENANCE, "std_msgs/msg/String")
        record = pack_message(number, stamp, Layout().text(words).content())
        self._file.append(
            Batch(
                content=record, channels=np.array([number]), stamps=np.array([stamp]),
                sizes=np.array([len(record)]),
            )
        )  # fmt: skip

    def write_rows(self, messages: Messages, rows: slice, diagnosed: Sequence[int]) -> None:
        """Write the messages of some rows, and diagnostics after those of rows `diagnosed`."""
        numbers = [self._number(topic.name, topic.kind) for topic in messages.topics]
        dtype, template = _lay_out(messages.topics, numbers)
        stamps = messages.stamps[rows]
        content = np.empty((rows.stop - rows.start, dtype.itemsize), np.uint8)
        content[:] = np.frombuffer(template, np.uint8)
        table = content.view(dtype)[:, 0]
        for topic in messages.topics:
            record = table[topic.name]
            record["head"]["recorded"] = record["head"]["published"] = stamps
            messages.fill(topic, rows, record["message"])
        sizes = [dtype[topic.name].itemsize for topic in messages.topics]
        chosen = _rows_with_messages(messages.topics, rows)
        if not chosen.all():
            content = content[np.repeat(chosen, sizes, axis=1)]
        batch = Batch(
            content=content.data.cast("B"), channels=np.tile(numbers, len(table))[chosen.ravel()],
            stamps=np.repeat(stamps, len(numbers))[chosen.ravel()],
            sizes=np.tile(sizes, len(table))[chosen.ravel()],
        )  # fmt: skip
        if diagnosed:
            number = self._number(DIAGNOSTICS, DIAGNOSTICS_KIND)
            places = np.cumsum(chosen.sum(axis=1))[np.array(diagnosed) - rows.start]
            batch = _insert_diagnostics(batch, messages, number, places, diagnosed)
        self._file.append(batch)

    def _number(self, topic: str, kind: str) -> int:
        """Return the number of a topic's channel."""
        if topic not in self._numbers:
            definition, _ = self.types.generate_msgdef(kind, ros_version=2)
            digest = self.types.hash_rihs01(kind)
            message_type = MessageType(name=kind, definition=definition, digest=digest)
            self._numbers[topic] = self._file.add_channel(topic, message_type)
        return self._numbers[topic]


@contextmanager
def _open_bag(path: Path) -> Iterator[_Bag]:
    """Yield a writer of a new file, which is complete after the context."""
    types = import_rosbags()
    with path.open("xb") as file:
        chunks = ChunkedFile(file)
        yield _Bag(types, chunks)
        chunks.close()


def _rows_with_messages(topics: Sequence[Topic], rows: slice) -> np.ndarray:
    """Return whether each row has a message (row, topic)."""
    every = np.ones(rows.stop - rows.start, bool)
    chosen = [every if t.has_message is None else t.has_message[rows] for t in topics]
    return np.column_stack(chosen)


def _lay_out(topics: Sequence[Topic], numbers: Sequence[int]) -> tuple[np.dtype[Any], bytes]:
    """Return the type of a row's records, by topic, and a row of them without its numbers."""
    kinds, template = [], b""
    for topic, number in zip(topics, numbers, strict=True):
        kinds.append((topic.name, [("head", MESSAGE_HEAD), ("message", topic.layout.dtype())]))
        template += pack_message(number, 0, topic.layout.content())
    return np.dtype(kinds), template


def _insert_diagnostics(
    batch: Batch, messages: Messages, number: int, places: np.ndarray, diagnosed: Sequence[int]
) -> Batch:
    """Return messages with diagnostics of some rows, each behind as many of them as `places`."""
    stamps = messages.stamps[diagnosed]
    records = [
        pack_message(number, stamp, content)
        for stamp, content in zip(stamps.tolist(), messages.diagnostics(diagnosed), strict=True)
    ]
    ends = np.cumsum(batch.sizes)[places - 1].tolist()
    parts: list[bytes | memoryview] = []
    start = 0
    for end, record in zip(ends, records, strict=True):
        parts += [batch.content[start:end], record]
        start = end
    return Batch(
        content=b"".join([*parts, batch.content[start:]]),
        channels=np.insert(batch.channels, places, number),
        stamps=np.insert(batch.stamps, places, stamps),
        sizes=np.insert(batch.sizes, places, [len(record) for record in records]),
    )
