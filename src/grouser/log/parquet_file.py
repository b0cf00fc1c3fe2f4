"""A log as Parquet: small, quick to read, exact to the last bit. The only door to pyarrow.

Units are in the metadata of each column (`unit`), the provenance in the metadata of the file
(`grouser_log`, `grouser_provenance`). Every page carries a checksum.
"""

import io
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from grouser.errors import InvalidLog, InvalidValue, MissingExtra
from grouser.log.column import Column
from grouser.log.log import Log
from grouser.log.provenance import Provenance

FORMAT = 1
"""Version of the layout."""

_FORMAT_KEY = b"grouser_log"
_PROVENANCE_KEY = b"grouser_provenance"
_UNIT_KEY = b"unit"


def format_parquet(log: Log) -> bytes:
    """Return the log as the content of a Parquet file.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    content = io.BytesIO()
    write_parquet([log], content)
    return content.getvalue()


def write_parquet(blocks: Iterable[Log], file: Any) -> None:
    """Write a log that comes in blocks, at least one, to a path or an open file.

    Raises:
        OSError: There is no room, or no such place.
        MissingExtra: pyarrow is not installed.
    """
    pa, pq = _import_pyarrow()
    rest = iter(blocks)
    first = next(rest)
    schema = _schema(first, pa)
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as writer:
        for block in chain([first], rest):
            arrays = [pa.array(column.values) for column in block.columns.values()]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _schema(log: Log, pa: Any) -> Any:
    fields = [
        pa.field(
            name,
            pa.from_numpy_dtype(column.values.dtype),
            nullable=False,
            metadata={_UNIT_KEY: column.unit},
        )
        for name, column in log.columns.items()
    ]
    metadata = {_FORMAT_KEY: str(FORMAT), _PROVENANCE_KEY: log.provenance.to_json()}
    return pa.schema(fields, metadata=metadata)


def parse_parquet(content: bytes, origin: str | Path) -> Log:
    """Return the log that a Parquet file holds.

    Args:
        content: The bytes of the file.
        origin: Where they come from, for messages.

    Raises:
        InvalidLog: The file is cut off, damaged, or was not written by grouser.
        MissingExtra: pyarrow is not installed.
    """
    table = _read_table(content, origin)
    names = table.schema.names
    if repeated := {name for name in names if names.count(name) > 1}:
        raise InvalidLog(origin, f"column {min(repeated)!r} appears more than once; rename one")
    try:
        provenance = _provenance(table.schema.metadata, origin)
        return Log({f.name: _column(table, f, origin) for f in table.schema}, provenance)
    except (InvalidValue, UnicodeDecodeError) as error:
        raise InvalidLog(origin, str(error)) from error


def read_parquet_head(path: str | Path) -> tuple[Provenance, int, float | None]:
    """Return where a log comes from, how many rows it has and how long it lasted [s].

    Raises:
        InvalidLog: There is no such file, or it is cut off, damaged or not written by grouser.
        MissingExtra: pyarrow is not installed.
    """
    pa, pq = _import_pyarrow()
    try:
        with pq.ParquetFile(path) as file:
            metadata, schema = file.metadata, file.schema_arrow
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from error
    try:
        provenance = _provenance(schema.metadata, path)
    except (InvalidValue, UnicodeDecodeError) as error:
        raise InvalidLog(path, str(error)) from error
    return provenance, metadata.num_rows, _duration(metadata, schema.names)


def _duration(metadata: Any, names: list[str]) -> float | None:
    """Return the span of column `time` by what the file notes of it."""
    if "time" not in names or not metadata.num_rows:
        return None
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    noted = [group.column(names.index("time")).statistics for group in groups]
    if any(notes is None or not notes.has_min_max for notes in noted):
        return None
    return float(max(notes.max for notes in noted) - min(notes.min for notes in noted))


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # here, because it is optional and slow to import
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("reading and writing Parquet", "pyarrow", "parquet") from error
    return pa, pq


def _read_table(content: bytes, origin: str | Path) -> Any:
    pa, pq = _import_pyarrow()
    try:
        with pq.ParquetFile(io.BytesIO(content), page_checksum_verification=True) as file:
            return file.read()
    except (pa.ArrowException, OSError) as error:
        raise _damaged(origin, error) from error


def _damaged(origin: str | Path, error: Exception) -> InvalidLog:
    reason = str(error).splitlines()[0].rstrip(".")
    problem = f"cut off or damaged ({reason}); copy the file again, or repeat the run"
    return InvalidLog(origin, problem)


def _provenance(metadata: dict[bytes, bytes] | None, origin: str | Path) -> Provenance:
    _check_format(metadata or {}, origin)
    return Provenance.from_json((metadata or {}).get(_PROVENANCE_KEY, b"{}").decode())


def _check_format(metadata: dict[bytes, bytes], origin: str | Path) -> None:
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


def _column(table: Any, field: Any, origin: str | Path) -> Column:
    values, unit = table.column(field.name), (field.metadata or {}).get(_UNIT_KEY)
    if unit is None:
        raise InvalidLog(origin, f"column {field.name!r} has no unit in its metadata")
    if values.null_count:
        problem = f"column {field.name!r} has {values.null_count} empty cells; fill them with NaN"
        raise InvalidLog(origin, problem)
    return Column(values.to_numpy(), unit.decode())
