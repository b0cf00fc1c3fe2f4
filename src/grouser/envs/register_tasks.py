"""Makes the tasks known to Gymnasium."""

import gymnasium

from grouser.envs.task import TASKS

NAMESPACE = "grouser"
"""What identifiers begin with: `grouser/FlatTracking-v0`."""


def register_tasks() -> None:
    """Register every task, each for one robot and for many; once, however often it is called."""
    for name in TASKS:
        identifier = f"{NAMESPACE}/{name}-v0"
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier,
                entry_point="grouser.envs.tracked_env:TrackedEnv",
                vector_entry_point="grouser.envs.tracked_vector_env:TrackedVectorEnv",
                kwargs={"task": name},
            )
