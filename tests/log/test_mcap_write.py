"""Messages written for many rows at once equal those that rosbags writes one by one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from ruamel.yaml import YAML

from grouser.errors import InvalidValue
from grouser.log import Column, Log, Provenance, read_log, write_log
from grouser.log.mcap import chunks, write, write_mcap
from tests.log.reference_bag import write_reference
from tests.log.test_mcap import CREATED, make_log

PROVENANCE = "/grouser/provenance"


def tell(path: Path) -> list[tuple[Any, ...]]:
    """Return all that a bag says of its messages, by an independent reader, in file order."""
    with path.open("rb") as file:
        found = make_reader(file).iter_messages(log_time_order=False)
        return [
            (
                channel.topic, channel.message_encoding, channel.metadata, schema.name,
                schema.encoding, schema.data, message.log_time, message.publish_time,
                message.sequence, message.data,
            )
            for schema, channel, message in found
            if channel.topic != PROVENANCE and schema is not None
        ]  # fmt: skip


def make(rows: int, *names: str) -> Log:
    """Return a log with some columns of random numbers, infinite and unknown ones among them."""
    chance = np.random.default_rng(rows)
    units = {"x": "m", "y": "m", "yaw": "rad", "pitch": "rad", "vx": "m/s", "pull": "N"}
    columns = {"time": Column(0.03 * np.arange(rows), "s")}
    for name in names:
        numbers = chance.normal(size=rows) * 10.0 ** chance.integers(-9, 9, rows)
        numbers[chance.random(rows) < 0.1] = np.nan
        family = name.partition(".")[0]
        unit = units.get(name, {"flipper_angle": "rad", "belt_travel": "m"}.get(family, "m/s"))
        columns[name] = Column(numbers, unit)
    return Log(columns, Provenance(robot="Rübe", model="slip", created=CREATED))


@pytest.mark.parametrize(
    "log",
    [
        make_log(),
        make(1, "x", "y", "yaw"),
        make(40, "pull"),
        make(40, "x", "y", "yaw", "pitch", "vx", "belt_speed.a", "encoder.ä", "slip_speed.left"),
        make(40, "flipper_angle.front", "flipper_angle.b"),
        make(40, "belt_speed.left", "belt_travel.left", "speed_commanded"),
        make(40, "belt_speed.abc", "flipper_angle.abcd", "pull"),
    ],
    ids=lambda log: f"{len(log)}-{len(log.names)}",
)
@pytest.mark.parametrize("rows", [7, 4096])
def test_messages_equal_those_of_rosbags(log, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(write, "_ROWS", rows)
    monkeypatch.setattr(chunks, "CHUNK_SIZE", 5_000 if rows == 7 else 1 << 20)
    write_log(log, tmp_path / "a.mcap")
    write_reference(log, tmp_path / "b.mcap")
    assert tell(tmp_path / "a.mcap") == tell(tmp_path / "b.mcap")
    assert read_log(tmp_path / "a.mcap") == log


def test_the_summary_equals_that_of_rosbags(tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_SIZE", 20_000)
    write_log(make_log(), tmp_path / "a.mcap")
    write_reference(make_log(), tmp_path / "b.mcap")
    found = []
    for name in ("a.mcap", "b.mcap"):
        with (tmp_path / name).open("rb") as file:
            reader = make_reader(file)
            summary = reader.get_summary()
            assert summary is not None
            assert summary.statistics is not None
            metadata = {record.name: record.metadata for record in reader.iter_metadata()}
            notes = YAML(typ="safe").load(metadata["rosbag2"]["serialized_metadata"])
        topics = {
            topic["topic_metadata"].pop("name"): topic
            for topic in notes.pop("topics_with_message_count")
        }
        topics.pop(PROVENANCE, None)
        counts = {
            summary.channels[number].topic: count
            for number, count in summary.statistics.channel_message_counts.items()
        }
        counts.pop(PROVENANCE, None)
        span = summary.statistics.message_start_time, summary.statistics.message_end_time
        del notes["message_count"], notes["files"][0]["message_count"]
        found.append((counts, topics, notes, span))
        indexed = sum(index.chunk_length > 0 for index in summary.chunk_indexes)
        assert indexed == summary.statistics.chunk_count
    assert found[0] == found[1]


def test_messages_of_a_time_are_found_by_the_index(tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_SIZE", 5_000)
    write_log(make(100, "x", "y", "yaw", "pull"), tmp_path / "a.mcap")
    whole = sorted(tell(tmp_path / "a.mcap"), key=lambda message: message[6])
    begin, end = whole[100][6], whole[200][6]
    with (tmp_path / "a.mcap").open("rb") as file:
        found = make_reader(file).iter_messages(["/odom"], starting_at=begin, ending_before=end)
        data = [message.data for _, _, message in found]
    assert data == [m[9] for m in whole if m[0] == "/odom" and begin <= m[6] < end]


def test_blocks_of_a_log_are_one_file(tmp_path):
    log = make_log()
    parts = [
        Log({n: Column(c.values[rows], c.unit) for n, c in log.columns.items()}, log.provenance)
        for rows in (slice(0, 1), slice(1, 30), slice(30, None))
    ]
    write_mcap(parts, tmp_path / "a.mcap")
    write_log(log, tmp_path / "b.mcap")
    assert read_log(tmp_path / "a.mcap") == log
    for ours, whole in zip(tell(tmp_path / "a.mcap"), tell(tmp_path / "b.mcap"), strict=True):
        assert ours == whole or ours[0] == "/joint_states"  # travel is added up in another order


@pytest.mark.parametrize("times", [[-1.0, 0.0], [3e9, 3e9 + 1.0], [0.0, np.inf]])
def test_times_that_no_header_can_hold_are_one_sentence(times, tmp_path):
    log = Log({"time": Column(np.array(times), "s")})
    with pytest.raises(InvalidValue, match="time of a row .* must be from 1970 to 2038"):
        write_log(log, tmp_path / "a.mcap")
    assert list(tmp_path.iterdir()) == []
