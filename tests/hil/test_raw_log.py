"""Every byte with its time, on disk."""

from pathlib import Path

import pytest

from grouser.errors import InvalidLog, InvalidValue
from grouser.hil.raw_log import RawEntry, RawLog, read_raw_log


def write(path) -> None:
    raw = RawLog(path, {"robot": "tp100"})
    raw.begin()
    raw.sent(b"\x00\x01", 0.1)
    raw.received(b"", 0.30000000000000004)
    raw.add_to_header({"firmware": "abcd"})
    raw.stop()
    raw.received(b"\xff", 0.5)
    raw.close()


def test_what_was_written_is_read(tmp_path):
    write(tmp_path / "deep" / "a.raw")
    head, entries = read_raw_log(tmp_path / "deep" / "a.raw")
    assert (head["robot"], head["firmware"]) == ("tp100", "abcd")
    assert entries == [
        RawEntry(0.1, ">", b"\x00\x01"),
        RawEntry(0.30000000000000004, "<", b""),
        RawEntry(0.30000000000000004, "stop", b""),
        RawEntry(0.5, "<", b"\xff"),
    ]


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path):
    write(tmp_path / "a.raw")
    text = (tmp_path / "a.raw").read_text()
    (tmp_path / "b.raw").write_text(text[:-2])
    assert len(read_raw_log(tmp_path / "b.raw")[1]) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("root:x:0\n", "line 1 is damaged"),
        ('# {"format": "other"}\n', "no raw log"),
        ('# {"format": "grouser raw log 1"}\n1.0 < zz\n', "line 2 is damaged"),
        ('# {"format": "grouser raw log 1"}\n1.0 ! 00\n', "line 2 is damaged"),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_sentence(tmp_path, text, words):
    (tmp_path / "a.raw").write_text(text)
    with pytest.raises(InvalidLog, match=words):
        read_raw_log(tmp_path / "a.raw")


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidValue, match="be writable"):
        RawLog(tmp_path / "file" / "a.raw", {})


def test_nothing_is_written_before_it_begins(tmp_path):
    (tmp_path / "a.raw").write_text("old")
    raw = RawLog(tmp_path / "a.raw", {}, overwrite=True)
    raw.sent(b"x", 0.1)
    raw.close()
    assert (tmp_path / "a.raw").read_text() == "old"


def test_a_file_that_is_there_is_not_replaced_unless_it_may_be(tmp_path):
    (tmp_path / "other").write_text("mine")
    (tmp_path / "a.raw").symlink_to(tmp_path / "other")
    with pytest.raises(InvalidValue, match="File exists"):
        RawLog(tmp_path / "a.raw", {}).begin()
    raw = RawLog(tmp_path / "a.raw", {}, overwrite=True)
    raw.begin()
    raw.close()
    assert (tmp_path / "other").read_text() == "mine"
    assert read_raw_log(tmp_path / "a.raw")[1] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_record_and_not_the_run(tmp_path):
    raw = RawLog(tmp_path / "a.raw", {})
    raw.begin()
    raw._file.close()
    raw._file = open("/dev/full", "w")  # noqa: SIM115 - closed by the log
    raw.sent(b"x", 0.1)
    raw.close()
    assert "is not complete (No space left on device)" in raw.failure


@pytest.mark.parametrize(
    "line",
    ["# 5", "# [1]", "# " + "[" * 100_000, "nan < 00", "0.2 < 0", "1_0 < 00", "0.4 <", "2e12 < 00"],
)
def test_a_damaged_line_is_named(tmp_path, line):
    head = '# {"format": "grouser raw log 1"}\n0.3 < 00\n'
    (tmp_path / "a.raw").write_text(head + line + "\n")
    with pytest.raises(InvalidLog, match=r"a\.raw: line 3 is damaged"):
        read_raw_log(tmp_path / "a.raw")
