"""Many robots, one after the other, in one compiled call: what a thread of a batch does."""

from typing import Any

from grouser.models.contact.compiled import compiled
from grouser.models.contact.native_calls import call_stage, floats, number, pointer
from grouser.models.contact.traction import advance_with_traction
from grouser.models.contact.workspace import Memory


@compiled
def advance_robots(
    first: int,
    end: int,
    steps: int,
    own_friction: bool,
    models: Any,
    datas: Any,
    controls: Any,
    at: Any,
    tables: Any,
    memories: Any,
) -> None:
    """Advance the robots from `first` up to `end` by some steps of the engine.

    Args:
        first: Number of the first robot.
        end: One more than the last.
        steps: How many steps.
        own_friction: Whether friction is ours, or the engine's.
        models: Address of each robot's model.
        datas: Address of each robot's data.
        controls: What is asked of the actuators; a row per robot.
        at: The engine's layout.
        tables: Tables of the scene.
        memories: Memory of all robots.
    """
    for robot in range(first, end):
        model, data = models[robot], datas[robot]
        control = floats(pointer(data + at.controls), controls.shape[1])
        for k in range(controls.shape[1]):
            control[k] = controls[robot, k]
        if own_friction:
            memory = memory_of_robot(memories, robot)
            advance_with_traction(model, data, steps, at, tables, memory)
        else:
            for _ in range(steps):
                call_stage(at.step, model, data)


@compiled
def read_robots(datas: Any, positions: Any, velocities: Any, at: Any) -> None:
    """Copy the engine's positions and velocities; a row per robot."""
    for robot in range(datas.size):
        q, v = pointer(datas[robot] + at.positions), pointer(datas[robot] + at.velocity)
        for k in range(positions.shape[1]):
            positions[robot, k] = number(q + 8 * k)
        for k in range(velocities.shape[1]):
            velocities[robot, k] = number(v + 8 * k)


@compiled
def memory_of_robot(m: Any, r: int) -> Any:
    """Return the memory of one of many robots, as views."""
    return Memory(
        m.count[r], m.belts[r], m.targets[r], m.inverse_masses[r], m.forces[r], m.motors[r],
        m.friction[r], m.steering[r], m.push[r], m.errors[r], m.motor_gains[r],
        m.stiffness[r], m.first[r], m.jacobian[r], m.response[r],
        m.span[r], m.velocity[r], m.answer[r], m.impulse[r],
        m.last_impulse[r], m.last_geom[r], m.surface[r], m.limit[r], m.mobility[r],
        m.position[r], m.tangents[r], m.normal[r], m.load[r], m.geom[r], m.drive[r],
        m.approach[r], m.drag[r], m.travel[r], m.rolled[r], m.footprint[r],
        m.work[r],
    )  # fmt: skip
