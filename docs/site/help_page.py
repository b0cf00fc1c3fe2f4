"""The page with the help of every command, as the command line prints it."""

import io
from functools import cache

from cyclopts import App
from rich.console import Console

from grouser.cli.app import make_app

WIDTH = 84
"""Of a terminal on the page [characters]."""


@cache
def every_command() -> dict[str, str]:
    """Return the help of every command, by its words."""
    app = make_app()
    found: dict[str, str] = {"grouser": _help([])}

    def gather(parent: App, words: list[str]) -> None:
        for name in parent:
            if not name.startswith("-"):
                path = [*words, name]
                found[" ".join(("grouser", *path))] = _help(path)
                gather(parent[name], path)

    gather(app, [])
    return found


def help_page() -> str:
    """Return the page."""
    parts = ["# Every option\n\nWhat `grouser COMMAND --help` prints.\n"]
    for command, text in every_command().items():
        parts.append(f"## `{command}`\n\n```text\n{text.strip()}\n```\n")
    return "\n".join(parts)


def _help(words: list[str]) -> str:
    app = make_app(words)  # imports what it names: of commands below, it knows the first lines
    target = io.StringIO()
    app.help_print(words, console=Console(file=target, width=WIDTH, highlight=False))
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines())
