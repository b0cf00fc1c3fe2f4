"""Processes of this machine. One that dies takes its own task with it, and no other."""

import contextlib
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection, wait
from pickle import PicklingError

from grouser.spread.task import Answer, Task, attempt

# Neither threads nor locks of this process get into the others.
_CONTEXT = get_context("spawn")
UNGUARDED = (
    "grouser: a program whose work is done by several processes is read by each of them; put what "
    "starts the work under: if __name__ == '__main__':"
)
"""What a program is told that would start itself again and again."""


class LocalWorker:
    """A process that does one task after the other."""

    def __init__(self) -> None:
        if getattr(current_process(), "_inheriting", False):
            # A worker that reads its program would start workers that read the program, and so on.
            raise SystemExit(UNGUARDED)
        self.pipe, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=_serve, args=(theirs,), daemon=True)
        with _interrupts_held():
            self.process.start()
        theirs.close()  # so that the pipe ends when the process does
        self.task: Task | None = None
        """What it does now."""

    def give(self, task: Task) -> None:
        """Let it do a task; it must have none."""
        self.task = task
        # One that has just died is noticed when its answer is asked for.
        with contextlib.suppress(BrokenPipeError):
            self.pipe.send((task.function, dict(task.arguments)))

    def take(self) -> tuple[Task, Answer]:
        """Return its task and what came of it."""
        assert self.task is not None
        task, self.task = self.task, None
        try:
            return task, self.pipe.recv()
        except (EOFError, OSError):
            return task, Answer(is_lost=True)

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def work_locally(tasks: Sequence[Task], count: int) -> Iterator[tuple[Task, Answer]]:
    """Yield tasks as some processes have done them; all processes end with the last task.

    Args:
        tasks: What to do.
        count: How many processes.
    """
    waiting = deque(tasks)
    workers: list[LocalWorker] = []
    try:
        for _ in range(min(count, len(waiting))):
            workers.append(LocalWorker())
            workers[-1].give(waiting.popleft())
        while busy := {worker.pipe: worker for worker in workers if worker.task is not None}:
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                task, answer = worker.take()
                if answer.is_lost:
                    worker.end()
                    workers.remove(worker)
                if waiting:
                    if answer.is_lost:
                        workers.append(worker := LocalWorker())
                    worker.give(waiting.popleft())
                yield task, answer
    finally:
        for worker in workers:
            worker.end()


def work_here(tasks: Sequence[Task]) -> Iterator[tuple[Task, Answer]]:
    """Yield tasks as this process does them, one after the other."""
    for task in tasks:
        yield task, attempt(task.function, task.arguments)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let a process that starts now never be interrupted, not even before it can say so."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    # Ctrl-C goes to all processes of a terminal; the first one decides for the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            function, arguments = pipe.recv()
            answer = attempt(function, arguments)
        except EOFError:
            return
        except Exception as error:  # what was sent means nothing here
            answer = Answer(problem=f"cannot be done by another process ({error})")
        try:
            pipe.send(answer)
        except BrokenPipeError:  # whoever asked was ended by force
            return
        except (TypeError, AttributeError, PicklingError) as error:
            pipe.send(Answer(problem=f"its result cannot be sent ({error})"))
