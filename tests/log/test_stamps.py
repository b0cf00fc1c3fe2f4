"""Time stamps since a distant epoch keep their digits."""

import pytest

from grouser.errors import InvalidLog
from grouser.log import Column, Log, Provenance, read_foreign
from grouser.log.stamps import on_clock_of

START = 1_700_000_000_123_456_789


@pytest.mark.parametrize(
    ("unit", "stamps"),
    [
        ("ns", [str(START), str(START + 1), str(START + 10_000_000)]),
        ("us", ["1700000000123456.789", "1700000000123456.790", "1700000000133456.789"]),
        ("ms", ["1700000000123.456789", "1700000000123.456790", "1700000000133.456789"]),
        ("s", ["1700000000.123456789", "1700000000.12345679", "1.700000000133456789e9"]),
    ],
)
def test_stamps_since_1970_become_times_since_the_first_without_loss(tmp_path, unit, stamps):
    rows = "".join(f"{stamp},{row}\n" for row, stamp in enumerate(stamps))
    (tmp_path / "a.csv").write_text(f"t,x\n{rows}")
    columns = {"time": {"column": "t", "unit": unit}, "x": {"column": "x", "unit": "m"}}
    log = read_foreign(tmp_path / "a.csv", columns)
    assert log.time.tolist() == [0.0, 1e-9, 0.01]
    assert log.provenance.notes["start_ns"] == START


def test_seconds_and_nanoseconds_in_two_columns_are_added(tmp_path):
    (tmp_path / "a.csv").write_text("sec,nanosec\n1700000000,999999999\n1700000001,1\n")
    time = {"column": "sec", "unit": "s", "plus": {"column": "nanosec", "unit": "ns"}}
    log = read_foreign(tmp_path / "a.csv", {"time": time})
    assert log.time.tolist() == [0.0, 2e-9]
    assert log.provenance.notes["start_ns"] == 1_700_000_000_999_999_999


def test_small_times_are_not_shifted(tmp_path):
    (tmp_path / "a.csv").write_text("t\n12.5\n13.5\n")
    log = read_foreign(tmp_path / "a.csv", {"time": {"column": "t", "unit": "s"}})
    assert log.time.tolist() == [12.5, 13.5]
    assert "start_ns" not in log.provenance.notes


def test_an_offset_that_makes_times_small_is_respected(tmp_path):
    (tmp_path / "a.csv").write_text("t\n1700000000.5\n1700000001.5\n")
    time = {"column": "t", "unit": "s", "offset": -1_700_000_000}
    assert read_foreign(tmp_path / "a.csv", {"time": time}).time.tolist() == [0.5, 1.5]


def make_log(start_ns: int | None) -> Log:
    notes = {} if start_ns is None else {"start_ns": start_ns}
    return Log({"time": Column([0.0, 1.0], "s")}, Provenance(notes=notes))


def test_two_logs_with_stamps_since_the_same_epoch_share_a_clock():
    log, other = make_log(START + 500_000_000), make_log(START)
    assert on_clock_of(log, other, "poses.csv").time.tolist() == [0.5, 1.5]
    assert on_clock_of(log, make_log(None), "poses.csv") == log


def test_logs_without_a_common_time_raise_an_error():
    sentence = "has no time in common with the log: its times are 5 to 6 s, those of the log 0 to 1"
    with pytest.raises(InvalidLog, match=f"poses.csv: {sentence}"):
        on_clock_of(make_log(START + 5_000_000_000), make_log(START), "poses.csv")
