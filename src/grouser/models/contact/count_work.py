"""What drives do against the ground, compiled."""

from typing import Any

from grouser.models.contact.compiled import compiled


@compiled
def count_work(memory: Any, timestep: float) -> None:
    """Add what drives have done against the ground: friction, and loads on grousers."""
    for i in range(memory.count[0]):
        drive = memory.drive[i]
        along = memory.surface[i, 0] * memory.impulse[i, 0]
        along += memory.surface[i, 1] * memory.impulse[i, 1]
        along += memory.approach[i] * memory.load[i] * timestep
        memory.work[drive] -= memory.belts[drive] * along
