"""Logs as Parquet files: small, quick to read, bit-exact.

Units are in the metadata of each column (`unit`), the provenance in the metadata of the file
(`grouser_log`, `grouser_provenance`). Every page carries a checksum.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidLog, InvalidValue
from grouser.extras import require_extra
from grouser.log.content import AGAIN, check_names, make_log, shorten
from grouser.log.log import Log
from grouser.log.provenance import Provenance

FORMAT = 1
"""Version of the layout."""

_FORMAT_KEY = b"grouser_log"
_PROVENANCE_KEY = b"grouser_provenance"
_UNIT_KEY = b"unit"
_TYPES = ("double", "float", "int64", "int32", "int16", "int8", "uint64", "uint32", "bool")


def write_parquet(blocks: Iterable[Log], file: Any) -> None:
    """Write a log, given in one or more blocks, to a path or an open file."""
    pa, pq = _import_pyarrow()
    rest = iter(blocks)
    first = next(rest)
    fields = [
        pa.field(
            name, pa.from_numpy_dtype(column.values.dtype), nullable=False,
            metadata={_UNIT_KEY: column.unit},
        )
        for name, column in first.columns.items()
    ]  # fmt: skip
    metadata = {_FORMAT_KEY: str(FORMAT), _PROVENANCE_KEY: first.provenance.to_json()}
    schema = pa.schema(fields, metadata=metadata)
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as writer:
        for block in chain([first], rest):
            arrays = [pa.array(column.values) for column in block.columns.values()]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def parse_parquet(file: BinaryIO, origin: str | Path) -> Log:
    """Return the log in an open Parquet file."""
    provenance, parquet = _read_head(file, origin)
    table = _guard(lambda _: parquet.read(), origin)
    columns = {field.name: _column(table, field, origin) for field in parquet.schema_arrow}
    return make_log(columns, provenance, origin)


def _read_head(file: BinaryIO, origin: str | Path) -> tuple[Provenance, Any]:
    """Return the provenance and the open file, whose footer was checked."""
    parquet = _guard(lambda pq: pq.ParquetFile(file, page_checksum_verification=True), origin)
    schema = _guard(lambda _: parquet.schema_arrow, origin)
    try:
        provenance = _provenance(schema.metadata or {}, origin)
    except (InvalidValue, UnicodeDecodeError) as error:
        raise InvalidLog(origin, str(error)) from error
    check_names(schema.names, origin)
    for field in schema:
        if str(field.type) not in _TYPES:
            problem = f"column {shorten(field.name)!r} must hold real numbers"
            raise InvalidLog(origin, f"{problem}, not {shorten(str(field.type))}; {AGAIN}")
    rows = parquet.metadata.num_rows
    if rows < 0 or rows * max(len(schema), 1) > limits.CELLS:
        problem = f"says that it has {rows:,} rows of {len(schema)} columns"
        raise InvalidLog(origin, f"{problem}; at most {limits.CELLS:,} numbers are read")
    return provenance, parquet


def _import_pyarrow() -> tuple[Any, Any]:
    require_extra("reading and writing Parquet", "parquet", "pyarrow")
    import pyarrow as pa  # here, because it is optional and slow to import
    import pyarrow.parquet as pq

    return pa, pq


def _guard(read: Callable[[Any], Any], origin: str | Path) -> Any:
    """Return the result of `read`; errors of pyarrow become `InvalidLog`."""
    pa, pq = _import_pyarrow()
    try:
        return read(pq)
    # Besides its own errors, pyarrow raises these for impossible sizes, texts and Thrift data.
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        problem = f"cut off or damaged ({shorten(reason, 200)}); {AGAIN}"
        raise InvalidLog(origin, problem) from error


def _provenance(metadata: dict[bytes, bytes], origin: str | Path) -> Provenance:
    version = metadata.get(_FORMAT_KEY)
    if version is None:
        problem = (
            "not a log written by grouser; save a table of another program as CSV and read it "
            "with a column map that says which of its columns is which"
        )
        raise InvalidLog(origin, problem)
    if version != str(FORMAT).encode():
        problem = f"written in format {version.decode()!r}, but this version of grouser reads"
        raise InvalidLog(origin, f"{problem} {FORMAT}; install a newer grouser")
    return Provenance.from_json(metadata.get(_PROVENANCE_KEY, b"{}").decode())


def _column(table: Any, field: Any, origin: str | Path) -> tuple[NDArray[Any], str]:
    values, unit = table.column(field.name), (field.metadata or {}).get(_UNIT_KEY)
    if unit is None:
        raise InvalidLog(origin, f"column {field.name!r} has no unit in its metadata")
    if values.null_count:
        problem = f"column {field.name!r} has {values.null_count} empty cells; fill them with NaN"
        raise InvalidLog(origin, problem)
    return values.to_numpy(), unit.decode(errors="backslashreplace")
