"""A log from an MCAP file: our own exactly, that of another program by its messages."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from grouser.errors import InvalidLog, InvalidValue
from grouser.log.column import Column
from grouser.log.column_map import ForeignColumn
from grouser.log.log import Log
from grouser.log.mcap.bag import open_bag
from grouser.log.mcap.format_mcap import COLUMNS, PROVENANCE
from grouser.log.mcap.guess_columns import guess_columns, guess_topics
from grouser.log.mcap.join_streams import join_streams, split_path
from grouser.log.mcap.stream import read_stream
from grouser.log.provenance import Provenance


def read_mcap(path: str | Path) -> Log:
    """Return the log that an MCAP file holds.

    A file that grouser wrote comes back exactly. Of another, messages of the types
    nav_msgs/Odometry, sensor_msgs/JointState, geometry_msgs/Twist, geometry_msgs/TwistStamped
    and sensor_msgs/Imu are read, where there is one topic of a type; a column map reads others.

    Raises:
        InvalidLog: There is no such file, it is damaged, or a map must say what is what.
        MissingExtra: rosbags is not installed.
    """
    with open_bag(path) as reader:
        topics = {c.topic: c.msgtype for c in reader.connections}
        if COLUMNS in topics and PROVENANCE in topics:
            return _read_own(reader, path)
        streams = {name: read_stream(reader, name) for name in guess_topics(topics, path)}
    streams = {name: stream for name, stream in streams.items() if len(stream.stamps)}
    if not streams:
        raise InvalidLog(path, "has no messages; record it again")
    return join_streams(streams, guess_columns(streams), path)


def read_mapped_mcap(path: str | Path, columns: Mapping[str, ForeignColumn]) -> Log:
    """Return the log that an MCAP file of another program holds, by a column map.

    Args:
        path: The file.
        columns: Topic and field of each column, as in `/odom.pose.pose.position.x`; `time` is
            the stamp of the topic whose messages become rows, as in `/odom.stamp`.

    Raises:
        InvalidLog: There is no such file, topic or field, or the file is damaged.
        MissingExtra: rosbags is not installed.
    """
    wanted = list(dict.fromkeys(split_path(column.column)[0] for column in columns.values()))
    with open_bag(path) as reader:
        topics = {c.topic: c.msgtype for c in reader.connections}
        for topic in wanted:
            if topic not in topics:
                known = ", ".join(f"{name} ({kind})" for name, kind in topics.items()) or "none"
                raise InvalidLog(path, f"has no topic {topic!r}; it has {known}")
        streams = {topic: read_stream(reader, topic) for topic in wanted}
    for topic, stream in streams.items():
        if not len(stream.stamps):
            raise InvalidLog(path, f"has no messages on topic {topic!r}; record it again")
    return join_streams(streams, columns, path)


def read_mcap_head(path: str | Path) -> tuple[Provenance, int, float | None]:
    """Return where a log comes from, how many rows it has and how long it lasted [s].

    Raises:
        InvalidLog: There is no such file, or it was not written by grouser.
        MissingExtra: rosbags is not installed.
    """
    with open_bag(path) as reader:
        own = [c for c in reader.connections if c.topic == COLUMNS]
        if not own or PROVENANCE not in {c.topic for c in reader.connections}:
            raise InvalidLog(path, "not a log written by grouser")
        _, provenance = _read_note(reader, path)
        return provenance, own[0].msgcount, (reader.duration - 1) * 1e-9  # counts the last one


def _read_own(reader: Any, path: str | Path) -> Log:
    units, provenance = _read_note(reader, path)
    chosen = [c for c in reader.connections if c.topic == COLUMNS]
    rows = [reader.deserialize(d, c.msgtype).data for c, _, d in reader.messages(chosen)]
    table = np.array(rows, dtype=np.float64).reshape(-1, len(units))
    try:
        columns = {n: Column(table[:, i], unit) for i, (n, unit) in enumerate(units.items())}
        return Log(columns, provenance)
    except InvalidValue as error:
        raise InvalidLog(path, str(error)) from error


def _read_note(reader: Any, path: str | Path) -> tuple[Mapping[str, str], Provenance]:
    """Return the unit of each column, and where the log comes from."""
    chosen = [c for c in reader.connections if c.topic == PROVENANCE]
    for connection, _, data in reader.messages(chosen):
        note = json.loads(reader.deserialize(data, connection.msgtype).data)
        return note["columns"], Provenance.from_dict(note["provenance"])
    raise InvalidLog(path, "cut off or damaged: its provenance is missing")
