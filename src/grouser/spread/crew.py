"""Who does the work."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grouser.errors import InvalidValue
from grouser.spread.local_workers import work_here, work_locally
from grouser.spread.task import Answer, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Processes of this machine, or a Dask cluster that is already running."""

    workers: int | None = None
    """How many processes on this machine: one for each core if not given; 1 is this one."""
    cluster: str | None = None
    """Address of a Dask scheduler, as in tcp://127.0.0.1:8786; None for this machine alone. It must
    be trusted: tasks and results are pickled."""

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise InvalidValue("number of workers", self.workers, "be at least 1")
        if self.cluster is not None and self.workers is not None:
            required = "be left out with a cluster, which has its own workers"
            raise InvalidValue("number of workers", self.workers, required)

    def work(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Answer]]:
        """Yield tasks as they are done, in any order; a lost one must be given again.

        Raises:
            MissingExtra: There should be a cluster, and distributed is not installed.
            ClusterLost: The cluster is not there, or no longer.
        """
        if not tasks:
            return iter(())
        if self.cluster is not None:
            from grouser.spread.dask_cluster import work_on_cluster

            return work_on_cluster(tasks, self.cluster)
        if self.workers == 1:
            return work_here(tasks)
        return work_locally(tasks, self.workers or _count_cores())


ALONE = Crew(workers=1)
"""This process."""


def _count_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
