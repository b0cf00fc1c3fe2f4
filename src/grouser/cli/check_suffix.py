"""Refusing a name of a file before anybody waits for what goes into it."""

from pathlib import Path

from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.log.content import LOG_SUFFIXES
from grouser.report.draw_matplotlib import PICTURE_SUFFIXES
from grouser.report.page import PAGE_SUFFIXES

LOGS = LOG_SUFFIXES
"""How the name of a log may end."""
PLOTS = (*PAGE_SUFFIXES, *PICTURE_SUFFIXES)
"""How the name of a plot may end."""


_NEEDS = {
    ".parquet": ("pyarrow", "parquet"),
    ".mcap": ("rosbags", "mcap"),
    ".html": ("plotly", "plots"),
    ".png": ("matplotlib", "plots"),
    ".svg": ("matplotlib", "plots"),
    ".htm": ("plotly", "plots"),
    ".toml": ("tomlkit", "identify"),
}


def check_suffix(option: str, path: Path | None, suffixes: tuple[str, ...]) -> None:
    """Refuse a path whose name does not end in one of `suffixes`; no path is fine.

    Raises:
        InvalidValue: Names the option that the path was given with.
        MissingExtra: The package that writes such a file is not installed.
    """
    if path is not None and path.suffix.lower() not in suffixes:
        raise InvalidValue(option, str(path), f"end in {_list(suffixes)}")
    if path is not None and path.suffix.lower() in _NEEDS:
        module, extra = _NEEDS[path.suffix.lower()]
        require_extra(f"{option} {path}", extra, module)


def _list(suffixes: tuple[str, ...]) -> str:
    *first, last = suffixes
    return f"{', '.join(first)} or {last}" if first else last
