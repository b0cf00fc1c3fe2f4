"""MCAP files of ROS 2 messages as logs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidLog, InvalidValue
from grouser.log.content import AGAIN, check_names, make_log
from grouser.log.foreign_column import ForeignColumn
from grouser.log.log import Log
from grouser.log.mcap.bag import BagReader
from grouser.log.mcap.cdr import Layout
from grouser.log.mcap.messages import COLUMNS, COLUMNS_KIND
from grouser.log.mcap.streams import (
    Bag,
    guess_columns,
    guess_topics,
    join_streams,
    read_streams,
    split_path,
)
from grouser.log.mcap.write import PROVENANCE
from grouser.log.provenance import Provenance
from grouser.storage import parse_json

_ROW_HEAD = Layout().constant("<u4", 0, 0).content()
_ROW_START = len(Layout().constant("<u4", 0, 0, 1).constant("<f8").content())
_ROWS = 4096  # messages that are decoded at once


def parse_mcap(file: BinaryIO, origin: str | Path) -> Log:
    """Return the log in an open MCAP file.

    A file written by grouser is read exactly. From other files, messages of the types
    nav_msgs/Odometry, geometry_msgs/PoseStamped, sensor_msgs/JointState, geometry_msgs/Twist,
    geometry_msgs/TwistStamped and sensor_msgs/Imu are read, if there is one topic of a type; others
    need a column map.
    """
    bag = BagReader(file, origin)
    if COLUMNS in bag.topics and PROVENANCE in bag.topics:
        return _read_own(bag, origin)
    return read_by_types(bag, origin)


def read_by_types(bag: Bag, origin: str | Path) -> Log:
    """Return the log of a bag of another program, by the types of its messages."""
    streams = read_streams(bag, guess_topics(bag.topics, origin), origin)
    streams = {name: stream for name, stream in streams.items() if len(stream.stamps)}
    if not streams:
        raise InvalidLog(origin, "has no messages; record it again")
    try:
        columns = guess_columns(streams)
    except InvalidValue as error:  # a topic whose name is no text of one line
        raise InvalidLog(origin, str(error)) from error
    return join_streams(streams, columns, origin)


def read_by_map(bag: Bag, origin: str | Path, columns: Mapping[str, ForeignColumn]) -> Log:
    """Return the log of a bag of another program, by a column map.

    A column is topic and field, as in `/odom.pose.pose.position.x`; `time` is the stamp of the
    topic whose messages become rows, as in `/odom.stamp`.
    """
    if "time" not in columns:
        raise InvalidLog(origin, "a bag has times, so the column map must name one: /odom.stamp")
    for name, column in columns.items():
        if column.file or column.plus is not None:
            key = "file" if column.file else "plus"
            raise InvalidLog(origin, f"{name}: a column of a bag has no key {key}; remove it")
    words = (word for column in columns.values() for word in column.headings)
    wanted = list(dict.fromkeys(split_path(word, bag.topics)[0] for word in words))
    for topic in wanted:
        if topic not in bag.topics:
            known = ", ".join(f"{name} ({kind})" for name, kind in bag.topics.items()) or "none"
            raise InvalidLog(origin, f"has no topic {topic!r}; it has {known}")
    streams = read_streams(bag, wanted, origin)
    for topic, stream in streams.items():
        if not len(stream.stamps):
            raise InvalidLog(origin, f"has no messages on topic {topic!r}; record it again")
    return join_streams(streams, columns, origin)


def _read_own(bag: BagReader, origin: str | Path) -> Log:
    notes: list[Any] = []
    rows = _Rows()
    standard: dict[int, bool] = {}
    for channel, content in bag.contents((PROVENANCE, COLUMNS)):
        if channel.topic == PROVENANCE:
            notes.append(getattr(bag.decode(channel, content), "data", None))
            continue
        if id(channel) not in standard:
            standard = {id(channel): bag.is_standard(channel, COLUMNS_KIND)}
        if not (standard[id(channel)] and rows.append_encoded(content)):
            rows.append(getattr(bag.decode(channel, content), "data", None))
    units, provenance = _parse_note(notes[0] if notes else "", origin)
    table = rows.table(len(units), origin)
    if len(notes) > 1:  # files of older versions have none at the end
        _check_end(notes[-1], table, origin)
    columns = {name: (table[:, i], unit) for i, (name, unit) in enumerate(units.items())}
    return make_log(columns, provenance, origin)


class _Rows:
    """Rows of numbers, each from a message."""

    def __init__(self) -> None:
        self._blocks: list[NDArray[np.float64]] = []
        self._waiting: list[bytes] = []  # messages of the same size

    def append_encoded(self, content: bytes) -> bool:
        """Append an encoded Float64MultiArray; return False if it is not as grouser writes it."""
        count = int.from_bytes(content[len(_ROW_HEAD) : len(_ROW_HEAD) + 4], "little")
        is_usual = content.startswith(_ROW_HEAD) and len(content) == _ROW_START + 8 * count
        if not is_usual or not count:
            return False
        if self._waiting and (len(self._waiting) == _ROWS or len(content) != len(self._waiting[0])):
            self._decode_waiting()
        self._waiting.append(content)
        return True

    def append(self, numbers: object) -> None:
        """Append the content of a message, whatever it is."""
        self._decode_waiting()
        is_row = isinstance(numbers, np.ndarray) and numbers.ndim == 1
        row = np.asarray(numbers, dtype=np.float64) if is_row else np.empty(0)
        self._blocks.append(row[np.newaxis])

    def table(self, width: int, origin: str | Path) -> NDArray[np.float64]:
        """Return all rows (row, column); InvalidLog if one has not so many numbers."""
        self._decode_waiting()
        done = 0
        for block in self._blocks:
            if block.shape[1] != width:
                raise InvalidLog(origin, f"row {done + 1} has not {width} numbers; {AGAIN}")
            done += len(block)
        blocks, self._blocks = self._blocks, []  # not in memory twice for longer than needed
        return np.concatenate([np.empty((0, width)), *blocks])

    def _decode_waiting(self) -> None:
        if not self._waiting:
            return
        content = np.frombuffer(b"".join(self._waiting), np.uint8)
        numbers = content.reshape(len(self._waiting), -1)[:, _ROW_START:]
        self._blocks.append(np.ascontiguousarray(numbers).view("<f8"))
        self._waiting = []


def _parse_note(text: object, origin: str | Path) -> tuple[dict[str, str], Provenance]:
    """Return the unit of each column, and the provenance."""
    note = _parse_object(text, origin)
    columns, provenance = note.get("columns"), note.get("provenance")
    if not isinstance(columns, dict) or not all(isinstance(u, str) for u in columns.values()):
        raise _unreadable_note("it names no columns with units", origin)
    if not columns or not isinstance(provenance, dict):
        raise _unreadable_note("columns or provenance are missing", origin)
    check_names(list(columns), origin)
    try:
        return columns, Provenance.from_dict(provenance)
    except InvalidValue as error:
        raise _unreadable_note(str(error), origin) from error


def _check_end(text: object, table: NDArray[np.float64], origin: str | Path) -> None:
    end = _parse_object(text, origin)
    if end.get("rows") != len(table):
        problem = f"damaged: it notes {end.get('rows')} rows, but {len(table)} are there"
        raise InvalidLog(origin, f"{problem}; {AGAIN}")
    if end.get("crc32") != crc32(table.data):
        raise InvalidLog(origin, f"damaged: the checksum of its numbers does not fit; {AGAIN}")


def _parse_object(text: object, origin: str | Path) -> dict[str, Any]:
    try:
        content = parse_json(text if isinstance(text, str) else "")
    except ValueError as error:
        raise _unreadable_note(str(error), origin) from error
    if not isinstance(content, dict):
        raise _unreadable_note("it is no JSON object", origin)
    return content


def _unreadable_note(reason: str, origin: str | Path) -> InvalidLog:
    problem = f"damaged: the message on topic {PROVENANCE} cannot be read ({reason})"
    return InvalidLog(origin, f"{problem}; {AGAIN}")
