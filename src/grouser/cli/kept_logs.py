"""Logs of a work that is not finished: kept as they come, so that the same command continues."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from grouser.cli.output import FolderOutput, claim_folder
from grouser.errors import GrouserError
from grouser.log import Log, name_file, read_log, write_log
from grouser.storage import numbered
from grouser.tasks.results import ResultStore

UNFINISHED = "unfinished.json"
"""File beside the logs that names those of a work that is not finished."""


class KeptLogs:
    """Logs in a folder by key; a key depends on all that a log depends on."""

    def __init__(self, folder: Path, *, overwrite: bool) -> None:
        """Read which logs are there.

        Raises:
            Unreadable: The file that names them holds something else.
        """
        self.folder, self._overwrite = folder, overwrite
        self._store = ResultStore(folder / UNFINISHED, "names of logs")
        self._store.check(self._store.by_name, _is_entry)

    @classmethod
    def claim(
        cls, option: str, path: Path | None, default: Path, keys: Iterable[str], *, overwrite: bool
    ) -> "KeptLogs":
        """Return the logs of the same work that was not finished, or a folder for new ones.

        Raises:
            InvalidValue: There are other files in the folder, or it is not writable.
        """
        wanted = set(keys)
        for folder in [path] if path is not None else numbered(default):
            if not folder.is_dir():
                break
            if (folder / UNFINISHED).is_file():
                found = cls(folder, overwrite=overwrite)
                if wanted & set(found._store.by_name):
                    return found
        return cls(claim_folder(option, path, default, overwrite=overwrite), overwrite=overwrite)

    def find(self, key: str) -> Log | None:
        """Return a log that is whole; None if it is still to be made."""
        name, is_whole = self._store.by_name.get(key, ("", False))
        try:
            return read_log(self.folder / Path(name).name) if is_whole else None
        except GrouserError:  # it was moved or changed since
            return None

    def keep(self, key: str, name: str, log: Log) -> None:
        """Write a log; one that is not complete is made again by the next command."""
        known = key in self._store.by_name
        output = FolderOutput.of(
            "--out", None, self.folder, overwrite=self._overwrite or known
        ).claim(name_file(name, ".csv"))
        file = output.write(partial(write_log, log))
        self._store.keep(key, [file.name, log.provenance.status == "complete"])

    def path(self, key: str) -> Path:
        """Return where a log is that was kept."""
        return self.folder / self._store.by_name[key][0]

    def finish(self) -> None:
        """Note that all is done."""
        (self.folder / UNFINISHED).unlink(missing_ok=True)


def _is_entry(kept: object) -> bool:
    return isinstance(kept, list) and [type(part) for part in kept] == [str, bool]
