"""Gymnasium environments: simulations with observations, actions and rewards.

Importing this package registers them: `grouser/FlatTracking-v0` and its siblings.
"""

from grouser.extras import require_extra

require_extra("an environment for learning", "envs", "gymnasium")

from grouser.envs.env import TrackedEnv
from grouser.envs.quantity import Quantity
from grouser.envs.spaces import describe_task
from grouser.envs.task import (
    NAMESPACE,
    TASKS,
    EpisodeParameters,
    Randomisation,
    Task,
    Weights,
    register_tasks,
)
from grouser.envs.vector_env import TrackedVectorEnv

__all__ = [
    "NAMESPACE",
    "TASKS",
    "EpisodeParameters",
    "Quantity",
    "Randomisation",
    "Task",
    "TrackedEnv",
    "TrackedVectorEnv",
    "Weights",
    "describe_task",
]

register_tasks()
