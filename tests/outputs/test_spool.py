"""Logs that grow on disk."""

import errno
import os
import signal
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.errors import Unwritable
from grouser.log import Provenance, Spool, name_spool, read_log, write_log, write_spool
from grouser.models import command_sides

COLUMNS = [("tick", "1"), ("time", "s"), ("x", "m"), ("belt_speed.left", "m/s")]
ORIGIN = Provenance(robot="tp100", notes={"status": '"status": "unfinished"'}, driver="me")


def rows(first: int, count: int) -> np.ndarray:
    tick = np.arange(first, first + count, dtype=np.float64)
    x = np.sin(tick)
    x[::7] = np.nan
    return np.column_stack((tick, 0.01 * tick, x, -0.0 * tick))


@pytest.fixture
def spool(tmp_path):
    spool = Spool(tmp_path / "a.unfinished.csv", COLUMNS, ORIGIN)
    yield spool
    spool.close(remove=False)


def test_rows_can_be_read_as_soon_as_they_are_appended(spool):
    for first in range(0, 500, 100):
        spool.append(rows(first, 100))
        log = read_log(spool.path)
        assert len(log) == first + 100
        assert log.provenance == replace(ORIGIN, status="unfinished")
        assert log["tick"].dtype == np.int64
        assert log == spool.log()


def test_the_finished_file_has_the_rows_of_write_log_byte_for_byte(spool, tmp_path):
    spool.append(rows(0, 300))
    spool.finish("interrupted")
    write_log(spool.log(), tmp_path / "whole.csv")
    content = spool.complete().read_bytes()
    assert content.split(b"\n", 4)[4] == (tmp_path / "whole.csv").read_bytes().split(b"\n", 4)[4]
    log = read_log(spool.path)
    assert log == spool.log() == read_log(tmp_path / "whole.csv")
    assert log.provenance == replace(ORIGIN, status="interrupted")


@pytest.mark.parametrize("length", range(3500, 3560, 5))
def test_the_header_can_be_read_between_the_two_steps_of_its_completion(tmp_path, length):
    spool = Spool(tmp_path / "a.csv", COLUMNS, replace(ORIGIN, robot_text="ä" * (length // 6)))
    spool.append(rows(0, 3))
    before = spool.path.read_bytes()
    spool.finish("complete")
    after = spool.complete().read_bytes()
    spool.close(remove=True)
    changed = [
        place for place, pair in enumerate(zip(before, after, strict=True)) if len({*pair}) > 1
    ]
    count, status = ([c for c in changed if (c < 100) == first] for first in (True, False))
    assert max(count) < 100
    assert min(status) // 4096 == max(status) // 4096
    (tmp_path / "between.csv").write_bytes(before[:100] + after[100:])
    log = read_log(tmp_path / "between.csv")
    assert (len(log), log.provenance.status) == (3, "unfinished")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".mcap"])
def test_a_spool_becomes_any_format_block_by_block(spool, tmp_path, suffix, monkeypatch):
    monkeypatch.setattr("grouser.log.spool.BLOCK", 2000)
    for first in range(0, 400, 100):
        spool.append(rows(first, 100))
    spool.finish("complete")
    write_spool(spool, tmp_path / f"new{suffix}")
    write_log(spool.log(), tmp_path / f"whole{suffix}")
    assert read_log(tmp_path / f"new{suffix}") == read_log(tmp_path / f"whole{suffix}")
    assert len(list(spool.blocks())) > 5


def test_travels_of_belts_in_a_bag_do_not_depend_on_blocks(tmp_path, monkeypatch):
    from rosbags.highlevel import AnyReader

    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"))
    spool = simulation.stream(tmp_path / "a.unfinished.csv")
    for tick in range(120):
        simulation.advance(command_sides(robot, 0.001 * tick, 0.05))
    simulation.finish("complete")
    write_log(spool.log(), tmp_path / "whole.mcap")
    monkeypatch.setattr("grouser.log.spool.BLOCK", 9000)
    write_spool(spool, tmp_path / "blocks.mcap")
    spool.close(remove=True)
    found = []
    for name in ("whole", "blocks"):
        reader: Any
        with AnyReader([tmp_path / f"{name}.mcap"]) as reader:
            joints = [c for c in reader.connections if c.topic == "/joint_states"]
            found.append(
                [
                    reader.deserialize(raw, c.msgtype).position
                    for c, _, raw in reader.messages(joints)
                ]
            )
    assert len(found[0]) == len(found[1]) == 121
    np.testing.assert_allclose(found[0], found[1], rtol=0.0, atol=1e-12)


def test_a_name_that_is_taken_is_not_touched(spool, tmp_path):
    second = Spool(tmp_path / "a.unfinished.csv", COLUMNS, ORIGIN)
    assert second.path == tmp_path / "a.unfinished-2.csv"
    second.close(remove=True)
    assert not second.path.exists()
    (tmp_path / "target").write_text("old")
    (tmp_path / "b.unfinished.csv").symlink_to("target")
    third = Spool(tmp_path / "b.unfinished.csv", COLUMNS, ORIGIN)
    assert third.path == tmp_path / "b.unfinished-2.csv"
    third.close(remove=True)
    assert (tmp_path / "target").read_text() == "old"


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Unwritable, match="be writable"):
        Spool(tmp_path / "file" / "a.csv", COLUMNS, ORIGIN)


class FullDisk:
    """A file that takes so many bytes and no more."""

    def __init__(self, file, room):
        self._file, self.room = file, room

    def write(self, content):
        if self._file.tell() + len(content) > self.room:
            room = max(self.room - self._file.tell(), 0)
            if not room:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return self._file.write(content[:room])
        return self._file.write(content)

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_rows_wait_in_memory_while_the_disk_is_full(spool, tmp_path):
    spool.append(rows(0, 100))
    spool._file = FullDisk(spool._file, spool._kept.end + 1000)
    spool.append(rows(100, 100))
    assert spool.problem is not None
    assert len(read_log(spool.path)) == 100
    spool.append(rows(200, 100))
    assert len(spool) == len(spool.log()) == 300
    with pytest.raises(OSError, match="No space"):
        spool.complete()
    spool.finish("complete")
    spool.write_csv(tmp_path / "elsewhere.csv")
    assert read_log(tmp_path / "elsewhere.csv") == spool.log()

    spool._file.room = 10**9
    spool.append(rows(300, 100))
    assert spool.problem is None
    assert read_log(spool.complete())["tick"].tolist() == list(range(400))


def test_a_simulation_streams_what_it_would_have_kept(tmp_path):
    robot = load_robot("tp100")
    logs = []
    for way in ("memory", "disk"):
        spool = None
        simulation = Simulation(make_model("slip"), robot, load_course("flat"), seed=3)
        for tick in range(2500):
            if tick == 1200 and way != "memory":
                spool = simulation.stream(tmp_path / f"{way}.csv")
            simulation.advance(command_sides(robot, 0.1, 0.05))
        simulation.finish("complete")
        logs += [simulation.log(), simulation.log_later()()]
        if spool is not None:
            assert len(read_log(tmp_path / f"{way}.csv")) == 2501
            spool.close(remove=False)
    for log in logs[1:]:
        for name in log:
            assert name == "wall_time" or log.columns[name] == logs[0].columns[name]


def test_rows_are_on_disk_after_a_second_of_simulated_time(tmp_path):
    robot = load_robot("tp100")
    simulation = Simulation(make_model("ideal"), robot, load_course("flat"), dt=0.05)
    spool = simulation.stream(name_spool(tmp_path / "a.csv"))
    for tick in range(1, 201):
        simulation.advance(command_sides(robot, 0.1, 0.1))
        assert spool.path.read_bytes().count(b"\n") - 4 >= tick + 1 - 20
    spool.close(remove=True)


def test_a_second_interrupt_while_a_spool_is_given_up_leaves_no_empty_file(tmp_path, monkeypatch):
    def interrupt(*words: object) -> int:
        raise KeyboardInterrupt

    def press_and_close(spool: Spool, *, remove: bool) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        close(spool, remove=remove)

    close = Spool.close
    monkeypatch.setattr(Spool, "_write", interrupt)
    monkeypatch.setattr(Spool, "close", press_and_close)
    with pytest.raises(KeyboardInterrupt):
        Spool(tmp_path / "a.csv", (("time", "s"),), Provenance())
    assert list(tmp_path.iterdir()) == []
