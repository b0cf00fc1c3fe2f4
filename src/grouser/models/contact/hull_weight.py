"""What a force on the hull has to move."""

import mujoco
import numpy as np

from grouser.models.contact.scene import Scene


def hull_weight(scene: Scene, data: mujoco.MjData) -> tuple[float, float]:
    """Return the mass of the robot [kg] and its moment of inertia about the hull's z [kg m^2].

    The robot is taken as it is described, flippers and all, about its centre of mass.
    """
    model, hull = scene.model, scene.tables.hull
    mujoco.mj_resetData(model, data)
    mujoco.mj_forward(model, data)
    inertia = 0.0
    for body in range(model.nbody):
        if model.body_rootid[body] != hull:
            continue
        axes = data.ximat[body].reshape(3, 3)[2]
        arm = data.xipos[body] - data.subtree_com[hull]
        inertia += float(np.sum(axes**2 * model.body_inertia[body]))
        inertia += float(model.body_mass[body] * (arm[0] ** 2 + arm[1] ** 2))
    return float(model.body_subtreemass[hull]), inertia
