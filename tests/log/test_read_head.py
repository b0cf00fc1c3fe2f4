"""What a log file says about itself."""

import numpy as np
import pytest

from grouser.errors import InvalidLog, InvalidValue
from grouser.log import Column, Log, Provenance, read_head, write_log

LOG = Log(
    {"x": Column(np.arange(5000.0), "m"), "time": Column(0.5 + 0.01 * np.arange(5000), "s")},
    Provenance(robot="tp100", model="slip"),
)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_head_tells_provenance_rows_and_duration(suffix, tmp_path):
    write_log(LOG, tmp_path / f"run{suffix}")
    head = read_head(tmp_path / f"run{suffix}")
    assert head.provenance == LOG.provenance
    assert head.rows == 5000
    assert head.duration == pytest.approx(49.99)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_without_time_or_rows_there_is_no_duration(suffix, tmp_path):
    path = tmp_path / f"run{suffix}"
    write_log(Log({"x": LOG.columns["x"]}), path)
    assert read_head(path).duration is None
    write_log(Log({"time": Column(np.empty(0), "s")}), path)
    assert (read_head(path).rows, read_head(path).duration) == (0, None)


def test_what_is_no_log_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 nothing")
    (tmp_path / "a.csv").write_text("time,x\n0,1\n")
    with pytest.raises(InvalidLog, match="cut off or damaged"):
        read_head(tmp_path / "a.parquet")
    with pytest.raises(InvalidLog, match="not a log written by grouser"):
        read_head(tmp_path / "a.csv")
    for name in ("b.csv", "b.parquet"):
        with pytest.raises(InvalidLog):
            read_head(tmp_path / name)
    with pytest.raises(InvalidValue, match=r"end in \.csv, \.parquet or \.mcap"):
        read_head(tmp_path / "b.txt")


def test_rows_of_an_unfinished_file_are_counted(tmp_path):
    path = tmp_path / "run.csv"
    write_log(LOG, path)
    content = path.read_bytes().replace(b"rows = 5000", b"rows = unknown")
    path.write_bytes(content[: content.rindex(b"\n4990.0")] + b"\n4990.0,50")
    head = read_head(path)
    assert (head.rows, head.provenance.status) == (4990, "unfinished")
    assert head.duration == pytest.approx(49.89)
