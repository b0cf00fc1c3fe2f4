"""A process that is killed at a chosen instant inside its writes."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CALLS = ("fsync", "link", "replace", "rename", "unlink")
"""Functions of `os` between which a file may be half written, or have two names or none."""


def killed_at_each_call(work: Callable[[], Any], prepare: Callable[[], None]) -> Iterator[int]:
    """Let a process do a work and be killed before its first call, its second …; yield each time.

    The last process is not killed, as it makes fewer calls.

    Args:
        work: What it does.
        prepare: Called before each process, to make the place as it was.
    """
    number = 0
    while True:
        number += 1
        prepare()
        child = os.fork()
        if child == 0:
            _do_and_be_killed(work, number)
        _, status = os.waitpid(child, 0)
        yield number
        if not os.WIFSIGNALED(status):
            assert os.waitstatus_to_exitcode(status) == 0
            return
        assert os.WTERMSIG(status) == signal.SIGKILL


def _do_and_be_killed(work: Callable[[], Any], at: int) -> None:
    count = 0

    def killing(call: Callable[..., Any]) -> Callable[..., Any]:
        def instead(*words: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*words, **options)

        return instead

    for name in CALLS:
        setattr(os, name, killing(getattr(os, name)))
    try:
        code = work()
    except BaseException:
        os._exit(99)
    os._exit(code if isinstance(code, int) else 0)


def visible(folder: Path) -> set[str]:
    """Return the names of what is in a folder and is not hidden."""
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}
