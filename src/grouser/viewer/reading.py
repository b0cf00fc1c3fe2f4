"""Files of others are read by a process of their own, within limits of memory and time.

`ReadingProcess` starts `python -m grouser.viewer.reading`, which lies ready and forks a child for
each file. The child reads the file, writes what was found anew, and answers in JSON. It runs at the
lowest priority, so that the physics of the page goes on, and reads nothing but the file and what a
page may read (`shelf`). If it dies, that is a sentence about the file, not the end of the page.
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from grouser import limits
from grouser.errors import GrouserError, InvalidDescription, Unreadable

Task: TypeAlias = Literal["mesh", "heights", "toml"]
"""What a file is read as."""
IDLE = 60.0
"""Time without a file after which the process ends; the next file starts another one [s]."""
_TASKS: Mapping[str, str] = {
    "mesh": "grouser.viewer.thin_mesh:keep_mesh",
    "heights": "grouser.viewer.thin_heights:keep_heights",
    "toml": "grouser.viewer.dropped_toml:check_toml",
}
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A process must not have threads when it forks, and each would reserve memory."""


class ReadingProcess:
    """Reads files, one after the other; any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._end: Callable[[], object] = lambda: None

    def read(self, task: Task, file: Path, folder: Path, **more: Any) -> dict[str, Any]:
        """Return what a file has; see the function of the task.

        Args:
            task: What the file is read as.
            file: The file.
            folder: Folder of the page: files in it may be read as well.
            more: Further arguments of the task, which JSON can hold.

        Raises:
            InvalidDescription: The file has mistakes, or needs too much memory or time.
        """
        given = {"task": task, "file": str(file), "folder": str(folder), "more": more}
        given["bytes"], given["seconds"] = limits.READING_BYTES, limits.READING_SECONDS
        given["patience"] = limits.READING_PATIENCE
        with self._lock:
            answer = self._ask(json.dumps(given).encode() + b"\n")
        if "mistakes" in answer:
            raise InvalidDescription(file, answer["mistakes"])
        return answer

    def close(self) -> None:
        """End the process, also while it reads; nothing is read any more."""
        self._is_closed = True
        self._end()

    def _ask(self, line: bytes) -> dict[str, Any]:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
            return json.loads(process.stdout.readline())
        except (OSError, ValueError):  # it was ended from outside
            self._end()
            return {"mistakes": ["was not read, as the process that reads files ended: try again"]}

    def _start(self) -> subprocess.Popen[bytes]:
        self._end()
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "grouser.viewer.reading"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ONE_THREAD},
            start_new_session=True,
        )
        self._end = weakref.finalize(self, _end, process)
        if self._is_closed:
            self._end()
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a reading process and the child that it has."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):  # of words that it did not read any more
            if stream is not None:
                stream.close()


def serve() -> None:
    """Answer each line of the standard input by a line, until it ends or nothing comes."""
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    while select.select([asked], [], [], IDLE)[0] and (line := asked.readline()):
        given = json.loads(line)
        import_module(_TASKS[given["task"]].partition(":")[0])  # once, for all children
        answers.write(json.dumps(_answer_of_child(given)).encode() + b"\n")
        answers.flush()


def _answer_of_child(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a new process answers, or what its death means."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with os.fdopen(writing, "wb") as stream:
            stream.write(json.dumps(answer(given)).encode())
        os._exit(0)
    os.close(writing)
    words, is_late = _receive(reading, child, given["patience"])
    _, status = os.waitpid(child, 0)
    if is_late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        seconds = given["patience"] if is_late else given["seconds"]
        return {"mistakes": [f"could not be read within {seconds:.3g} s: make it smaller"]}
    try:
        return json.loads(words)
    except ValueError:  # libraries do not always survive a lack of memory
        return {"mistakes": [_too_large(given["bytes"])]}


def _receive(reading: int, child: int, patience: float) -> tuple[bytes, bool]:
    """Return all that a child writes, and whether it was ended because it took too long."""
    words, end = b"", time.monotonic() + patience
    with os.fdopen(reading, "rb", buffering=0) as stream:
        while True:
            wait = max(end - time.monotonic(), 0.0)
            ready = select.select([stream, sys.stdin], [], [], wait)[0]
            if stream not in ready:  # too late, or the page is gone, which asks one by one
                os.kill(child, signal.SIGKILL)
                return words, True
            part = stream.read(1 << 16)
            if not part:
                return words, False
            words += part


def answer(given: Mapping[str, Any]) -> dict[str, Any]:
    """Do a task in this process, within its limits; mistakes are an answer, too."""
    from grouser.description.find import shelf_of
    from grouser.shelf import only_from

    module, _, name = _TASKS[given["task"]].partition(":")
    shelf = shelf_of(Path(given["folder"]))
    _limit(given["bytes"], given["seconds"])
    try:
        with only_from(shelf):
            return getattr(import_module(module), name)(Path(given["file"]), **given["more"])
    except InvalidDescription as error:
        return {"mistakes": error.mistakes}
    except Unreadable as error:
        return {"mistakes": [error.problem]}
    except (GrouserError, OSError) as error:
        return {"mistakes": [str(error)]}
    except MemoryError:
        return {"mistakes": [_too_large(given["bytes"])]}


def _too_large(size: int) -> str:
    return f"needs more than {size / limits.GB:.2g} GB of memory to be read: make it smaller"


def _limit(size: int, seconds: int) -> None:
    """Bound memory, time and files of this process."""
    import resource

    os.nice(19)
    bounds = {
        resource.RLIMIT_AS: (size, size),
        resource.RLIMIT_CPU: (seconds, seconds + 5),  # SIGXCPU, and SIGKILL if that is ignored
        resource.RLIMIT_FSIZE: (limits.UPLOAD_BYTES, limits.UPLOAD_BYTES),
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, most in bounds.items():
        resource.setrlimit(kind, most)


if __name__ == "__main__":
    serve()
