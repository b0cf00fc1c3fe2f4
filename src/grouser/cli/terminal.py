"""Where commands write: results to stdout, progress and remarks to stderr."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from threading import Lock
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grouser.notices import Progress, listen, watch

if TYPE_CHECKING:
    from grouser.report import Metric, TextTable
    from grouser.tasks import OnProgress


WIDTH_OF_A_PIPE = 200
"""Columns when nobody watches and `COLUMNS` is not set: enough that `grep` finds a row on one
line."""
NARROWEST, WIDEST = 40, 1000
"""Columns that are taken from `COLUMNS` [1]."""


class PlainConsole(Console):
    """A console that leaves a broken pipe to `main`."""

    def on_broken_pipe(self) -> None:
        """Raise, where rich would end the process itself."""
        raise BrokenPipeError


class Terminal:
    """Tables and sentences for people, JSON for machines."""

    def __init__(self) -> None:
        self.out = _make_console(stderr=False)
        """Results go here."""
        self.err = _make_console(stderr=True)
        """Progress and remarks go here."""

    def heading(self, text: str) -> None:
        """Write the heading of a section."""
        self.out.print(Text(text, style="bold"))

    def line(self, text: str = "") -> None:
        """Write one line of a result."""
        _LINE.clear()
        self.out.print(Text(text), soft_wrap=True)

    def remark(self, text: str) -> None:
        """Write a sentence that is not part of the result."""
        _LINE.clear()
        self.err.print(Text(text), soft_wrap=True)

    def table(
        self, headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()
    ) -> None:
        """Write a table; the columns of `numbers` are aligned to the right.

        The first column holds names, which must stay in one piece on a narrow terminal.
        """
        table = _make_table(headings, numbers)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self.out.print(table)
        self.out.print()

    def metrics(self, metrics: Iterable[Metric]) -> None:
        """Write what was measured of a run."""
        self.table(("measured", "value"), [(m.name, m.text) for m in metrics], numbers=(1,))

    def sections(
        self,
        headings: Sequence[str],
        sections: Iterable[tuple[str, Iterable[Sequence[str]]]],
        numbers: Iterable[int] = (),
    ) -> None:
        """Write tables that share their columns, each below its title."""
        parts = [(title, [tuple(row) for row in rows]) for title, rows in sections]
        every = [row for _, rows in parts for row in rows]
        widths = [
            max(cell_len(text) for text in column) for column in zip(headings, *every, strict=True)
        ]
        for number, (title, rows) in enumerate(parts):
            self.heading(title)
            table = _make_table(headings, numbers, widths)
            table.show_header = number == 0
            for row in rows:
                table.add_row(*(Text(cell) for cell in row))
            self.out.print(table)
            self.out.print()

    def tables(self, tables: Iterable[TextTable]) -> None:
        """Write tables, each below its title and above its sentences."""
        for table in tables:
            self.heading(table.title)
            self.table(table.heads, table.rows, numbers=range(table.words, len(table.heads)))
            for line in table.lines:
                self.line(line)
            if table.lines:
                self.line()

    def json(self, content: object) -> None:
        """Write a result for machines; a number that is not finite becomes null."""
        sys.stdout.write(json_text(content))


FIRST_LINE = 5.0
"""After which time a work has a line in a file or pipe; the next ones after 10, 20, 40 ... [s]."""


class ProgressLine:
    """How far a work is, on stderr: one line of a terminal that disappears, few lines elsewhere."""

    def __init__(self) -> None:
        self._shown = 0
        self._due = FIRST_LINE
        self._lock = Lock()

    def show(self, progress: Progress) -> None:
        """Write how far a work is over what was written before; nothing when it is over."""
        if not sys.stderr.isatty():
            self._write_line(progress)
            return
        if progress.is_over:
            self.clear()
            return
        text = str(progress)[: get_terminal_size().columns - 1]
        with self._lock:
            sys.stderr.write(f"{text.ljust(self._shown)}\r")
            sys.stderr.flush()
            self._shown = len(text)

    def _write_line(self, progress: Progress) -> None:
        with self._lock:
            if progress.passed < FIRST_LINE:
                self._due = FIRST_LINE
            elif progress.passed >= self._due and not progress.is_over:
                sys.stderr.write(f"{progress}\n")
                sys.stderr.flush()
                self._due = 2.0 * progress.passed

    def clear(self) -> None:
        """Remove the line, if there is one."""
        with self._lock:
            if self._shown:
                sys.stderr.write(f"{' ' * self._shown}\r")
                sys.stderr.flush()
            self._shown = 0


_LINE = ProgressLine()


@contextmanager
def show_notices() -> Iterator[None]:
    """Write messages of the package to stderr, and how far it is if that is a terminal."""
    write = listen(lambda sentence: Terminal().remark(sentence), on_terminal=True)
    with write, watch(_LINE.show):
        try:
            yield
        finally:
            _LINE.clear()


def _make_table(
    headings: Sequence[str], numbers: Iterable[int], widths: Sequence[int] = ()
) -> Table:
    right = set(numbers)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for index, heading in enumerate(headings):
        table.add_column(
            heading,
            justify="right" if index in right else "left",
            no_wrap=index == 0,
            overflow="fold",
            min_width=widths[index] if widths else None,
        )
    return table


def _make_console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _width_of_a_pipe()
    return PlainConsole(stderr=stderr, highlight=False, width=width)


def _width_of_a_pipe() -> int:
    wanted = os.environ.get("COLUMNS", "")
    if not (wanted.isascii() and wanted.isdigit()):
        return WIDTH_OF_A_PIPE
    return min(max(int(wanted[:6]), NARROWEST), WIDEST)


def json_text(content: object) -> str:
    """Return content as JSON; a number that is not finite becomes null."""
    return json.dumps(_plain(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(content: Any) -> Any:
    """Return content as JSON knows it."""
    match content:
        case Mapping():
            return {str(key): _plain(value) for key, value in content.items()}
        case str() | bool() | int() | None:
            return content
        case float():
            return float(content) if math.isfinite(content) else None
        case Iterable():
            return [_plain(value) for value in content]
        case _:
            return str(content)


def name_logs(files: Sequence[Path]) -> list[str]:
    """Return a name for each file: as short as is unique; the same file gets a number."""
    stems, paths = [file.stem for file in files], [str(file) for file in files]
    names = stems if len(set(stems)) == len(stems) else paths
    return [
        name if names.count(name) == 1 else f"{name} ({names[: index + 1].count(name)})"
        for index, name in enumerate(names)
    ]


@contextmanager
def show_progress(terminal: Terminal, title: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that shows the share of the work that is done on stderr, if a terminal."""
    with show_steps(terminal) as show:
        yield lambda share: show(title, share)


@contextmanager
def show_steps(terminal: Terminal) -> Iterator[Callable[[str, float], None]]:
    """Yield a function that shows what is being done and the share that is done."""
    from rich.progress import Progress

    console = terminal.err
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=1.0)
        yield lambda what, share: progress.update(task, description=what, completed=share)


@contextmanager
def watch_tasks(what: str) -> Iterator[OnProgress]:
    """Yield a function that shows how many of many tasks are done on stderr, if a terminal."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Terminal().err
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(what, total=None)

        def tell(name: str, done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield tell
