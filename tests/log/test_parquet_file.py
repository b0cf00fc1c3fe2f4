"""Round trips through Parquet are bit-exact, and damaged files raise errors."""

import io
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grouser.errors import InvalidLog, MissingExtra
from grouser.log import Column, Log, Provenance
from grouser.log.parquet_file import parse_parquet as parse_file
from grouser.log.parquet_file import write_parquet


def format_parquet(log: Log) -> bytes:
    file = io.BytesIO()
    write_parquet([log], file)
    return file.getvalue()


def parse_parquet(content: bytes, origin: str) -> Log:
    return parse_file(io.BytesIO(content), origin)


@given(values=hnp.arrays(np.float64, st.integers(0, 5), elements=st.floats()), text=st.text())
@settings(deadline=None, max_examples=30)
def test_round_trip_bit_for_bit(values, text):
    ticks = Column(np.arange(len(values)) + 2**60, "1")
    log = Log({"tick": ticks, "x": Column(values, "m")}, Provenance(robot_text=text))
    assert parse_parquet(format_parquet(log), "a.parquet") == log


def test_round_trip_keeps_order_units_and_provenance(log):
    again = parse_parquet(format_parquet(log), "a.parquet")
    assert again == log
    assert again.names == log.names
    assert np.signbit(again["x"][0])


def test_units_and_provenance_are_in_the_metadata(log):
    schema = pq.read_schema(io.BytesIO(format_parquet(log)))
    assert schema.field("belt_speed.left").metadata[b"unit"] == b"m/s"
    assert Provenance.from_json(schema.metadata[b"grouser_provenance"].decode()) == log.provenance


def test_a_file_cut_off_anywhere_raises_an_error(log):
    content = format_parquet(log)
    for length in (*range(0, len(content), 97), 4, 8, len(content) - 4, len(content) - 1):
        with pytest.raises(InvalidLog, match=r"^a\.parquet: cut off or damaged \(.*copy the file"):
            parse_parquet(content[:length], "a.parquet")


def test_a_flipped_bit_in_the_numbers_is_noticed():
    log = Log({"x": Column(np.sin(np.arange(1000.0)), "m")})
    content = bytearray(format_parquet(log))
    content[len(content) // 3] ^= 1
    with pytest.raises(InvalidLog, match="cut off or damaged"):
        parse_parquet(bytes(content), "a.parquet")


def write(table: pa.Table) -> bytes:
    content = io.BytesIO()
    pq.write_table(table, content)
    return content.getvalue()


def with_format(fields: list[pa.Field], version: str = "1") -> pa.Schema:
    return pa.schema(fields, metadata={"grouser_log": version})


def test_a_foreign_table_is_pointed_to_a_column_map():
    with pytest.raises(InvalidLog, match="not a log written by grouser; .* column map"):
        parse_parquet(write(pa.table({"x": [1.0]})), "a.parquet")


@pytest.mark.parametrize(
    ("field", "values", "sentence"),
    [
        (pa.field("x", pa.float64()), [1.0], "column 'x' has no unit in its metadata"),
        (pa.field("x", pa.float64(), metadata={"unit": "m"}), [1.0, None], "has 1 empty cells"),
        (pa.field("x", pa.string(), metadata={"unit": "m"}), ["a"], "must hold real numbers"),
        (pa.field("x", pa.float64(), metadata={"unit": "rad"}), [1.0], "must be 'm', not 'rad'"),
    ],
)
def test_a_wrong_column_is_described(field, values, sentence):
    table = pa.table([values], schema=with_format([field]))
    with pytest.raises(InvalidLog, match=sentence):
        parse_parquet(write(table), "a.parquet")


def test_a_newer_format_raises_an_error():
    table = pa.table([[1.0]], schema=with_format([pa.field("x", pa.float64())], "2"))
    with pytest.raises(InvalidLog, match="written in format '2', but .* reads 1; install a newer"):
        parse_parquet(write(table), "a.parquet")


def test_without_pyarrow_the_install_command_is_given(log, monkeypatch):
    content = format_parquet(log)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    sentence = r"Parquet needs the package 'pyarrow'.*pip install 'grouser\[parquet\]'"
    with pytest.raises(MissingExtra, match=sentence):
        format_parquet(log)
    with pytest.raises(MissingExtra, match=sentence):
        parse_parquet(content, "a.parquet")
