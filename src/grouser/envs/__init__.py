"""Gymnasium environments: the same simulation, with observations, actions and rewards.

Importing this package registers them: `grouser/FlatTracking-v0` and its siblings.
"""

from grouser.extras import require_extra

require_extra("an environment for learning", "envs", "gymnasium")

from grouser.envs.describe_task import describe_task
from grouser.envs.quantity import Quantity
from grouser.envs.randomisation import Draw, Randomisation
from grouser.envs.register_tasks import NAMESPACE, register_tasks
from grouser.envs.task import TASKS, Task, Weights
from grouser.envs.tracked_env import TrackedEnv
from grouser.envs.tracked_vector_env import TrackedVectorEnv

__all__ = [
    "NAMESPACE",
    "TASKS",
    "Draw",
    "Quantity",
    "Randomisation",
    "Task",
    "TrackedEnv",
    "TrackedVectorEnv",
    "Weights",
    "describe_task",
]

register_tasks()
