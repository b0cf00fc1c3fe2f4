"""A row of wheels where a belt would be."""

import mujoco
import numpy as np

from grouser.description.loop import Arc, Loop
from grouser.models.contact.belt_geoms import BeltGeom, add_roller


def add_wheels(
    body: mujoco.MjsBody, loop: Loop, *, name: str, y: float, width: float, drive: int, count: int
) -> list[BeltGeom]:
    """Add a row of wheels between the end pulleys of a loop, and one at every other pulley.

    Args:
        body: The body that carries them, in whose frame the loop is.
        loop: The path of the belt that they stand for.
        name: What the belt is called.
        y: Where its centre line is in the body frame [m].
        width: Its width [m].
        drive: Which of the robot's drives turns them.
        count: How many stand in the row, the end pulleys counted.
    """
    front, rear = loop.end_arcs
    others = [s for s in loop.segments if isinstance(s, Arc) and s not in (front, rear)]
    ends = [(*rear.centre, rear.radius), (*front.centre, front.radius)]
    row = np.linspace(*np.array(ends), count) if front is not rear else np.array(ends[:1])
    discs = [*row.tolist(), *((*arc.centre, arc.radius) for arc in others)]
    return [
        add_roller(
            body,
            name=f"{name}/wheel{number}",
            centre=(x, y, z),
            radius=radius,
            width=width,
            drive=drive,
        )
        for number, (x, z, radius) in enumerate(discs)
    ]
