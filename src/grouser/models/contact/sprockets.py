"""The motors of sprockets, compiled: they push belts of plates to their speed."""

from typing import Any

from grouser.models.contact.compiled import compiled
from grouser.models.contact.native_calls import floats, number, pointer


@compiled
def turn_sprockets(data: int, timestep: float, at: Any, tables: Any, memory: Any) -> None:
    """Set each motor's force on its belt, by a PI control of the belt's speed.

    The integral waits while the motor is at its limit.
    """
    sprockets, errors, gains = tables.sprockets, memory.errors, memory.motor_gains
    velocity = pointer(data + at.velocity)
    for drive in range(sprockets.shape[0]):
        actuator = int(sprockets[drive, 0])
        if actuator < 0:
            continue
        speed = number(velocity + 8 * int(sprockets[drive, 1])) * sprockets[drive, 2]
        error = memory.targets[drive] - speed
        integral = errors[0, drive] + error * timestep
        force = gains[0] * error + gains[1] * integral
        limit = memory.forces[drive]
        if abs(force) < limit:
            errors[0, drive] = integral
        force = min(max(force, -limit), limit)
        floats(pointer(data + at.controls), actuator + 1)[actuator] = force
        memory.work[drive] += force * speed * timestep


@compiled
def read_sprockets(data: int, at: Any, tables: Any, memory: Any) -> None:
    """Tell how fast the belts of sprockets run."""
    sprockets = tables.sprockets
    for drive in range(sprockets.shape[0]):
        if sprockets[drive, 0] >= 0.0:
            degree = int(sprockets[drive, 1])
            speed = number(pointer(data + at.velocity) + 8 * degree) * sprockets[drive, 2]
            memory.belts[drive] = speed
