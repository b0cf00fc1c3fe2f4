"""Log files: read and write by suffix, headers, file names."""

import os
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import InvalidLog, InvalidValue
from grouser.log import Column, Log, Provenance, read_log, write_log
from grouser.storage import write_atomically


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "A.CSV", "new/folder/a.csv"])
def test_round_trip_through_a_file(log, tmp_path, name):
    write_log(log, tmp_path / name)
    assert read_log(tmp_path / name) == log
    assert read_log(str(tmp_path / name)).names == log.names


def test_other_suffixes_raise_an_error(log, tmp_path):
    sentence = r"name of a log file must end in \.csv, \.parquet or \.mcap, not '.*a\.xlsx'"
    with pytest.raises(InvalidValue, match=sentence):
        write_log(log, tmp_path / "a.xlsx")
    with pytest.raises(InvalidValue, match=sentence):
        read_log(tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())


def test_the_error_for_a_missing_file_lists_the_folder(log, tmp_path):
    with pytest.raises(InvalidLog, match=r"b\.csv: there is no such file; its folder holds no"):
        read_log(tmp_path / "b.csv")
    write_log(log, tmp_path / "a.csv")
    with pytest.raises(InvalidLog, match=r"b\.csv: there is no such file; its folder holds a\.csv"):
        read_log(tmp_path / "b.csv")
    with pytest.raises(InvalidLog, match="there is no folder"):
        read_log(tmp_path / "none" / "b.csv")


def test_a_folder_is_no_log(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(InvalidLog, match=r"the folder has no metadata\.yaml, .*it holds nothing"):
        read_log(tmp_path / "a.csv")


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    log, tmp_path, monkeypatch, step, failure
):
    path = tmp_path / "a.csv"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(os, step, fail)
    expected = InvalidValue if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_log(log, path)
    if expected is InvalidValue:
        assert "must be writable (No space left on device), not" in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
    assert path.read_text() == "old"


def test_the_name_is_taken_only_when_all_is_on_disk(tmp_path, monkeypatch):
    path, seen = tmp_path / "page.html", []
    path.write_text("old")
    replace = os.replace

    def watch(source: str, target: str) -> None:
        seen.append((path.read_text(), Path(source).read_text()))
        replace(source, target)

    monkeypatch.setattr(os, "replace", watch)
    write_atomically(path, "größer")
    assert seen == [("old", "größer")]
    assert path.read_bytes() == "größer".encode()


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("a")
    write_atomically(tmp_path / "ours", b"a")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_is_never_followed(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    with pytest.raises(InvalidValue, match="be a regular file or a new one, no link"):
        write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "old"


def test_a_folder_or_a_device_is_not_overwritten(tmp_path):
    for place in (tmp_path, "/dev/null"):
        with pytest.raises(InvalidValue, match="output must be a regular file"):
            write_atomically(place, "text")


def test_a_path_below_a_file_raises_an_error(tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(InvalidValue, match="output must be writable"):
        write_atomically(tmp_path / "file" / "a.csv", "text")


LOG = Log(
    {"x": Column(np.arange(5000.0), "m"), "time": Column(0.5 + 0.01 * np.arange(5000), "s")},
    Provenance(robot="tp100", model="slip"),
)


def test_a_file_that_is_not_a_log_raises_an_error(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 nothing")
    (tmp_path / "a.csv").write_text("time,x\n0,1\n")
    with pytest.raises(InvalidLog, match="cut off or damaged"):
        read_log(tmp_path / "a.parquet")
    with pytest.raises(InvalidLog, match="not a log written by grouser"):
        read_log(tmp_path / "a.csv")
    for name in ("b.csv", "b.parquet"):
        with pytest.raises(InvalidLog):
            read_log(tmp_path / name)
    with pytest.raises(InvalidValue, match=r"end in \.csv, \.parquet or \.mcap"):
        read_log(tmp_path / "b.txt")
