"""Every byte with its time, on disk."""

import pytest

from grouser.errors import InvalidLog, InvalidValue
from grouser.hil.raw_log import RawEntry, RawLog, read_raw_log


def write(path) -> None:
    raw = RawLog(path, {"robot": "tp100"})
    raw.begin()
    raw.sent(b"\x00\x01", 0.1)
    raw.received(b"", 0.30000000000000004)
    raw.note({"firmware": "abcd"})
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
