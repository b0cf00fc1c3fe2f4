"""Several courses at the same time, with progress."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from os import cpu_count
from typing import Any

from rich.progress import Progress

from grouser.cli.terminal import Terminal
from grouser.papers.p0.courses import CourseResult, run_course


def run_courses(
    names: Sequence[str], board: str, *, draws: int, seed: int, jobs: int | None
) -> list[CourseResult]:
    """Return what came of each course, in their order.

    Args:
        names: Which courses.
        board: Which board.
        draws: How many robots to draw.
        seed: Seed of every noise.
        jobs: How many at the same time; one per core if not given.
    """
    console = Terminal().err
    workers = min(jobs or cpu_count() or 1, len(names))
    settings: dict[str, Any] = {"count": draws, "seed": seed}
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("courses", total=len(names))
        if workers == 1:
            results = []
            for name in names:
                results.append(run_course(name, board, **settings))  # type: ignore[arg-type]
                progress.advance(task)
            return results
        # A fresh start: a fork of a process with threads may hang.
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
        try:
            futures = [pool.submit(run_course, name, board, **settings) for name in names]  # type: ignore[arg-type]
            for _ in as_completed(futures):
                progress.advance(task)
            return [future.result() for future in futures]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
