"""Ways in which options are read that many commands share."""

from typing import Any

from cyclopts import Parameter


def several(what: str, help: str, **more: Any) -> Parameter:  # noqa: A002 as cyclopts calls it
    """Return how an option is read that takes one or more words: `--models ideal slip`.

    Args:
        what: What each word is, in capitals.
        help: What it means, and what holds if it is not given.
        more: Whatever else cyclopts is to know.
    """
    return Parameter(
        metavar=f"{what} ...",
        consume_multiple=1,
        negative="",
        show_default=False,
        help=help,
        **more,
    )


def log_to_write(otherwise: str) -> Parameter:
    """Return how an option is read that names the log to write.

    Args:
        otherwise: What is written if it is not given.
    """
    words = f"Log to write, .csv, .parquet or .mcap; {otherwise}"
    return Parameter(metavar="FILE", help=words)
