"""Tasks, and the processes of this machine that run them.

Each process is an executor of its own (`concurrent.futures`): one that dies, by a signal or for
lack of memory, loses the task that it runs and no other.
"""

import contextlib
import os
import pickle
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import current_process, get_context, parent_process
from multiprocessing.connection import wait
from queue import SimpleQueue
from threading import Thread
from typing import Any

from grouser.errors import GrouserError

UNGUARDED = (
    "grouser: a program that uses several processes is imported by each of them; put what "
    "starts the work under: if __name__ == '__main__':"
)
"""Message to a program that would start itself again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A call that any process can make, with the same result wherever and whenever it is made."""

    name: str
    """Unique among the tasks of a run; the result is stored under this name."""
    function: Callable[..., Any]
    """A function of a module, so that other processes can import it."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments; all of them can be pickled."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What a task returned or raised."""

    value: Any = None
    """What the function returned."""
    problem: str = ""
    """What it raised, in one sentence; empty if it returned."""
    details: str = ""
    """The traceback."""
    is_lost: bool = False
    """Whether the process died before the function returned."""


def call_task(function: Callable[..., Any], arguments: Mapping[str, Any]) -> TaskResult:
    """Call a function; return what it returned or raised.

    Errors travel as text: an exception with a constructor of its own does not survive pickling.
    """
    try:
        return TaskResult(function(**arguments))
    except GrouserError as error:
        return TaskResult(problem=str(error), details=traceback.format_exc())
    except Exception as error:
        words = " ".join(f"{type(error).__name__}: {error}".split())
        return TaskResult(problem=words, details=traceback.format_exc())


def run_locally(tasks: Sequence[Task], count: int) -> Iterator[tuple[Task, TaskResult]]:
    """Yield tasks as `count` processes end them; all processes end with the last task."""
    waiting = deque(tasks)
    ended: SimpleQueue[tuple[ProcessPoolExecutor, Task, Future[TaskResult]]] = SimpleQueue()
    executors = [_start_executor() for _ in range(min(count, len(tasks)))]

    def start_next(executor: ProcessPoolExecutor) -> None:
        task = waiting.popleft()
        call = pickle.dumps((task.function, dict(task.arguments)))
        with _interrupts_blocked():
            future = executor.submit(_call_pickled, call)
        future.add_done_callback(lambda future: ended.put((executor, task, future)))

    try:
        for executor in executors:
            start_next(executor)
        for _ in tasks:
            executor, task, future = ended.get()
            result = _result_of(future)
            if result.is_lost:
                executors.remove(executor)
                executor.shutdown()
            if waiting:
                if result.is_lost:
                    executors.append(executor := _start_executor())
                start_next(executor)
            yield task, result
    finally:
        for executor in executors:
            _kill(executor)


def _start_executor() -> ProcessPoolExecutor:
    if getattr(current_process(), "_inheriting", False):
        # A process that imports its program would start processes that import it, and so on.
        raise SystemExit(UNGUARDED)
    # By "spawn", neither threads nor locks of this process get into the other.
    return ProcessPoolExecutor(1, get_context("spawn"), _prepare_process)


def _kill(executor: ProcessPoolExecutor) -> None:
    # Python 3.14 has kill_workers() for this.
    for process in list((executor._processes or {}).values()):
        process.kill()
    executor.shutdown(cancel_futures=True)


def _result_of(future: "Future[TaskResult]") -> TaskResult:
    try:
        return future.result()
    except BrokenProcessPool:
        return TaskResult(is_lost=True)
    except Exception as error:
        return TaskResult(problem=f"its result cannot be sent ({error})")


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let a process that starts now never be interrupted, even before it can ignore signals."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare_process() -> None:
    # Ctrl-C goes to all processes of a terminal; the first one decides for the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _call_pickled(call: bytes) -> TaskResult:
    try:
        function, arguments = pickle.loads(call)
    except Exception as error:
        return TaskResult(problem=f"cannot be run by another process ({error})")
    return call_task(function, arguments)
