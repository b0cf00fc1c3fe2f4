"""Reading the bytes of a file, with a sentence when they are not there."""

from pathlib import Path

from grouser.errors import InvalidLog

LOG_SUFFIXES = (".csv", ".parquet", ".mcap")
"""How the name of a log may end."""
_SHOWN = 5


def read_content(path: str | Path) -> bytes:
    """Return the bytes of a log file.

    Raises:
        InvalidLog: There is no such file, or it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InvalidLog(path, f"there is no such file; {_describe_folder(path)}") from error
    except OSError as error:
        raise InvalidLog(path, f"cannot be read ({error.strerror})") from error


def check_there(path: str | Path) -> None:
    """Refuse a path at which there is no file.

    Raises:
        InvalidLog: There is none; says what its folder holds.
    """
    if not Path(path).is_file():
        raise InvalidLog(path, f"there is no such file; {_describe_folder(path)}")


def _describe_folder(path: str | Path) -> str:
    folder = Path(path).parent
    if not folder.is_dir():
        return f"neither is there a folder {str(folder)!r}"
    logs = sorted(p.name for p in folder.iterdir() if p.suffix.lower() in LOG_SUFFIXES)
    if not logs:
        return "its folder holds no .csv, .parquet or .mcap file"
    more = f" and {len(logs) - _SHOWN} more" if len(logs) > _SHOWN else ""
    return f"its folder holds {', '.join(logs[:_SHOWN])}{more}"
