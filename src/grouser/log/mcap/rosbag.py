"""Bags of ROS beside single MCAP files: folders of ros2 bag, .db3 files, .bag files of ROS 1."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grouser import limits
from grouser.errors import InvalidLog
from grouser.log.content import AGAIN, open_log, shorten
from grouser.log.foreign_column import ForeignColumn
from grouser.log.log import Log
from grouser.log.mcap.bag import BagReader, import_rosbags, reading_failures
from grouser.log.mcap.read import read_by_map, read_by_types

SUFFIXES = (".db3", ".bag")
"""Endings of files that are bags; a folder is one, too."""
METADATA = "metadata.yaml"
"""File that a folder of ros2 bag has."""


def is_rosbag(path: str | Path) -> bool:
    """Return whether a path is a folder, or a file of SQLite or ROS 1."""
    return Path(path).suffix.lower() in SUFFIXES or _is_folder(path)


def is_bag(path: str | Path) -> bool:
    """Return whether a path is a bag of any kind."""
    return Path(path).suffix.lower() == ".mcap" or is_rosbag(path)


def read_rosbag(path: str | Path) -> Log:
    """Return the log of a bag, by the types of its messages; InvalidLog if it is damaged."""
    with _open(Path(path)) as bag:
        return read_by_types(bag, path)


def read_mapped_bag(path: str | Path, columns: Mapping[str, ForeignColumn]) -> Log:
    """Return the log of a bag of any kind, by a column map; InvalidLog if it is damaged."""
    if not is_rosbag(path):
        with open_log(path) as file:
            return read_by_map(BagReader(file, path), path, columns)
    with _open(Path(path)) as bag:
        return read_by_map(bag, path, columns)


class _Rosbag:
    """Reads messages by rosbags."""

    def __init__(self, reader: Any, types: Any, path: Path, *, is_ros1: bool) -> None:
        self._reader, self._path = reader, path
        self._decode = types.deserialize_ros1 if is_ros1 else types.deserialize_cdr
        self.topics: Mapping[str, str] = {c.topic: c.msgtype for c in reader.connections}
        """Message type of each topic."""

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, int, Any]]:
        """Yield topic, time of recording [ns] and message of some topics, in file order."""
        wanted = [c for c in self._reader.connections if c.topic in topics]
        if not wanted:
            return
        for connection, stamp, content in self._reader.messages(connections=wanted):
            yield connection.topic, stamp, self._decode(content, connection.msgtype)


@contextmanager
def _open(path: Path) -> Iterator[_Rosbag]:
    """Yield an open bag; whatever rosbags raises while it is read becomes InvalidLog."""
    _check_files(path)
    types = import_rosbags()
    try:
        if path.suffix.lower() == ".db3" and not _is_folder(path):
            with _open_database(path) as reader:
                yield _Rosbag(reader, _types_of(reader, types), path, is_ros1=False)
        else:
            from rosbags.highlevel import AnyReader

            with AnyReader([path], default_typestore=types) as reader:
                yield _Rosbag(reader, reader.typestore, path, is_ros1=not reader.is2)
    except InvalidLog:
        raise
    except _failures() as error:
        reason = str(error).replace(str(path.absolute()), path.name)
        reason = shorten(" ".join(reason.split()) or type(error).__name__, 200).rstrip(".")
        raise InvalidLog(path, f"the bag cannot be read ({reason}); {AGAIN}") from error


@contextmanager
def _open_database(path: Path) -> Iterator[Any]:
    """Yield the reader of one .db3 file, which needs no metadata."""
    from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

    reader = Sqlite3Reader(path.absolute())
    reader.open()
    try:
        yield reader
    finally:
        reader.close()


def _types_of(reader: Any, default: Any) -> Any:
    """Return the message types that a database defines; the usual ones if it defines none."""
    from rosbags.interfaces import MessageDefinitionFormat
    from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore

    found: dict[str, Any] = {}
    for connection in reader.connections:
        definition = connection.msgdef
        if definition.format == MessageDefinitionFormat.MSG:
            found |= get_types_from_msg(definition.data, connection.msgtype)
        elif definition.format == MessageDefinitionFormat.IDL:
            found |= get_types_from_idl(definition.data)
    if not found:
        return default
    store = get_typestore(Stores.EMPTY)
    store.register(found)
    return store


def _check_files(path: Path) -> None:
    """Raise InvalidLog if files are missing or too large."""
    if not _is_folder(path):
        with open_log(path):
            return
    if not (path / METADATA).is_file():
        found = ", ".join(sorted(p.name for p in path.iterdir())[:5]) or "nothing"
        problem = f"the folder has no {METADATA}, so this is no bag of ROS 2; it holds {found}"
        raise InvalidLog(
            path, f"{problem}; give a .db3, .mcap or .csv file, or run ros2 bag reindex"
        )
    for file in path.iterdir():
        if file.is_file() and file.stat().st_size > limits.LOG_BYTES:
            problem = f"{file.name} has {file.stat().st_size:,} bytes"
            raise InvalidLog(path, f"{problem}; files of at most {limits.LOG_BYTES:,} are read")


def _failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that rosbags and the packages below it raise for damaged bags."""
    from rosbags.highlevel import AnyReaderError
    from rosbags.rosbag1 import ReaderError as ReaderError1
    from rosbags.rosbag2 import ReaderError as ReaderError2
    from rosbags.rosbag2 import storage_sqlite3

    database = storage_sqlite3.apsw.Error  # pyright: ignore[reportPrivateImportUsage]
    readers = (AnyReaderError, ReaderError1, ReaderError2, database)
    return (*reading_failures(), *readers, OSError, EOFError, RuntimeError, MemoryError)


def _is_folder(path: str | Path) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False
