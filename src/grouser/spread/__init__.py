"""Many independent tasks on local processes or on a Dask cluster, by the same code.

Results come as they are done, and may be kept in a file: the same work, started again, goes on
where it was. This is the only package that imports distributed, which is optional.
"""

from grouser.spread.crew import ALONE, Crew
from grouser.spread.spread import Tell, spread
from grouser.spread.task import Task, mark_settings

__all__ = ["ALONE", "Crew", "Task", "Tell", "mark_settings", "spread"]
