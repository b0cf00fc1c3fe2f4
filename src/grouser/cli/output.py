"""Files that commands write: claimed before the work, never over another, never lost."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

from grouser import interrupts
from grouser.cli.exits import remember_misplaced
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue, Unwritable
from grouser.extras import require_extra
from grouser.log import Spool, write_spool
from grouser.log.content import LOG_SUFFIXES
from grouser.report.draw_matplotlib import PICTURE_SUFFIXES
from grouser.report.page import PAGE_SUFFIXES
from grouser.storage import (
    check_replaceable,
    next_free,
    numbered,
    replace_file,
    take_name,
    write_new,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A file to be written at the end of a work, under a name that was free at its beginning."""

    option: str
    """The option that named the file."""
    path: Path
    """Where it is to be."""
    overwrite: bool
    """Whether it may replace a file."""
    is_named: bool
    """Whether the user chose the name; another one is then worth a sentence."""

    def write(self, write: Callable[[Path], object]) -> Path:
        """Write the file; return where it is.

        If it cannot be written there, it is written to another folder: one that is typed at
        the terminal, otherwise the one for temporary files, or the user's own. A sentence
        says so, and the exit code of the command is not zero.

        Args:
            write: Writes the file to the path that it is given; called again for another place.

        Raises:
            Unwritable: There was no such place.
        """
        with interrupts.held():
            try:
                return self._note(self._put(write))
            except Unwritable as error:
                return self._write_elsewhere(write, error)

    def write_spool(self, spool: Spool) -> Path:
        """Let a log that was streamed to disk take its name; return where it is.

        Whatever else ends it, the file that was streamed to stays, and a sentence says where.
        """
        is_csv, found = self.path.suffix.lower() == ".csv", None
        with interrupts.held():
            try:
                with suppress(OSError, Unwritable):
                    found = self._note(self._rename(spool.complete())) if is_csv else None
                found = found or self.write(lambda path: write_spool(spool, path))
                return found
            finally:
                spool.close(remove=found is not None)
                if found is None:
                    words = "what could be written during the run is in"
                    Terminal().remark(f"grouser: {words} {spool.path}")

    def _rename(self, complete: Path) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.overwrite:
            return take_name(complete, self.path)
        check_replaceable(self.path)
        os.replace(complete, self.path)
        return self.path

    def _put(self, write: Callable[[Path], object]) -> Path:
        if not self.overwrite:
            return write_new(self.path, write)
        replace_file(self.path, write)
        return self.path

    def _note(self, found: Path) -> Path:
        if found != self.path and self.is_named:
            remember_misplaced(found)
            Terminal().remark(
                f"grouser: {self.path} appeared in the meantime and was not overwritten; "
                f"the result is in {found}"
            )
        return found

    def _write_elsewhere(self, write: Callable[[Path], object], problem: Unwritable) -> Path:
        terminal = Terminal()
        terminal.remark(f"grouser: {problem}")
        while (folder := _ask_folder(terminal)) is not None:
            try:
                found = write_new(folder / self.path.name, write)
            except Unwritable as error:
                terminal.remark(f"grouser: {error}")
                continue
            return _misplace(found, terminal)
        for folder in (Path(gettempdir()), Path.home()):
            with suppress(Unwritable):
                return _misplace(write_new(folder / self.path.name, write), terminal)
        raise problem


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderOutput:
    """A folder that a command adds files to, each claimed by itself."""

    option: str
    """The option that named the folder."""
    path: Path
    """Where it is."""
    overwrite: bool
    """Whether files in it may be replaced."""
    is_named: bool
    """Whether the user chose it."""

    @classmethod
    def of(
        cls, option: str, path: Path | None, default: Path, *, overwrite: bool
    ) -> "FolderOutput":
        """Return the folder of an option, or the default."""
        return cls(
            option=option, path=path or default, overwrite=overwrite, is_named=path is not None
        )

    def claim(self, name: str) -> Output:
        """Return where a file of the folder will be written, as `claim_output` does."""
        file = self.path / name
        given = file if self.is_named else None
        return claim_output(self.option, given, file, overwrite=self.overwrite)


def claim_output(
    option: str,
    path: Path | None,
    default: Path | None = None,
    *,
    overwrite: bool,
    suffixes: tuple[str, ...] = (),
) -> Output:
    """Return where a command will write, checked before it starts its work.

    Args:
        option: The option that names the file.
        path: What it was given.
        default: The file if it was not given; the next free name if there is one already.
        overwrite: Whether a file that exists may be replaced.
        suffixes: How the name may end; anyhow if there are none.

    Raises:
        InvalidValue: The name ends otherwise, there is a file already, or the folder is not
            writable.
        MissingExtra: The package that writes such a file is not installed.
    """
    target = path if path is not None else default
    assert target is not None, "an output has a name or a default"
    if suffixes:
        check_suffix(option, target, suffixes)
    _check_free(option, target, overwrite=overwrite or path is None)
    _check_folder(option, target)
    if path is None and not overwrite:
        target = next_free(target)
    return Output(option=option, path=target, overwrite=overwrite, is_named=path is not None)


def claim_optional(
    option: str, path: Path | None, *, overwrite: bool, suffixes: tuple[str, ...] = ()
) -> Output | None:
    """Return where a command will write, or None if the option was not given."""
    if path is None:
        return None
    return claim_output(option, path, overwrite=overwrite, suffixes=suffixes)


def claim_folder(
    option: str, path: Path | None, default: Path | None = None, *, overwrite: bool
) -> Path:
    """Return a folder that a command will fill: a new or an empty one, unless it may overwrite.

    Raises:
        InvalidValue: There are files in it already, or it is not writable.
    """
    target = path if path is not None else default
    assert target is not None, "an output has a name or a default"
    _check_folder(option, target / "file")
    if overwrite or not target.is_dir() or not any(target.iterdir()):
        return target
    if path is None:
        return next_free(target)
    required = "name a new or an empty folder (--overwrite replaces the files in this one)"
    raise InvalidValue(option, str(path), required)


def _check_free(option: str, path: Path, *, overwrite: bool) -> None:
    try:
        check_replaceable(path)
        is_there = os.path.lexists(path)
    except Unwritable as error:
        raise InvalidValue(option, str(path), error.required) from error
    except OSError as error:
        required = f"be the name of a file ({error.strerror})"
        raise InvalidValue(option, str(path), required) from error
    if is_there and not overwrite:
        required = "name a file that does not exist yet (--overwrite replaces this one)"
        raise InvalidValue(option, str(path), required)


def _check_folder(option: str, path: Path) -> None:
    folder = next(found for found in path.absolute().parents if os.path.lexists(found))
    if not folder.is_dir():
        raise InvalidValue(option, str(path), f"lie in a folder, which {folder} is not")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidValue(option, str(path), f"lie in a folder that can be written, not {folder}")


def _ask_folder(terminal: Terminal) -> Path | None:
    """Return a folder that is typed at the terminal; None if there is no terminal or no answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    terminal.remark(f"another folder to write to (nothing: {gettempdir()}):")
    answer = sys.stdin.readline().strip()
    return Path(answer).expanduser() if answer else None


def _misplace(found: Path, terminal: Terminal) -> Path:
    remember_misplaced(found)
    terminal.remark(f"grouser: written to {found} instead; move it to where you want it")
    return found


LOGS = LOG_SUFFIXES
"""How the name of a log may end."""
PLOTS = (*PAGE_SUFFIXES, *PICTURE_SUFFIXES)
"""How the name of a plot may end."""


_NEEDED_EXTRAS = {
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
        raise InvalidValue(option, str(path), f"end in {_list_suffixes(suffixes)}")
    if path is not None and path.suffix.lower() in _NEEDED_EXTRAS:
        module, extra = _NEEDED_EXTRAS[path.suffix.lower()]
        require_extra(f"{option} {path}", extra, module)


def _list_suffixes(suffixes: tuple[str, ...]) -> str:
    *first, last = suffixes
    return f"{', '.join(first)} or {last}" if first else last


def claim_log(out: Path | None, default: Path, *, overwrite: bool) -> Output:
    """Return where the log goes, so that neither it nor its raw log replaces another run's.

    Args:
        out: The value of `--out`.
        default: The log if `--out` is not given, with -2, -3 and so on if either file is there.
        overwrite: Whether files may be replaced.

    Raises:
        InvalidValue: One of both files is there already, or cannot be written.
    """
    if out is None and not overwrite:
        default = next(path for path in numbered(default) if not _is_run_taken(path))
    log = out or default
    claim_output("--out", raw_beside(log), overwrite=overwrite)
    return claim_output("--out", out, default, overwrite=overwrite, suffixes=LOGS)


def raw_beside(log: Path) -> Path:
    """Return where the bytes go that belong to a log."""
    return log.with_suffix(".raw")


def _is_run_taken(log: Path) -> bool:
    return os.path.lexists(log) or os.path.lexists(raw_beside(log))
