"""Topics that were heard at different times, as the columns of one log."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidLog
from grouser.log.column_map import ForeignColumn
from grouser.log.log import Log
from grouser.log.mcap.stream import Stream
from grouser.log.provenance import Provenance
from grouser.log.read_content import make_log
from grouser.units import to_si

_HELD = "geometry_msgs/msg/Twist"  # a command holds until the next one


def join_streams(
    streams: Mapping[str, Stream], columns: Mapping[str, ForeignColumn], path: str | Path
) -> Log:
    """Return a log with a row for each message of the topic that the column `time` names.

    Numbers of other topics are interpolated linearly, commands hold until the next one; before
    the first and after the last message there are gaps. Time counts from the first row.

    Args:
        streams: What was said, by topic.
        columns: Which number of which topic is which column: `/odom.pose.pose.position.x`.
        path: The bag, for messages.

    Raises:
        InvalidLog: A topic lacks a number; lists those that it has.
    """
    lead = streams[split_path(columns["time"].column)[0]].stamps
    start = int(lead[0])
    time = (lead - start) * 1e-9
    values: dict[str, tuple[NDArray[Any], str]] = {"time": (time, "s")}
    for name, column in columns.items():
        if name == "time":
            continue
        topic, field = split_path(column.column)
        stream = streams[topic]
        if field not in stream.numbers:
            known = ", ".join(stream.numbers) or "none"
            raise InvalidLog(path, f"topic {topic} has no number {field!r}; it has {known}")
        unit, factor = to_si(column.unit)
        theirs = _at(time, (stream.stamps - start) * 1e-9, stream.numbers[field], stream.kind)
        with np.errstate(over="ignore", invalid="ignore"):
            ours = (column.sign * column.scale * theirs + column.offset) * factor
        values[name] = ours, unit
    notes: dict[str, Any] = {
        "foreign_file": Path(path).name,
        "column_map": {name: asdict(column) for name, column in columns.items()},
        "start_ns": start,
    }
    if left_out := {topic: stream.left_out for topic, stream in streams.items() if stream.left_out}:
        notes["messages_left_out"] = left_out
    return make_log(values, Provenance(notes=notes), path)


def split_path(word: str) -> tuple[str, str]:
    """Return topic and field of a path such as `/odom.pose.pose.position.x`."""
    topic, _, field = word.strip().partition(".")  # no topic has a dot
    return topic, field


def _at(
    time: NDArray[Any], theirs: NDArray[Any], numbers: NDArray[np.float64], kind: str
) -> NDArray[np.float64]:
    """Return numbers at other times."""
    if len(theirs) == len(time) and np.array_equal(theirs, time):
        return numbers
    if kind.startswith(_HELD):
        rows = np.searchsorted(theirs, time, side="right") - 1
        return np.where(rows >= 0, numbers[np.maximum(rows, 0)], np.nan)
    return np.interp(time, theirs, numbers, left=np.nan, right=np.nan)
