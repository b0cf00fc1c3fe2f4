"""A log as MCAP that Foxglove and ros2 bag read."""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from grouser.log.column import Column
from grouser.log.log import Log
from grouser.log.mcap.bag import BagWriter, write_bag_file
from grouser.log.mcap.messages import Messages, text_message

PROVENANCE, COLUMNS = "/grouser/provenance", "/grouser/columns"
"""Topics that hold a log exactly: texts at the beginning and the end, and all columns of each row.

The first text has the unit of each column and the provenance, the last one the number of rows and
a checksum: CRC-32 of the rows one after the other, each number eight bytes, little-endian."""
DIAGNOSTICS_PERIOD = 0.1
"""Least time between two messages of diagnostics [s]."""


def write_mcap(blocks: Iterable[Log], path: Path) -> None:
    """Write a log that comes in blocks, at least one, as an MCAP file.

    Topics: /tf, /odom, /joint_states, /cmd_vel and /diagnostics as far as the log knows what
    they tell, /imu where it has a gyroscope; and two of our own, which hold the log exactly.

    Raises:
        OSError: There is no room, or no such place.
        MissingExtra: rosbags is not installed.
        UnknownName: The log has no time.
    """
    with write_bag_file(path) as bag:
        travels: dict[str, float] = {}
        tail, previous = _Tail(), None
        for block in blocks:
            # The last row of the block before is there again: belts have run since then.
            log = block if previous is None else _join(previous, block)
            messages, stamps = Messages(log, bag.types, travels), stamp_rows(log)
            if previous is None:
                note = json.dumps({"columns": _units(log), "provenance": log.provenance.to_dict()})
                bag.write(
                    PROVENANCE, int(stamps[0]) if len(stamps) else 0, text_message(bag.types, note)
                )
            _write_rows(bag, messages, log, stamps, tail, since=int(previous is not None))
            travels, previous = messages.travels_at_end, _last_row(log)
        end = json.dumps({"rows": tail.rows, "crc32": tail.checksum})
        bag.write(PROVENANCE, tail.stamp, text_message(bag.types, end))


@dataclass
class _Tail:
    """What was written so far."""

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


def _join(first: Log, second: Log) -> Log:
    columns = {
        name: Column(np.concatenate((first[name], column.values)), column.unit)
        for name, column in second.columns.items()
    }
    return Log(columns, second.provenance)


def stamp_rows(log: Log) -> np.ndarray:
    """Return when each row was, by the clock of ROS: since 1970, if the log tells when it began.

    Returns:
        Whole nanoseconds [ns].
    """
    created = log.provenance.created
    begin = round(datetime.fromisoformat(created).timestamp() * 1e9) if created else 0
    since = np.round(np.nan_to_num(log.time) * 1e9).astype(np.int64)
    return begin + since


def _units(log: Log) -> dict[str, str]:
    return {name: log.unit(name) for name in log}


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
