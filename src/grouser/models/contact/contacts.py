"""Contacts as a product: forces, slip and the margin against tipping over, from the last step."""

import mujoco
import numpy as np
import shapely
from numpy.typing import NDArray

from grouser.models.contact.scene import Scene
from grouser.models.contact.workspace import Memory
from grouser.models.model import Contact


def read_contacts(scene: Scene, data: mujoco.MjData, memory: Memory) -> tuple[Contact, ...]:
    """Return the contacts of the robot with the ground in the last step."""
    timestep = scene.model.opt.timestep
    found = []
    for i in range(int(memory.count[0])):
        geom = int(memory.geom[i])
        tangents, along_belt = memory.tangents[i], memory.surface[i]
        belt = memory.belts[scene.tables.drive[geom]]
        slip = memory.jacobian[2 * i : 2 * i + 2] @ data.qvel + along_belt * belt
        force = memory.load[i] * memory.normal[i] + memory.impulse[i] / timestep @ tangents
        found.append(
            Contact(
                drive=scene.model.geom(geom).name.split("/")[0],
                position_in_world=_vector(memory.position[i]),
                normal_in_world=_vector(memory.normal[i]),
                force_in_world=_vector(force),
                slip_in_world=_vector(slip @ tangents),
            )
        )
    return tuple(found)


def tip_over_margin(scene: Scene, data: mujoco.MjData, contacts: tuple[Contact, ...]) -> float:
    """Return how far the centre of mass is inside the ground that carries the robot [m].

    The distance, seen from above, from the centre of mass to the edge of the convex hull of
    the contacts; negative outside, where the robot is tipping over. Left out: motion.
    """
    if not contacts:
        return -np.inf
    points = np.array([contact.position_in_world[:2] for contact in contacts])
    support = shapely.MultiPoint(points).convex_hull
    centre = shapely.Point(data.subtree_com[scene.tables.hull][:2])
    if support.geom_type != "Polygon" or not support.contains(centre):
        return -float(support.distance(centre))
    return float(support.exterior.distance(centre))


def _vector(values: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
