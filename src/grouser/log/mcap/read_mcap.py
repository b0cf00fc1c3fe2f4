"""A log from an MCAP file: our own exactly, that of another program by its messages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np

from grouser.errors import InvalidLog, InvalidValue
from grouser.log.column_map import ForeignColumn
from grouser.log.log import Log
from grouser.log.mcap.bag import BagReader
from grouser.log.mcap.format_mcap import COLUMNS, PROVENANCE
from grouser.log.mcap.guess_columns import guess_columns, guess_topics
from grouser.log.mcap.join_streams import join_streams, split_path
from grouser.log.mcap.stream import read_streams
from grouser.log.provenance import Provenance
from grouser.log.read_content import AGAIN, check_names, make_log
from grouser.storage import parse_json


def parse_mcap(file: BinaryIO, origin: str | Path) -> Log:
    """Return the log that an open MCAP file holds.

    A file that grouser wrote comes back exactly. Of another, messages of the types
    nav_msgs/Odometry, sensor_msgs/JointState, geometry_msgs/Twist, geometry_msgs/TwistStamped
    and sensor_msgs/Imu are read, where there is one topic of a type; a column map reads others.

    Args:
        file: The file.
        origin: Its name, for messages.

    Raises:
        InvalidLog: It is damaged, or a map must say what is what.
        MissingExtra: rosbags is not installed.
    """
    bag = BagReader(file, origin)
    if COLUMNS in bag.topics and PROVENANCE in bag.topics:
        return _read_own(bag, origin)
    streams = read_streams(bag, guess_topics(bag.topics, origin), origin)
    streams = {name: stream for name, stream in streams.items() if len(stream.stamps)}
    if not streams:
        raise InvalidLog(origin, "has no messages; record it again")
    return join_streams(streams, guess_columns(streams), origin)


def parse_mapped_mcap(
    file: BinaryIO, origin: str | Path, columns: Mapping[str, ForeignColumn]
) -> Log:
    """Return the log that an open MCAP file of another program holds, by a column map.

    Args:
        file: The file.
        origin: Its name, for messages.
        columns: Topic and field of each column, as in `/odom.pose.pose.position.x`; `time` is
            the stamp of the topic whose messages become rows, as in `/odom.stamp`.

    Raises:
        InvalidLog: There is no such topic or field, or the file is damaged.
        MissingExtra: rosbags is not installed.
    """
    wanted = list(dict.fromkeys(split_path(column.column)[0] for column in columns.values()))
    bag = BagReader(file, origin)
    for topic in wanted:
        if topic not in bag.topics:
            known = ", ".join(f"{name} ({kind})" for name, kind in bag.topics.items()) or "none"
            raise InvalidLog(origin, f"has no topic {topic!r}; it has {known}")
    streams = read_streams(bag, wanted, origin)
    for topic, stream in streams.items():
        if not len(stream.stamps):
            raise InvalidLog(origin, f"has no messages on topic {topic!r}; record it again")
    if "time" not in columns:
        raise InvalidLog(origin, "a bag has times, so the column map must name one: /odom.stamp")
    return join_streams(streams, columns, origin)


def parse_mcap_head(file: BinaryIO, origin: str | Path) -> tuple[Provenance, int, float | None]:
    """Return where a log comes from, how many rows it has and how long it lasted [s].

    Raises:
        InvalidLog: The file is damaged, or was not written by grouser.
        MissingExtra: rosbags is not installed.
    """
    bag = BagReader(file, origin)
    own = [number for number, c in bag.summary.channels.items() if c.topic == COLUMNS]
    if not own or PROVENANCE not in bag.topics:
        raise InvalidLog(origin, "not a log written by grouser")
    note = _read_note(bag, origin)
    counted = bag.summary.counts.get(own[0], 0)
    if note.get("rows", counted) != counted:
        raise _miscounted(origin, note["rows"], counted)
    duration = (bag.summary.end - bag.summary.begin) * 1e-9 if counted else None
    return note["provenance"], counted, duration


def _read_own(bag: BagReader, origin: str | Path) -> Log:
    note = _read_note(bag, origin)
    units: dict[str, str] = note["columns"]
    rows = [getattr(message, "data", ()) for _, _, message in bag.messages((COLUMNS,))]
    for row, numbers in enumerate(rows):
        if not isinstance(numbers, np.ndarray) or len(numbers) != len(units):
            raise InvalidLog(origin, f"row {row + 1} has not {len(units)} numbers; {AGAIN}")
    if note.get("rows", len(rows)) != len(rows):
        raise _miscounted(origin, note["rows"], len(rows))
    table = np.array(rows, dtype=np.float64).reshape(-1, len(units))
    if "crc32" in note and note["crc32"] != crc32(table.tobytes()):
        raise InvalidLog(origin, f"damaged: the checksum of its numbers does not fit; {AGAIN}")
    columns = {name: (table[:, i], unit) for i, (name, unit) in enumerate(units.items())}
    return make_log(columns, note["provenance"], origin)


def _miscounted(origin: str | Path, noted: object, found: int) -> InvalidLog:
    return InvalidLog(origin, f"damaged: it notes {noted} rows, but {found} are there; {AGAIN}")


def _read_note(bag: BagReader, origin: str | Path) -> dict[str, Any]:
    """Return the unit of each column, and where the log comes from."""
    for _, _, message in bag.messages((PROVENANCE,)):
        try:
            note = parse_json(getattr(message, "data", ""))
            if not isinstance(note, dict):
                raise InvalidValue("the note", note, "be a JSON object")
            columns, provenance = note.get("columns"), note.get("provenance")
            if not isinstance(columns, dict) or not columns:
                raise InvalidValue("columns", columns, "be names with their units")
            if not all(isinstance(unit, str) for unit in columns.values()):
                raise InvalidValue("columns", columns, "have texts as units")
            if not isinstance(provenance, dict):
                raise InvalidValue("provenance", provenance, "be a JSON object")
            check_names(list(columns), origin)
            return {**note, "provenance": Provenance.from_dict(provenance)}
        except (InvalidValue, ValueError, TypeError) as error:
            problem = f"damaged: what topic {PROVENANCE} says cannot be read ({error})"
            raise InvalidLog(origin, f"{problem}; {AGAIN}") from error
    raise InvalidLog(origin, f"cut off or damaged: its provenance is missing; {AGAIN}")
