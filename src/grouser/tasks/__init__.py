"""Many independent tasks on local processes or on a Dask cluster, by the same code.

Results are yielded as tasks end, and may be stored in a file: the same work, started again, goes on
where it was. This is the only package that imports distributed, which is optional.
"""

from grouser.tasks.pool import Task
from grouser.tasks.tasks import SERIAL, OnProgress, Workers, content_hash, run_tasks

__all__ = ["SERIAL", "OnProgress", "Task", "Workers", "content_hash", "run_tasks"]
